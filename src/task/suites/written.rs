//! Suites that redraft itself writes (`suite impossible`): a task a line, with everything in it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SuiteError;
use super::entry::Entry;
use crate::task::{Brief, HiddenTests, Language, Program, Task, Test};

/// The first field of a line, and the version of what follows.
const MARK: &str = "redraft_task";
const VERSION: u64 = 1;

/// A task with its hidden tests in the open: for files of suites, whose authors know them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WrittenTask {
    redraft_task: u64,
    /// The task's name.
    pub id: String,
    /// Whether its tests contradict themselves.
    #[serde(default)]
    pub impossible: bool,
    /// Whether programs count on common imports.
    #[serde(default)]
    pub common_imports: bool,
    /// What the author is told.
    pub brief: Brief,
    /// What the returned version is checked on.
    pub hidden: Vec<Test>,
    /// Programs known to be wrong.
    #[serde(default)]
    pub wrong: Vec<Program>,
}

impl WrittenTask {
    /// A task to be written.
    pub fn new(id: &str, brief: Brief, hidden: Vec<Test>) -> Self {
        Self {
            redraft_task: VERSION,
            id: id.to_owned(),
            impossible: false,
            common_imports: false,
            brief,
            hidden,
            wrong: Vec::new(),
        }
    }

    /// The task, with its hidden tests sealed.
    pub fn seal(self) -> Task {
        Task {
            id: self.id,
            brief: self.brief,
            hidden: HiddenTests::new(self.hidden),
            references: Vec::new(),
            wrong: self.wrong,
        }
    }
}

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has(MARK)
}

/// Whether the entry says so of its suite.
pub(super) fn says(entry: &Entry<'_>, name: &str) -> bool {
    detects(entry) && entry.value(name) == Some(&Value::Bool(true))
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    if entry.value(MARK) != Some(&Value::from(VERSION)) {
        return Err(entry.error(format!(
            "the field `{MARK}` has to be {VERSION}: another version of redraft wrote this"
        )));
    }
    let task: WrittenTask = serde_json::from_value(entry.whole())
        .map_err(|error| entry.error(format!("is no task as redraft writes them: {error}")))?;
    if task.hidden.is_empty() {
        return Err(entry.error("the field `hidden` is empty: there would be nothing to check a program on"));
    }
    let language = task.brief.language;
    if Language::named(language.name()).is_none() {
        return Err(entry.error(format!(
            "the language {:?} isn't known; known are {}",
            language.name(),
            Language::names().join(", ")
        )));
    }
    Ok(task.seal())
}
