//! Tests that are code of the program's own language: in one process with the program, so what they find is weaker than
//! what split tests find, and each result says `shared`. See `language::together` for what a program can't do all the same.

use std::io::Read as _;
use std::time::Duration;

use redraft_sandbox::{End, Isolation, Outcome};

use super::outcome::{OUT_OF_MEMORY, exceeded, milliseconds, premature, sandbox_limits};
use super::text::cut;
use super::{Bench, Trouble};
use crate::language::{Prepared, Unprepared, together};
use crate::task::{Limits, Mode, Program, TestResult, Verdict};

/// Runs test code after the program.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    name: &str,
    code: &str,
    limits: &Limits,
) -> Result<(TestResult, Isolation), Trouble> {
    let blank = |verdict, error: Option<String>| TestResult {
        error,
        input: cut(code.trim_end()),
        mode: Mode::Shared,
        ..TestResult::new(name, verdict)
    };
    let made = together(program, code).and_then(|mut together| {
        together.sources.compile_cpu = limits.compile_cpu_ms.map(Duration::from_millis);
        let prepared = bench.runner.prepare_sources(together.sources)?;
        Ok((prepared, together.input))
    });
    let (prepared, input) = match made {
        Ok(made) => made,
        Err(Unprepared::Harness(why)) => return Err(Trouble(why)),
        Err(Unprepared::Refused(diagnostics)) => {
            let result = blank(Verdict::CompileError, Some(diagnostics));
            return Ok((result, bench.isolation.clone()));
        }
    };
    let secret = secret()?;
    let mut command = prepared.command(&sandbox_limits(limits, 1));
    command.stdin([secret.as_bytes(), b"\n", &input].concat());
    let outcome = command.run()?;
    if outcome.end == End::SandboxFailed {
        return Err(Trouble("the sandbox was ended from outside".to_owned()));
    }
    let (verdict, error) = judged(bench, program, &prepared, &outcome, &secret);
    let result = TestResult {
        cpu_ms: milliseconds(outcome.usage.cpu),
        wall_ms: milliseconds(outcome.usage.wall),
        memory_bytes: outcome.usage.peak_memory,
        stderr: cut(&outcome.stderr.shown()),
        ..blank(verdict, error)
    };
    Ok((result, outcome.isolation))
}

/// What only our own code in the process gets to know.
fn secret() -> Result<String, Trouble> {
    let mut bytes = [0_u8; 16];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| Trouble(format!("/dev/urandom: {error}")))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

fn judged(
    bench: &Bench,
    program: &Program,
    prepared: &Prepared,
    outcome: &Outcome,
    secret: &str,
) -> (Verdict, Option<String>) {
    let limit = matches!(
        outcome.end,
        End::CpuTimeout(_) | End::WallTimeout(_) | End::MemoryLimit(_) | End::OutputLimit(_)
    );
    if limit {
        let (verdict, text) = exceeded(&outcome.end);
        return (verdict, Some(text));
    }
    let stderr = outcome.stderr.text();
    let stdout = outcome.stdout.text();
    if let Some((stdout_before, said)) = stdout.split_once(&format!("\n{secret}")) {
        if let Some(failure) = said.strip_prefix("! ") {
            let (kind, text) = failure.split_once('\n').unwrap_or((failure, ""));
            // Some frameworks have said what failed on stdout.
            let text = if text.trim().is_empty() {
                stdout_before
            } else {
                text
            };
            let text = cut(text.trim());
            return match kind {
                "wrong" => (Verdict::WrongAnswer, Some(text)),
                "memory" => (Verdict::MemoryLimit, Some(OUT_OF_MEMORY.to_owned())),
                "syntax" => (Verdict::CompileError, Some(text)),
                _ => (Verdict::RuntimeError, Some(text)),
            };
        }
        let count: Option<u64> = said.trim().split(' ').next().and_then(|count| count.parse().ok());
        return match count {
            Some(0) | None => (
                Verdict::RuntimeError,
                Some("no assertion was evaluated".to_owned()),
            ),
            Some(_) => (Verdict::Passed, None),
        };
    }
    if prepared.is_out_of_memory(&stderr) {
        return (Verdict::MemoryLimit, Some(OUT_OF_MEMORY.to_owned()));
    }
    if let Some(diagnostics) = bench.runner.refusal_of(program) {
        return (Verdict::CompileError, Some(diagnostics));
    }
    let (verdict, text) = premature(&outcome.end, outcome.exit);
    let stderr = cut(stderr.trim_end());
    let error = if stderr.trim().is_empty() {
        text
    } else {
        format!("{text}\n{stderr}")
    };
    (verdict, Some(error))
}
