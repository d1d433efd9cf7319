//! The results of one program on a list of tests.

use std::collections::BTreeSet;

use redraft_sandbox::Isolation;
use serde::{Deserialize, Serialize};

use super::{Flag, Verdict};

/// Whether the tests ran in a process of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Program and tests in two sandboxes: nothing the program does can reach the verdict.
    #[default]
    Split,
    /// One sandbox for both, because the tests reach into the program's insides, or share files with it.
    Shared,
}

impl Mode {
    /// Whether this is [`Mode::Split`].
    pub fn is_split(&self) -> bool {
        *self == Self::Split
    }
}

/// One test's result. Text fields hold what a reader is shown, exact, as source text of the language
/// (`[1, 2]`, `'a'`) for calls and as raw text for stdin and stdout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The test's name; an assertion of a script is `name:line`, with `#n` when a loop repeats it.
    pub name: String,
    /// What became of it.
    pub verdict: Verdict,
    /// The call or the stdin.
    pub input: String,
    /// What would have been right.
    pub expected: String,
    /// What came instead (or as well, for a passed test); `None` when nothing came.
    #[serde(default)]
    pub actual: Option<String>,
    /// The exception, crash or limit; `timed out` for a timeout.
    #[serde(default)]
    pub error: Option<String>,
    /// CPU time that the program spent on this test, in milliseconds.
    pub cpu_ms: u64,
    /// Wall time of this test, in milliseconds.
    pub wall_ms: u64,
    /// Peak resident memory of the program so far, in bytes.
    pub memory_bytes: u64,
    /// What the program wrote on stderr, where it ran as a whole; cut if it is long.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// Whether program and test were kept apart.
    #[serde(default, skip_serializing_if = "Mode::is_split")]
    pub mode: Mode,
    /// For a whole file of a test framework: how many tests it took up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<usize>,
    /// How many of those the file itself left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
    /// The assertion as normalised source, to tell which hidden assertions are also visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertion: Option<String>,
}

impl TestResult {
    /// A result with nothing but its name and verdict.
    pub fn new(name: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            name: name.into(),
            verdict,
            input: String::new(),
            expected: String::new(),
            actual: None,
            error: None,
            cpu_ms: 0,
            wall_ms: 0,
            memory_bytes: 0,
            stderr: String::new(),
            mode: Mode::Split,
            ran: None,
            skipped: None,
            assertion: None,
        }
    }

    /// The result of a test that could not be carried out, which is never the program's fault.
    pub fn harness_error(name: impl Into<String>, error: impl Into<String>) -> Self {
        Self {
            error: Some(error.into()),
            ..Self::new(name, Verdict::HarnessError)
        }
    }
}

/// The results of one program on a list of tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// That of the first test that didn't pass, else [`Verdict::Passed`]. Zero tests are a harness error.
    pub verdict: Verdict,
    /// How many tests passed.
    pub passed: usize,
    /// How many tests there are.
    pub total: usize,
    /// Whether program and tests were in two processes.
    pub mode: Mode,
    /// One result a test, in order.
    pub results: Vec<TestResult>,
    /// Signs of cheating. They change no verdict.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub flags: BTreeSet<Flag>,
    /// The layers that were in force.
    pub isolation: Isolation,
}

impl Report {
    /// Makes a report of `results`; none at all is a harness error, never a pass. One result of a shared sandbox makes the
    /// whole report one.
    pub fn new(results: Vec<TestResult>, mode: Mode, isolation: Isolation) -> Self {
        let shared = results.iter().any(|result| result.mode == Mode::Shared);
        let mode = if shared { Mode::Shared } else { mode };
        let passed = results.iter().filter(|result| result.verdict.passed()).count();
        let verdict = results
            .iter()
            .map(|result| result.verdict)
            .find(|verdict| !verdict.passed())
            .unwrap_or(if results.is_empty() {
                Verdict::HarnessError
            } else {
                Verdict::Passed
            });
        Self {
            verdict,
            passed,
            total: results.len(),
            mode,
            results,
            flags: BTreeSet::new(),
            isolation,
        }
    }

    /// The results that didn't pass.
    pub fn failures(&self) -> impl Iterator<Item = &TestResult> {
        self.results.iter().filter(|result| !result.verdict.passed())
    }
}
