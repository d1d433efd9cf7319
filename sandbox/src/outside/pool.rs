//! Cells that wait for their next program.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::cell::{Cell, Room};
use super::shape::Shape;
use crate::{Error, Level};

/// Cells without a program, the one that was used last at the back.
static IDLE: Mutex<VecDeque<Idle>> = Mutex::new(VecDeque::new());

/// After so many programs a cell is replaced, whether or not anything can be seen to have piled up in it.
const MOST_RUNS: u32 = 1000;
/// For how long a cell waits. Its init ends by itself a little later.
const LONGEST_IDLE: Duration = Duration::from_secs(crate::IDLE_SECONDS);

#[derive(Debug)]
struct Idle {
    cell: Cell,
    since: Instant,
}

/// A cell for a run, and whether it is a new one.
pub(super) fn take(shape: &Arc<Shape>, level: Level, room: Room) -> Result<(Cell, bool), Error> {
    match find(shape, level) {
        Some(cell) => Ok((cell, false)),
        None => Ok((Cell::make(shape, level, room)?, true)),
    }
}

fn find(shape: &Arc<Shape>, level: Level) -> Option<Cell> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let old = sort_out(&mut idle);
    let fits = |idle: &Idle| Arc::ptr_eq(&idle.cell.shape, shape) && idle.cell.isolation.level == level;
    let index = idle.iter().rposition(fits);
    let found = index.and_then(|index| idle.remove(index));
    drop(idle);
    // Not while others wait for the lock.
    drop(old);
    found.map(|idle| idle.cell)
}

/// Keeps a cell whose program is over for the next one.
pub(super) fn put(cell: Cell) {
    if cell.runs >= MOST_RUNS {
        return;
    }
    let since = Instant::now();
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.push_back(Idle { cell, since });
    let old = sort_out(&mut idle);
    drop(idle);
    drop(old);
}

/// Takes out those that waited for too long, that are too many, or that are another process's.
fn sort_out(idle: &mut VecDeque<Idle>) -> Vec<Idle> {
    let mut old = Vec::new();
    let is_bad = |idle: &Idle| idle.since.elapsed() > LONGEST_IDLE || !idle.cell.is_ours();
    while idle.front().is_some_and(is_bad) || idle.len() > most() {
        old.extend(idle.pop_front());
    }
    old
}

/// How many may wait: enough for two kinds of cells on every processor.
fn most() -> usize {
    let processors = std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get);
    (processors * 2).max(4)
}
