//! What every test needs: the host's sandbox, its languages, and Python's drivers once a test is about Python.

use std::sync::OnceLock;

use redraft_sandbox::{Command, Isolation};

use super::{Options, Trouble, whole_error};
use crate::language::Runner;
use crate::language::python::{Drivers, Interpreter};

/// What every host has; it is told to do nothing.
const SHELL: &str = "/bin/sh";

/// What every test needs.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) runner: Runner,
    pub(crate) options: Options,
    /// The layers that are in force.
    pub(crate) isolation: Isolation,
    python: OnceLock<Result<Python, String>>,
}

/// What tests of Python programs need.
#[derive(Debug)]
pub(crate) struct Python {
    pub(crate) interpreter: Interpreter,
    pub(crate) drivers: Drivers,
}

impl Bench {
    /// Checks that the sandbox works, so that a bad host is told at once.
    pub(super) fn new(options: Options) -> Result<Self, String> {
        let shell = std::fs::canonicalize(SHELL).map_err(|error| format!("{SHELL}: {error}"))?;
        let mut command = Command::new(&shell);
        command.system_libraries().readable(&shell).arg("-c").arg(":");
        let outcome = command.run().map_err(|error| whole_error(&error))?;
        Ok(Self {
            runner: Runner::default(),
            options,
            isolation: outcome.isolation,
            python: OnceLock::new(),
        })
    }

    /// Python, looked for when it is first needed.
    pub(crate) fn python(&self) -> Result<&Python, Trouble> {
        let found = self.python.get_or_init(|| {
            let interpreter = self.runner.interpreter().map_err(ToString::to_string)?;
            let drivers = Drivers::compile(interpreter)?;
            Ok(Python {
                interpreter: interpreter.clone(),
                drivers,
            })
        });
        found.as_ref().map_err(|why| Trouble(why.clone()))
    }
}
