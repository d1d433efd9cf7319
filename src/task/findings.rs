//! What an examiner found in a draft, as plain data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CheckReport, Report};

/// What an examiner found in a draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Whether there is nothing left to mend.
    pub satisfied: bool,
    /// How good the version is, higher is better; compared only with other versions of the same attempt.
    #[serde(default)]
    pub score: f64,
    /// Whether there was nothing to examine with, such as a task without visible tests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unexamined: bool,
    /// Whether nothing but a model's opinion is behind the verdict, where tools should have been.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchecked: bool,
    /// Results of tests, where tests were the examination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// What a command said, where a command was the examination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckReport>,
    /// What is wrong, in words for the author; `None` where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critique: Option<String>,
    /// What the draft came to when it was carried out; `None` where it was not, or came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The tool calls that the verdict rests on, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<ToolUse>,
    /// Scores of single attributes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// How the verdict came about, where that isn't plain: a critique that was set aside, a reply that couldn't be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Findings {
    /// The findings of a test report; without tests there is nothing to find.
    pub fn from_report(report: Option<Report>) -> Self {
        Self {
            satisfied: report.as_ref().is_none_or(|report| report.verdict.passed()),
            score: report.as_ref().map_or(0.0, |report| report.passed as f64),
            unexamined: report.is_none(),
            report,
            ..Self::default()
        }
    }
}

impl Findings {
    /// Of a draft that could not be examined any more; any other is better.
    pub fn missing(why: String) -> Self {
        Self {
            score: f64::MIN,
            note: Some(why),
            ..Self::default()
        }
    }
}

/// One call of a tool with what came of it, beside the claim that it checked and the verdict that it supported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The claim of the draft that the call was to check, where the model said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// What it was called with, as the model wrote it.
    pub arguments: Value,
    /// What the model was told: the result, or the error.
    pub result: String,
    /// Whether `result` is an error: the call failed, ran out of time, or was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Time that the call took, in milliseconds.
    #[serde(default)]
    pub ms: u64,
    /// What the round's verdict made of the claim; `None` until there is a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ClaimVerdict>,
}

/// What became of a claim in the light of a tool's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// The verdict finds nothing wrong with it.
    Ok,
    /// The critique quotes the result against it.
    Wrong,
    /// The call failed, so that nothing was learnt.
    Unchecked,
}
