//! Control groups: the kernel counts and limits a whole process tree, from outside of it.
//!
//! Version 1 has a hierarchy of folders for each controller, version 2 has one for all. Hosts have the one, the other, or
//! both at once, with the controllers in version 1 and an empty version 2 beside it. What version 2 can do without
//! any controller is worth having even then: kill a group, count its CPU time, have a process born in it.
//!
//! How it is used:
//!
//! 1. [`host`] tells once what there is, and removes what a harness that crashed has left.
//! 2. The launcher makes a group for each cell with [`Host::group`], puts the cell's init into it ([`Group::add`]), and
//!    removes it when that has ended. Programs are born into it as init's children, so it costs a run nothing.
//! 3. The harness has a [`Meter`] on it ([`Host::meter`]): it sets the limits of each run and tells what the run has used
//!    and which limits it hit. What was counted before a run is subtracted.
//!
//! The program itself sees none of it: no cgroup file system is mounted inside.

mod folder;
mod group;
mod host;
mod meter;
mod mounts;
mod place;
mod sweep;

pub use host::Mode;

pub(crate) use group::{Group, GroupLimits};
pub(crate) use host::{Host, host};
pub(crate) use meter::{Meter, Metered};
