//! The end of a run: waiting for the program's, ending all others, and adding up.

use std::os::fd::{AsFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::calls;
use super::cell::Cell;
use super::senders::Senders;
use super::tally::{self, Tally};
use crate::message::{Ended, SentBy};

/// Waits for the end of the program, ends all others, and adds up.
pub(super) fn end(cell: &Cell, program: libc::pid_t, listener: Option<OwnedFd>) -> Ended {
    let mut tally = Tally::default();
    let mut senders = Senders::new(listener, cell.own_proc.as_ref(), program);
    tally.ended.status = watch(cell, program, &mut tally, &mut senders);
    tally.ended.sent_by = tally
        .ended
        .status
        .map_or(SentBy::Unknown, |status| senders.of(status));
    // Who is waiting for an answer still is told that there will be none.
    drop(senders);
    // Whose parents are gone are init's by now, so that it has either all that are left for children or none.
    while calls::has_children() {
        // All but ourselves, and all at once: nobody can fork away from it.
        let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
        while tally.reap(0).is_some() {}
    }
    let own = tally::usage(libc::RUSAGE_SELF);
    tally.ended.over = calls::now();
    tally.ended.floor_kib = tally::whole(own.ru_maxrss);
    tally.ended.own_micros = tally::micros(own.ru_utime) + tally::micros(own.ru_stime);
    let space = cell.scratch.as_ref().and_then(|scratch| scratch.space().ok());
    tally.ended.scratch = space.unwrap_or_default();
    tally.ended
}

/// Programs that are over sooner aren't asked for how long they waited for a processor.
const SHORT: u64 = 50_000_000;

/// Reaps until the program is over (its wait status) or the harness says to end or is gone (`None`).
fn watch(
    cell: &Cell,
    program: libc::pid_t,
    tally: &mut Tally,
    senders: &mut Senders<'_>,
) -> Option<libc::c_int> {
    let began = calls::now();
    loop {
        let listener = senders.listener();
        let mut fds = [
            PollFd::new(cell.control.as_fd(), PollFlags::POLLIN),
            PollFd::new(cell.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(listener.unwrap_or(cell.signals.as_fd()), PollFlags::POLLIN),
        ];
        let watched = if listener.is_some() { 3 } else { 2 };
        match poll(&mut fds[..watched], PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
        let told = fds[0].any().unwrap_or(true);
        let asked = fds[2]
            .revents()
            .filter(|_| watched == 3)
            .unwrap_or(PollFlags::empty());
        if !asked.is_empty() {
            senders.answer(!asked.contains(PollFlags::POLLIN));
        }
        if calls::now() - began > SHORT {
            tally.note_waiting(cell.own_proc.as_ref(), program);
        }
        while let Ok(Some(_)) = cell.signals.read_signal() {}
        // Also when told to end: what ended by itself before that keeps its own end.
        while let Some((pid, status)) = tally.reap(libc::WNOHANG) {
            if pid == program {
                return Some(status);
            }
        }
        if told {
            return None;
        }
    }
}
