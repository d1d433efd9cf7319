//! How a run ended: one closed type, and the evidence that comes with each end.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The program exited by itself with this status.
    Exited(i32),
    /// A signal ended it that none of the limits stands behind.
    Signalled {
        /// The signal's number.
        signal: i32,
        /// Where it came from.
        sender: Sender,
    },
    /// It used up its CPU time.
    CpuTimeout(Evidence),
    /// It used up its wall time.
    WallTimeout(Evidence),
    /// It used more memory than it may.
    MemoryLimit(Evidence),
    /// It wrote more than it may.
    OutputLimit(Evidence),
    /// It ended in failure after it was refused a process or a thread.
    ProcessLimit(Evidence),
    /// It ended in failure with its scratch space full, or by writing a file larger than scratch.
    ScratchFull(Evidence),
    /// The caller ended it with [`crate::Child::kill`].
    Killed,
    /// The sandbox itself broke while the program ran: somebody or something on the host ended its first process. It
    /// says nothing about the program; try again.
    SandboxFailed,
}

impl End {
    /// One word for it, as in JSON: `exited`, `cpu_timeout` …
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exited(_) => "exited",
            Self::Signalled { .. } => "signalled",
            Self::CpuTimeout(_) => "cpu_timeout",
            Self::WallTimeout(_) => "wall_timeout",
            Self::MemoryLimit(_) => "memory_limit",
            Self::OutputLimit(_) => "output_limit",
            Self::ProcessLimit(_) => "process_limit",
            Self::ScratchFull(_) => "scratch_full",
            Self::Killed => "killed",
            Self::SandboxFailed => "sandbox_failed",
        }
    }

    /// Which counter crossed which limit, where one did.
    pub fn evidence(&self) -> Option<Evidence> {
        match self {
            Self::CpuTimeout(evidence)
            | Self::WallTimeout(evidence)
            | Self::MemoryLimit(evidence)
            | Self::OutputLimit(evidence)
            | Self::ProcessLimit(evidence)
            | Self::ScratchFull(evidence) => Some(*evidence),
            Self::Exited(_) | Self::Signalled { .. } | Self::Killed | Self::SandboxFailed => None,
        }
    }
}

/// How the program's own process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

/// Where the signal that ended the program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sender {
    /// The program sent it to itself.
    Itself,
    /// Another process of the run sent it.
    Another,
    /// The kernel: a fault in the program, a timer, a pipe without a reader.
    Kernel,
    /// Nobody inside: it came from the host.
    Outside,
    /// There is no evidence.
    Unknown,
}

/// A counter and the limit that it crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Which counter.
    pub counter: Counter,
    /// What it showed, in the counter's [`Unit`].
    pub value: u64,
    /// What was allowed, in the same unit.
    pub limit: u64,
}

/// What a limit was measured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// CPU time of the control group, which counts everything that ever ran in it.
    CgroupCpu,
    /// CPU time that the kernel reported with the processes that ended.
    ReapedCpu,
    /// CPU time read from `/proc` while the processes ran.
    SampledCpu,
    /// The monotonic clock.
    Clock,
    /// The control group's peak of memory.
    CgroupMemory,
    /// How often the kernel ended a process of the control group for want of memory.
    CgroupOomKills,
    /// Resident memory of the tree, read from `/proc` while it ran.
    SampledMemory,
    /// The kernel's peak of one process's resident memory.
    ReapedMemory,
    /// Bytes on stdout.
    Stdout,
    /// Bytes on stderr.
    Stderr,
    /// Processes and threads that the control group refused.
    CgroupForksDenied,
    /// Bytes in scratch.
    ScratchBytes,
    /// Files and folders in scratch.
    ScratchFiles,
    /// The size of a single file, by the signal `SIGXFSZ`.
    FileSize,
}

/// What a [`Counter`] counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Microseconds.
    Microseconds,
    /// Bytes.
    Bytes,
    /// How many, or how often.
    Count,
}

impl Counter {
    /// What it counts in.
    pub fn unit(self) -> Unit {
        match self {
            Self::CgroupCpu | Self::ReapedCpu | Self::SampledCpu | Self::Clock => Unit::Microseconds,
            Self::CgroupMemory
            | Self::SampledMemory
            | Self::ReapedMemory
            | Self::Stdout
            | Self::Stderr
            | Self::ScratchBytes
            | Self::FileSize => Unit::Bytes,
            Self::CgroupOomKills | Self::CgroupForksDenied | Self::ScratchFiles => Unit::Count,
        }
    }

    fn described(self) -> &'static str {
        match self {
            Self::CgroupCpu => "CPU time of the control group",
            Self::ReapedCpu => "CPU time of the ended processes",
            Self::SampledCpu => "CPU time seen in /proc",
            Self::Clock => "the monotonic clock",
            Self::CgroupMemory => "peak memory of the control group",
            Self::CgroupOomKills => "processes ended for want of memory",
            Self::SampledMemory => "resident memory seen in /proc",
            Self::ReapedMemory => "peak resident memory of a process",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::CgroupForksDenied => "processes refused",
            Self::ScratchBytes => "bytes in scratch",
            Self::ScratchFiles => "files in scratch",
            Self::FileSize => "size of a file",
        }
    }
}

impl fmt::Display for Evidence {
    /// `CPU time of the control group: 512.3 ms, limit 500 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: u64| match self.counter.unit() {
            Unit::Microseconds => format!("{} ms", value as f64 / 1000.0),
            Unit::Bytes => format!("{value} bytes"),
            Unit::Count => value.to_string(),
        };
        let (value, limit) = (show(self.value), show(self.limit));
        write!(f, "{}: {value}, limit {limit}", self.counter.described())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_reads_as_a_sentence() {
        let evidence = Evidence {
            counter: Counter::CgroupCpu,
            value: 512_300,
            limit: 500_000,
        };
        assert_eq!(
            evidence.to_string(),
            "CPU time of the control group: 512.3 ms, limit 500 ms"
        );
    }

    #[test]
    fn the_name_is_that_of_the_json() {
        let evidence = Evidence {
            counter: Counter::Stdout,
            value: 2,
            limit: 1,
        };
        for end in [
            End::Exited(0),
            End::Signalled {
                signal: 9,
                sender: Sender::Unknown,
            },
            End::OutputLimit(evidence),
            End::Killed,
            End::SandboxFailed,
        ] {
            let json = serde_json::to_value(end).unwrap();
            let name = json
                .as_str()
                .map(str::to_owned)
                .or_else(|| json.as_object()?.keys().next().cloned());
            assert_eq!(name.as_deref(), Some(end.name()));
        }
    }
}
