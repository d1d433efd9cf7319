//! One file per pattern, each only an author, an examiner and a stop rule.

mod examiner;
pub mod failures;
mod resample;
mod self_debug;
mod verifier;

pub use examiner::VisibleTests;
pub use resample::resample;
pub use self_debug::{SelfDebug, self_debug};
pub use verifier::{Verifier, verifier};
