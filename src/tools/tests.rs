//! A test run as a tool: a program of the draft on tests of the user's, in the judge's two sandboxes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::cut::middle;
use super::{Arguments, SetupError, Tool, ToolError, named_file};
use crate::judge::Judge;
use crate::task::{Program, Report, TestsFile};

/// Longest result in characters.
const LONGEST: usize = 2000;

/// The tool that runs tests.
#[derive(Debug)]
pub struct TestRun {
    judge: Arc<Judge>,
    path: PathBuf,
    source: String,
}

impl TestRun {
    /// A run of the tests in `path`, in any form that `redraft test` takes.
    pub fn new(path: &Path, judge: Arc<Judge>) -> Result<Self, SetupError> {
        if !path.is_file() {
            return Err(SetupError(format!("{}: no such file of tests", path.display())));
        }
        Ok(Self {
            judge,
            path: path.to_owned(),
            source: named_file(path)?,
        })
    }

    fn run(judge: &Judge, path: &Path, source: String) -> Result<String, ToolError> {
        let read = TestsFile::read(path, None, &source).map_err(ToolError::new)?;
        let limits = read.limits().unwrap_or_default();
        let tests = match read {
            TestsFile::Script(test) => vec![test],
            TestsFile::Case(mut case) => {
                case.make(|snippet| judge.printed_by(snippet))
                    .map_err(ToolError)?;
                case.tests
            }
        };
        Ok(told(&judge.test(&Program::python(source), &tests, &limits)))
    }
}

/// How many pass, and the first that don't.
fn told(report: &Report) -> String {
    let mut text = format!("{} of {} tests pass", report.passed, report.total);
    for failure in report.failures() {
        let _ = write!(text, "\n\n{}: {}", failure.name, failure.verdict);
        for (label, value) in [("Input", &failure.input), ("Expected", &failure.expected)] {
            if !value.is_empty() {
                let _ = write!(text, "\n{label}: {value}");
            }
        }
        if let Some(actual) = &failure.actual {
            let _ = write!(text, "\nActual: {actual}");
        }
        if let Some(error) = &failure.error {
            let _ = write!(text, "\nError: {error}");
        }
    }
    middle(&text, LONGEST)
}

#[async_trait]
impl Tool for TestRun {
    fn name(&self) -> &'static str {
        "tests"
    }

    fn description(&self) -> String {
        "Runs the tests of this task on a Python program and returns how many pass, and each that fails."
            .to_owned()
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str)] {
        &[("code", "the complete program, as in the draft")]
    }

    fn source(&self) -> String {
        self.source.clone()
    }

    async fn call(&self, arguments: &Arguments<'_>, _nth: usize) -> Result<String, ToolError> {
        let (judge, path, code) = (
            Arc::clone(&self.judge),
            self.path.clone(),
            arguments.text("code")?,
        );
        tokio::task::spawn_blocking(move || Self::run(&judge, &path, code + "\n"))
            .await
            .map_err(ToolError::new)?
    }
}
