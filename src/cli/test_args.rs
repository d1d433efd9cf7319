//! The flags that say how programs are judged, shared by all commands that judge.

use std::path::{Path, PathBuf};

use super::Failure;
use super::isolation::IsolationArgs;
use super::limits::LimitArgs;
use crate::judge::{Judge, Options};
use crate::task::{Limits, Program, TestsFile};

/// How programs are judged.
#[derive(Debug, clap::Args)]
pub(crate) struct JudgeArgs {
    /// Supply the imports that graders commonly put in front of a program (typing, math, collections …)
    #[arg(long)]
    pub(crate) common_imports: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) isolation: IsolationArgs,
}

impl JudgeArgs {
    /// A judge that runs every test; `common_imports` is what the tests themselves ask for. They can import the program by
    /// the name of its file.
    pub(crate) fn judge(&self, file: &Path, common_imports: bool) -> Result<Judge, Failure> {
        self.judge_with(&Options {
            common_imports,
            module: file.file_stem().map(|stem| stem.to_string_lossy().into_owned()),
            ..Options::default()
        })
    }

    /// A judge with these options and what the flags ask for.
    pub(crate) fn judge_with(&self, options: &Options) -> Result<Judge, Failure> {
        self.isolation.choose()?;
        Judge::new(Options {
            common_imports: options.common_imports || self.common_imports,
            ..options.clone()
        })
        .map_err(Failure::harness)
    }
}

/// A file of tests for one program, and how it is judged.
#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// Tests: a .py with assertions or a `check(candidate)`, or a case.json
    #[arg(long, value_name = "TESTS")]
    pub(crate) tests: PathBuf,
    /// The function that `candidate` is [default: the last one at the top level of FILE]
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    #[command(flatten)]
    pub(crate) judging: JudgeArgs,
}

impl TestArgs {
    /// Reads the file of tests, with the limits that hold for them.
    pub(crate) fn read(&self, program: &Program) -> Result<(TestsFile, Limits), Failure> {
        read_tests(&self.tests, self.entry.as_deref(), &self.judging.limits, program)
    }
}

/// Reads a file of tests, with the limits that hold for them.
pub(crate) fn read_tests(
    tests: &Path,
    entry: Option<&str>,
    limits: &LimitArgs,
    program: &Program,
) -> Result<(TestsFile, Limits), Failure> {
    let tests = TestsFile::read(tests, entry, &program.source).map_err(Failure::input)?;
    let limits = limits.over(tests.limits().unwrap_or_default());
    Ok((tests, limits))
}
