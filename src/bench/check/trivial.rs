//! Programs that do nothing of what is asked, which no test may take for an answer.

use std::collections::BTreeSet;

use crate::task::{Language, Program, Report, Task, TestKind};

/// As many expected values are tried as answers to everything.
const MOST_SEEN: usize = 3;

/// Values that programs like to return.
const CONSTANTS: [&str; 8] = ["True", "False", "0", "1", "-1", "''", "[]", "{}"];

/// Texts that programs like to print.
const PRINTED: [&str; 6] = ["0", "1", "-1", "YES", "NO", "Yes"];

/// Each program with what it is called. `visible` is the report of a right program on the visible tests, if there is one.
pub(super) fn programs(task: &Task, visible: Option<&Report>) -> Vec<(String, Program)> {
    let language = task.brief.language;
    let mut programs = vec![("an empty program".to_owned(), Program::new(language, ""))];
    if language != Language::PYTHON {
        return programs;
    }
    let Some(entry) = &task.brief.entry_point else {
        let seen = task.brief.visible.iter().filter_map(|test| match &test.kind {
            TestKind::Stdin { expected, .. } => Some(expected.as_str()),
            _ => None,
        });
        let texts: BTreeSet<&str> = PRINTED.into_iter().chain(seen.take(MOST_SEEN)).collect();
        programs.extend(texts.into_iter().map(|text| {
            // JSON's strings are Python's.
            let quoted = serde_json::Value::from(text.trim_end_matches('\n'));
            let name = format!("a program that always prints {}", shown(text));
            (name, Program::python(format!("print({quoted})\n")))
        }));
        return programs;
    };
    let returning = |value: &str| Program::python(constant(entry, value));
    programs.push(("a program that returns None".to_owned(), returning("None")));
    let seen = visible.map(expected).unwrap_or_default();
    let values = CONSTANTS.iter().map(|value| (*value).to_owned()).chain(
        seen.into_iter()
            .filter(|value| !CONSTANTS.contains(&value.as_str())),
    );
    programs.extend(values.map(|value| {
        let name = format!("a program that always returns {}", shown(&value));
        (name, returning(&value))
    }));
    programs
}

/// A function, or a class with a method, that returns the same whatever it gets.
fn constant(entry: &str, value: &str) -> String {
    match entry.split_once('.') {
        Some((class, method)) => format!(
            "class {class}:\n    def __init__(self, *args, **kwargs): pass\n    def {method}(self, *args, **kwargs):\n        \
             return {value}\n"
        ),
        None => format!("def {entry}(*args, **kwargs):\n    return {value}\n"),
    }
}

/// What the visible tests expect, as far as it can be written down.
fn expected(report: &Report) -> Vec<String> {
    let is_literal = |text: &&String| {
        let plain = text
            .chars()
            .all(|c| c.is_alphanumeric() || " .,_-+()[]{}:'\"".contains(c));
        // A name would be a name of the tests'.
        let names = ["True", "False", "None"];
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        let quoted = text.contains(['\'', '"']);
        plain
            && !text.is_empty()
            && text.len() < 200
            && (quoted || {
                let mut words = words.filter(|word| !word.is_empty());
                words.all(|word| names.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit()))
            })
    };
    let all: BTreeSet<&String> = report
        .results
        .iter()
        .map(|result| &result.expected)
        .filter(is_literal)
        .collect();
    all.into_iter().take(MOST_SEEN).cloned().collect()
}

fn shown(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 40 {
        return line;
    }
    format!("{} …", line.chars().take(40).collect::<String>())
}
