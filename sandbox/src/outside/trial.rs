//! Whether this host lets us make namespaces: found out once, by making them.

use std::sync::{Mutex, PoisonError};

use super::cell::{Cell, Room};
use super::launch::launch;
use super::shape::{Shape, Wish};
use crate::isolation::Gap;
use crate::{Command, Error, Isolation, Level};

/// What holds in a cell of this level, which is made for this only.
pub(crate) fn trial_cell(level: Level) -> Result<Isolation, Error> {
    let room = Room {
        bytes: 1 << 20,
        files: 64,
    };
    let cell = Cell::make(&Shape::of(&Wish::default())?, level, room)?;
    Ok(Isolation::clone(&cell.isolation))
}

/// What was found, once it is certain.
static FOUND: Mutex<Option<Result<(), Gap>>> = Mutex::new(None);

/// Whether a program can be put into namespaces of its own; the outer error is no answer, but trouble of another kind.
pub(crate) fn namespaces() -> Result<Result<(), Gap>, Error> {
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = &*found {
        return Ok(found.clone());
    }
    // Everything is set up before it turns out that there is no such program.
    let request = Command::new("/proc/no-such-program")
        .alone()
        .request_at(Level::Standard)?;
    let answer = match launch(&request, false) {
        Err(Error::Exec { .. }) | Ok(_) => Ok(()),
        Err(Error::Unsupported { what, remedy }) => Err(Gap::new(what, remedy)),
        Err(other) => return Err(other),
    };
    *found = Some(answer.clone());
    Ok(answer)
}
