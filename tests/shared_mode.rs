//! Tests that are code of the program's own language share a process with the program. A program that ends that process,
//! prints what a test runner prints, or leaves nothing to test doesn't pass all the same; a right one does; and every
//! result says `shared`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;
#[path = "shared_mode/samples.rs"]
mod samples;

use std::sync::LazyLock;

use judged::missing;
use redraft::judge::Judge;
use redraft::task::{Language, Limits, Mode, Program, ScriptForm, Test, TestKind, TestResult, Verdict};
use samples::Samples;

static JUDGE: LazyLock<Judge> = LazyLock::new(judged::judge);

fn run(language: &str, program: &str, code: &str) -> TestResult {
    let kind = TestKind::Script {
        code: code.to_owned(),
        form: ScriptForm::Asserts,
        entry: None,
    };
    let test = Test {
        name: "t".to_owned(),
        kind,
    };
    let limits = Limits {
        cpu_ms: 5_000,
        ..judged::limits()
    };
    let program = Program::new(Language::named(language).unwrap(), program);
    let report = JUDGE.test(&program, &[test], &limits);
    let result = report.results.into_iter().next().unwrap();
    assert_eq!(report.mode, result.mode);
    result
}

fn every_kind(language: &str) {
    let samples = Samples::of(language);
    let right = run(language, samples.right, samples.tests);
    if missing(&right) {
        return;
    }
    assert_eq!(
        (right.verdict, right.mode),
        (Verdict::Passed, Mode::Shared),
        "{right:#?}"
    );

    let wrong = run(language, samples.wrong, samples.tests);
    assert_eq!(
        (wrong.verdict, wrong.mode),
        (Verdict::WrongAnswer, Mode::Shared),
        "{wrong:#?}"
    );
    assert!(wrong.error.is_some_and(|error| !error.trim().is_empty()));

    for (at, ends) in samples.ends.iter().enumerate() {
        let result = run(language, ends, samples.tests);
        assert_eq!(
            result.verdict,
            Verdict::RuntimeError,
            "early end {at}: {result:#?}"
        );
    }
    let broken = run(language, samples.broken, samples.tests);
    assert_eq!(broken.verdict, Verdict::CompileError, "broken: {broken:#?}");
    let raises = run(language, samples.raises, samples.tests);
    assert_eq!(raises.verdict, Verdict::RuntimeError, "raises: {raises:#?}");
    assert!(raises.error.as_deref().unwrap().contains("boom"), "{raises:#?}");
    let endless = run(language, samples.endless, samples.tests);
    assert_eq!(endless.verdict, Verdict::TimedOut, "endless: {endless:#?}");

    let nothing = run(language, samples.right, samples.nothing);
    assert_eq!(nothing.verdict, Verdict::HarnessError, "no test: {nothing:#?}");
}

macro_rules! languages {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            every_kind(stringify!($name));
        })*
    };
}

languages! { bash c cpp go java javascript lua perl php ruby rust typescript }

/// The forms that tests come in: whole mains, frameworks' functions, statements.
#[test]
fn forms_of_tests() {
    for (language, program, code) in samples::FORMS {
        let result = run(language, program, code);
        if !missing(&result) {
            assert_eq!(result.verdict, Verdict::Passed, "{language}: {code}\n{result:#?}");
        }
    }
}

/// Assertions that a program has switched off don't count as passed.
#[test]
fn assertions_that_are_switched_off() {
    for (language, program, code) in samples::SWITCHED_OFF {
        let result = run(language, program, code);
        if !missing(&result) {
            assert!(!result.verdict.passed(), "{language}: {program}\n{result:#?}");
        }
    }
}
