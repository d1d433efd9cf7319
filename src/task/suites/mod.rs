//! Reads every task format of the ecosystem into [`Suite`], one file each. What a file holds is told by its
//! content, not by its name.

mod bundled;
mod docstring;
mod entry;
mod error;
mod human_eval;
mod mbpp;
mod quixbugs;
mod source;

use std::path::{Path, PathBuf};

pub use error::SuiteError;

use super::{ScriptForm, Suite, Test, TestKind};
use entry::Entry;
use error::KNOWN_FORMATS;
use source::Source;

/// The name of the suite that is built in.
pub const BUNDLED: &str = "redraft";

/// Opens a suite by name (`redraft`, `humaneval` …) or by the path of a file in a known format.
pub fn open(name_or_path: &str) -> Result<Suite, SuiteError> {
    match name_or_path {
        "humaneval" => {
            let path = cache_dir().join("HumanEval.jsonl.gz");
            if !path.is_file() {
                return Err(SuiteError::NotFetched("humaneval"));
            }
            read(&path).map(|suite| Suite {
                name: "humaneval".to_owned(),
                ..suite
            })
        }
        path if Path::new(path).exists() => read(Path::new(path)),
        name => Err(SuiteError::Unknown {
            name: name.to_owned(),
            known: "redraft, humaneval".to_owned(),
        }),
    }
}

/// Where fetched suites are kept: below the user's cache directory.
pub fn cache_dir() -> PathBuf {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("redraft")
        .join("suites")
}

/// Reads a file of any known format.
fn read(path: &Path) -> Result<Suite, SuiteError> {
    let source = Source::read(path)?;
    if source.text.trim().is_empty() {
        return Err(source.file_error("is empty; a suite holds at least one task"));
    }
    let entries = entry::entries(&source)?;
    let reader = reader_of(&entries[0])
        .ok_or_else(|| entries[0].error(format!("is in no format that redraft knows; {KNOWN_FORMATS}")))?;
    let tasks = entries.iter().map(reader).collect::<Result<Vec<_>, _>>()?;
    entry::refuse_duplicates(&entries, tasks.iter().map(|task| task.id.as_str()))?;
    Ok(Suite {
        name: source.stem(),
        hash: source.hash(),
        tasks,
    })
}

type Reader = fn(&Entry<'_>) -> Result<super::Task, SuiteError>;

/// Which reader an entry is for.
fn reader_of(entry: &Entry<'_>) -> Option<Reader> {
    let readers: [(fn(&Entry<'_>) -> bool, Reader); 3] = [
        (mbpp::detects, mbpp::task),
        (quixbugs::detects, quixbugs::task),
        (human_eval::detects, human_eval::task),
    ];
    readers
        .into_iter()
        .find(|(detects, _)| detects(entry))
        .map(|(_, reader)| reader)
}

/// Visible asserts, each a test of its own, so that one that fails doesn't hide the next.
fn visible_asserts<T: Into<String>>(asserts: impl IntoIterator<Item = T>) -> Vec<Test> {
    asserts
        .into_iter()
        .enumerate()
        .map(|(index, code)| Test {
            name: format!("visible-{}", index + 1),
            kind: TestKind::Script {
                code: code.into(),
                form: ScriptForm::Asserts,
                entry: None,
            },
        })
        .collect()
}
