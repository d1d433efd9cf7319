//! Programs in files, as `EvalPlus` keeps them: `HumanEval_0/0.py`, `HumanEval_0/1.py` …, or `HumanEval/0/0.py`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Raw, SamplesError};

/// How deep task folders may lie.
const DEEPEST: usize = 4;

/// The files of a folder, by task and then by number.
pub(super) fn texts(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Raw, SamplesError>> + use<>, SamplesError> {
    let mut files = Vec::new();
    collect(folder, "", 0, &mut files)?;
    files.sort_by(|(left_id, left), (right_id, right)| {
        (natural(left_id), natural(&name(left))).cmp(&(natural(right_id), natural(&name(right))))
    });
    Ok(files.into_iter().map(|(id, path)| raw(&id, &path)))
}

/// All files below, with the names of the folders above them.
fn collect(
    folder: &Path,
    id: &str,
    depth: usize,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), SamplesError> {
    let unreadable = |error: std::io::Error| SamplesError(format!("{}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = name(&path);
        if name.starts_with('.') || name.starts_with("__") {
            continue;
        }
        if path.is_dir() {
            if depth < DEEPEST {
                let id = if id.is_empty() {
                    name
                } else {
                    format!("{id}/{name}")
                };
                collect(&path, &id, depth + 1, files)?;
            }
        } else if !id.is_empty()
            && !path
                .extension()
                .is_some_and(|ending| ending == "json" || ending == "jsonl")
        {
            files.push((id.to_owned(), path));
        }
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn raw(id: &str, path: &Path) -> Result<Raw, SamplesError> {
    let place = path.display().to_string();
    let bytes = crate::files::read(path).map_err(|error| SamplesError(format!("{place}: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| SamplesError(format!("{place}: isn't UTF-8 text")))?;
    let mut fields = Map::new();
    fields.insert("task_id".to_owned(), Value::from(id));
    fields.insert("solution".to_owned(), Value::from(text));
    fields.insert("_identifier".to_owned(), Value::from(place.as_str()));
    Ok(Raw { place, fields })
}

/// A name to sort by: 2 before 10.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let is_digit = |c: char| c.is_ascii_digit();
        let digits = rest.find(is_digit).unwrap_or(rest.len());
        let end = rest[digits..]
            .find(|c| !is_digit(c))
            .map_or(rest.len(), |length| digits + length);
        let number = rest[digits..end].parse().unwrap_or(u64::MAX);
        parts.push((rest[..digits].to_owned(), number));
        rest = &rest[end..];
    }
    parts
}
