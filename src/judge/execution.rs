//! A program that sets `answer`, run to its end: what its answer is, or why it has none.

use redraft_sandbox::{End, Isolation};
use serde::Deserialize;

use super::answer::number;
use super::outcome::{exceeded, sandbox_limits, shortage};
use super::text::cut;
use super::{Bench, Trouble};
use crate::task::{Language, Limits, Program};

const RUN: &str = include_str!("execution.py");
const FILE: &str = "prog.py";
/// Whole floats below this have each whole number of their own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What became of a program that sets `answer`.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// The value of `answer` as text, or the error: the last line of a traceback, or `Time out`.
    pub result: Result<String, String>,
    /// The layers that were in force.
    pub isolation: Isolation,
}

#[derive(Debug, Deserialize)]
struct Found {
    value: Option<String>,
    error: Option<String>,
}

/// Runs `program`. It says itself what its answer is: there is nothing to be won by lying.
pub(super) fn execute(bench: &Bench, program: &Program, limits: &Limits) -> Result<Execution, Trouble> {
    if program.language != Language::PYTHON {
        return Err(Trouble(format!(
            "a program that sets `answer` has to be in Python, and this one is in {}",
            program.language.title()
        )));
    }
    let mut command = bench.python()?.interpreter.command();
    command
        .arg("-c")
        .arg(RUN)
        .file(FILE, program.source.as_bytes())
        .limits(sandbox_limits(limits, 1));
    let outcome = command.run()?;
    let found: Option<Found> = serde_json::from_slice(&outcome.stdout.bytes).ok();
    let result = match (outcome.end, found) {
        (End::SandboxFailed, _) => return Err(Trouble("the sandbox was ended from outside".to_owned())),
        (
            _,
            Some(Found {
                value: Some(value), ..
            }),
        ) => Ok(canonical(&value)),
        (
            _,
            Some(Found {
                error: Some(error), ..
            }),
        ) => Err(cut(&format!("{error}{}", shortage(&outcome.end)))),
        (End::CpuTimeout(_) | End::WallTimeout(_), _) => Err("Time out".to_owned()),
        (End::MemoryLimit(_) | End::OutputLimit(_), _) => Err(exceeded(&outcome.end).1),
        _ => Err("the program ended before its end".to_owned()),
    };
    Ok(Execution {
        result,
        isolation: outcome.isolation,
    })
}

/// The same number always as the same text: 18 and 18.0 are one result.
fn canonical(value: &str) -> String {
    match number(value) {
        Some(whole) if whole.fract() == 0.0 && whole.abs() < EXACT && value.trim().parse::<f64>().is_ok() => {
            format!("{:.0}", whole + 0.0)
        }
        _ => cut(value.trim()),
    }
}
