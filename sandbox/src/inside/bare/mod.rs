//! Cells on a host without namespaces: no world of its own, but the same order of things.
//!
//! A *keeper* takes the place of init. It is process 1 of nothing, so it must find the processes of a program itself: all of
//! them come from it, and those whose parents are gone come back to it. Scratch is a folder of the host, made for each
//! run and removed after it. What a program may open, Landlock decides alone.

mod cell;
mod folder;
mod keeper;
mod names;
mod program;
mod prove;
mod tree;

pub(crate) use folder::sweep;
pub(crate) use prove::PROOFS;
pub(crate) use tree::{below, kill_below};

use std::os::fd::{AsFd as _, AsRawFd as _};

use nix::errno::Errno;

use super::calls::{self, Cloned};
use super::cells::Cells;
use super::steps::KEEPER;
use super::{CellOrder, ids};
use crate::message::Message;

/// Has a keeper made for a cell. What goes wrong is told to the harness.
pub(super) fn launch(order: &CellOrder, cells: &mut Cells) {
    let control = order.control.as_fd();
    let Some(ids) = ids::without_namespaces(cells.next_number()) else {
        return tell_failure(order, usize::from(KEEPER), Errno::EPERM);
    };
    // SAFETY: the launcher has one thread.
    match unsafe { calls::clone(0) } {
        Err(errno) => tell_failure(order, usize::from(KEEPER), errno),
        Ok(Cloned::Child) => keeper::run(order, ids),
        Ok(Cloned::Parent { pid, pidfd }) => {
            cells.add_keeper(pid);
            let group = String::new();
            Message::Launched { ids, group }.send(control, &[pidfd.as_raw_fd()]);
        }
    }
}

/// Whether a program would be somebody without rights, or at least not the host's root.
pub(crate) fn is_harmless() -> bool {
    ids::without_namespaces(0).is_some()
}

/// It is never the namespaces' fault here, so the harness must not look for it there.
const ABOUT: &str = "without namespaces";

fn tell_failure(order: &CellOrder, step: usize, errno: Errno) {
    let step = u8::try_from(step).unwrap_or(u8::MAX);
    let (errno, about) = (errno as i32, ABOUT.to_owned());
    Message::Failed { step, errno, about }.send(order.control.as_fd(), &[]);
}
