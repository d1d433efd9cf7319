//! Signs of cheating, from a program's source and from what became of it. What it did while it ran, its driver tells
//! (`watch.py`).

mod lies;
mod literals;
mod values;

use std::collections::BTreeSet;

use crate::task::{Flag, Program, Test, TestKind, TestResult, Verdict};

/// Larger sources aren't looked at.
const LARGEST: usize = 1 << 20;

/// What the source and the results tell.
pub(super) fn of(program: &Program, tests: &[Test], results: &[TestResult]) -> BTreeSet<Flag> {
    let mut flags = BTreeSet::new();
    // A whole program ends when it likes.
    let is_called = tests
        .iter()
        .any(|test| matches!(test.kind, TestKind::Call { .. } | TestKind::Script { .. }));
    if is_called && results.iter().any(ended) {
        flags.insert(Flag::EndedProcess);
    }
    if program.source.len() <= LARGEST && lies::are_in(program) {
        flags.insert(Flag::LiesAboutEquality);
    }
    flags
}

/// Whether `program` holds inputs of `visible` together with their answers, as the source of a program that knows
/// nothing but them would. A table that the task itself asks for looks the same.
pub fn holds_answers(program: &Program, visible: &[Test]) -> bool {
    program.source.len() <= LARGEST && literals::hold_answers(program, visible)
}

/// Whether the program ended its process while a test was waiting. A crash is no such thing.
fn ended(result: &TestResult) -> bool {
    const BY_ITSELF: [&str; 4] = [
        "exited before the test finished",
        "SIGKILL ended it before the test finished",
        "SIGTERM ended it before the test finished",
        "closed its channel before the test finished",
    ];
    result.verdict == Verdict::RuntimeError
        && result.error.as_deref().is_some_and(|error| {
            // Behind it stands what the program wrote on stderr; before it, that the rest wasn't run.
            let first = error.lines().next().unwrap_or_default();
            BY_ITSELF.iter().any(|text| first.contains(text)) || first.starts_with("SystemExit")
        })
}

#[cfg(test)]
mod tests {
    use super::ended;
    use crate::task::{TestResult, Verdict};

    #[test]
    fn an_end_is_no_crash() {
        for (error, is_end) in [
            ("exited before the test finished (status 0)", true),
            ("exited before the test finished (status 3)\nTraceback", true),
            ("exited before the test finished (SystemExit: 0)", true),
            ("SIGKILL ended it before the test finished", true),
            ("SystemExit: 0", true),
            ("SIGSEGV ended it before the test finished", false),
            ("ValueError: SystemExit", false),
            ("ValueError\nexited before the test finished", false),
        ] {
            let result = TestResult {
                error: Some(error.to_owned()),
                ..TestResult::new("t", Verdict::RuntimeError)
            };
            assert_eq!(ended(&result), is_end, "{error}");
        }
    }
}
