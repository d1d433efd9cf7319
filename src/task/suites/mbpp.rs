//! MBPP's tasks: `task_id`, `text` (or `prompt`), `code`, `test_list`, `test_setup_code` (or `test_imports`).
//!
//! Visible is the first assert of `test_list`; hidden are all of them, as published graders run them.
//! `challenge_test_list` is left out: those graders don't run it either.

use std::collections::BTreeSet;

use serde_json::Value;

use super::entry::Entry;
use super::{SuiteError, visible_asserts};
use crate::task::{Brief, HiddenTests, Language, Limits, Program, ScriptForm, Task, Test, TestKind};

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("test_list")
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let id = match entry.value("task_id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => format!("MBPP/{id}"),
        Some(_) | None => return Err(entry.missing("task_id", "a number or a string")),
    };
    let statement = match entry.optional_string("text")? {
        Some(text) => text,
        None => entry
            .optional_string("prompt")?
            .ok_or_else(|| entry.missing("text", "a string"))?,
    };
    let asserts = entry.strings("test_list")?;
    let first = *asserts.first().ok_or_else(|| {
        entry.error("the field `test_list` is empty: there would be nothing to check a program on")
    })?;
    let mut setup = entry.strings("test_imports")?.join("\n");
    setup.push_str(entry.optional_string("test_setup_code")?.unwrap_or(""));
    let code = entry.optional_string("code")?;
    let hidden = Test {
        name: "hidden".to_owned(),
        kind: TestKind::Script {
            code: after(&setup, &asserts.join("\n")),
            form: ScriptForm::Asserts,
            entry: None,
        },
    };
    Ok(Task {
        id,
        brief: Brief {
            language: Language::PYTHON,
            statement: statement.to_owned(),
            entry_point: entry_point(&asserts, code),
            starter_code: String::new(),
            visible: visible_asserts([after(&setup, first)], None),
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(vec![hidden]),
        references: code.map(Program::python).into_iter().collect(),
        wrong: Vec::new(),
    })
}

fn after(setup: &str, test: &str) -> String {
    if setup.trim().is_empty() {
        test.to_owned()
    } else {
        format!("{}\n{test}", setup.trim_end())
    }
}

/// The function that every assert calls and, if there is reference code, that the code defines.
fn entry_point(asserts: &[&str], code: Option<&str>) -> Option<String> {
    let called = asserts
        .iter()
        .map(|assert| calls(assert))
        .reduce(|a, b| a.intersection(&b).copied().collect())?;
    let defined = |name: &&&str| {
        code.is_none_or(|code| {
            code.lines().any(|line| {
                line.strip_prefix("def ")
                    .or_else(|| line.strip_prefix("class "))
                    .is_some_and(|rest| identifier(rest.trim_start()) == **name)
            })
        })
    };
    // The one written first: `assert set(f(x)) == …` without code would give `set`, so builtins don't count.
    called
        .iter()
        .filter(|name| !BUILTINS.contains(*name))
        .filter(defined)
        .min_by_key(|name| asserts.first().and_then(|assert| assert.find(**name)))
        .map(|name| (*name).to_owned())
}

/// Functions that asserts wrap around the call under test.
const BUILTINS: [&str; 14] = [
    "set", "list", "tuple", "sorted", "len", "round", "abs", "sum", "str", "dict", "isclose", "max", "min",
    "Counter",
];

/// The names that a line of test code calls.
fn calls(code: &str) -> BTreeSet<&str> {
    code.match_indices('(')
        .filter_map(|(open, _)| {
            let head = code[..open].trim_end();
            let start = head
                .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
                .map_or(0, |at| at + head[at..].chars().next().map_or(0, char::len_utf8));
            let name = &head[start..];
            let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            (plain && !["assert", "not", "in", "is", "and", "or", "if", "lambda"].contains(&name))
                .then_some(name)
        })
        .collect()
}

fn identifier(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    &text[..end]
}
