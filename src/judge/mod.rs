//! A program and tests in, a report out.

use crate::task::{HiddenTests, Limits, Program, Report, Test};

/// The key to hidden tests; its field is private, so that only this module can make one.
#[derive(Debug)]
pub struct SealKey(());

/// How the judge works.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Supply the imports that graders commonly put in front (`typing`, `math`, `collections` …) to programs.
    pub common_imports: bool,
}

/// The judge could not be set up. (What goes wrong later is a `harness_error` in the report.)
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JudgeError(String);

/// Judges programs; cheap to share between threads.
#[derive(Debug)]
pub struct Judge {}

impl Judge {
    /// Finds the interpreters and checks that the sandbox works, so that a bad host is told at once.
    pub fn new(_options: Options) -> Result<Self, JudgeError> {
        Ok(Self {})
    }

    /// The interpreter's version.
    pub fn python_version(&self) -> String {
        todo!()
    }

    /// The layers that are in force.
    pub fn isolation(&self) -> redraft_sandbox::Isolation {
        todo!()
    }

    /// Runs `program` on every test, in order, each on its own.
    pub fn test(&self, _program: &Program, _tests: &[Test], _limits: &Limits) -> Report {
        todo!()
    }

    /// Opens the hidden tests and runs `program` on them.
    pub fn test_hidden(&self, program: &Program, hidden: &HiddenTests, limits: &Limits) -> Report {
        self.test(program, hidden.open(&SealKey(())), limits)
    }
}
