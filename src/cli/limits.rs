//! The limits that every command which runs programs understands.

use std::collections::BTreeMap;
use std::time::Duration;

use super::units;
use crate::task::Limits;

/// Limits for one test. What isn't given is as the task says, or the default.
#[derive(Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// CPU time for a test, of all the program's processes together [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    cpu: Option<Duration>,
    /// Wall time for a test; the backstop for a program that sleeps or blocks [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    wall: Option<Duration>,
    /// Resident memory of all its processes together [default: 512MiB]
    #[arg(long, value_name = "SIZE", value_parser = units::some_size)]
    memory: Option<u64>,
    /// Processes and threads alive at the same time [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    processes: Option<u32>,
    /// Bytes on stdout, and as many on stderr [default: 16MiB]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    output: Option<u64>,
    /// Bytes of files that it can write [default: 256MiB]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    scratch: Option<u64>,
}

impl LimitArgs {
    /// The given limits by their flags, in milliseconds, bytes and processes.
    pub(crate) fn given(&self) -> BTreeMap<String, u64> {
        let all = [
            ("cpu", self.cpu.map(milliseconds)),
            ("wall", self.wall.map(milliseconds)),
            ("memory", self.memory),
            ("processes", self.processes.map(u64::from)),
            ("output", self.output),
            ("scratch", self.scratch),
        ];
        all.into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }

    /// The given limits in the place of those of `limits`.
    pub(crate) fn over(&self, limits: Limits) -> Limits {
        Limits {
            cpu_ms: self.cpu.map_or(limits.cpu_ms, milliseconds),
            wall_ms: self.wall.map_or(limits.wall_ms, milliseconds),
            memory_bytes: self.memory.unwrap_or(limits.memory_bytes),
            processes: self.processes.unwrap_or(limits.processes),
            output_bytes: self.output.unwrap_or(limits.output_bytes),
            scratch_bytes: self.scratch.unwrap_or(limits.scratch_bytes),
            compile_cpu_ms: limits.compile_cpu_ms,
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}
