//! When each step of a run's set-up began.

use std::cell::Cell;

use super::calls;
use super::steps::{EXECUTION, STEPS};

/// One place for each step; the program's process writes to it until it is the program.
#[derive(Debug)]
pub(super) struct Marks([Cell<u64>; STEPS.len()]);

impl Default for Marks {
    fn default() -> Self {
        Self([const { Cell::new(0) }; STEPS.len()])
    }
}

impl Marks {
    /// A step begins now.
    pub(super) fn begins(&self, step: usize) {
        if let Some(place) = self.0.get(step) {
            place.set(calls::now());
        }
    }

    /// The program's own file is executed now.
    pub(super) fn is_executed(&self) {
        self.begins(usize::from(EXECUTION));
    }

    /// Each step with the nanoseconds from `begin` to its own beginning; forgets them.
    pub(super) fn take(&self, begin: u64) -> Vec<(u8, u32)> {
        let all = (0..).zip(&self.0).map(|(step, place)| (step, place.take()));
        let done = all.filter(|(_, at)| *at >= begin);
        done.map(|(step, at)| (step, u32::try_from(at - begin).unwrap_or(u32::MAX)))
            .collect()
    }
}
