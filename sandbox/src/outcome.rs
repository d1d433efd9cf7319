//! What became of a run.

mod captured;
mod contention;
mod end;
mod usage;

pub use captured::Captured;
pub use contention::Contention;
pub use end::{Counter, End, Evidence, Exit, Sender, Unit};
pub use usage::{PeakSource, Usage};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::Isolation;

/// Everything known about a finished run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// How it ended, with the evidence.
    pub end: End,
    /// How the program's own process ended; `None` when it was still running when everything was ended. Also there
    /// when a limit is what counts.
    pub exit: Option<Exit>,
    /// What it wrote to stdout.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// Those of the files asked for with [`crate::Command::keep`] that were there at the end.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// What it used.
    pub usage: Usage,
    /// What the set-up of the run spent its time on, step by step. None in a sandbox without namespaces.
    pub steps: Vec<(&'static str, Duration)>,
    /// Set when the machine was too busy to give the run the CPU that it wanted.
    pub contended: Option<Contention>,
    /// The layers that were in force.
    pub isolation: Isolation,
}
