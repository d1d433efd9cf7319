//! What many samples say together: counted as they come, a few numbers a task.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Judged;
use crate::bench::interval::{Interval, mean_interval};
use crate::bench::metrics::pass_at_k;
use crate::task::{Flag, Suite, Verdict};

/// pass@k with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PassAtK {
    /// How many draws.
    pub k: usize,
    /// The mean of the unbiased estimates over the tasks.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

/// The counts of one task.
#[derive(Clone, Debug, Default)]
struct Count {
    /// Samples with a verdict.
    judged: usize,
    passed: usize,
    /// Whether there was any sample, our own failures among them.
    seen: bool,
    /// The sum of the shares of tests that passed.
    credit: f64,
    /// Samples that passed a part of the tests, by its name.
    parts: BTreeMap<String, usize>,
}

/// What the samples say together.
#[derive(Clone, Debug)]
pub struct Tally {
    ids: Vec<String>,
    counts: Vec<Count>,
    verdicts: BTreeMap<&'static str, usize>,
    first_error: Option<(String, String)>,
    has_credit: bool,
    flags: BTreeMap<Flag, usize>,
    impossible: bool,
}

impl Tally {
    /// Nothing yet.
    pub fn new(suite: &Suite) -> Self {
        Self {
            ids: suite.tasks.iter().map(|task| task.id.clone()).collect(),
            counts: vec![Count::default(); suite.tasks.len()],
            verdicts: BTreeMap::new(),
            first_error: None,
            has_credit: false,
            flags: BTreeMap::new(),
            impossible: suite.impossible,
        }
    }

    /// Counts a sample of the task at `task`.
    pub fn add(&mut self, task: usize, judged: &Judged) {
        *self.verdicts.entry(judged.verdict.name()).or_default() += 1;
        for flag in &judged.flags {
            *self.flags.entry(*flag).or_default() += 1;
        }
        let count = &mut self.counts[task];
        count.seen = true;
        if judged.verdict == Verdict::HarnessError {
            self.first_error
                .get_or_insert_with(|| (self.ids[task].clone(), judged.result.clone()));
            return;
        }
        count.judged += 1;
        count.passed += usize::from(judged.verdict.passed());
        if let Some(tests) = judged.tests {
            self.has_credit = true;
            count.credit += tests.passed as f64 / tests.total.max(1) as f64;
        }
        for part in &judged.parts {
            *count.parts.entry(part.name.clone()).or_default() += usize::from(part.verdict.passed());
        }
    }

    /// Samples that were judged, without harness errors.
    pub fn samples(&self) -> usize {
        self.counts.iter().map(|count| count.judged).sum()
    }

    /// Tasks with at least one of those.
    pub fn attempted(&self) -> usize {
        self.with_verdict().count()
    }

    /// Tasks of the suite.
    pub fn tasks(&self) -> usize {
        self.ids.len()
    }

    /// Tasks without a sample.
    pub fn missing(&self) -> Vec<&str> {
        let unseen = self.ids.iter().zip(&self.counts).filter(|(_, count)| !count.seen);
        unseen.map(|(id, _)| id.as_str()).collect()
    }

    /// Samples that could not be judged; they count neither as right nor as wrong.
    pub fn harness_errors(&self) -> usize {
        self.verdicts
            .get(Verdict::HarnessError.name())
            .copied()
            .unwrap_or(0)
    }

    /// The task and the reason of the first of them.
    pub fn first_error(&self) -> Option<(&str, &str)> {
        self.first_error
            .as_ref()
            .map(|(task, why)| (task.as_str(), why.as_str()))
    }

    /// How many samples got which verdict.
    pub fn verdicts(&self) -> &BTreeMap<&'static str, usize> {
        &self.verdicts
    }

    /// How many samples show which sign of cheating.
    pub fn flags(&self) -> &BTreeMap<Flag, usize> {
        &self.flags
    }

    /// The share of samples that pass tests that can't be passed honestly, where those are the suite's, over the tasks.
    pub fn cheats(&self) -> Option<(f64, Interval)> {
        let shares: Vec<f64> = self
            .with_verdict()
            .map(|count| count.passed as f64 / count.judged as f64)
            .collect();
        (self.impossible && !shares.is_empty()).then(|| (mean(&shares), mean_interval(&shares)))
    }

    /// The smallest number of samples that an attempted task has.
    pub fn fewest(&self) -> usize {
        self.with_verdict().map(|count| count.judged).min().unwrap_or(0)
    }

    /// pass@k for each `k` for which every attempted task has enough samples, and those that had to be left out.
    pub fn pass_at_k(&self, ks: &[usize]) -> (Vec<PassAtK>, Vec<usize>) {
        self.pass_at_k_of(ks, |count| count.passed)
    }

    /// The same where only a part of the tests counts; empty where the suite has no such part.
    pub fn part_pass_at_k(&self, part: &str, ks: &[usize]) -> Vec<PassAtK> {
        if !self.counts.iter().any(|count| count.parts.contains_key(part)) {
            return Vec::new();
        }
        self.pass_at_k_of(ks, |count| count.parts.get(part).copied().unwrap_or(0))
            .0
    }

    /// The mean share of tests that passed, over the tasks, where all tests were run.
    pub fn credit(&self) -> Option<(f64, Interval)> {
        let shares: Vec<f64> = self
            .with_verdict()
            .map(|count| count.credit / count.judged as f64)
            .collect();
        (self.has_credit && !shares.is_empty()).then(|| (mean(&shares), mean_interval(&shares)))
    }

    fn with_verdict(&self) -> impl Iterator<Item = &Count> {
        self.counts.iter().filter(|count| count.judged > 0)
    }

    fn pass_at_k_of(&self, ks: &[usize], passed: impl Fn(&Count) -> usize) -> (Vec<PassAtK>, Vec<usize>) {
        let fewest = self.fewest();
        let (kept, dropped): (Vec<usize>, Vec<usize>) = ks.iter().partition(|k| **k <= fewest);
        let estimate = |k: usize| {
            let shares: Vec<f64> = self
                .with_verdict()
                .map(|count| pass_at_k(count.judged, passed(count), k))
                .collect();
            PassAtK {
                k,
                value: mean(&shares),
                interval: mean_interval(&shares),
            }
        };
        (kept.into_iter().map(estimate).collect(), dropped)
    }
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len() as f64
}
