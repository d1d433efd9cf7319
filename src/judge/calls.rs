//! Calls of programs in other languages than Python, in split form: the program's process answers with data, and what is
//! right is known and compared only on our side.

use std::time::{Duration, Instant};

use redraft_sandbox::{Isolation, Outcome};
use serde::Deserialize;
use serde_json::{Value, json};

use super::channel::{self, Silence};
use super::outcome::{milliseconds, premature, sandbox_limits};
use super::text::{cut, near_numbers};
use super::{Bench, Trouble};
use crate::language::{Unprepared, driven};
use crate::task::{Compare, Limits, Program, TestResult, Verdict};

/// A call with its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) name: &'a str,
    pub(crate) entry: &'a str,
    pub(crate) args: &'a [Value],
    pub(crate) expected: &'a Value,
    pub(crate) compare: Compare,
}

/// What a driver answers.
#[derive(Debug, Deserialize)]
struct Answer {
    value: Option<Value>,
    #[serde(default)]
    shown: String,
    raised: Option<String>,
    #[serde(default)]
    compile: bool,
}

/// Carries out a call; `None` where the language has no driver.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    call: Call<'_>,
    limits: &Limits,
) -> Option<Result<(TestResult, Isolation), Trouble>> {
    let driven = driven(program)?;
    Some(carry_out(bench, driven.sources, &driven.start, call, limits))
}

fn carry_out(
    bench: &Bench,
    mut sources: crate::language::Sources,
    start: &Value,
    call: Call<'_>,
    limits: &Limits,
) -> Result<(TestResult, Isolation), Trouble> {
    let args: Vec<String> = call.args.iter().map(shown).collect();
    let blank = |verdict, error| TestResult {
        input: cut(&format!("{}({})", call.entry, args.join(", "))),
        expected: cut(&shown(call.expected)),
        error,
        ..TestResult::new(call.name, verdict)
    };
    sources.compile_cpu = limits.compile_cpu_ms.map(Duration::from_millis);
    let prepared = match bench.runner.prepare_sources(sources) {
        Ok(prepared) => prepared,
        Err(Unprepared::Harness(why)) => return Err(Trouble(why)),
        Err(Unprepared::Refused(diagnostics)) => {
            let result = blank(Verdict::CompileError, Some(diagnostics));
            return Ok((result, bench.isolation.clone()));
        }
    };
    let child = prepared.command(&sandbox_limits(limits, 1)).spawn()?;
    let io = |error: std::io::Error| Trouble(format!("the channel to a driver: {error}"));
    channel::prepare(child.channel()).map_err(io)?;
    let request = json!({ "entry": call.entry, "args": call.args });
    let over = || child.is_over().then_some(());
    let mut heard = Ok(Vec::new());
    for message in [start, &request] {
        let frame = serde_json::to_vec(message).map_err(|error| Trouble(error.to_string()))?;
        heard = heard.and_then(|_| channel::send(child.channel(), &frame, over).map(|()| Vec::new()));
    }
    // What was said before the end is heard all the same.
    let heard = heard
        .or(Ok(Vec::new()))
        .and_then(|_: Vec<u8>| channel::receive(child.channel(), limits.output_bytes, over));
    let closed = Instant::now();
    while !child.is_over() && closed.elapsed() < Duration::from_millis(500) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill();
    let outcome = child.wait()?;
    let answer = heard.map(|frame| serde_json::from_slice::<Answer>(&frame));
    let (verdict, error, actual) = match answer {
        Ok(Ok(Answer {
            raised: Some(text),
            compile,
            ..
        })) => {
            let verdict = if compile {
                Verdict::CompileError
            } else {
                Verdict::RuntimeError
            };
            (verdict, Some(cut(&text)), None)
        }
        Ok(Ok(Answer {
            value: Some(value),
            shown,
            ..
        })) => {
            let verdict = if equal(call.expected, &value, call.compare) {
                Verdict::Passed
            } else {
                Verdict::WrongAnswer
            };
            (verdict, None, Some(cut(&shown)))
        }
        Ok(_) => (
            Verdict::RuntimeError,
            Some("the program broke the protocol".to_owned()),
            None,
        ),
        Err(Silence::TooLarge) => (
            Verdict::OutputLimit,
            Some("output limit exceeded by an answer".to_owned()),
            None,
        ),
        Err(Silence::Closed | Silence::Limit(())) => {
            let (verdict, error) = ended(&outcome, prepared.is_out_of_memory(&outcome.stderr.text()));
            (verdict, Some(error), None)
        }
    };
    let result = TestResult {
        actual,
        cpu_ms: milliseconds(outcome.usage.cpu),
        wall_ms: milliseconds(outcome.usage.wall),
        memory_bytes: outcome.usage.peak_memory,
        stderr: cut(&outcome.stderr.shown()),
        ..blank(verdict, error)
    };
    Ok((result, outcome.isolation))
}

