//! When a loop is over.

use super::Version;
use crate::journal::Stopped;

/// The rule that ends a loop. There is always a cap on rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopRule {
    /// Redrafts at most.
    pub rounds: usize,
    /// Stop when this many redrafts in a row gave back the same program; `None` for never.
    pub unchanged: Option<usize>,
}

impl StopRule {
    /// Why the loop is over after these versions, or `None` where it goes on.
    pub fn reason(&self, versions: &[Version]) -> Option<Stopped> {
        let last = versions.last()?;
        if last.findings.satisfied {
            let examined = last.findings.report.is_some();
            return Some(if examined {
                Stopped::Satisfied
            } else {
                Stopped::NothingToExamine
            });
        }
        if let Some(limit) = self.unchanged {
            let same = versions
                .iter()
                .rev()
                .skip(1)
                .take_while(|v| v.draft.program == last.draft.program);
            if same.count() >= limit {
                return Some(Stopped::Unchanged);
            }
        }
        (versions.len() > self.rounds).then_some(Stopped::Rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::{Choose, Draft, Findings};
    use crate::task::{Mode, Program, Report, TestResult, Verdict};

    fn version(number: usize, source: &str, passed: usize) -> Version {
        let result = |passed| {
            let verdict = if passed {
                Verdict::Passed
            } else {
                Verdict::WrongAnswer
            };
            TestResult::new("", verdict)
        };
        let results = (0..3).map(|index| result(index < passed)).collect();
        let report = Report::new(results, Mode::Split, redraft_sandbox::Isolation::default());
        let draft = Draft {
            program: Some(Program::python(source)),
            rule: None,
            explanation: None,
        };
        Version {
            number,
            parent: None,
            draft,
            findings: Findings::from_report(Some(report)),
        }
    }

    const RULE: StopRule = StopRule {
        rounds: 3,
        unchanged: Some(2),
    };

    #[test]
    fn it_stops_when_all_pass() {
        assert_eq!(RULE.reason(&[version(0, "a", 3)]), Some(Stopped::Satisfied));
        assert_eq!(RULE.reason(&[version(0, "a", 2)]), None);
    }

    #[test]
    fn it_stops_at_the_cap() {
        let versions: Vec<Version> = (0..4).map(|n| version(n, &n.to_string(), 0)).collect();
        assert_eq!(RULE.reason(&versions[..3]), None);
        assert_eq!(RULE.reason(&versions), Some(Stopped::Rounds));
    }

    #[test]
    fn it_stops_when_unchanged_twice_in_a_row() {
        let versions = [version(0, "a", 0), version(1, "a", 0), version(2, "a", 0)];
        assert_eq!(RULE.reason(&versions[..2]), None);
        assert_eq!(RULE.reason(&versions), Some(Stopped::Unchanged));
        let other = [version(0, "a", 0), version(1, "b", 0), version(2, "b", 0)];
        assert_eq!(RULE.reason(&other), None);
    }

    #[test]
    fn the_best_is_chosen_and_the_earliest_on_a_tie() {
        let versions = [
            version(0, "a", 1),
            version(1, "b", 2),
            version(2, "c", 2),
            version(3, "d", 0),
        ];
        assert_eq!(Choose::Best.of(&versions), 1);
        assert_eq!(Choose::Last.of(&versions), 3);
    }
}
