//! What runs in the harness: planning the root, keeping cells, having programs started in them, watching those.

mod bell;
mod cell;
mod child;
mod clock;
mod diagnose;
mod files;
mod kept;
mod launch;
mod launcher;
mod machine;
mod plan;
mod pool;
mod proc_text;
mod shape;
mod streams;
mod tree;
mod trial;
mod verdict;
mod watch;

pub use child::Child;
pub use launcher::prepare;

#[cfg(feature = "tokio")]
pub(crate) use bell::Bell;
pub(crate) use files::Files;
pub(crate) use launch::Request;
pub(crate) use plan::c_string;
pub(crate) use shape::{Shape, Wish};
pub(crate) use trial::{namespaces, trial_cell};
pub(crate) use watch::run;
#[cfg(feature = "tokio")]
pub(crate) use watch::run_until;
