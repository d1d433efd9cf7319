//! An init that has everything but its order: namespaces, an identity and a control group. Those take the longest to make, so
//! there is always one ahead.

use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;

use super::calls::{self, Cloned};
use super::cells::Cells;
use super::{CLONE, CellOrder, MAP, ids, init};
use crate::message::{self, HostIds, Message};

/// A new one of each kind that the kernel has, but for time, and for groups: that begins at the group of who makes it, so
/// init makes it itself when it is in its own.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

/// What the launcher says to an init that has two ids.
pub(super) const SEPARATE: &[u8] = b"go";
/// What it says to one that has the program's.
pub(super) const SAME: &[u8] = b"g";

/// An init that waits for its order.
#[derive(Debug)]
pub(super) struct Spare {
    pidfd: OwnedFd,
    ids: HostIds,
    /// Whether it was to have a control group.
    in_groups: bool,
    /// The group's name, or why there is none after a colon.
    group: String,
    go: OwnedFd,
}

impl Spare {
    /// Clones an init, and gives it an identity and a group; else which step failed, and why.
    pub(super) fn make(in_groups: bool, cells: &mut Cells) -> Result<Self, (u8, Errno)> {
        // Both made here, so that no socket of ours is in the cell's own network.
        let pairs = message::pair().and_then(|pair| Ok((pair, message::pair()?)));
        let ((ours, theirs), teller) = pairs.map_err(|errno| (CLONE, errno))?;
        // SAFETY: the launcher has one thread.
        let (pid, pidfd) = match unsafe { calls::clone(NAMESPACES) } {
            Err(errno) => return Err((CLONE, errno)),
            Ok(Cloned::Child) => init::run(&theirs, &teller),
            Ok(Cloned::Parent { pid, pidfd }) => (pid, pidfd),
        };
        let number = cells.add(pid);
        // An init that is let go of ends by itself.
        let ids = ids::map(pid, number).map_err(|errno| (MAP, errno))?;
        let group = if in_groups {
            cells.give_group(pid)
        } else {
            String::new()
        };
        Ok(Self {
            pidfd,
            ids,
            in_groups,
            group,
            go: ours,
        })
    }

    /// Whether it is what an order wants.
    pub(super) fn fits(&self, in_groups: bool) -> bool {
        self.in_groups == in_groups && !self.group.starts_with(':')
    }

    /// Hands it the order, and tells the harness. Whether it was there to take it.
    pub(super) fn take(self, order: &CellOrder) -> bool {
        let Self {
            pidfd,
            ids,
            group,
            go,
            ..
        } = self;
        let word = if ids.separate { SEPARATE } else { SAME };
        let launched = Message::Launched { ids, group };
        launched.send(order.control.as_fd(), &[pidfd.as_raw_fd()]);
        let fds = [order.spec.as_raw_fd(), order.control.as_raw_fd()];
        message::send(go.as_fd(), word, &fds).is_ok()
    }
}
