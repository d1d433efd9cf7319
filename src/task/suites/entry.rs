//! One JSON object of a suite, with errors that say which entry and which field.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::SuiteError;
use super::source::Source;
use crate::task::case::keep_integers;

/// One object of JSON Lines, or one item of a JSON list.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    source: &'a Source,
    place: String,
    fields: Map<String, Value>,
}

/// All entries of a source: a JSON list if it begins with `[`, else one object a line, split on `\n` alone
/// (a string may hold U+2028 and the like, which other line splitters take for an end of line).
pub(super) fn entries(source: &Source) -> Result<Vec<Entry<'_>>, SuiteError> {
    let entries = if source.text.trim_start().starts_with('[') {
        list(source)?
    } else {
        lines(source)?
    };
    if entries.is_empty() {
        return Err(source.file_error("holds no task"));
    }
    Ok(entries)
}

fn lines(source: &Source) -> Result<Vec<Entry<'_>>, SuiteError> {
    let mut entries = Vec::new();
    // One object over many lines is a suite of one task.
    if source.text.trim().contains('\n')
        && let Ok(fields) = parse::<Map<String, Value>>(&source.text)
    {
        return Ok(vec![Entry::new(source, "the object".to_owned(), fields)]);
    }
    for (index, line) in source
        .text
        .split('\n')
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let place = format!("line {}", index + 1);
        let fields = parse(line).map_err(|error| SuiteError::Entry {
            path: source.path.clone(),
            place: place.clone(),
            problem: format!(
                "each line has to be one JSON object, and this one isn't: {}",
                within_line(&error)
            ),
        })?;
        entries.push(Entry::new(source, place, fields));
    }
    Ok(entries)
}

fn list(source: &Source) -> Result<Vec<Entry<'_>>, SuiteError> {
    let items: Vec<Value> = parse(&source.text)
        .map_err(|error| source.file_error(format!("begins as a JSON list, and isn't one: {error}")))?;
    let mut entries = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        let place = format!("item {}", index + 1);
        let Value::Object(fields) = item else {
            let problem = "each item of the list has to be a JSON object".to_owned();
            return Err(SuiteError::Entry {
                path: source.path.clone(),
                place,
                problem,
            });
        };
        entries.push(Entry::new(source, place, fields));
    }
    Ok(entries)
}

/// JSON, in which Python's `NaN` may stand and integers of any size are kept.
fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let has_long_number = || {
        let mut run = 0;
        text.bytes().any(|byte| {
            run = if byte.is_ascii_digit() { run + 1 } else { 0 };
            run > 18
        })
    };
    match serde_json::from_str(text) {
        Ok(value) if !has_long_number() => Ok(value),
        // What is wrong is told of the text as it stands.
        first => serde_json::from_str(&keep_integers(text)).or(first),
    }
}

/// The parser counts lines of its own; ours are the right ones, so only its column is kept.
fn within_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("{what} at column {}", error.column())
}

/// Refuses two tasks of one name: samples and results couldn't tell them apart.
pub(super) fn refuse_duplicates<'a>(
    entries: &[Entry<'_>],
    ids: impl IntoIterator<Item = &'a str>,
) -> Result<(), SuiteError> {
    let mut seen: HashMap<&str, &Entry<'_>> = HashMap::new();
    for (id, entry) in ids.into_iter().zip(entries) {
        if let Some(first) = seen.insert(id, entry) {
            return Err(entry.error(format!("the task `{id}` is there already, at {}", first.place)));
        }
    }
    Ok(())
}

impl<'a> Entry<'a> {
    /// Fields that came from `place` in `source`.
    pub(super) fn new(source: &'a Source, place: String, fields: Map<String, Value>) -> Self {
        Self {
            source,
            place,
            fields,
        }
    }
}

impl Entry<'_> {
    /// Where in the file it is: `line 3`.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Whether there is a field of this name that isn't null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// All of it, as one value.
    pub(super) fn whole(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    /// A field that isn't null.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A string that must be there.
    pub(super) fn string(&self, name: &str) -> Result<&str, SuiteError> {
        self.optional_string(name)?
            .ok_or_else(|| self.missing(name, "a string"))
    }

    /// A string that may be missing or null.
    pub(super) fn optional_string(&self, name: &str) -> Result<Option<&str>, SuiteError> {
        self.value(name)
            .map(|value| value.as_str().ok_or_else(|| self.wrong(name, "a string", value)))
            .transpose()
    }

    /// A list that must be there.
    pub(super) fn list(&self, name: &str) -> Result<&[Value], SuiteError> {
        let value = self.value(name).ok_or_else(|| self.missing(name, "a list"))?;
        value
            .as_array()
            .map(Vec::as_slice)
            .ok_or_else(|| self.wrong(name, "a list", value))
    }

    /// A list of strings; a missing one is empty.
    pub(super) fn strings(&self, name: &str) -> Result<Vec<&str>, SuiteError> {
        if !self.has(name) {
            return Ok(Vec::new());
        }
        self.list(name)?
            .iter()
            .map(|value| {
                value
                    .as_str()
                    .ok_or_else(|| self.wrong(name, "a list of strings", value))
            })
            .collect()
    }

    /// An error about this entry.
    pub(super) fn error(&self, problem: impl Into<String>) -> SuiteError {
        SuiteError::Entry {
            path: self.source.path.clone(),
            place: self.place.clone(),
            problem: problem.into(),
        }
    }

    /// An error about a field that isn't there.
    pub(super) fn missing(&self, name: &str, kind: &str) -> SuiteError {
        self.error(format!("the field `{name}` ({kind}) is missing"))
    }

    fn wrong(&self, name: &str, kind: &str, value: &Value) -> SuiteError {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.error(format!(
            "the field `{name}` has to be {kind}, and there is {found}"
        ))
    }
}
