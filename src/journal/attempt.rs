//! One attempt, put together from its events.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::event::{Event, Status, Stopped};
use crate::language::Rule;
use crate::model::{LogProb, TokenUsage};
use crate::task::{Findings, Report};

/// A version as the journal tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionRecord {
    /// The version's number; the first draft is 0.
    pub number: usize,
    /// The version that it was made from.
    pub parent: Option<usize>,
    /// The program or text.
    pub source: Option<String>,
    /// How it was found in the reply.
    pub rule: Option<Rule>,
    /// What the model said about the version before.
    pub explanation: Option<String>,
    /// The visible tests' results.
    pub report: Option<Report>,
    /// What was found, where the examination was something other than tests alone.
    pub findings: Option<Findings>,
    /// Tokens of the calls that wrote it.
    pub written: TokenUsage,
    /// Tokens of the calls that examined it.
    pub examined: TokenUsage,
    /// How probable its author found it, where that is known.
    pub logprob: Option<LogProb>,
}

/// Everything that a journal says of one attempt.
#[derive(Clone, Debug, Default)]
pub struct AttemptRecord {
    /// The task's id.
    pub task: String,
    /// The sample's number, from 0.
    pub sample: usize,
    /// All versions, in order.
    pub versions: Vec<VersionRecord>,
    /// The chosen version's number, once the loop is over.
    pub returned: Option<usize>,
    /// Why the loop stopped.
    pub stopped: Option<Stopped>,
    /// What can be said of the returned version.
    pub status: Option<Status>,
    /// What each smaller number of rounds would have returned; empty in journals that don't say.
    pub by_round: Vec<usize>,
    /// Hidden results by version; empty until they were run.
    pub hidden: BTreeMap<usize, Report>,
    /// How much the words of an answer overlap with the right ones, by version, where words are compared.
    pub overlap: BTreeMap<usize, f64>,
    /// Whether the hidden tests were run (there may have been none).
    pub finished: bool,
    /// What went wrong, if the attempt could not be carried through.
    pub failed: Option<String>,
    /// Number of model calls.
    pub calls: usize,
    /// Tokens of all calls.
    pub tokens: TokenUsage,
    /// Time that the model took for all calls, in milliseconds.
    pub model_ms: u64,
    /// Number of tool calls.
    pub tool_calls: usize,
    /// Tokens since the last version or findings: of whoever is at work.
    working: TokenUsage,
    /// Of the last reply.
    logprob: Option<LogProb>,
}

impl AttemptRecord {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Exchange { reply, .. } => {
                self.calls += 1;
                self.tokens += reply.usage;
                self.working += reply.usage;
                self.logprob = reply.logprob;
                self.model_ms += reply.latency_ms;
                self.failed = None;
            }
            Event::Version {
                number,
                parent,
                source,
                rule,
                explanation,
                ..
            } => {
                let version = VersionRecord {
                    number: *number,
                    parent: *parent,
                    source: source.clone(),
                    rule: *rule,
                    explanation: explanation.clone(),
                    report: None,
                    findings: None,
                    written: std::mem::take(&mut self.working),
                    examined: TokenUsage::default(),
                    logprob: self.logprob.take(),
                };
                self.versions.retain(|version| version.number != *number);
                let place = self.versions.partition_point(|earlier| earlier.number < *number);
                self.versions.insert(place, version);
            }
            Event::Report { number, report, .. } => {
                self.examined(*number, |version| version.report.clone_from(report));
            }
            Event::Findings { number, findings, .. } => self.examined(*number, |version| {
                version.report.clone_from(&findings.report);
                version.findings = Some(findings.clone());
            }),
            Event::Tool { .. } => self.tool_calls += 1,
            Event::Choice {
                number,
                stopped,
                by_round,
                status,
                ..
            } => {
                self.returned = Some(*number);
                self.stopped = Some(*stopped);
                self.by_round.clone_from(by_round);
                self.status = *status;
            }
            Event::Hidden { reports, .. } => {
                self.hidden = reports
                    .iter()
                    .map(|hidden| (hidden.number, hidden.report.clone()))
                    .collect();
                self.overlap = reports
                    .iter()
                    .filter_map(|hidden| Some((hidden.number, hidden.f1?)))
                    .collect();
                self.finished = true;
                self.failed = None;
            }
            Event::Failed { error, .. } => self.failed = Some(error.clone()),
        }
    }

    fn examined(&mut self, number: usize, note: impl FnOnce(&mut VersionRecord)) {
        let tokens = std::mem::take(&mut self.working);
        if let Some(version) = self.versions.iter_mut().find(|version| version.number == number) {
            note(version);
            version.examined = tokens;
        }
        self.failed = None;
    }

    /// The version that would have been returned after `round` redrafts at most.
    pub fn returned_after(&self, round: usize) -> Option<&VersionRecord> {
        match self.by_round.get(round).or(self.by_round.last()) {
            Some(number) => self.versions.iter().find(|version| version.number == *number),
            None => best(self.versions.iter().take(round + 1)),
        }
    }

    /// The version that was returned.
    pub fn returned_version(&self) -> Option<&VersionRecord> {
        self.versions
            .iter()
            .find(|version| Some(version.number) == self.returned)
    }

    /// The assertions that the author could see, normalised.
    pub fn visible_assertions(&self) -> BTreeSet<&str> {
        let reports = self.versions.iter().filter_map(|version| version.report.as_ref());
        reports
            .flat_map(|report| &report.results)
            .filter_map(|result| result.assertion.as_deref())
            .collect()
    }

    /// Passed and total of the hidden tests of a version whose assertion isn't among the visible ones; `None`
    /// where there is no such test, or no hidden results.
    pub fn held_out(&self, version: usize) -> Option<(usize, usize)> {
        let visible = self.visible_assertions();
        let held_out = self.hidden.get(&version)?.results.iter().filter(|result| {
            result
                .assertion
                .as_deref()
                .is_none_or(|assertion| !visible.contains(assertion))
        });
        let (passed, total) = held_out.fold((0, 0), |(passed, total), result| {
            (passed + usize::from(result.verdict.passed()), total + 1)
        });
        (total > 0).then_some((passed, total))
    }
}

/// The version with the most visible tests passed, the earliest on a tie. Versions without a report have none.
fn best<'a>(versions: impl Iterator<Item = &'a VersionRecord>) -> Option<&'a VersionRecord> {
    let passed = |version: &VersionRecord| version.report.as_ref().map_or(0, |report| report.passed);
    versions.reduce(|best, version| {
        if passed(version) > passed(best) {
            version
        } else {
            best
        }
    })
}

/// All attempts of a journal, in order of their first event.
pub fn attempts<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<AttemptRecord> {
    let mut records: Vec<AttemptRecord> = Vec::new();
    let mut index: HashMap<(String, usize), usize> = HashMap::new();
    for event in events {
        let (task, sample) = event.attempt();
        let at = *index.entry((task.to_owned(), sample)).or_insert_with(|| {
            records.push(AttemptRecord {
                task: task.to_owned(),
                sample,
                ..AttemptRecord::default()
            });
            records.len() - 1
        });
        records[at].note(event);
    }
    records
}
