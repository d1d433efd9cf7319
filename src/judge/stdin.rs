//! A whole program, fed on stdin: nothing of ours is in its process.

use std::time::Duration;

use redraft_sandbox::{End, Exit};

use super::outcome::{OUT_OF_MEMORY, exceeded, milliseconds, sandbox_limits, shortage, signal_name};
use super::text::{cut, same};
use super::{Bench, Trouble};
use crate::language::{Prepared, Sources, Unprepared};
use crate::task::{Compare, Language, Limits, Program, TestResult, Verdict};

/// A stdin/stdout pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) name: &'a str,
    pub(crate) stdin: &'a str,
    pub(crate) expected: &'a str,
    pub(crate) compare: Compare,
}

/// Runs `program` on one input.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    pair: Pair<'_>,
    limits: &Limits,
) -> Result<(TestResult, redraft_sandbox::Isolation), Trouble> {
    let prepared = match prepare(bench, program, limits) {
        Ok(prepared) => prepared,
        Err(Unprepared::Harness(why)) => return Err(Trouble(why)),
        Err(Unprepared::Refused(diagnostics)) => {
            let result = TestResult {
                verdict: Verdict::CompileError,
                input: cut(pair.stdin),
                expected: cut(pair.expected),
                ..TestResult::harness_error(pair.name, diagnostics)
            };
            return Ok((result, bench.drivers.isolation.clone()));
        }
    };
    let mut command = prepared.command_with(&sandbox_limits(limits, 1), bench.options.common_imports);
    command.stdin(pair.stdin.as_bytes());
    let outcome = command.run()?;
    let stderr = outcome.stderr.text();
    let failed = |text: String| (Verdict::RuntimeError, Some(text + shortage(&outcome.end)));
    let (verdict, error) = match (&outcome.end, outcome.exit) {
        (End::SandboxFailed, _) => return Err(Trouble("the sandbox was ended from outside".to_owned())),
        (End::Exited(0), _) if same(&outcome.stdout.bytes, pair.expected, pair.compare) => {
            (Verdict::Passed, None)
        }
        (End::Exited(0), _) => (Verdict::WrongAnswer, None),
        (End::Exited(1), _) if program.language == Language::PYTHON && is_compile_error(&stderr) => {
            (Verdict::CompileError, Some(String::new()))
        }
        (End::Exited(_) | End::Signalled { .. }, _) if prepared.is_out_of_memory(&stderr) => {
            (Verdict::MemoryLimit, Some(OUT_OF_MEMORY.to_owned()))
        }
        (End::Exited(_) | End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Status(status))) => {
            failed(format!("exit status {status}"))
        }
        (End::Signalled { .. } | End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Signal(signal))) => {
            failed(format!("ended by {}", signal_name(signal)))
        }
        (end, _) => {
            let (verdict, text) = exceeded(end);
            (verdict, Some(text))
        }
    };
    let refused = (verdict == Verdict::RuntimeError)
        .then(|| bench.runner.refusal(&prepared))
        .flatten();
    let (verdict, error) = match refused {
        Some(diagnostics) => (Verdict::CompileError, Some(diagnostics)),
        None => (verdict, error),
    };
    // A timeout says nothing else; an exit says why, which is on stderr.
    let python = program.language == Language::PYTHON && verdict == Verdict::CompileError;
    let told = (verdict == Verdict::RuntimeError || python) && !stderr.trim().is_empty();
    let error = error.map(|error| match (error.is_empty(), told) {
        (true, _) => cut(stderr.trim_end()),
        (false, true) => format!("{error}\n{}", cut(stderr.trim_end())),
        (false, false) => error,
    });
    let result = TestResult {
        name: pair.name.to_owned(),
        verdict,
        input: cut(pair.stdin),
        expected: cut(pair.expected),
        actual: Some(cut(&outcome.stdout.text())),
        error,
        cpu_ms: milliseconds(outcome.usage.cpu),
        wall_ms: milliseconds(outcome.usage.wall),
        memory_bytes: outcome.usage.peak_memory,
        assertion: None,
    };
    Ok((result, outcome.isolation))
}

fn prepare(bench: &Bench, program: &Program, limits: &Limits) -> Result<Prepared, Unprepared> {
    let mut sources = Sources::of(program)?;
    sources.compile_cpu = limits.compile_cpu_ms.map(Duration::from_millis);
    bench.runner.prepare_sources(sources)
}

/// Python's words for a file that isn't Python: they name the file, without a traceback.
fn is_compile_error(stderr: &str) -> bool {
    let last = stderr.trim_end().lines().next_back().unwrap_or_default();
    let kind = ["SyntaxError:", "IndentationError:", "TabError:"]
        .iter()
        .any(|kind| last.starts_with(kind));
    kind && !stderr.contains("Traceback (most recent call last)")
}
