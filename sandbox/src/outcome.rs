//! What became of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::Isolation;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program exited by itself with this status.
    Exited(i32),
    /// A signal ended it (not one of ours).
    Signalled(i32),
    /// It used up its CPU time.
    CpuTimeout,
    /// It used up its wall time.
    WallTimeout,
    /// Its tree used more resident memory than it may.
    MemoryLimit,
    /// It wrote more than it may.
    OutputLimit,
    /// The caller ended it with [`crate::Child::kill`].
    Killed,
}

/// What a run used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of the whole tree, user and system.
    pub cpu: Duration,
    /// Wall time from the program's start to its end.
    pub wall: Duration,
    /// Time spent on setting the sandbox up.
    pub setup: Duration,
    /// Peak resident memory in bytes.
    pub peak_memory: u64,
}

/// One output stream, kept up to the output limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes kept, from the beginning.
    pub bytes: Vec<u8>,
    /// How many bytes were written that aren't kept.
    pub dropped: u64,
}

impl Captured {
    /// The kept bytes as text; what isn't UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Everything known about a finished run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What it wrote to stdout.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// Those of the files asked for with [`crate::Command::keep`] that were there at the end.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// What it used.
    pub usage: Usage,
    /// The layers that were in force.
    pub isolation: Isolation,
}
