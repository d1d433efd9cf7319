//! From what was counted to what became of the run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use nix::libc;

use super::tree::Sample;
use crate::cgroup::Metered;
use crate::message::{Ended, SentBy};
use crate::{
    Captured, Contention, Counter, End, Evidence, Exit, Isolation, Limits, Outcome, PeakSource, Sender, Usage,
};

/// Why the harness ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Killed,
    Wall,
    Cpu,
    Memory,
    Output,
}

/// All that is known of a run that is over.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) limits: Limits,
    /// Why we ended it, if we did.
    pub(super) cause: Option<Cause>,
    /// What init counted; `None` when it was killed itself.
    pub(super) last_word: Option<Ended>,
    /// What was seen while it ran.
    pub(super) sample: Sample,
    /// What its control group counted.
    pub(super) metered: Metered,
    /// What was in scratch before: bytes, and files and folders.
    pub(super) put_in: (u64, u64),
    pub(super) wall: Duration,
    pub(super) setup: Duration,
    pub(super) queue: Duration,
    pub(super) steps: Vec<(&'static str, Duration)>,
    pub(super) contended: Option<Contention>,
    pub(super) bytes_in: u64,
    pub(super) stdout: Captured,
    pub(super) stderr: Captured,
}

impl Facts {
    pub(super) fn outcome(self, isolation: Isolation, files: BTreeMap<PathBuf, Vec<u8>>) -> Outcome {
        let usage = self.usage();
        Outcome {
            end: self.end(&usage),
            exit: self.exit(),
            usage,
            contended: self.contended,
            steps: self.steps,
            isolation,
            files,
            stdout: self.stdout,
            stderr: self.stderr,
        }
    }

    fn usage(&self) -> Usage {
        let ended = self.last_word.unwrap_or_default();
        let (peak_memory, peak_source) = self.peak();
        Usage {
            cpu: self.cpu().1,
            cpu_user: Duration::from_micros(ended.user_micros),
            cpu_system: Duration::from_micros(ended.system_micros),
            wall: self.wall,
            setup: self.setup,
            queue: self.queue,
            peak_memory,
            peak_source,
            // Init is in the group, too.
            processes: self
                .metered
                .processes_peak
                .map_or(1, |peak| peak.saturating_sub(1))
                .max(self.sample.processes),
            switches_voluntary: ended.voluntary,
            switches_involuntary: ended.involuntary,
            bytes_in: self.bytes_in,
            bytes_out: self.stdout.total + self.stderr.total,
            forks_denied: self.metered.forks_denied,
            oom_kills: self.metered.oom_kills,
            scratch_bytes: ended.scratch.bytes.saturating_sub(self.put_in.0),
            scratch_files: ended.scratch.files.saturating_sub(self.put_in.1),
        }
    }

    /// The tree's CPU time, and what counted it: the highest of those that can only count too little.
    fn cpu(&self) -> (Counter, Duration) {
        let reaped = self.last_word.map_or(Duration::ZERO, |ended| {
            Duration::from_micros(ended.user_micros + ended.system_micros)
        });
        let reaped = (Counter::ReapedCpu, reaped + self.sample.uncounted);
        let sampled = (Counter::SampledCpu, self.sample.cpu);
        let own = self.last_word.map_or(0, |ended| ended.own_micros);
        let group = self.metered.cpu.unwrap_or_default();
        let group = (
            Counter::CgroupCpu,
            group.saturating_sub(Duration::from_micros(own)),
        );
        [sampled, group]
            .into_iter()
            .fold(reaped, |most, one| if one.1 > most.1 { one } else { most })
    }

    /// The group also counts files in scratch and what the kernel needs, but not pages that others had read before.
    fn peak(&self) -> (u64, PeakSource) {
        let resident = self.resident_peak();
        match self.metered.memory_peak {
            Some(peak) if peak >= resident.0 => (peak, PeakSource::Cgroup),
            _ => resident,
        }
    }

    fn resident_peak(&self) -> (u64, PeakSource) {
        // The kernel's own figure is at least what init had before the program began, and then says nothing.
        let reaped = self
            .last_word
            .filter(|ended| ended.peak_kib > ended.floor_kib)
            .map_or(0, |ended| ended.peak_kib * 1024);
        match self.sample.peak {
            0 if reaped == 0 => (0, PeakSource::None),
            sampled if sampled >= reaped => (sampled, PeakSource::Sampled),
            _ => (reaped, PeakSource::Reaped),
        }
    }

    fn exit(&self) -> Option<Exit> {
        let status = self.last_word?.status?;
        Some(if libc::WIFSIGNALED(status) {
            Exit::Signal(libc::WTERMSIG(status))
        } else {
            Exit::Status(libc::WEXITSTATUS(status))
        })
    }

