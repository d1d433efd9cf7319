//! THE loop: draft, examine, redraft, until the examiner is satisfied or a budget runs out.
//!
//! A pattern is an [`Author`], an [`Examiner`], a [`StopRule`] and a [`Choose`] put together; it never loops by
//! itself.

mod budget;
mod choose;
mod consult;
mod desk;
mod draft;
mod error;
mod stop;

use async_trait::async_trait;

pub use crate::journal::Status;
pub use crate::task::Findings;
pub use budget::{Budget, Purse, UsedUp};
pub use choose::Choose;
pub use consult::{Consultation, Means, ToolProtocol};
pub use desk::{Ask, Desk, Sampling, Voice};
pub use draft::{Artifact, Draft};
pub use error::CycleError;
pub use stop::{Same, StopRule};

use crate::journal::Stopped;

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
    /// What each smaller number of rounds would have chosen: item n is the choice after n redrafts.
    pub by_round: Vec<usize>,
    /// Why the loop stopped.
    pub stopped: Stopped,
    /// What can be said of the chosen version; `None` where nothing was examined.
    pub status: Option<Status>,
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
    /// Examines one draft; `earlier` are the versions before it.
    async fn examine(
        &mut self,
        desk: &Desk<'_>,
        draft: &Draft,
        earlier: &[Version],
    ) -> Result<Findings, CycleError>;

    /// Whether the same draft always gives the same findings, so that they needn't be made twice.
    fn is_repeatable(&self) -> bool {
        false
    }
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
    /// What is said of the returned version: where the examiner was satisfied with it, and where it was not.
    pub status: [Status; 2],
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pattern")
            .field("stop", &self.stop)
            .field("choose", &self.choose)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// Runs a pattern to its end.
pub async fn run(mut pattern: Pattern, desk: &Desk<'_>) -> Result<Outcome, CycleError> {
    let mut versions: Vec<Version> = Vec::new();
    let first = pattern.author.draft(desk).await;
    let mut used_up = matches!(first, Err(CycleError::UsedUp(_)));
    let mut draft = if used_up { Draft::default() } else { first? };
    let stopped = loop {
        let number = versions.len();
        let parent = draft.parent.or(number.checked_sub(1));
        desk.note_version(number, parent, &draft)?;
        let findings = match examine(pattern.examiner.as_mut(), desk, &draft, &versions).await {
            Err(CycleError::UsedUp(why)) => {
                used_up = true;
                Findings::missing(why.to_string())
            }
            findings => findings?,
        };
        desk.note_findings(number, &findings)?;
        versions.push(Version {
            number,
            parent,
            draft,
            findings,
        });
        if let Some(reason) = pattern.stop.reason(&versions) {
            break reason;
        }
        if used_up {
            break Stopped::UsedUp;
        }
        draft = match pattern.author.redraft(desk, &versions).await {
            Err(CycleError::UsedUp(_)) => break Stopped::UsedUp,
            draft => draft?,
        };
    };
    let by_round: Vec<usize> = (1..=versions.len())
        .map(|count| pattern.choose.of(&versions[..count]))
        .collect();
    let chosen = pattern.choose.of(&versions);
    let [good, bad] = pattern.status;
    let status = match stopped {
        Stopped::NothingToExamine => None,
        _ if versions[chosen].findings.unchecked => Some(Status::NotChecked),
        _ if versions[chosen].findings.satisfied || stopped.settles() => Some(good),
        _ => Some(bad),
    };
    desk.note_choice(chosen, &by_round, stopped, status)?;
    Ok(Outcome {
        versions,
        chosen,
        by_round,
        stopped,
        status,
    })
}

/// The findings of an interrupted run, or of an earlier version that is the same, or new ones.
async fn examine(
    examiner: &mut dyn Examiner,
    desk: &Desk<'_>,
    draft: &Draft,
    earlier: &[Version],
) -> Result<Findings, CycleError> {
    if let Some(findings) = desk.past_findings(earlier.len()) {
        return Ok(findings);
    }
    let same = |version: &&Version| version.draft.artifact == draft.artifact;
    match earlier.iter().find(same) {
        Some(version) if examiner.is_repeatable() => Ok(version.findings.clone()),
        _ => examiner.examine(desk, draft, earlier).await,
    }
}
