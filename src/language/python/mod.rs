//! Python: how a program is run, and the drivers that stand on both sides of the judge.
//!
//! The drivers are Python text; `Drivers` holds them compiled, because compiling them anew for every
//! program would cost more than running it.

mod drivers;
mod interpreter;
mod reach;

pub(crate) use drivers::Drivers;
pub use interpreter::{Interpreter, InterpreterError};
pub(crate) use reach::reaches_in;

/// The name of the program's file in its working directory.
pub(crate) const PROGRAM_FILE: &str = "solution.py";

/// Runs the file named on the command line as `python FILE` does, but with the imports that graders commonly put in
/// front.
pub(crate) const WITH_COMMON_IMPORTS: &str = concat!(
    include_str!("common.py"),
    "\n",
    include_str!("with_common_imports.py")
);