    fn end(&self, usage: &Usage) -> End {
        let limits = &self.limits;
        let Some(exit) = self.exit() else {
            return match self.cause {
                Some(Cause::Killed) => End::Killed,
                Some(Cause::Wall) => End::WallTimeout(self.clock()),
                Some(Cause::Cpu) => End::CpuTimeout(self.cpu_evidence()),
                Some(Cause::Memory) => End::MemoryLimit(self.memory_evidence()),
                Some(Cause::Output) => End::OutputLimit(self.output_evidence()),
                // The kernel has ended init together with the program.
                None if self.is_out_of_memory() => End::MemoryLimit(self.memory_evidence()),
                // Somebody on the host killed init.
                None => End::SandboxFailed,
            };
        };
        // It ended by itself, but only after it had used too much: whether we saw that in time must not matter.
        if usage.cpu > limits.cpu {
            return End::CpuTimeout(self.cpu_evidence());
        }
        if exit == Exit::Signal(9) && self.metered.host_oom_kills > 0 {
            // The host had no memory left, and the program had not used up its own.
            return End::SandboxFailed;
        }
        if self.is_out_of_memory() {
            return End::MemoryLimit(self.memory_evidence());
        }
        if self.stdout.total > limits.output || self.stderr.total > limits.output {
            return End::OutputLimit(self.output_evidence());
        }
        if exit != Exit::Status(0)
            && let Some(denied) = self.metered.forks_denied.filter(|&denied| denied > 0)
        {
            return End::ProcessLimit(Evidence {
                counter: Counter::CgroupForksDenied,
                value: denied,
                limit: u64::from(limits.processes),
            });
        }
        if exit != Exit::Status(0)
            && let Some(evidence) = self.full_scratch(exit, usage)
        {
            return End::ScratchFull(evidence);
        }
        match exit {
            Exit::Status(status) => End::Exited(status),
            Exit::Signal(signal) => End::Signalled {
                signal,
                sender: self.sender(signal),
            },
        }
    }

    fn sender(&self, signal: i32) -> Sender {
        let sent_by = self.last_word.map_or(SentBy::Unknown, |ended| ended.sent_by);
        match sent_by {
            SentBy::Itself => Sender::Itself,
            SentBy::Another => Sender::Another,
            // Nobody has looked, so the signal may be forged; but hardly any is.
            _ if OF_THE_KERNEL.contains(&signal) => Sender::Kernel,
            SentBy::NobodyInside if OF_PEOPLE.contains(&signal) => Sender::Outside,
            SentBy::NobodyInside | SentBy::Unknown => Sender::Unknown,
        }
    }

    fn clock(&self) -> Evidence {
        Evidence {
            counter: Counter::Clock,
            value: micros(self.wall),
            limit: micros(self.limits.wall),
        }
    }

    fn cpu_evidence(&self) -> Evidence {
        let (counter, used) = self.cpu();
        Evidence {
            counter,
            value: micros(used),
            limit: micros(self.limits.cpu),
        }
    }

    fn is_out_of_memory(&self) -> bool {
        self.resident_peak().0 > self.limits.memory || self.metered.oom_kills.is_some_and(|kills| kills > 0)
    }

    fn memory_evidence(&self) -> Evidence {
        let (value, source) = self.resident_peak();
        let kills = self.metered.oom_kills.unwrap_or(0);
        if value <= self.limits.memory && kills > 0 {
            return Evidence {
                counter: Counter::CgroupOomKills,
                value: kills,
                limit: 0,
            };
        }
        let counter = match source {
            PeakSource::Reaped => Counter::ReapedMemory,
            PeakSource::Cgroup | PeakSource::Sampled | PeakSource::None => Counter::SampledMemory,
        };
        let limit = self.limits.memory;
        Evidence {
            counter,
            value,
            limit,
        }
    }

    fn output_evidence(&self) -> Evidence {
        let (counter, value) = if self.stdout.total > self.limits.output {
            (Counter::Stdout, self.stdout.total)
        } else {
            (Counter::Stderr, self.stderr.total)
        };
        let limit = self.limits.output;
        Evidence {
            counter,
            value,
            limit,
        }
    }

    /// Evidence that there was no room left for the program's files.
    fn full_scratch(&self, exit: Exit, usage: &Usage) -> Option<Evidence> {
        let space = self.last_word?.scratch;
        let (counter, value, limit) = if exit == Exit::Signal(libc::SIGXFSZ) {
            (Counter::FileSize, self.limits.scratch, self.limits.scratch)
        } else if space.most_bytes > 0 && space.bytes >= space.most_bytes {
            (Counter::ScratchBytes, usage.scratch_bytes, self.limits.scratch)
        } else if space.most_files > 0 && space.files >= space.most_files {
            let limit = space.most_files.saturating_sub(self.put_in.1);
            (Counter::ScratchFiles, usage.scratch_files, limit)
        } else {
            return None;
        };
        Some(Evidence {
            counter,
            value,
            limit,
        })
    }
}

/// Signals that the kernel itself sends: for a fault, by a timer, for a pipe that nobody reads.
const OF_THE_KERNEL: [i32; 12] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGXCPU,
    libc::SIGIO,
];

/// Signals by which people end programs, and no part of the kernel does.
const OF_PEOPLE: [i32; 6] = [
    libc::SIGKILL,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGABRT,
    libc::SIGUSR1,
];

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
