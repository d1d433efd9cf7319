//! Control groups: the kernel counts and limits a whole process tree, from outside of it.
//!
//! Version 1 has a hierarchy of folders for each controller, version 2 has one for all. Hosts have the one, the other, or
//! both at once, with the controllers in version 1 and an empty version 2 beside it. What version 2 can do without
//! any controller is worth having even then: kill a group, count its CPU time, have a process born in it.
//!
//! How a run uses it, all from the harness:
//!
//! 1. [`host`] tells once what there is, and removes what a harness that crashed has left.
//! 2. [`Host::group`] makes a group; [`Group::limit`] gives it (other) limits.
//! 3. The program is born into [`Group::birthplace`] (`CLONE_INTO_CGROUP`), or writes `0` into it as into each
//!    of the [`Group::doors`] before it starts: who holds such a descriptor may enter, whatever its rights are. They are
//!    closed before the program's own code runs.
//! 4. [`Group::counted`] tells at any time what the tree has used and which limits it hit.
//! 5. [`Group::kill`], and when nobody is left [`Group::remove`].
//!
//! The program itself sees none of it: no cgroup file system is mounted inside.

mod counters;
mod folder;
mod group;
mod host;
mod mounts;
mod place;
mod sweep;

pub use host::Mode;

pub(crate) use counters::Counted;
pub(crate) use group::{Group, GroupLimits};
pub(crate) use host::{Host, host};
