//! The builder for a confined run, in the manner of [`std::process::Command`].

use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Error, Limits, Outcome};

/// A program to run confined.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    readable: Vec<PathBuf>,
    files: Vec<(PathBuf, Vec<u8>)>,
    stdin: Vec<u8>,
    limits: Limits,
}

impl Command {
    /// A run of `program` (a path inside the root; it must lie below a path made [`Self::readable`]).
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            readable: Vec::new(),
            files: Vec::new(),
            stdin: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// Adds an argument.
    pub fn arg(&mut self, arg: impl Into<OsString>) -> &mut Self {
        self.args.push(arg.into());
        self
    }

    /// Sets an environment variable; nothing of the host's environment is inside.
    pub fn env(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Makes a file or folder of the host readable inside, at the same path.
    pub fn readable(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.readable.push(path.into());
        self
    }

    /// Puts a file into the scratch directory (the program's working directory) under a relative path.
    pub fn file(&mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> &mut Self {
        self.files.push((path.into(), content.into()));
        self
    }

    /// What the program can read from stdin.
    pub fn stdin(&mut self, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets the limits.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.limits = limits;
        self
    }

    /// Runs it to its end.
    pub fn run(&self) -> Result<Outcome, Error> {
        todo!()
    }

    /// Starts it with a stream to talk over, which is file descriptor 3 inside.
    pub fn spawn(&self) -> Result<Child, Error> {
        todo!()
    }
}

/// A confined program that is running.
#[derive(Debug)]
pub struct Child {}

impl Child {
    /// Our end of the program's file descriptor 3.
    pub fn channel(&self) -> &UnixStream {
        todo!()
    }

    /// CPU time that the tree has used so far.
    pub fn cpu_time(&self) -> Duration {
        todo!()
    }

    /// Peak resident memory of the tree so far, in bytes.
    pub fn peak_memory(&self) -> u64 {
        todo!()
    }

    /// Ends the whole tree now. What came first counts: a run that was over keeps its own end.
    pub fn kill(&self) {
        todo!()
    }

    /// Waits for the end (which the limits guarantee) and tells what became of it.
    pub fn wait(self) -> Result<Outcome, Error> {
        todo!()
    }
}
