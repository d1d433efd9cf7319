//! One file per pattern, each only an author, an examiner and a stop rule.

mod checked;
mod critic_program;
mod critic_search;
mod critic_toxicity;
mod evaluator_same;
mod evaluator_separate;
mod evaluator_tools;
mod examiner;
pub mod failures;
mod oracle;
mod quote;
mod resample;
mod self_debug;
mod verdict;
mod verifier;
mod words;

pub use critic_program::{CriticProgram, critic_program};
pub use critic_search::{CriticSearch, critic_search};
pub use critic_toxicity::{CriticToxicity, critic_toxicity};
pub use evaluator_same::evaluator_same;
pub use evaluator_separate::{Assignment, evaluator_separate};
pub use evaluator_tools::{EvaluatorTools, evaluator_tools};
pub use examiner::VisibleTests;
pub use oracle::{HiddenCheck, ORACLE, with_oracle};
pub use quote::quoted;
pub use resample::resample;
pub use self_debug::{SelfDebug, self_debug};
pub use verifier::{Verifier, verifier};