fn ended(outcome: &Outcome, out_of_memory: bool) -> (Verdict, String) {
    if out_of_memory {
        return (Verdict::MemoryLimit, super::outcome::OUT_OF_MEMORY.to_owned());
    }
    premature(&outcome.end, outcome.exit)
}

/// JSON as a reader knows it.
fn shown(value: &Value) -> String {
    match integer(value) {
        Some(digits) => digits.to_owned(),
        None => value.to_string(),
    }
}

/// The digits of `{"$int": "digits"}`.
fn integer(value: &Value) -> Option<&str> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("$int")?.as_str()
}

/// Whether an answer, as drivers encode it, is what was expected.
fn equal(expected: &Value, actual: &Value, compare: Compare) -> bool {
    match (expected, actual) {
        (Value::Array(expected), Value::Array(actual)) if compare == Compare::Unordered => {
            let mut left: Vec<&Value> = actual.iter().collect();
            expected.len() == actual.len()
                && expected.iter().all(|wanted| {
                    let at = left.iter().position(|value| equal(wanted, value, Compare::Trim));
                    at.map(|at| left.swap_remove(at)).is_some()
                })
        }
        (Value::Array(expected), Value::Array(actual)) => {
            let mut pairs = expected.iter().zip(actual);
            expected.len() == actual.len() && pairs.all(|(wanted, value)| equal(wanted, value, compare))
        }
        (Value::Number(wanted), Value::Number(value)) => {
            let tolerance = match compare {
                Compare::Float { abs, rel } => Some((abs, rel)),
                _ => None,
            };
            let (Some(left), Some(right)) = (value.as_f64(), wanted.as_f64()) else {
                return false;
            };
            let exact = wanted.is_i64() || wanted.is_u64();
            near_numbers(left, right, tolerance.filter(|_| !exact || left.fract() != 0.0))
        }
        (wanted, value) => match integer(wanted) {
            Some(digits) => is_integer(value, digits),
            None => match wanted {
                Value::Object(fields) => same_fields(fields, value, compare),
                plain => plain == value,
            },
        },
    }
}

fn is_integer(value: &Value, digits: &str) -> bool {
    match value {
        Value::Number(number) => number
            .as_f64()
            .is_some_and(|number| format!("{number:.0}") == digits),
        Value::Object(fields) => fields.get("digits").and_then(Value::as_str) == Some(digits),
        _ => false,
    }
}

fn same_fields(wanted: &serde_json::Map<String, Value>, value: &Value, compare: Compare) -> bool {
    let Some(pairs) = value.get("pairs").and_then(Value::as_array) else {
        return false;
    };
    let field = |name: &str| pairs.iter().find(|pair| pair[0].as_str() == Some(name));
    pairs.len() == wanted.len()
        && wanted
            .iter()
            .all(|(name, wanted)| field(name).is_some_and(|pair| equal(wanted, &pair[1], compare)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "so that the cases below read well")]
    fn same(expected: Value, actual: Value) -> bool {
        equal(&expected, &actual, Compare::Trim)
    }

    #[test]
    fn values_are_compared_exactly() {
        assert!(same(
            json!([1, 2.5, "a", null, true]),
            json!([1, 2.5, "a", null, true])
        ));
        assert!(same(json!(3), json!(3.0)), "JavaScript has one kind of number");
        assert!(!same(json!(1), json!(true)) && !same(json!("1"), json!(1)));
        assert!(!same(json!(null), json!({"is": "undefined"})));
        assert!(same(json!({"a": 1}), json!({"pairs": [["a", 1]]})));
        assert!(!same(json!({"a": 1}), json!({"pairs": [["a", 1], ["b", 2]]})));
        assert!(!same(json!({"a": 1}), json!({"is": "other"})));
        assert!(same(
            json!({"$int": "123456789012345678901"}),
            json!({"is": "integer", "digits": "123456789012345678901"})
        ));
        assert!(!same(
            json!({"$int": "123456789012345678901"}),
            json!(123_456_789_012_345_680_000_f64)
        ));
    }

    #[test]
    fn floats_and_orders() {
        let float = Compare::Float { abs: 1e-6, rel: 0.0 };
        assert!(equal(&json!([0.3]), &json!([0.300_000_1]), float));
        assert!(!equal(&json!([3]), &json!([4]), float));
        assert!(!equal(&json!(0.3), &json!({"is": "NaN"}), float));
        assert!(equal(&json!([1, 2, 2]), &json!([2, 1, 2]), Compare::Unordered));
        assert!(!equal(&json!([1, 2, 2]), &json!([2, 1, 1]), Compare::Unordered));
    }
}
