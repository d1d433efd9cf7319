//! Public bug reports about programs in other languages than Python, re-made small: each test of each has the verdict
//! that it should have, and says what it should say.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::path::Path;

use judged::{judge, missing, shared};
use redraft::task::case::Case;
use redraft::task::{Program, Report, TestResult};
use serde_json::Value;

/// The words of a case file.
fn word(result: &TestResult) -> &'static str {
    match result.verdict.name() {
        "passed" => "pass",
        "timed_out" => "timeout",
        other => other,
    }
}

fn read(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("case.json")).unwrap()).unwrap()
}

fn run(text: &Value, source: &str) -> Report {
    let judge = judge();
    let mut case = Case::read(&text.to_string()).unwrap();
    case.make(|snippet| judge.printed_by(snippet)).unwrap();
    judge.test_whole(&Program::new(case.language, source), &case.tests, &case.limits)
}

fn case(name: &str) {
    let Some(folder) = shared("cases/bugs").map(|folder| folder.join(name)) else {
        return;
    };
    let text = read(&folder);
    let report = run(&text, text["program"].as_str().unwrap());
    if report.results.iter().any(missing) {
        return;
    }
    let accepted: Vec<&str> = match text["accept"].as_array() {
        Some(list) => list.iter().map(|word| word.as_str().unwrap()).collect(),
        None => vec![text["expected_verdict"].as_str().unwrap()],
    };
    let first = report
        .results
        .iter()
        .find(|result| word(result) != "pass")
        .map_or("pass", word);
    assert!(
        accepted.contains(&first),
        "{first} is none of {accepted:?}: {report:#?}"
    );
    for (name, wanted) in text["expected_detail"]["per_test"].as_object().unwrap() {
        let result = report.results.iter().find(|result| result.name == *name).unwrap();
        assert_eq!(word(result), wanted.as_str().unwrap(), "{result:#?}");
    }
    let said: String = report
        .results
        .iter()
        .filter_map(|result| result.error.as_deref())
        .collect();
    for detail in ["stderr_contains", "compile_output_contains"] {
        if let Some(words) = text["expected_detail"][detail].as_str() {
            assert!(said.contains(words), "{words:?} isn't in {said:?}");
        }
    }
    if let Some(fixed) = text["fixed_program"].as_str() {
        let report = run(&text, fixed);
        assert!(report.verdict.passed(), "{report:#?}");
    }
}

macro_rules! cases {
    ($($test:ident: $name:literal)*) => {
        $(#[test]
        fn $test() {
            case($name);
        })*
    };
}

cases! {
    rust_loop_timeout_does_not_abort_suite: "12-rust-loop-timeout-does-not-abort-suite"
    stdin_10mb: "22-stdin-10mb"
    crlf_stdin_bash: "24-crlf-stdin-bash"
    no_trailing_newline: "26-no-trailing-newline"
    crlf_in_expected_output: "29-crlf-in-expected-output"
    compile_error_with_typographic_quotes: "38-compile-error-with-typographic-quotes"
    chained_exception_traceback: "54-chained-exception-traceback"
    go_toolchain_or_clear_error: "56-go-toolchain-or-clear-error"
    go_compile_time_is_not_run_time: "57-go-compile-time-is-not-run-time"
    js_deep_equal: "59-js-deep-equal"
    compile_bomb: "77-compile-bomb"
}

/// The report about Go programs that could not be compiled: without a compiler, that is no fault of theirs.
#[test]
fn a_missing_toolchain_is_our_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elixirish.toml");
    let definition = r##"
name = "elixirish"
title = "Elixirish"
comment = "#"
file = "solution.exs"
packages = { debian = "elixirish-lang", fedora = "elixirish" }
toolchain = { tool = ["elixirish-that-is-not-there"], version = ["{tool}", "--version"] }
run = { command = ["{tool}", "{file}"] }
"##;
    std::fs::write(&path, definition).unwrap();
    let language = redraft::language::add(&path).unwrap()[0];
    let test = serde_json::json!({
        "language": language.name(),
        "tests": [{"name": "a", "type": "stdin", "stdin": "", "expected_stdout": "1"}],
    });
    let report = run(&test, "IO.puts 1");
    assert_eq!(word(&report.results[0]), "harness_error");
    assert_eq!(
        report.results[0].error.as_deref().unwrap(),
        "Elixirish isn't installed (elixirish-that-is-not-there not found): install the package `elixirish-lang` (Debian, \
         Ubuntu) or `elixirish` (Fedora), or name the program in REDRAFT_ELIXIRISH"
    );
}
