//! What a confined process tree may use.

use std::time::Duration;

/// Limits on one run, counted over the whole process tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CPU time, user and system.
    pub cpu: Duration,
    /// Wall time; the backstop for what sleeps or blocks.
    pub wall: Duration,
    /// Resident memory in bytes.
    pub memory: u64,
    /// Processes and threads alive at the same time.
    pub processes: u32,
    /// Bytes on stdout, and as many on stderr.
    pub output: u64,
    /// Bytes of files in scratch, `/tmp` and `/dev/shm` together.
    pub scratch: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu: Duration::from_secs(10),
            wall: Duration::from_mins(1),
            memory: 512 << 20,
            processes: 64,
            output: 16 << 20,
            scratch: 256 << 20,
        }
    }
}
