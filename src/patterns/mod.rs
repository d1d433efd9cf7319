//! One file per pattern, each only an author, an examiner and a stop rule.

mod examiner;
pub mod failures;
mod self_debug;

pub use examiner::VisibleTests;
pub use self_debug::{SelfDebug, self_debug};
