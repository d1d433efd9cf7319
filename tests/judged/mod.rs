//! What the tests of the judge have in common.
#![allow(dead_code, unused_imports, unreachable_pub, missing_docs)]

#[path = "../support/shared.rs"]
mod shared_data;

use redraft::judge::{Judge, Options};
use redraft::task::{Limits, Program, Report, ScriptForm, Test, TestKind, Verdict};

pub use shared_data::{folder as shared, skip};

pub fn judge() -> Judge {
    Judge::new(Options::default()).expect("the sandbox and an interpreter")
}

/// Runs asserts on a program.
pub fn script(judge: &Judge, program: &str, code: &str) -> Report {
    script_with(judge, program, code, ScriptForm::Asserts, None, &limits())
}

pub fn check(judge: &Judge, program: &str, code: &str, entry: &str) -> Report {
    script_with(judge, program, code, ScriptForm::Check, Some(entry), &limits())
}

pub fn script_with(
    judge: &Judge,
    program: &str,
    code: &str,
    form: ScriptForm,
    entry: Option<&str>,
    limits: &Limits,
) -> Report {
    let kind = TestKind::Script {
        code: code.to_owned(),
        form,
        entry: entry.map(str::to_owned),
    };
    let test = Test {
        name: "t".to_owned(),
        kind,
    };
    judge.test(&Program::python(program), &[test], limits)
}

pub fn limits() -> Limits {
    Limits {
        wall_ms: 120_000,
        ..Limits::default()
    }
}

/// The verdicts of asserts on a program.
pub fn verdicts(program: &str, code: &str) -> Vec<Verdict> {
    script(&judge(), program, code)
        .results
        .iter()
        .map(|result| result.verdict)
        .collect()
}

/// Asserts that all asserts pass.
pub fn passes(program: &str, code: &str) {
    let report = script(&judge(), program, code);
    let failures: Vec<_> = report.failures().collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(report.total > 0);
}

/// Whether a test couldn't be carried out for want of a compiler or an interpreter, said on stderr. With
/// `REDRAFT_NO_SKIP` set, as in CI, that fails the test.
#[allow(clippy::print_stderr, reason = "what is skipped is said")]
pub fn missing(result: &redraft::task::TestResult) -> bool {
    let error = result.error.as_deref().unwrap_or_default();
    let missing = result.verdict == Verdict::HarnessError && error.contains("isn't installed");
    assert!(
        !missing || std::env::var_os("REDRAFT_NO_SKIP").is_none(),
        "{error}"
    );
    if missing {
        eprintln!("skipped: {error}");
    }
    missing
}

/// Runs a framework's file on a program.
pub fn suite(judge: &Judge, form: ScriptForm, program: &str, code: &str) -> Report {
    script_with(judge, program, code, form, None, &limits())
}

/// Whether the interpreter has pytest; where it hasn't, that is said.
pub fn has_pytest(judge: &Judge) -> bool {
    has(judge, "pytest")
}

/// Whether the interpreter has a module; where it hasn't, that is said.
pub fn has(judge: &Judge, module: &str) -> bool {
    let found = judge.printed_by(&format!("import {module}")).is_ok();
    if !found {
        skip(&format!(
            "the interpreter has no {module} (name one that has it in REDRAFT_PYTHON)"
        ));
    }
    found
}

/// Each result's name, without that of the file, and its verdict.
pub fn named(report: &Report) -> Vec<(String, &'static str)> {
    let short = |name: &str| name.strip_prefix("t:").unwrap_or(name).to_owned();
    report
        .results
        .iter()
        .map(|result| (short(&result.name), result.verdict.name()))
        .collect()
}

/// Compares names and verdicts.
pub fn gives(report: &Report, wanted: &[(&str, &str)]) {
    let got = named(report);
    let got: Vec<(&str, &str)> = got
        .iter()
        .map(|(name, verdict)| (name.as_str(), *verdict))
        .collect();
    assert_eq!(got, wanted, "{:#?}", report.results);
}
