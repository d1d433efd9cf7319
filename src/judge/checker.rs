//! A checker decides whether an output is right: a program of the test's own, in a sandbox of its own.

use redraft_sandbox::{Command, End, Isolation};

use super::outcome::sandbox_limits;
use super::text::cut;
use super::{Bench, Trouble, whole};
use crate::task::{Limits, Program, TestResult, Verdict};

/// What the checker's arguments name, in this order.
pub(crate) const INPUT: &str = "input.txt";
const OUTPUT: &str = "output.txt";
pub(crate) const ANSWER: &str = "answer.txt";

/// A verdict, with what is said of it.
type Judged = (Verdict, Option<String>);

/// An input with many right outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) name: &'a str,
    pub(crate) stdin: &'a str,
    pub(crate) answer: &'a str,
    pub(crate) checker: &'a Program,
}

/// Runs `program` on one input and has its output checked.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    test: Checked<'_>,
    limits: &Limits,
) -> Result<(TestResult, Isolation), Trouble> {
    let ran = whole::run(bench, program, limits, |command| {
        command.stdin(test.stdin.as_bytes());
    })?;
    let judged = match &ran.failure {
        Some((verdict, error)) => (*verdict, Some(error.clone())),
        None => check(bench, test, ran.stdout(), limits)?,
    };
    let (result, isolation) = ran.into_result(test.name, judged);
    let result = TestResult {
        input: cut(test.stdin),
        expected: if test.answer.is_empty() {
            "what the checker accepts".to_owned()
        } else {
            cut(test.answer)
        },
        ..result
    };
    Ok((result, isolation))
}

fn check(
    bench: &Bench,
    test: Checked<'_>,
    output: &[u8],
    limits: &Limits,
) -> Result<(Verdict, Option<String>), Trouble> {
    let (end, judged) = match ask(bench, test, output, limits)? {
        Ok(answer) => answer,
        Err(why) => return Ok((Verdict::HarnessError, Some(why))),
    };
    // One that says itself that it failed did. What else ends it may be the output's doing: then it knows what to
    // say of none.
    if judged.0 != Verdict::HarnessError || matches!(end, End::Exited(status) if status > 1) {
        return Ok(judged);
    }
    match ask(bench, test, b"", limits)? {
        Ok((_, (verdict, _))) if verdict != Verdict::HarnessError => Ok((Verdict::WrongAnswer, judged.1)),
        _ => Ok(judged),
    }
}

/// How the checker ended on an output, and what that says; inside, why it can't be run.
fn ask(
    bench: &Bench,
    test: Checked<'_>,
    output: &[u8],
    limits: &Limits,
) -> Result<Result<(End, Judged), String>, Trouble> {
    let mut command = match helper(bench, "the checker", test.checker, limits)? {
        Ok(command) => command,
        Err(why) => return Ok(Err(why)),
    };
    let outcome = command
        .arg(INPUT)
        .arg(OUTPUT)
        .arg(ANSWER)
        .file(INPUT, test.stdin.as_bytes())
        .file(OUTPUT, output)
        .file(ANSWER, test.answer.as_bytes())
        .run()?;
    // What it says is for the reader.
    let said = [outcome.stdout.text(), outcome.stderr.text()].concat();
    let judged = verdict("the checker", &outcome.end, said.trim());
    Ok(Ok((outcome.end, judged)))
}

/// How a program of the test's own is run, arguments can be added; inside, why it can't be.
pub(crate) fn helper(
    bench: &Bench,
    who: &str,
    program: &Program,
    limits: &Limits,
) -> Result<Result<Command, String>, Trouble> {
    // How long the program's compiler may take says nothing about this one's.
    let own = Limits {
        compile_cpu_ms: None,
        ..*limits
    };
    let prepared = whole::prepare(bench, program, &own)?;
    Ok(prepared
        .map(|prepared| prepared.command(&helper_limits(limits)))
        .map_err(|diagnostics| format!("{who} can't be compiled: {}", cut(&diagnostics))))
}

/// What a checker's or talker's end says: 0 accepts, 1 rejects.
pub(crate) fn verdict(who: &str, end: &End, said: &str) -> (Verdict, Option<String>) {
    let shown = cut(said);
    match end {
        End::Exited(0) => (Verdict::Passed, None),
        // Status 1 is also what Python ends with when it can't begin.
        End::Exited(1) if !whole::cant_begin(said) => {
            (Verdict::WrongAnswer, (!shown.is_empty()).then_some(shown))
        }
        other => {
            let text = format!("{who} failed ({}): {shown}", other.name());
            (
                Verdict::HarnessError,
                Some(text.trim_end_matches([':', ' ']).to_owned()),
            )
        }
    }
}

/// What a program of the test's own may use: at least what any program usually may.
fn helper_limits(limits: &Limits) -> redraft_sandbox::Limits {
    let usual = Limits::default();
    sandbox_limits(
        &Limits {
            cpu_ms: limits.cpu_ms.max(usual.cpu_ms),
            // So that, of two that wait for each other, it isn't the one that is ended.
            wall_ms: limits.wall_ms.max(usual.wall_ms).saturating_add(10_000),
            memory_bytes: limits.memory_bytes.max(usual.memory_bytes),
            processes: limits.processes.max(usual.processes),
            output_bytes: usual.output_bytes,
            scratch_bytes: limits.scratch_bytes.max(usual.scratch_bytes),
            compile_cpu_ms: None,
        },
        1,
    )
}
