//! What an external command, and the guard beside it, say about a version.

use redraft_sandbox::Isolation;
use serde::{Deserialize, Serialize};

use super::diagnostic::{Diagnostic, Severity};

/// What a check says about one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The command as it was run.
    pub command: String,
    /// What its program says about its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How it ended; `None` where it was not run, since the guard had already turned the version down.
    pub ended: Option<Ended>,
    /// What is wrong, as far as it could be read; at least one error where the check isn't content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// What the command printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What the version weakened, so that it was turned down whatever the command says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaches: Vec<Breach>,
    /// What the command takes for granted in this version: assumptions, unsafe code, foreign code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trusted: Vec<Trusted>,
    /// The layers that were in force.
    pub isolation: Isolation,
}

impl CheckReport {
    /// Whether the command is content and nothing was weakened.
    pub fn accepted(&self) -> bool {
        self.ended == Some(Ended::Exited(0)) && self.breaches.is_empty()
    }

    /// What is wrong, without warnings.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// With this exit status; 0 is good.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It used up its time.
    TimedOut,
    /// It used more memory than it may.
    MemoryLimit,
    /// It printed more than it may.
    OutputLimit,
    /// It was refused a process or a thread.
    ProcessLimit,
    /// It wrote more files than it may.
    ScratchFull,
}

/// What a guard watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guarded {
    /// Heads of functions, and that the functions are there.
    Signatures,
    /// What functions ask for and promise, and what those words mean.
    Specifications,
    /// Invariants of loops and types.
    Invariants,
    /// Measures that show that something ends.
    Termination,
    /// Assertions in code.
    Assertions,
    /// Tests.
    Tests,
    /// What switches a check off or makes it take something for granted.
    Escapes,
}

/// One thing that a redraft weakened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    /// What was weakened.
    pub guarded: Guarded,
    /// The line of the redraft that it is about, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What was done, in a sentence without its full stop.
    pub message: String,
}

/// Something that a check takes for granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
    /// The line.
    pub line: usize,
    /// The function or the like that it is in; empty at the top.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub within: String,
    /// What kind of thing it is, in words.
    pub what: String,
    /// The code.
    pub code: String,
}
