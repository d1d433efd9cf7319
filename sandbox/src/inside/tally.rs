//! Adding up what the processes of a run used, as they are reaped.

use std::os::fd::OwnedFd;

use nix::libc;

use super::{calls, of_proc};
use crate::message::Ended;

/// What is added up so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) ended: Ended,
}

impl Tally {
    /// One process that is over, with its wait status as the kernel gave it.
    pub(super) fn reap(&mut self, flags: libc::c_int) -> Option<(libc::pid_t, libc::c_int)> {
        let (pid, status, usage) = calls::reap(flags)?;
        self.add(&usage);
        Some((pid, status))
    }

    /// Asks for how long the first thread of a process was ready to run and didn't; one that is over can be asked until it
    /// is reaped.
    pub(super) fn note_waiting(&mut self, own_proc: Option<&OwnedFd>, pid: libc::pid_t) {
        let Some(text) = of_proc::read(own_proc, &format!("{pid}/schedstat")) else {
            return;
        };
        let waited = text.split(' ').nth(1).and_then(|field| field.parse().ok());
        self.ended.waited = self.ended.waited.max(waited.unwrap_or(0));
    }

    fn add(&mut self, usage: &libc::rusage) {
        let ended = &mut self.ended;
        ended.user_micros += micros(usage.ru_utime);
        ended.system_micros += micros(usage.ru_stime);
        ended.peak_kib = ended.peak_kib.max(whole(usage.ru_maxrss));
        ended.voluntary += whole(usage.ru_nvcsw);
        ended.involuntary += whole(usage.ru_nivcsw);
    }
}

/// What a process, or the children that it has waited for, have used so far.
pub(super) fn usage(who: libc::c_int) -> libc::rusage {
    // SAFETY: all zeros is a value of this plain structure, which outlives the call.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &raw mut usage);
        usage
    }
}

pub(super) fn micros(time: libc::timeval) -> u64 {
    whole(time.tv_sec) * 1_000_000 + whole(time.tv_usec)
}

pub(super) fn whole(number: libc::c_long) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
