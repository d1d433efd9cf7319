//! `CodeContests` as JSON: `name`, `description`, `public_tests`, `private_tests`, `generated_tests` (lists of `input` and `output`, or
//! an object of two lists), `solutions` and `incorrect_solutions` (`language` and `solution`), `time_limit`,
//! `memory_limit_bytes`.
//!
//! Public tests are visible, all are hidden. Outputs are compared word by word, floats up to 1e-5.

use serde_json::Value;

use super::SuiteError;
use super::entry::Entry;
use crate::task::{Brief, Compare, HiddenTests, Language, Limits, Program, Task, Test, TestKind};

/// As many programs of each kind are kept; tasks have hundreds.
const MOST_PROGRAMS: usize = 3;

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("description")
        && (entry.has("public_tests") || entry.has("private_tests") || entry.has("generated_tests"))
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let visible = tests(entry, "public_tests")?;
    let mut hidden = visible.clone();
    hidden.extend(tests(entry, "private_tests")?);
    hidden.extend(tests(entry, "generated_tests")?);
    if hidden.is_empty() {
        return Err(entry.error("it holds no test: there would be nothing to check a program on"));
    }
    for field in ["input_file", "output_file"] {
        if let Some(name) = entry.optional_string(field)?.filter(|name| !name.is_empty()) {
            return Err(entry.error(format!(
                "the field `{field}` is {name:?}: programs that read files in the place of stdin aren't supported"
            )));
        }
    }
    Ok(Task {
        id: entry.string("name")?.to_owned(),
        brief: Brief {
            language: Language::PYTHON,
            statement: entry.string("description")?.trim().to_owned(),
            entry_point: None,
            starter_code: String::new(),
            visible,
            limits: limits(entry)?,
        },
        hidden: HiddenTests::new(hidden),
        references: programs(entry, "solutions")?,
        wrong: programs(entry, "incorrect_solutions")?,
    })
}

fn tests(entry: &Entry<'_>, field: &str) -> Result<Vec<Test>, SuiteError> {
    let prefix = field.split('_').next().unwrap_or(field);
    let pairs = pairs(entry, field, "input", "output")?;
    let text = |value: &Value, name: &str, at: usize| {
        value.as_str().map(str::to_owned).ok_or_else(|| {
            entry.error(format!(
                "the field `{field}`, test {}: its `{name}` is no string",
                at + 1
            ))
        })
    };
    pairs
        .iter()
        .enumerate()
        .map(|(at, (input, output))| {
            Ok(Test {
                name: format!("{prefix}-{}", at + 1),
                kind: TestKind::Stdin {
                    stdin: text(input, "input", at)?,
                    expected: text(output, "output", at)?,
                    compare: Compare::Float { abs: 1e-5, rel: 1e-5 },
                },
            })
        })
        .collect()
}

/// A field that is a list of objects with two fields, or an object of two lists.
fn pairs(entry: &Entry<'_>, field: &str, left: &str, right: &str) -> Result<Vec<(Value, Value)>, SuiteError> {
    let wrong = || {
        entry.error(format!(
            "the field `{field}` has to be a list of objects with `{left}` and `{right}`, or an object of two lists"
        ))
    };
    match entry.value(field) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| {
                let get = |name: &str| item.get(name).cloned().ok_or_else(wrong);
                Ok((get(left)?, get(right)?))
            })
            .collect(),
        Some(Value::Object(lists)) => {
            let list = |name: &str| lists.get(name).and_then(Value::as_array).ok_or_else(wrong);
            let (lefts, rights) = (list(left)?, list(right)?);
            if lefts.len() != rights.len() {
                return Err(wrong());
            }
            Ok(lefts.iter().cloned().zip(rights.iter().cloned()).collect())
        }
        Some(_) => Err(wrong()),
    }
}

/// Programs in Python 3; its number in the data is 3.
fn programs(entry: &Entry<'_>, field: &str) -> Result<Vec<Program>, SuiteError> {
    let pairs = pairs(entry, field, "language", "solution")?;
    let is_python = |language: &Value| match language {
        Value::Number(number) => number.as_u64() == Some(3),
        Value::String(name) => name.eq_ignore_ascii_case("python3"),
        _ => false,
    };
    Ok(pairs
        .iter()
        .filter(|(language, _)| is_python(language))
        .filter_map(|(_, solution)| solution.as_str())
        .take(MOST_PROGRAMS)
        .map(Program::python)
        .collect())
}

fn limits(entry: &Entry<'_>) -> Result<Limits, SuiteError> {
    let mut limits = Limits::default();
    if let Some(time) = entry.value("time_limit") {
        let number = |name: &str| {
            let value = time.get(name)?;
            value.as_u64().or_else(|| value.as_str()?.parse().ok())
        };
        let milliseconds = match time {
            Value::Object(_) => {
                Some(number("seconds").unwrap_or(0) * 1000 + number("nanos").unwrap_or(0) / 1_000_000)
            }
            Value::String(text) => seconds(text.trim_end_matches('s')),
            Value::Number(number) => seconds(&number.to_string()),
            _ => None,
        };
        let milliseconds = milliseconds.ok_or_else(|| {
            entry.error("the field `time_limit` has to be an object with `seconds` and `nanos`, or a number of seconds")
        })?;
        // Python gets more time than the compiled programs that the limit was made for.
        if milliseconds > 0 {
            limits.cpu_ms = (milliseconds * 3).max(limits.cpu_ms);
        }
    }
    let memory = entry.value("memory_limit_bytes");
    let memory = memory.and_then(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()));
    if let Some(bytes) = memory.filter(|bytes| *bytes > 0) {
        limits.memory_bytes = bytes.max(limits.memory_bytes);
    }
    Ok(limits)
}

fn seconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.trim().parse().ok()?;
    u64::try_from(std::time::Duration::try_from_secs_f64(seconds).ok()?.as_millis()).ok()
}
