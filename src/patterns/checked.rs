//! A command's report on a program as findings: which of two is better, and which may be returned.

use crate::cycle::{Findings, Version};
use crate::task::{Category, CheckReport};

/// The findings of a check, with what the author is told of it.
pub(super) fn findings(report: CheckReport, words: String) -> Findings {
    let accepted = report.accepted();
    Findings {
        satisfied: accepted,
        score: score(&report),
        critique: (!accepted).then_some(words),
        check: Some(report),
        ..Findings::default()
    }
}

/// Whether a version may be returned: it is a program, and it weakened nothing.
pub(super) fn holds(version: &Version) -> bool {
    check_of(version).is_some_and(|report| report.breaches.is_empty())
}

/// What a command said of a version, if it was asked.
pub(super) fn check_of(version: &Version) -> Option<&CheckReport> {
    version.findings.check.as_ref()
}

/// Better is higher: accepted before all else, then the fewest findings. A text that can't be read, or that doesn't
/// fit together, hides what else is wrong with it, so that such findings weigh more than any number of later ones.
fn score(report: &CheckReport) -> f64 {
    const HIDES: f64 = 1e6;
    if report.accepted() {
        return 0.0;
    }
    if !report.breaches.is_empty() {
        return f64::MIN / 2.0;
    }
    let has = |category| report.errors().any(|error| error.category == category);
    let stage = if has(Category::Syntax) {
        2.0
    } else if has(Category::Type) {
        1.0
    } else {
        0.0
    };
    -(stage * HIDES + report.errors().count().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Breach, Diagnostic, Ended, Guarded};

    fn report(ended: i32, categories: &[Category]) -> CheckReport {
        CheckReport {
            command: String::new(),
            version: None,
            ended: Some(Ended::Exited(ended)),
            diagnostics: categories
                .iter()
                .map(|category| Diagnostic::error(*category, "x"))
                .collect(),
            output: String::new(),
            breaches: Vec::new(),
            trusted: Vec::new(),
            isolation: redraft_sandbox::Isolation::default(),
        }
    }

    #[test]
    fn fewer_findings_are_better_and_hidden_ones_count() {
        use Category::{Assertion, Postcondition, Syntax, Type};
        let mut rejected = report(0, &[]);
        rejected.breaches.push(Breach {
            guarded: Guarded::Tests,
            line: None,
            message: String::new(),
        });
        let from_best = [
            report(0, &[]),
            report(1, &[]),
            report(1, &[Assertion, Postcondition]),
            report(1, &[Assertion, Assertion, Assertion]),
            report(1, &[Type]),
            report(1, &[Type, Type]),
            report(1, &[Syntax]),
            rejected,
        ];
        let scores: Vec<f64> = from_best.iter().map(score).collect();
        assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
        assert!(scores.iter().all(|score| score.is_finite()));
        assert!(!from_best[7].accepted());
    }
}
