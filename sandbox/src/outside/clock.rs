//! The wall limit: when it is over, and what doesn't count towards it.

use std::time::{Duration, Instant};

use super::launch::Running;
use super::machine::Machine;
use crate::Contention;

/// Runs that are over sooner are not looked at: that would cost them more than it could tell.
const SHORT: Duration = Duration::from_millis(50);
/// However busy the machine is, a run lasts at most so many times as long as it may.
const MOST_TIMES: u32 = 10;
/// An extension that isn't worth it.
const NEXT_TO_NOTHING: Duration = Duration::from_millis(2);

/// The time of a run.
#[derive(Debug)]
pub(super) struct Clock {
    started: Instant,
    wall: Duration,
    /// When it is over as far as is known now; `None` when it never is.
    deadline: Option<Instant>,
    /// How the machine was early in the run.
    before: Option<Machine>,
}

impl Clock {
    pub(super) fn new(running: &Running) -> Self {
        Self {
            started: running.started,
            wall: running.limits.wall,
            deadline: running.started.checked_add(running.limits.wall),
            before: None,
        }
    }

    /// When to look next, at the latest.
    pub(super) fn next(&self) -> Option<Instant> {
        self.deadline
    }

    /// To be called from time to time.
    pub(super) fn look(&mut self, now: Instant) {
        if self.before.is_none() && now >= self.started + SHORT {
            self.before = Some(Machine::look());
        }
    }

    /// Whether the time is up. What the run could have used a processor for and others had it doesn't count.
    pub(super) fn is_up(&mut self, running: &Running, now: Instant) -> bool {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return false;
        }
        let lost = self.lost(running);
        let extended = self
            .started
            .checked_add(self.wall + lost.min(self.wall * (MOST_TIMES - 1)));
        if lost >= NEXT_TO_NOTHING && extended.is_some_and(|extended| now + NEXT_TO_NOTHING <= extended) {
            self.deadline = extended;
            return false;
        }
        true
    }

    fn lost(&self, running: &Running) -> Duration {
        let Some(before) = &self.before else {
            return Duration::ZERO;
        };
        let sample = running.tree.sample();
        let own = running.tree.cpu();
        let others = before.taken_by_others(&Machine::look(), own);
        sample.waited.min(others)
    }

    /// Whether the run was slow because of the machine; `waited` is for how long one of its processes waited for a
    /// processor.
    pub(super) fn contention(&self, waited: Duration, wall: Duration) -> Option<Contention> {
        Machine::contention(self.before, waited, wall)
    }
}
