//! An external command as the examiner: a compiler, linter, test runner or prover says what is wrong.
//!
//! [`Check`] runs the command confined, [`read`] makes [`Diagnostic`]s of what it prints, and [`guard`] sees to it
//! that a redraft doesn't satisfy the command by asking less of itself.

mod diagnostic;
pub mod read;

pub use diagnostic::{Category, Diagnostic, Place, Related, Severity};
