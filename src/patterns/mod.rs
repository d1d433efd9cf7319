//! One file per pattern, each only an author, an examiner and a stop rule.

mod critic_search;
mod examiner;
pub mod failures;
mod quote;
mod self_debug;
mod verdict;

pub use critic_search::{CriticSearch, critic_search};
pub use examiner::VisibleTests;
pub use quote::quoted;
pub use self_debug::{SelfDebug, self_debug};
