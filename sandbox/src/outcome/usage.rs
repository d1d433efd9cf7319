//! What a run used.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a run used. What couldn't be counted is `None`, never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// CPU time of the whole tree, user and system, of those that nobody waited for too.
    pub cpu: Duration,
    /// The part of it in user mode, of the processes that were waited for.
    pub cpu_user: Duration,
    /// The part of it in the kernel, of the processes that were waited for.
    pub cpu_system: Duration,
    /// Wall time from the program's start to its end.
    pub wall: Duration,
    /// Time spent on setting the sandbox up.
    pub setup: Duration,
    /// Time that the run waited for its turn before that.
    pub queue: Duration,
    /// Peak memory in bytes.
    pub peak_memory: u64,
    /// What `peak_memory` was measured with.
    pub peak_source: PeakSource,
    /// The most processes and threads that were seen at the same time: a lower bound.
    pub processes: u64,
    /// How often the tree gave up the CPU by itself, waiting for something.
    pub switches_voluntary: u64,
    /// How often the CPU was taken from it.
    pub switches_involuntary: u64,
    /// Bytes that the program has taken from stdin, or that were still on their way to it.
    pub bytes_in: u64,
    /// Bytes that it wrote to stdout and stderr.
    pub bytes_out: u64,
    /// How often it was refused a process or a thread; `None` where no control group counts.
    pub forks_denied: Option<u64>,
    /// How many of its processes the kernel ended for want of memory; `None` where no control group counts.
    pub oom_kills: Option<u64>,
    /// Bytes left in scratch at the end, without the files that were put there.
    pub scratch_bytes: u64,
    /// Files and folders left in scratch at the end, without those that were put there.
    pub scratch_files: u64,
}

/// What [`Usage::peak_memory`] was measured with, from the surest to the least sure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeakSource {
    /// The control group's own peak; it counts the tree together, with its page cache and kernel memory.
    Cgroup,
    /// Looks at `/proc` while it ran; a short peak between two looks is missed.
    Sampled,
    /// The kernel's figure for the largest single process; several at the same time are not added.
    Reaped,
    /// Nothing was seen.
    #[default]
    None,
}
