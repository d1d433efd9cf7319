//! Why a loop could not be carried through.

use super::UsedUp;
use crate::journal::JournalError;
use crate::model::ModelError;
use crate::prompts::PromptError;

/// The loop could not be carried through. This says nothing about the model's drafts.
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
    /// Nothing may be spent on the model any more; the loop returns what it has.
    #[error(transparent)]
    UsedUp(#[from] UsedUp),
    /// The examiner failed, not the draft.
    #[error("the examination failed: {0}")]
    Examiner(String),
}
