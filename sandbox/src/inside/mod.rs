//! What runs on the other side of the fork: the launcher, the inits of cells, and programs up to their `execve`.
//!
//! All of it is single-threaded and talks through [`crate::message`] only. Nothing here may panic or print.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod bare;
mod calls;
mod cell;
mod cells;
mod ending;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod filter;
mod ids;
mod init;
pub(crate) mod landlock;
mod launcher;
mod leftovers;
mod marks;
mod of_proc;
mod own_files;
mod program;
mod prove;
mod root;
mod run;
mod scratch;
mod senders;
mod spare;
mod steps;
mod tally;
mod vault;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub use filter::{RefusedCall, refused_calls};

pub(crate) use calls::now;
pub(crate) use launcher::serve;
pub(crate) use prove::PROOFS;
pub(crate) use steps::{BARE_PROOF, CLONE, MAP, PROOF, STEPS, UNREACHABLE};

use std::os::fd::OwnedFd;

/// The uid and gid that a program has inside.
pub(crate) const INSIDE_ID: u32 = 1000;

/// Those of init, where there is more than one to give.
pub(crate) const INIT_ID: u32 = 999;

/// The descriptors that come with the order to make a cell: its spec, and init's end of the connection to the harness.
#[derive(Debug)]
pub(crate) struct CellOrder {
    pub(crate) spec: OwnedFd,
    pub(crate) control: OwnedFd,
}

impl CellOrder {
    fn from_fds(fds: Vec<OwnedFd>) -> Option<Self> {
        let [spec, control] = <[OwnedFd; 2]>::try_from(fds).ok()?;
        Some(Self { spec, control })
    }
}
