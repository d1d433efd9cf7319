//! Reads every task format of the ecosystem into [`Suite`], one file each. What a file holds is told by its
//! content, not by its name.

mod apps;
mod big_code_bench;
mod bundled;
mod code_contests;
mod docstring;
mod entry;
mod error;
mod evalplus;
mod exclude;
mod fetch;
mod folder;
mod human_eval;
mod human_eval_x;
mod known;
mod live_code_bench;
mod mbpp;
mod pickle;
mod prompts;
mod python_text;
mod questions;
mod quixbugs;
mod source;
mod statement;
mod toml;
mod translated;
mod written;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use error::SuiteError;
pub use exclude::exclude;
pub use fetch::{Fetched, fetch};
pub use known::{KnownSuite, known};
pub use written::WrittenTask;

use super::{ScriptForm, Suite, Test, TestKind};
use entry::Entry;
use error::KNOWN_FORMATS;
use source::Source;

/// The name of the suite that is built in.
pub const BUNDLED: &str = "redraft";

/// Opens a suite by name (`redraft`, `humaneval` …) or by the path of a file in a known format, or of a folder of
/// such files.
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
        folder::read(path)
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
    parse(&Source::read(path)?)
}

/// Reads what a file of any known format holds, packed or not; `path` names the suite and stands in errors.
pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Suite, SuiteError> {
    parse(&Source::unpack(path, bytes)?)
}

fn parse(source: &Source) -> Result<Suite, SuiteError> {
    if source.text.trim().is_empty() {
        return Err(source.file_error("is empty; a suite holds at least one task"));
    }
    let is_toml = toml::detects(&source.text);
    if !is_toml && !source.text.trim_start().starts_with(['{', '[']) {
        return Err(source.file_error(format!("is in no format that redraft knows; {KNOWN_FORMATS}")));
    }
    if is_toml {
        return Ok(Suite {
            name: source.stem(),
            hash: source.hash(),
            tasks: toml::tasks(source)?,
            common_imports: false,
            impossible: false,
        });
    }
    let entries = entry::entries(source)?;
    let (tasks, format) = tasks_of(&entries)?;
    Ok(Suite {
        name: source.stem(),
        hash: source.hash(),
        tasks,
        common_imports: format.common_imports || said(&entries, "common_imports"),
        impossible: said(&entries, "impossible"),
    })
}

/// Whether entries say so of their suite.
fn said(entries: &[Entry<'_>], name: &str) -> bool {
    entries.iter().any(|entry| written::says(entry, name))
}

/// The tasks of entries that are all in one format.
fn tasks_of(entries: &[Entry<'_>]) -> Result<(Vec<super::Task>, &'static Format), SuiteError> {
    let format = FORMATS
        .iter()
        .find(|format| (format.detects)(&entries[0]))
        .ok_or_else(|| entries[0].error(format!("is in no format that redraft knows; {KNOWN_FORMATS}")))?;
    let mut tasks = entries.iter().map(format.task).collect::<Result<Vec<_>, _>>()?;
    if format.repeats {
        number_repeated(&mut tasks);
    }
    entry::refuse_duplicates(entries, tasks.iter().map(|task| task.id.as_str()))?;
    Ok((tasks, format))
}

/// Published samples of a suite draw some tasks twice: the second `7` is `7#2`.
fn number_repeated(tasks: &mut [super::Task]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for task in tasks {
        let count = seen.entry(task.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            task.id = format!("{}#{count}", task.id);
        }
    }
}

/// A format of JSON.
struct Format {
    /// Whether an entry looks like one of it.
    detects: fn(&Entry<'_>) -> bool,
    /// Reads one.
    task: fn(&Entry<'_>) -> Result<super::Task, SuiteError>,
    /// Whether its programs count on common imports.
    common_imports: bool,
    /// Whether a task may come twice.
    repeats: bool,
}

/// All formats of JSON; what detects less comes later.
const FORMATS: [Format; 13] = [
    plain(written::detects, written::task),
    plain(human_eval_x::detects, human_eval_x::task),
    plain(evalplus::detects, evalplus::task),
    plain(big_code_bench::detects, big_code_bench::task),
    plain(translated::detects, translated::task),
    Format {
        common_imports: true,
        ..plain(live_code_bench::detects, live_code_bench::task)
    },
    plain(code_contests::detects, code_contests::task),
    Format {
        common_imports: true,
        repeats: true,
        ..plain(apps::detects, apps::task)
    },
    plain(mbpp::detects, mbpp::task),
    plain(quixbugs::detects, quixbugs::task),
    plain(human_eval::detects, human_eval::task),
    plain(questions::detects, questions::task),
    plain(prompts::detects, prompts::task),
];

const fn plain(
    detects: fn(&Entry<'_>) -> bool,
    task: fn(&Entry<'_>) -> Result<super::Task, SuiteError>,
) -> Format {
    Format {
        detects,
        task,
        common_imports: false,
        repeats: false,
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
