//! Confines a program and tells what became of it.
//!
//! Knows no tests, tasks or models: a [`Command`] goes in, an [`Outcome`] comes out.
//!
//! ```no_run
//! use redraft_sandbox::{Command, End};
//!
//! let mut command = Command::new("/usr/bin/python3");
//! command.system_libraries().readable("/usr/bin/python3").arg("-c").arg("print(6 * 7)");
//! let outcome = command.run()?;
//! assert_eq!(outcome.end, End::Exited(0));
//! assert_eq!(outcome.stdout.text(), "42\n");
//! # Ok::<(), redraft_sandbox::Error>(())
//! ```
//!
//! # Who is who
//!
//! Four processes take part. The *harness* is whoever calls this crate. At the first run it forks a small single-threaded
//! *launcher* that lives as long as the harness. The launcher makes *cells*: it clones an *init* into new namespaces, gives it
//! an identity on the host and a control group, and clears away after it. Init builds the cell's root once, and then
//! runs one *program* after another in it, as the harness orders. Init is process 1 in there, so the program never is,
//! orphans are reaped, and the kernel ends all of them with it. The limits are enforced from the harness, by a
//! thread that watches.
//!
//! # Cells
//!
//! What is slow to make is made once: namespaces, root, `/proc`, control group, and the rules that will confine a program. What
//! a program gets is new every time: scratch (one tmpfs, seen as `/box`, `/tmp` and `/dev/shm`), limits, its session
//! and its user. Between two programs everything is killed and reaped, scratch is taken away unless nobody has touched
//! it, and init looks whether anything is not as it was when the cell was new: mounts, System V objects and message queues,
//! sockets that are still on their way, keys, its own limits, priority and descriptors. A cell in which anything
//! differs ends; the next program gets another one, and its caller doesn't notice.
//!
//! A few cells wait for the next program that wants the same paths of the host, for a minute at most. A path that has become
//! another file since is noticed. [`Command::alone`] asks for a cell that nobody else gets.
//!
//! Init keeps what it needs to mount the next scratch, so it is out of the program's reach: it can't be traced and shows nothing
//! of itself, signals from inside don't end it, and as root it has an id of its own on the host, different from the
//! program's and from root's. An ordinary user has one id only; there the filter of system calls refuses what one
//! process may do to another of the same user, and what it lets pass (a lower priority for all of the user's) is seen
//! afterwards.
//!
//! What all that keeps in, and what it doesn't, is the [threat model](threats).
//!
//! Call [`prepare`] early: a launcher forked while the harness is small makes cells cheaper and every memory figure
//! more honest.

#[cfg(feature = "tokio")]
mod asynchronous;
mod cgroup;
mod command;
mod error;
mod inside;
mod isolation;
mod limits;
mod message;
mod outcome;
mod outside;
mod owner;
mod spec;

pub use cgroup::Mode as CgroupMode;
pub use command::Command;
pub use error::Error;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub use inside::{RefusedCall, refused_calls};
pub use isolation::{
    Gap, Isolation, Layer, LayerState, Level, Strongest, cgroup_mode, landlock_version, set_isolation,
    strongest, survey,
};
#[doc(hidden)]
pub use isolation::{Primitive, landlock_at_most, switch_off};
pub use limits::Limits;
pub use outcome::{
    Captured, Contention, Counter, End, Evidence, Exit, Outcome, PeakSource, Sender, Unit, Usage,
};
pub use outside::{Child, prepare};

/// For how long a cell that nobody uses is kept.
pub(crate) const IDLE_SECONDS: u64 = 60;

/// The program's working directory, and the only place besides `/tmp` and `/dev/shm` that it can write to.
pub const SCRATCH: &str = "/box";

#[doc = include_str!("../THREATS.md")]
pub mod threats {}
