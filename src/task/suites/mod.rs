//! Reads every task format of the ecosystem into [`Suite`], one file each. What a file holds is told by its
//! content, not by its name.

mod bundled;
mod docstring;
mod entry;
mod error;
mod exclude;
mod fetch;
mod human_eval;
mod human_eval_x;
mod known;
mod mbpp;
mod prompts;
mod questions;
mod quixbugs;
mod source;
mod toml;

use std::path::{Path, PathBuf};

pub use error::SuiteError;
pub use exclude::exclude;
pub use fetch::{Fetched, fetch};
pub use known::{KnownSuite, known};

use super::{ScriptForm, Suite, Test, TestKind};
use entry::Entry;
use error::KNOWN_FORMATS;
use source::Source;

/// The name of the suite that is built in.
pub const BUNDLED: &str = "redraft";

/// Opens a suite by name (`redraft`, `humaneval` …) or by the path of a file in a known format, or of a folder of
/// redraft's own files.
pub fn open(name_or_path: &str) -> Result<Suite, SuiteError> {
    if let Some(known) = known::named(name_or_path) {
        let Some(path) = known.cached_at() else {
            return bundled::open();
        };
        if !path.is_file() {
            return Err(SuiteError::NotFetched(known.name));
        }
        return read(&path).map(|suite| Suite {
            name: known.name.to_owned(),
            ..suite
        });
    }
    let path = Path::new(name_or_path);
    if path.is_dir() {
        read_folder(path)
    } else if path.exists() {
        read(path)
    } else {
        Err(known::unknown(name_or_path))
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
    if !source.text.trim_start().starts_with(['{', '[']) || toml::detects(&source.text) {
        if !toml::detects(&source.text) {
            return Err(source.file_error(format!("is in no format that redraft knows; {KNOWN_FORMATS}")));
        }
        return Ok(Suite {
            name: source.stem(),
            hash: source.hash(),
            tasks: toml::tasks(&source)?,
        });
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

/// Reads a folder of TOML files, in the order of their names.
fn read_folder(path: &Path) -> Result<Suite, SuiteError> {
    let unreadable = |source| SuiteError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(unreadable)?
        .map(|file| file.map(|file| file.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let sources = files
        .iter()
        .map(|file| Source::read(file))
        .collect::<Result<Vec<_>, _>>()?;
    let mut tasks: Vec<super::Task> = Vec::new();
    for source in &sources {
        for task in toml::tasks(source)? {
            if tasks.iter().any(|other| other.id == task.id) {
                return Err(source.file_error(format!(
                    "the task `{}` is in another file of the folder too",
                    task.id
                )));
            }
            tasks.push(task);
        }
    }
    let name = path
        .file_name()
        .map_or_else(|| "folder".to_owned(), |name| name.to_string_lossy().into_owned());
    if tasks.is_empty() {
        let problem =
            "holds no task; a folder is a suite if it holds redraft's TOML files (see tasks/README.md)"
                .to_owned();
        return Err(SuiteError::File {
            path: path.to_owned(),
            problem,
        });
    }
    let hash = source::hash_of(sources.iter().map(|source| source.text.as_str()));
    Ok(Suite { name, hash, tasks })
}

type Reader = fn(&Entry<'_>) -> Result<super::Task, SuiteError>;

/// Which reader an entry is for.
fn reader_of(entry: &Entry<'_>) -> Option<Reader> {
    if human_eval_x::detects(entry) {
        Some(human_eval_x::task)
    } else if mbpp::detects(entry) {
        Some(mbpp::task)
    } else if quixbugs::detects(entry) {
        Some(quixbugs::task)
    } else if human_eval::detects(entry) {
        Some(human_eval::task)
    } else if questions::detects(entry) {
        Some(questions::task)
    } else if prompts::detects(entry) {
        Some(prompts::task)
    } else {
        None
    }
}

/// Visible asserts, each a test of its own, so that one that fails doesn't hide the next. `entry` is the function that
/// hidden tests call `candidate`, so that an assertion is known again under either name.
fn visible_asserts<T: Into<String>>(asserts: impl IntoIterator<Item = T>, entry: Option<&str>) -> Vec<Test> {
    asserts
        .into_iter()
        .enumerate()
        .map(|(index, code)| Test {
            name: format!("visible-{}", index + 1),
            kind: TestKind::Script {
                code: code.into(),
                form: ScriptForm::Asserts,
                entry: entry.map(str::to_owned),
            },
        })
        .collect()
}
