//! Two runs on the same tasks: the difference with its interval, and who solved what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use super::interval::{Interval, bootstrap_mean};
use super::settings::{RunInfo, RunInfoError};
use super::summary::{Summary, held_out_passed, hidden_passed, overlap, visible_passed};
use crate::journal::{AttemptRecord, JournalError};
use crate::model::TokenUsage;

/// Two runs that can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A `run.json` can't be used.
    #[error(transparent)]
    Info(#[from] RunInfoError),
    /// A journal can't be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// They have nothing in common.
    #[error("{0}")]
    Different(String),
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Its folder.
    pub folder: String,
    /// What it was asked to do.
    pub info: RunInfo,
    /// What its attempts say together.
    pub summary: Summary,
}

/// One kind of test: the share of samples that pass, a task, and its mean over the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Tasks that both runs have an answer for.
    pub tasks: usize,
    /// pass@1 of the first on them.
    pub a: f64,
    /// pass@1 of the second on them.
    pub b: f64,
    /// The second less the first.
    pub difference: f64,
    /// Its 95 % interval by the paired bootstrap: tasks are drawn with both their results (Efron and Tibshirani 1993).
    pub interval: Interval,
}

/// Attempts at the same task with the same number in both runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Pairs {
    /// Right in both.
    pub both: usize,
    /// Right in the first alone.
    pub only_a: usize,
    /// Right in the second alone.
    pub only_b: usize,
    /// Right in neither.
    pub neither: usize,
    /// The chance of a split at least as uneven if none were better, by the exact test of Quinn `McNemar` (1947).
    pub p: f64,
}

/// A task on which the runs differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskDifference {
    /// The task.
    pub task: String,
    /// Share of samples right in the first.
    pub a: f64,
    /// Share of samples right in the second.
    pub b: f64,
}

/// Two runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// What differs in what they were asked to do: name, first, second.
    pub settings: Vec<(String, String, String)>,
    /// On the visible tests.
    pub visible: Option<Difference>,
    /// On all hidden tests.
    pub hidden: Option<Difference>,
    /// On those hidden tests whose assertion isn't among the visible ones.
    pub held_out: Option<Difference>,
    /// How much the words of answers overlap with the right ones, where they are texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<Difference>,
    /// Attempt by attempt, on the hidden tests.
    pub pairs: Pairs,
    /// Tasks on which they differ, on the hidden tests.
    pub tasks: Vec<TaskDifference>,
}

impl Comparison {
    /// Compares the runs in two folders.
    pub fn of(a: &Path, b: &Path) -> Result<Self, CompareError> {
        let read = |folder: &Path| -> Result<(RunInfo, Vec<AttemptRecord>), CompareError> {
            let info = RunInfo::read(folder)?;
            let records = super::records(folder, &info)?;
            Ok((info, records))
        };
        let (info_a, records_a) = read(a)?;
        let (info_b, records_b) = read(b)?;
        if info_a.suite_hash != info_b.suite_hash {
            return Err(CompareError::Different(format!(
                "{} and {} can't be compared: the first ran on suite {} ({}), the second on {} ({}), and not on the same \
                 tasks",
                a.display(),
                b.display(),
                info_a.suite,
                short(&info_a.suite_hash),
                info_b.suite,
                short(&info_b.suite_hash),
            )));
        }
        let done = |records: &[AttemptRecord]| -> Vec<AttemptRecord> {
            records.iter().filter(|record| record.finished).cloned().collect()
        };
        let (done_a, done_b) = (done(&records_a), done(&records_b));
        let of = |passed: &dyn Fn(&AttemptRecord, usize) -> Option<bool>| {
            let shares_a = shares(&done_a, |record| passed(record, info_a.settings.rounds));
            let shares_b = shares(&done_b, |record| passed(record, info_b.settings.rounds));
            (difference(&shares_a, &shares_b), shares_a, shares_b)
        };
        let (hidden, hidden_a, hidden_b) = of(&hidden_passed);
        if hidden.is_none() && of(&visible_passed).0.is_none() {
            return Err(CompareError::Different(format!(
                "{} and {} can't be compared: no task was carried through in both",
                a.display(),
                b.display()
            )));
        }
        let tasks = hidden_a
            .iter()
            .filter_map(|(task, &a)| {
                let b = *hidden_b.get(task)?;
                ((a - b).abs() > f64::EPSILON).then(|| TaskDifference {
                    task: task.clone(),
                    a,
                    b,
                })
            })
            .collect();
        Ok(Self {
            settings: settings(&info_a, &info_b),
            visible: of(&visible_passed).0,
            held_out: of(&held_out_passed).0,
            f1: difference(
                &overlaps(&done_a, info_a.settings.rounds),
                &overlaps(&done_b, info_b.settings.rounds),
            ),
            hidden,
            pairs: pairs(&done_a, &done_b, info_a.settings.rounds, info_b.settings.rounds),
            tasks,
            a: side(a, info_a, &records_a),
            b: side(b, info_b, &records_b),
        })
    }

    /// Calls, and tokens, of the second for each of the first.
    pub fn cost(&self) -> (Option<f64>, Option<f64>) {
        let total = |usage: TokenUsage| usage.prompt + usage.completion;
        let ratio = |a: u64, b: u64| (a > 0).then(|| b as f64 / a as f64);
        let (a, b) = (&self.a.summary, &self.b.summary);
        (
            ratio(a.calls as u64, b.calls as u64),
            ratio(total(a.tokens), total(b.tokens)),
        )
    }
}

