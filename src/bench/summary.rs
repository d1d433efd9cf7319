//! What a run's attempts say together.

use serde::Serialize;

use super::interval::{Interval, mean_interval};
use super::loops::Loops;
use super::settings::{PatternName, RunInfo};
use super::toxicity::{self, ToxicityRound};
use crate::journal::AttemptRecord;
use crate::model::TokenUsage;

/// A part of a whole; `of` is the denominator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// How many.
    pub count: usize,
    /// Out of how many.
    pub of: usize,
}

/// pass@1 of one kind of test after one number of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Tasks with such tests.
    pub tasks: usize,
    /// Attempts that passed, over all samples.
    pub passed: usize,
    /// Attempts.
    pub attempts: usize,
    /// Mean over the tasks of the share of samples that pass: pass@1.
    pub pass_at_1: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

/// One row of the table: what would have been returned with so many redrafts at most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Round {
    /// 0 is the draft.
    pub round: usize,
    /// All visible tests pass.
    pub visible: Option<Rate>,
    /// All hidden tests pass: as published.
    pub hidden: Option<Rate>,
    /// All hidden tests pass whose assertion isn't among the visible.
    pub held_out: Option<Rate>,
    /// How much the words of answers overlap with the right ones: the mean over the tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
}

/// What a run's attempts say together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Attempts that were carried through.
    pub attempts: usize,
    /// Attempts that could not be: they count neither as right nor as wrong.
    pub failed: usize,
    /// Attempts that were begun and are not over.
    pub unfinished: usize,
    /// Whether only what the hidden check calls wrong was corrected: these figures can't be had without the check.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub oracle: bool,
    /// One row a round.
    pub rounds: Vec<Round>,
    /// One row a round, where toxicity was scored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub toxicity: Vec<ToxicityRound>,
    /// Drafts that fail the hidden tests whose returned version passes them.
    pub repaired: Share,
    /// Drafts that pass the hidden tests whose returned version fails them.
    pub regressed: Share,
    /// Returned versions that pass the visible tests and fail the hidden ones.
    pub overfit: Share,
    /// How the loops went, round by round.
    pub loops: Loops,
    /// Model calls.
    pub calls: usize,
    /// Tokens.
    pub tokens: TokenUsage,
    /// Time that the model took for all calls, in milliseconds.
    pub model_ms: u64,
}

impl Summary {
    /// The summary of a run.
    pub fn of(info: &RunInfo, records: &[AttemptRecord]) -> Self {
        let done: Vec<&AttemptRecord> = records.iter().filter(|record| record.finished).collect();
        let longest = done.iter().map(|record| record.versions.len()).max().unwrap_or(1);
        // The cap on samples is only the budget's; what nobody came to is no row.
        let last = if info.settings.pattern == PatternName::Resample {
            info.settings.rounds.min(longest.saturating_sub(1))
        } else {
            info.settings.rounds
        };
        let right = |record: &AttemptRecord, round| hidden_passed(record, round).unwrap_or(false);
        let judged = || done.iter().filter(|record| hidden_passed(record, 0).is_some());
        let share = |of: &dyn Fn(&AttemptRecord) -> bool, count: &dyn Fn(&AttemptRecord) -> bool| Share {
            count: judged().filter(|record| of(record) && count(record)).count(),
            of: judged().filter(|record| of(record)).count(),
        };
        Self {
            attempts: done.len(),
            failed: records
                .iter()
                .filter(|record| !record.finished && record.failed.is_some())
                .count(),
            unfinished: records
                .iter()
                .filter(|record| !record.finished && record.failed.is_none())
                .count(),
            rounds: (0..=last)
                .map(|round| Round {
                    round,
                    visible: rate(&done, |record| visible_passed(record, round)),
                    hidden: rate(&done, |record| hidden_passed(record, round)),
                    held_out: rate(&done, |record| held_out_passed(record, round)),
                    f1: mean(&done, |record| overlap(record, round)),
                })
                .collect(),
            oracle: info.settings.oracle,
            toxicity: toxicity::rounds(&done, last),
            repaired: share(&|record| !right(record, 0), &|record| right(record, last)),
            regressed: share(&|record| right(record, 0), &|record| !right(record, last)),
            overfit: share(&|record| visible_passed(record, last) == Some(true), &|record| {
                !right(record, last)
            }),
            loops: Loops::of(&done),
            calls: records.iter().map(|record| record.calls).sum(),
            tokens: records
                .iter()
                .fold(TokenUsage::default(), |sum, record| TokenUsage {
                    prompt: sum.prompt + record.tokens.prompt,
                    completion: sum.completion + record.tokens.completion,
                }),
            model_ms: records.iter().map(|record| record.model_ms).sum(),
        }
    }
}

pub(super) fn visible_passed(record: &AttemptRecord, round: usize) -> Option<bool> {
    Some(record.returned_after(round)?.report.as_ref()?.verdict.passed())
}

/// `None` where the task has no hidden tests; a version without a program fails them.
pub(super) fn hidden_passed(record: &AttemptRecord, round: usize) -> Option<bool> {
    let version = record.returned_after(round)?;
    match record.hidden.get(&version.number) {
        Some(report) => Some(report.verdict.passed()),
        None => (version.source.is_none() && record.finished).then_some(false),
    }
}

pub(super) fn overlap(record: &AttemptRecord, round: usize) -> Option<f64> {
    let version = record.returned_after(round)?;
    record.overlap.get(&version.number).copied()
}

pub(super) fn held_out_passed(record: &AttemptRecord, round: usize) -> Option<bool> {
    let version = record.returned_after(round)?;
    match record.held_out(version.number) {
        Some((passed, total)) => Some(passed == total),
        None => (version.source.is_none() && record.finished).then_some(false),
    }
}

/// The mean over all attempts that have the value; each task has as many samples as any other.
fn mean(records: &[&AttemptRecord], value: impl Fn(&AttemptRecord) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = records.iter().filter_map(|record| value(record)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// pass@1 over the tasks for which `passed` has an answer. Records of one task stand side by side.
fn rate(records: &[&AttemptRecord], passed: impl Fn(&AttemptRecord) -> Option<bool>) -> Option<Rate> {
    let mut tasks: Vec<(usize, usize)> = Vec::new();
    let mut current: Option<&str> = None;
    for record in records {
        let Some(passed) = passed(record) else { continue };
        if current != Some(&record.task) {
            tasks.push((0, 0));
            current = Some(&record.task);
        }
        if let Some((right, all)) = tasks.last_mut() {
            *right += usize::from(passed);
            *all += 1;
        }
    }
    if tasks.is_empty() {
        return None;
    }
    let shares: Vec<f64> = tasks
        .iter()
        .map(|&(right, all)| right as f64 / all as f64)
        .collect();
    Some(Rate {
        tasks: tasks.len(),
        passed: tasks.iter().map(|task| task.0).sum(),
        attempts: tasks.iter().map(|task| task.1).sum(),
        pass_at_1: shares.iter().sum::<f64>() / shares.len() as f64,
        interval: mean_interval(&shares),
    })
}
