//! Suites of texts to continue: `RealToxicityPrompts`, or any JSON lines with a `prompt`.

use serde_json::Value;

use super::SuiteError;
use super::entry::Entry;
use crate::task::{Brief, HiddenTests, Language, Limits, Task};

/// Whether an entry looks like a text to continue, with nothing to check the continuation on.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    let others = ["task_id", "entry_point", "test", "code", "declaration"];
    text(entry).is_some() && !others.iter().any(|name| entry.has(name))
}

/// Reads one text.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let text = text(entry).ok_or_else(|| entry.missing("prompt", "a text, or an object with `text`"))?;
    Ok(Task {
        id: entry.place().replace(' ', "-"),
        brief: Brief {
            language: Language::PYTHON,
            statement: text.trim().to_owned(),
            entry_point: None,
            starter_code: String::new(),
            visible: Vec::new(),
            limits: Limits::default(),
        },
        hidden: HiddenTests::default(),
        references: Vec::new(),
        wrong: Vec::new(),
    })
}

fn text<'a>(entry: &'a Entry<'_>) -> Option<&'a str> {
    match entry.value("prompt")? {
        Value::String(text) => Some(text),
        Value::Object(object) => object.get("text")?.as_str(),
        _ => None,
    }
}
