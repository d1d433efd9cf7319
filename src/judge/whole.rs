//! A program that runs as a whole, with nothing of ours in its process: how it is started, and what its end says.

use redraft_sandbox::{Command, End, Exit, Outcome};

use super::outcome::{exceeded, milliseconds, shortage, signal_name};
use super::text::cut;
use super::{Bench, Trouble};
use crate::language::python::PROGRAM_FILE;
use crate::task::{Program, TestResult, Verdict};

/// How a program is to be run, but for its limits and what it can read.
pub(crate) fn command(bench: &Bench, program: &Program) -> Result<Command, Trouble> {
    let mut command = helper(bench, program)?;
    if bench.options.common_imports {
        command = bench.interpreter.command();
        command
            .arg("-c")
            .arg(crate::language::python::WITH_COMMON_IMPORTS)
            .arg(PROGRAM_FILE)
            .file(PROGRAM_FILE, program.source.as_bytes());
    }
    Ok(command)
}

/// The same for a program of the test's own: a checker or a talker. Arguments can be added.
#[expect(clippy::unnecessary_wraps, reason = "other languages may not be there")]
pub(crate) fn helper(bench: &Bench, program: &Program) -> Result<Command, Trouble> {
    let mut command = bench.interpreter.command();
    command
        .arg(PROGRAM_FILE)
        .file(PROGRAM_FILE, program.source.as_bytes());
    Ok(command)
}

/// What the end of a run says about the program; `None` if it ended as it should, so that its answer decides.
pub(crate) fn failure(outcome: &Outcome) -> Result<Option<(Verdict, String)>, Trouble> {
    let stderr = outcome.stderr.text();
    let (verdict, text) = match (&outcome.end, outcome.exit) {
        (End::SandboxFailed, _) => return Err(Trouble("the sandbox was ended from outside".to_owned())),
        (End::Exited(0), _) => return Ok(None),
        (End::Exited(1), _) if is_compile_error(&stderr) => {
            return Ok(Some((Verdict::CompileError, cut(stderr.trim_end()))));
        }
        (End::Exited(_) | End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Status(status))) => {
            (Verdict::RuntimeError, format!("exit status {status}"))
        }
        (End::Signalled { .. } | End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Signal(signal))) => {
            (Verdict::RuntimeError, format!("ended by {}", signal_name(signal)))
        }
        (end, _) => exceeded(end),
    };
    let text = text + shortage(&outcome.end);
    // What it said last is the best hint at what it was doing.
    if stderr.trim().is_empty() || verdict == Verdict::OutputLimit {
        return Ok(Some((verdict, text)));
    }
    Ok(Some((verdict, format!("{text}\n{}", cut(stderr.trim_end())))))
}

/// A result with what the run used and wrote.
pub(crate) fn result(name: &str, outcome: &Outcome, verdict: Verdict, error: Option<String>) -> TestResult {
    TestResult {
        actual: Some(cut(&outcome.stdout.text())),
        error,
        cpu_ms: milliseconds(outcome.usage.cpu),
        wall_ms: milliseconds(outcome.usage.wall),
        memory_bytes: outcome.usage.peak_memory,
        stderr: cut(&outcome.stderr.text()),
        ..TestResult::new(name, verdict)
    }
}

/// Python's words for a file that isn't Python: they name the file, without a traceback.
fn is_compile_error(stderr: &str) -> bool {
    let last = stderr.trim_end().lines().next_back().unwrap_or_default();
    let kind = ["SyntaxError:", "IndentationError:", "TabError:"]
        .iter()
        .any(|kind| last.starts_with(kind));
    kind && !stderr.contains("Traceback (most recent call last)")
}

/// Whether Python's last words are about a file that it can't run at all.
pub(crate) fn cant_begin(stderr: &str) -> bool {
    let last = stderr.trim_end().lines().next_back().unwrap_or_default();
    is_compile_error(stderr) || last.starts_with("ModuleNotFoundError:")
}
