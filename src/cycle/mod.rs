//! THE loop: draft, examine, redraft, until the examiner is satisfied or a budget runs out.
//!
//! A pattern is an [`Author`], an [`Examiner`], a [`StopRule`] and a [`Choose`] put together; it never loops by
//! itself.

mod choose;
mod desk;
mod stop;

use async_trait::async_trait;

pub use choose::Choose;
pub use desk::{Desk, Sampling};
pub use stop::StopRule;

use crate::journal::{JournalError, Stopped};
use crate::language::Rule;
use crate::model::ModelError;
use crate::prompts::PromptError;
use crate::task::{Program, Report};

/// What an author made.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The program; `None` where the reply held none.
    pub program: Option<Program>,
    /// How it was found in the reply.
    pub rule: Option<Rule>,
    /// What the author said about the version before, on the way to this one.
    pub explanation: Option<String>,
}

/// What an examiner found.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Whether there is nothing left to mend.
    pub satisfied: bool,
    /// How good the version is; compared only with other versions of the same attempt.
    pub score: usize,
    /// Results of tests, where tests were the examination.
    pub report: Option<Report>,
}

/// A draft with its number and its findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// The first draft is 0.
    pub number: usize,
    /// The version that it was made from.
    pub parent: Option<usize>,
    /// What the author made.
    pub draft: Draft,
    /// What the examiner found.
    pub findings: Findings,
}

/// A finished loop: every version, the chosen one, and why it stopped.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// All versions, in order.
    pub versions: Vec<Version>,
    /// Index of the chosen one.
    pub chosen: usize,
    /// Why the loop stopped.
    pub stopped: Stopped,
}

/// The loop could not be carried through. This says nothing about the model's programs.
#[derive(Debug, thiserror::Error)]
pub enum CycleError {
    /// The model gave no reply.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The journal can't be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A prompt can't be filled.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The examiner failed, not the program.
    #[error("the examination failed: {0}")]
    Examiner(String),
}

/// Writes drafts.
#[async_trait]
pub trait Author: Send {
    /// The first draft.
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError>;

    /// The next draft, from what was found in the versions so far (never empty).
    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError>;
}

/// Looks at a draft and says what it found: not the author's opinion.
#[async_trait]
pub trait Examiner: Send {
    /// Examines one draft.
    async fn examine(&mut self, desk: &Desk<'_>, draft: &Draft) -> Result<Findings, CycleError>;
}

/// An author, an examiner, a stop rule and a way to choose, put together.
pub struct Pattern {
    /// Who writes.
    pub author: Box<dyn Author>,
    /// Who examines.
    pub examiner: Box<dyn Examiner>,
    /// When it is over.
    pub stop: StopRule,
    /// Which version is returned.
    pub choose: Choose,
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pattern")
            .field("stop", &self.stop)
            .field("choose", &self.choose)
            .finish_non_exhaustive()
    }
}

/// Runs a pattern to its end.
pub async fn run(mut pattern: Pattern, desk: &Desk<'_>) -> Result<Outcome, CycleError> {
    let mut versions: Vec<Version> = Vec::new();
    let mut draft = pattern.author.draft(desk).await?;
    let stopped = loop {
        let number = versions.len();
        let parent = number.checked_sub(1);
        desk.note_version(number, parent, &draft)?;
        // The same program gives the same findings; running it again would only cost time.
        let known = versions
            .iter()
            .find(|version| version.draft.program == draft.program);
        let findings = match (desk.past_findings(number), known) {
            (Some(findings), _) => findings,
            (None, Some(version)) => version.findings.clone(),
            (None, None) => pattern.examiner.examine(desk, &draft).await?,
        };
        desk.note_report(number, findings.report.as_ref())?;
        versions.push(Version {
            number,
            parent,
            draft,
            findings,
        });
        if let Some(reason) = pattern.stop.reason(&versions) {
            break reason;
        }
        draft = pattern.author.redraft(desk, &versions).await?;
    };
    let chosen = pattern.choose.of(&versions);
    desk.note_choice(chosen, stopped)?;
    Ok(Outcome {
        versions,
        chosen,
        stopped,
    })
}

impl Findings {
    /// The findings of a test report; without tests there is nothing to find.
    pub fn from_report(report: Option<Report>) -> Self {
        Self {
            satisfied: report.as_ref().is_none_or(|report| report.verdict.passed()),
            score: report.as_ref().map_or(0, |report| report.passed),
            report,
        }
    }
}
