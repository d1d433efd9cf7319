//! The closed list of what can become of a test.

use serde::{Deserialize, Serialize};

/// What became of one test, or of a program (then that of the first test that didn't pass).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The program did what the test asks.
    Passed,
    /// It answered, and the answer is wrong.
    WrongAnswer,
    /// It raised, crashed, or ended before it answered.
    RuntimeError,
    /// It used up its CPU time, or its wall time.
    TimedOut,
    /// It used more memory than it may.
    MemoryLimit,
    /// It wrote more than it may.
    OutputLimit,
    /// It isn't a program of its language.
    CompileError,
    /// Our fault, never the program's: a missing compiler, a sandbox that couldn't be set up, a suite with no
    /// test in it.
    HarnessError,
}

impl Verdict {
    /// Whether this is [`Verdict::Passed`].
    pub fn passed(self) -> bool {
        self == Self::Passed
    }

    /// The name used in files, such as `wrong_answer`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::WrongAnswer => "wrong_answer",
            Self::RuntimeError => "runtime_error",
            Self::TimedOut => "timed_out",
            Self::MemoryLimit => "memory_limit",
            Self::OutputLimit => "output_limit",
            Self::CompileError => "compile_error",
            Self::HarnessError => "harness_error",
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
