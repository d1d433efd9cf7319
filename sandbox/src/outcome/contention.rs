//! Whether a run was slow because of the machine and not because of itself.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How much CPU time a run wanted and did not get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Contention {
    /// For how long one of its processes was ready to run and others had the CPU (`schedstat`); the longest of all.
    pub waited: Duration,
    /// For how long some process of the machine was, in the same time (`/proc/pressure/cpu`); `None` where the kernel
    /// doesn't tell.
    pub pressure: Option<Duration>,
    /// What the machine's own host took away from all of its CPUs in the same time (`/proc/stat`).
    pub stolen: Option<Duration>,
}
