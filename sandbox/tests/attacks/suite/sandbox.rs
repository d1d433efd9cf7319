//! What the suite asks of a sandbox: to run a program and to tell how it ended.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use redraft_sandbox::{Isolation, Limits};
use tempfile::TempDir;

/// A program to run.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    /// What it may read besides the host's libraries and its own file.
    pub(crate) readable: Vec<PathBuf>,
    /// Files in its working directory.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) limits: Limits,
    /// An empty folder for a sandbox that has none of its own to run in.
    pub(crate) work: PathBuf,
    /// A text that is in the arguments of all its processes.
    pub(crate) marker: String,
}

/// How a run ended, in words that fit every sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(i32),
    Signalled(i32),
    CpuTimeout,
    WallTimeout,
    MemoryLimit,
    OutputLimit,
    ProcessLimit,
    ScratchFull,
    /// The sandbox says that it could not run it.
    NotRun(String),
    /// It ended it and doesn't say why.
    Unexplained(String),
}

/// What was seen of a run.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) ending: Ending,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) took: Duration,
    /// What the sandbox says of itself, if it does.
    pub(crate) isolation: Option<Isolation>,
}

impl Seen {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Whether the act says so, on a line of its own.
    pub(crate) fn says(&self, word: &str) -> bool {
        self.text()
            .lines()
            .any(|line| line == word || line.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')))
    }
}

/// A run that goes on until it is let go.
pub(crate) trait Running {
    /// Waits until the act is `ready`; whether it came to that.
    fn is_ready(&mut self) -> bool;
}

/// A sandbox, or what goes for one.
pub(crate) trait Sandbox: Sync {
    fn name(&self) -> &str;

    /// What it is told to do, in a few words.
    fn how(&self) -> String;

    /// Runs it to its end.
    fn run(&self, job: &Job) -> Seen;

    /// Starts it; letting go of the result ends it.
    fn start(&self, job: &Job) -> Box<dyn Running>;

    /// To which descriptor the act writes when it is ready.
    fn ready_descriptor(&self) -> i32;

    /// Whether it has limits of its own and is over when it says so; with others one must be patient.
    fn has_limits(&self) -> bool {
        true
    }

    /// Whether it confines at all: some acts are never tried where nothing does.
    fn confines(&self) -> bool {
        true
    }
}

impl Job {
    /// A program that does nothing.
    pub(crate) fn nothing() -> Self {
        Self {
            program: "/usr/bin/true".into(),
            args: Vec::new(),
            readable: Vec::new(),
            files: Vec::new(),
            stdin: Vec::new(),
            limits: super::AMPLE,
            work: empty_folder(),
            marker: String::new(),
        }
    }
}

/// One for all jobs that leave nothing in it.
fn empty_folder() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| tempfile::tempdir().unwrap())
        .path()
        .to_owned()
}
