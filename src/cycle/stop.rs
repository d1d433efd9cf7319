//! When a loop is over.

use super::Version;
use crate::journal::Stopped;

/// The rule that ends a loop. There is always a cap on rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopRule {
    /// Redrafts at most.
    pub rounds: usize,
    /// Stop when this many redrafts in a row changed nothing; `None` for never.
    pub unchanged: Option<usize>,
    /// What has to be the same for a redraft to have changed nothing.
    pub same: Same,
}

/// What is compared to tell whether a redraft changed anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Same {
    /// The draft itself.
    #[default]
    Draft,
    /// What it came to when it was carried out. A draft that came to nothing leaves the last result as it was.
    Result,
    /// The draft itself, and any draft before it, not only the last one.
    Earlier,
}

impl StopRule {
    /// Why the loop is over after these versions, or `None` where it goes on.
    pub fn reason(&self, versions: &[Version]) -> Option<Stopped> {
        let last = versions.last()?;
        if last.findings.satisfied {
            return Some(if last.findings.unexamined {
                Stopped::NothingToExamine
            } else {
                Stopped::Satisfied
            });
        }
        if self
            .unchanged
            .is_some_and(|limit| self.unchanged_by(versions) >= limit)
        {
            return Some(match self.same {
                Same::Draft => Stopped::Unchanged,
                Same::Result => Stopped::ResultUnchanged,
                Same::Earlier => Stopped::Repeated,
            });
        }
        (versions.len() > self.rounds).then_some(Stopped::Rounds)
    }

    /// How many of the last redrafts changed nothing.
    fn unchanged_by(&self, versions: &[Version]) -> usize {
        let Some((last, before)) = versions.split_last() else {
            return 0;
        };
        match self.same {
            Same::Draft => before
                .iter()
                .rev()
                .take_while(|version| version.draft.artifact == last.draft.artifact)
                .count(),
            Same::Earlier => before
                .iter()
                .filter(|version| version.draft.artifact == last.draft.artifact)
                .count(),
            Same::Result => {
                let result = |count: &usize| {
                    let mut results = versions[..*count].iter().rev();
                    results.find_map(|version| version.findings.result.as_ref())
                };
                let Some(now) = result(&versions.len()) else {
                    return 0;
                };
                (1..versions.len())
                    .rev()
                    .take_while(|count| result(count) == Some(now))
                    .count()
            }
        }
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
        let draft = Draft::program(Program::python(source));
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
        same: Same::Draft,
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
    fn it_stops_when_any_draft_comes_back() {
        let rule = StopRule {
            rounds: 9,
            unchanged: Some(1),
            same: Same::Earlier,
        };
        let versions = [version(0, "a", 0), version(1, "b", 0), version(2, "a", 0)];
        assert_eq!(rule.reason(&versions[..2]), None);
        assert_eq!(rule.reason(&versions), Some(Stopped::Repeated));
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

    fn carried_out(results: &[Option<&str>]) -> Vec<Version> {
        let versions = results.iter().enumerate().map(|(number, result)| Version {
            number,
            parent: None,
            draft: Draft::text(number.to_string()),
            findings: Findings {
                result: result.map(str::to_owned),
                ..Findings::default()
            },
        });
        versions.collect()
    }

    #[test]
    fn a_result_unchanged_by_two_redrafts_ends_it_and_a_failure_leaves_the_last_result() {
        let rule = StopRule {
            rounds: 9,
            same: Same::Result,
            ..RULE
        };
        let reason = |results: &[Option<&str>]| rule.reason(&carried_out(results));
        assert_eq!(reason(&[Some("7"), Some("7")]), None);
        assert_eq!(
            reason(&[Some("7"), Some("7"), Some("7")]),
            Some(Stopped::ResultUnchanged)
        );
        assert_eq!(
            reason(&[Some("5"), Some("7"), None, Some("7")]),
            Some(Stopped::ResultUnchanged)
        );
        assert_eq!(reason(&[Some("7"), Some("5"), Some("7")]), None);
        assert_eq!(
            reason(&[None, None, None]),
            None,
            "there is no result that could stay as it is"
        );
    }

    #[test]
    fn a_failed_execution_keeps_the_last_result() {
        let choose = |results: &[Option<&str>]| Choose::LastResult.of(&carried_out(results));
        assert_eq!(choose(&[Some("5"), Some("7"), None]), 1);
        assert_eq!(choose(&[None, None]), 1);
    }
}
