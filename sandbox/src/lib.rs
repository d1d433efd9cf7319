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
//! Four processes take part. The *harness* is whoever calls this crate. At the first run it forks a small
//! single-threaded *launcher* that lives as long as the harness. For every run the launcher clones an
//! *init* into new namespaces; init builds the root, gives up everything that it could do with it, and
//! starts the *program*. Init is process 1 in there, so the program never is, orphans are reaped, and the
//! kernel ends all of them with it. The limits are enforced from the harness, by a thread that watches.
//!
//! Call [`prepare`] early: a launcher forked while the harness is small makes every run cheaper and every
//! memory figure more honest.

#[cfg(feature = "tokio")]
mod asynchronous;
#[expect(
    dead_code,
    unused_imports,
    reason = "runs are put into groups in the next step"
)]
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
pub use isolation::{Gap, Isolation, Layer, LayerState, Level, Strongest, set_isolation, strongest, survey};
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
