//! What runs in the harness: planning the root, having an init launched, watching it.

mod child;
mod diagnose;
mod launch;
mod launcher;
mod plan;
mod streams;
mod tree;
mod verdict;
mod watch;

pub use child::Child;
pub use launcher::prepare;

pub(crate) use launch::Request;
pub(crate) use plan::{Plan, c_string};
pub(crate) use watch::run;
