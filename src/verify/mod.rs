//! An external command as the examiner: a compiler, linter, test runner or prover says what is wrong.
//!
//! [`Check`] runs the command confined, [`read`] makes [diagnostics](crate::task::Diagnostic) of what it prints, and [`guard`] sees to it
//! that a redraft doesn't satisfy the command by asking less of itself.

mod check;
mod critique;
pub mod guard;
pub mod read;
mod tools;

pub use check::{Check, CheckError, FILE, limits};
pub use critique::{critique, rejected, result};
