//! What the end of a process says about the program.

use std::time::Duration;

use nix::sys::signal::Signal;
use redraft_sandbox::{End, Exit};

use crate::task::{Limits, Verdict};

/// The error text of every timeout.
pub(crate) const TIMED_OUT: &str = "timed out";
/// The error text of who used too much memory.
pub(crate) const OUT_OF_MEMORY: &str = "memory limit exceeded";

/// Verdict and error text for a process that ended although more was wanted of it.
pub(crate) fn premature(end: &End, exit: Option<Exit>) -> (Verdict, String) {
    let text = match (*end, exit) {
        (End::Killed, _) => "closed its channel before the test finished".to_owned(),
        (End::Exited(status), _)
        | (End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Status(status))) => {
            format!("exited before the test finished (status {status})")
        }
        (End::Signalled { signal, .. }, _)
        | (End::ProcessLimit(_) | End::ScratchFull(_), Some(Exit::Signal(signal))) => {
            format!("{} ended it before the test finished", signal_name(signal))
        }
        _ => return exceeded(end),
    };
    (Verdict::RuntimeError, format!("{text}{}", shortage(end)))
}

/// What a program that failed was short of, for the end of a sentence.
pub(crate) fn shortage(end: &End) -> &'static str {
    match end {
        End::ProcessLimit(_) => "; it was refused more processes",
        End::ScratchFull(_) => "; its scratch space was full",
        _ => "",
    }
}

/// Verdict and error text for a crossed limit.
pub(crate) fn exceeded(end: &End) -> (Verdict, String) {
    match end {
        End::MemoryLimit(_) => (Verdict::MemoryLimit, OUT_OF_MEMORY.to_owned()),
        End::OutputLimit(_) => (Verdict::OutputLimit, "output limit exceeded".to_owned()),
        _ => (Verdict::TimedOut, TIMED_OUT.to_owned()),
    }
}

/// `SIGSEGV` and the like.
pub(crate) fn signal_name(signal: i32) -> String {
    Signal::try_from(signal).map_or_else(
        |_| format!("signal {signal}"),
        |signal| signal.as_str().to_owned(),
    )
}

/// The limits of a process that has many tests before it: `times` as much time as one has.
pub(crate) fn sandbox_limits(limits: &Limits, times: u32) -> redraft_sandbox::Limits {
    redraft_sandbox::Limits {
        cpu: Duration::from_millis(limits.cpu_ms).saturating_mul(times),
        wall: Duration::from_millis(limits.wall_ms).saturating_mul(times),
        memory: limits.memory_bytes,
        processes: limits.processes,
        output: limits.output_bytes,
        scratch: limits.scratch_bytes,
    }
}

/// Whole milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
