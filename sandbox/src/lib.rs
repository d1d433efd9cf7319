//! Confines a program and tells what became of it.
//!
//! Knows no tests, tasks or models: a [`Command`] goes in, an [`Outcome`] comes out.

mod command;
mod error;
mod isolation;
mod limits;
mod outcome;

pub use command::{Child, Command};
pub use error::Error;
pub use isolation::{Isolation, LayerState, Level};
pub use limits::Limits;
pub use outcome::{Captured, End, Outcome, Usage};