fn side(folder: &Path, info: RunInfo, records: &[AttemptRecord]) -> Side {
    Side {
        folder: folder.display().to_string(),
        summary: Summary::of(&info, records),
        info,
    }
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// The share of samples that pass, a task.
fn shares(
    records: &[AttemptRecord],
    passed: impl Fn(&AttemptRecord) -> Option<bool>,
) -> BTreeMap<String, f64> {
    let mut tasks: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for record in records {
        let Some(passed) = passed(record) else { continue };
        let (right, all) = tasks.entry(record.task.clone()).or_default();
        *right += usize::from(passed);
        *all += 1;
    }
    tasks
        .into_iter()
        .map(|(task, (right, all))| (task, right as f64 / all as f64))
        .collect()
}

/// The mean overlap of a task's answers.
fn overlaps(records: &[AttemptRecord], rounds: usize) -> BTreeMap<String, f64> {
    let mut tasks: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for record in records {
        if let Some(value) = overlap(record, rounds) {
            let (sum, all) = tasks.entry(record.task.clone()).or_default();
            *sum += value;
            *all += 1;
        }
    }
    tasks
        .into_iter()
        .map(|(task, (sum, all))| (task, sum / all as f64))
        .collect()
}

fn difference(a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>) -> Option<Difference> {
    let both: Vec<(f64, f64)> = a
        .iter()
        .filter_map(|(task, a)| Some((*a, *b.get(task)?)))
        .collect();
    if both.is_empty() {
        return None;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let differences: Vec<f64> = both.iter().map(|(a, b)| b - a).collect();
    Some(Difference {
        tasks: both.len(),
        a: mean(&both.iter().map(|pair| pair.0).collect::<Vec<_>>()),
        b: mean(&both.iter().map(|pair| pair.1).collect::<Vec<_>>()),
        difference: mean(&differences),
        interval: bootstrap_mean(&differences),
    })
}

fn pairs(a: &[AttemptRecord], b: &[AttemptRecord], rounds_a: usize, rounds_b: usize) -> Pairs {
    let by_id: BTreeMap<(&str, usize), &AttemptRecord> = b
        .iter()
        .map(|record| ((record.task.as_str(), record.sample), record))
        .collect();
    let mut pairs = Pairs::default();
    for record in a {
        let Some(other) = by_id.get(&(record.task.as_str(), record.sample)) else {
            continue;
        };
        match (hidden_passed(record, rounds_a), hidden_passed(other, rounds_b)) {
            (Some(true), Some(true)) => pairs.both += 1,
            (Some(true), Some(false)) => pairs.only_a += 1,
            (Some(false), Some(true)) => pairs.only_b += 1,
            (Some(false), Some(false)) => pairs.neither += 1,
            _ => {}
        }
    }
    pairs.p = mcnemar(pairs.only_a, pairs.only_b);
    pairs
}

/// The two-sided exact test on the pairs that differ: a fair coin for each.
fn mcnemar(only_a: usize, only_b: usize) -> f64 {
    let (n, least) = (only_a + only_b, only_a.min(only_b));
    // C(n, i) / 2^n, one after the other.
    let mut term = 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    let mut tail = 0.0;
    for i in 0..=least {
        tail += term;
        term *= (n - i) as f64 / (i + 1) as f64;
    }
    (2.0 * tail).min(1.0)
}

/// What differs in what two runs were asked to do.
fn settings(a: &RunInfo, b: &RunInfo) -> Vec<(String, String, String)> {
    let fields = |info: &RunInfo| -> BTreeMap<String, String> {
        let mut all = BTreeMap::from([
            ("model".to_owned(), info.model.clone()),
            ("prompts".to_owned(), short(&info.prompts_hash).to_owned()),
            ("tasks".to_owned(), info.tasks.len().to_string()),
            ("redraft".to_owned(), info.redraft.clone()),
        ]);
        if let Ok(serde_json::Value::Object(settings)) = serde_json::to_value(&info.settings) {
            let text =
                |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            all.extend(settings.iter().map(|(name, value)| (name.clone(), text(value))));
        }
        all
    };
    let (a, b) = (fields(a), fields(b));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let value = |fields: &BTreeMap<String, String>, name: &str| {
        fields.get(name).cloned().unwrap_or_else(|| "-".to_owned())
    };
    names
        .into_iter()
        .map(|name| (name.clone(), value(&a, name), value(&b, name)))
        .filter(|(_, a, b)| a != b)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checked against R's `binom.test(min(b, c), b + c)`.
    #[test]
    fn the_exact_test_agrees_with_the_binomial() {
        for (only_a, only_b, p) in [
            (0, 0, 1.0),
            (1, 1, 1.0),
            (0, 5, 0.0625),
            (3, 10, 0.092_285),
            (2, 2, 1.0),
        ] {
            let found = mcnemar(only_a, only_b);
            assert!((found - p).abs() < 1e-5, "{only_a} {only_b}: {found}");
        }
    }

    #[test]
    fn differences_are_paired_by_task() {
        let shares = |values: &[(&str, f64)]| {
            values
                .iter()
                .map(|(task, share)| ((*task).to_owned(), *share))
                .collect()
        };
        let a: BTreeMap<String, f64> = shares(&[("1", 0.0), ("2", 1.0), ("3", 0.5), ("only here", 1.0)]);
        let b: BTreeMap<String, f64> = shares(&[("1", 0.2), ("2", 1.0), ("3", 0.7)]);
        let found = difference(&a, &b).unwrap();
        assert_eq!(found.tasks, 3);
        assert!((found.difference - 0.4 / 3.0).abs() < 1e-12);
        assert!(
            found.interval.low >= -1e-12 && found.interval.high <= 0.2 + 1e-12,
            "{found:?}"
        );
        assert_eq!(difference(&a, &BTreeMap::new()), None);
        // Two runs that are the same differ by nothing for sure.
        let same = difference(&a, &a).unwrap();
        assert!(same.interval.low.abs() < 1e-12 && same.interval.high.abs() < 1e-12);
    }
}
