//! A program that runs as a whole, with nothing of ours in its process: how it is run, and what its end says.

use std::time::Duration;

use redraft_sandbox::{Command, End, Exit, Isolation, Outcome};

use super::outcome::{OUT_OF_MEMORY, exceeded, milliseconds, sandbox_limits, shortage, signal_name};
use super::text::cut;
use super::{Bench, Trouble};
use crate::language::{Prepared, Sources, Unprepared};
use crate::task::{Language, Limits, Program, TestResult, Verdict};

/// A program that was run, or was refused by its compiler.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Why there is no answer to compare: it didn't end as it should.
    pub(crate) failure: Option<(Verdict, String)>,
    outcome: Option<Outcome>,
    isolation: Isolation,
}

/// Runs a program; `with` adds what it can read.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    limits: &Limits,
    with: impl FnOnce(&mut Command),
) -> Result<Ran, Trouble> {
    let prepared = match prepare(bench, program, limits)? {
        Ok(prepared) => prepared,
        Err(diagnostics) => return Ok(Ran::refused(bench, diagnostics)),
    };
    let mut command = prepared.command_with(&sandbox_limits(limits, 1), bench.options.common_imports);
    with(&mut command);
    let outcome = command.run()?;
    Ok(Ran {
        failure: failure(bench, program, &prepared, &outcome)?,
        isolation: outcome.isolation.clone(),
        outcome: Some(outcome),
    })
}

/// Makes a program ready to run; inside, what its compiler says against it.
pub(crate) fn prepare(
    bench: &Bench,
    program: &Program,
    limits: &Limits,
) -> Result<Result<Prepared, String>, Trouble> {
    let prepared = Sources::of(program).and_then(|mut sources| {
        sources.compile_cpu = limits.compile_cpu_ms.map(Duration::from_millis);
        bench.runner.prepare_sources(sources)
    });
    match prepared {
        Ok(prepared) => Ok(Ok(prepared)),
        Err(Unprepared::Refused(diagnostics)) => Ok(Err(diagnostics)),
        Err(Unprepared::Harness(why)) => Err(Trouble(why)),
    }
}

impl Ran {
    fn refused(bench: &Bench, diagnostics: String) -> Self {
        Self {
            failure: Some((Verdict::CompileError, diagnostics)),
            outcome: None,
            isolation: bench.isolation.clone(),
        }
    }

    /// What it wrote on stdout.
    pub(crate) fn stdout(&self) -> &[u8] {
        self.outcome.as_ref().map_or(&[], |outcome| &outcome.stdout.bytes)
    }

    /// A file that it left.
    pub(crate) fn file(&self, path: &str) -> Option<&[u8]> {
        let files = self.outcome.as_ref().map(|outcome| &outcome.files)?;
        files.get(std::path::Path::new(path)).map(Vec::as_slice)
    }

    /// The result with what the run used and wrote, and the layers that were in force.
    pub(crate) fn into_result(
        self,
        name: &str,
        (verdict, error): (Verdict, Option<String>),
    ) -> (TestResult, Isolation) {
        let result = TestResult {
            error,
            ..TestResult::new(name, verdict)
        };
        let Some(outcome) = self.outcome else {
            return (result, self.isolation);
        };
        let result = TestResult {
            actual: Some(cut(&outcome.stdout.text())),
            cpu_ms: milliseconds(outcome.usage.cpu),
            wall_ms: milliseconds(outcome.usage.wall),
            memory_bytes: outcome.usage.peak_memory,
            stderr: cut(&outcome.stderr.shown()),
            ..result
        };
        (result, self.isolation)
    }
}

/// What the end of a run says about the program; `None` if it ended as it should, so that its answer decides.
pub(crate) fn failure(
    bench: &Bench,
    program: &Program,
    prepared: &Prepared,
    outcome: &Outcome,
) -> Result<Option<(Verdict, String)>, Trouble> {
    let stderr = outcome.stderr.text();
    let is_python = program.language == Language::PYTHON;
    let (verdict, text) = match (&outcome.end, outcome.exit) {
        (End::SandboxFailed, _) => return Err(Trouble("the sandbox was ended from outside".to_owned())),
        (End::Exited(0), _) => return Ok(None),
        (End::Exited(1), _) if is_python && is_compile_error(&stderr) => {
            return Ok(Some((Verdict::CompileError, cut(stderr.trim_end()))));
        }
        (End::Exited(_) | End::Signalled { .. }, _) if prepared.is_out_of_memory(&stderr) => {
            return Ok(Some((Verdict::MemoryLimit, OUT_OF_MEMORY.to_owned())));
        }
        (End::Exited(_) | End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Status(status))) => {
            (Verdict::RuntimeError, format!("exit status {status}"))
        }
        (End::Signalled { .. } | End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Signal(signal))) => {
            (Verdict::RuntimeError, format!("ended by {}", signal_name(signal)))
        }
        (end, _) => exceeded(end),
    };
    let refused = (verdict == Verdict::RuntimeError)
        .then(|| bench.runner.refusal(prepared))
        .flatten();
    if let Some(diagnostics) = refused {
        return Ok(Some((Verdict::CompileError, diagnostics)));
    }
    let text = text + shortage(&outcome.end);
    // What it said last is the best hint at what it was doing.
    if stderr.trim().is_empty() || verdict == Verdict::OutputLimit {
        return Ok(Some((verdict, text)));
    }
    Ok(Some((verdict, format!("{text}\n{}", cut(stderr.trim_end())))))
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
