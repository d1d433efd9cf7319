//! The attacks by theme.

pub(crate) mod files;
pub(crate) mod kernel;
pub(crate) mod memory;
pub(crate) mod network;
pub(crate) mod output;
pub(crate) mod processes;
pub(crate) mod signals;
pub(crate) mod time;
pub(crate) mod two_runs;

use super::Attack;

/// Every attack, by theme.
pub(crate) const ALL: &[(&str, &[Attack])] = &[
    ("files", files::ATTACKS),
    ("processes", processes::ATTACKS),
    ("signals", signals::ATTACKS),
    ("network", network::ATTACKS),
    ("kernel", kernel::ATTACKS),
    ("memory", memory::ATTACKS),
    ("output", output::ATTACKS),
    ("time", time::ATTACKS),
    ("two runs", two_runs::ATTACKS),
];
