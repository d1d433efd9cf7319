//! Whatever happens in a run is an event; files, tables and progress are made from events alone.

use serde::{Deserialize, Serialize};

use crate::language::Rule;
use crate::model::{ChatReply, ChatRequest};
use crate::task::{Findings, Report, ToolUse};

/// One line of `journal.jsonl`. Every event belongs to one attempt: `task` and `sample`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The model was asked and answered.
    Exchange {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// What the request was for: `draft`, `explain`, `fix` …
        role: String,
        /// The request's identity, [`ChatRequest::key`].
        key: String,
        /// The model's name.
        model: String,
        /// The request as sent.
        request: ChatRequest,
        /// The reply as received.
        reply: ChatReply,
    },
    /// A draft was made.
    Version {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// The version's number; the first draft is 0.
        number: usize,
        /// The version that it was made from.
        parent: Option<usize>,
        /// The program or text; `None` where the reply held none.
        source: Option<String>,
        /// How it was found in the reply.
        rule: Option<Rule>,
        /// What the model said about the version before, on the way to this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        explanation: Option<String>,
    },
    /// A version was examined.
    Report {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// The version's number.
        number: usize,
        /// The visible tests' results; `None` where the task has no visible tests.
        report: Option<Report>,
    },
    /// An examiner called a tool.
    Tool {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// The version that was examined.
        number: usize,
        /// The call's identity: tool, arguments, and how often it was made before.
        key: String,
        /// The call and what came of it.
        call: ToolUse,
    },
    /// A version was examined by something other than tests alone.
    Findings {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// The version's number.
        number: usize,
        /// What was found: verdict, critique, scores, and each claim with the tool call that checked it.
        findings: Findings,
    },
    /// The loop is over, and a version was chosen.
    Choice {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// The chosen version's number.
        number: usize,
        /// Why the loop stopped.
        stopped: Stopped,
        /// What each smaller number of rounds would have chosen: item n is the choice after n redrafts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by_round: Vec<usize>,
        /// What can be said of the chosen version; `None` where nothing was examined.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<Status>,
    },
    /// The chosen version, and those that a smaller budget would have chosen, met the hidden tests.
    Hidden {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// Results by version.
        reports: Vec<HiddenReport>,
    },
    /// The attempt could not be carried through; it counts neither as right nor as wrong.
    Failed {
        /// The task's id.
        task: String,
        /// The sample's number, from 0.
        sample: usize,
        /// What went wrong.
        error: String,
    },
}

/// The hidden tests' results of one version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HiddenReport {
    /// The version's number.
    pub number: usize,
    /// Its results.
    pub report: Report,
    /// How much the words of an answer overlap with the right ones, where words are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
}

/// Why a loop stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The examiner was satisfied.
    Satisfied,
    /// There is nothing to examine with: the task has no visible tests.
    NothingToExamine,
    /// All rounds were used.
    Rounds,
    /// The draft came back unchanged twice in a row.
    Unchanged,
    /// What the draft came to was unchanged twice in a row.
    ResultUnchanged,
    /// A draft came back that had been there before.
    Repeated,
    /// The budget of calls, tokens or time was used up.
    UsedUp,
}

impl Stopped {
    /// In words, for people, where tests were the examination.
    pub fn words(self) -> &'static str {
        match self {
            Self::Satisfied => "all visible tests passed",
            Self::NothingToExamine => "the task has no visible tests",
            Self::Unchanged => "the program came back unchanged twice in a row",
            _ => self.plain_words(),
        }
    }

    /// Whether stopping so is as good as a satisfied examiner: the result stands, however the draft is rewritten.
    pub fn settles(self) -> bool {
        self == Self::ResultUnchanged
    }

    /// In words, for people, whatever the examination was.
    pub fn plain_words(self) -> &'static str {
        match self {
            Self::Satisfied => "the examination found nothing wrong",
            Self::NothingToExamine => "there was nothing to examine with",
            Self::Rounds => "all rounds were used",
            Self::Unchanged => "the draft came back unchanged twice in a row",
            Self::ResultUnchanged => "the result was unchanged twice in a row",
            Self::Repeated => "a draft came back that had been there before",
            Self::UsedUp => "the budget was used up",
        }
    }
}

/// What can be said of a returned version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Tests, or an evaluator, passed it.
    Passed,
    /// They did not.
    #[serde(rename = "did not pass")]
    DidNotPass,
    /// A round of verification found nothing wrong.
    Verified,
    /// The last round of verification found something wrong.
    #[serde(rename = "not verified")]
    NotVerified,
    /// Nothing wrong was found, and no tool was successfully asked.
    #[serde(rename = "not checked")]
    NotChecked,
    /// The model's own critique found nothing left to fix.
    #[serde(rename = "no problems left")]
    NoProblemsLeft,
    /// The model's own critique was still finding problems.
    #[serde(rename = "still finding problems")]
    StillFindingProblems,
    /// Its result was left as it is by every later correction.
    Settled,
    /// Its result was still changing.
    #[serde(rename = "not settled")]
    NotSettled,
    /// Its score is below the limit.
    #[serde(rename = "below the limit")]
    BelowLimit,
    /// Its score is not below the limit.
    #[serde(rename = "not below the limit")]
    NotBelowLimit,
}

impl Status {
    /// In words, as in JSON.
    pub fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::DidNotPass => "did not pass",
            Self::Verified => "verified",
            Self::NotVerified => "not verified",
            Self::NotChecked => "not checked",
            Self::NoProblemsLeft => "no problems left",
            Self::StillFindingProblems => "still finding problems",
            Self::Settled => "settled",
            Self::NotSettled => "not settled",
            Self::BelowLimit => "below the limit",
            Self::NotBelowLimit => "not below the limit",
        }
    }
}

impl Event {
    /// The attempt that the event belongs to: task id and sample number.
    pub fn attempt(&self) -> (&str, usize) {
        match self {
            Self::Exchange { task, sample, .. }
            | Self::Version { task, sample, .. }
            | Self::Report { task, sample, .. }
            | Self::Tool { task, sample, .. }
            | Self::Findings { task, sample, .. }
            | Self::Choice { task, sample, .. }
            | Self::Hidden { task, sample, .. }
            | Self::Failed { task, sample, .. } => (task, *sample),
        }
    }
}
