//! `QuixBugs`: one-line bugs, as `name`, `buggy`, `correct` and `cases` (`[arguments, expected]` each).

use serde_json::Value;

use super::SuiteError;
use super::entry::Entry;
use crate::task::{Brief, Compare, HiddenTests, Language, Limits, Program, Task, Test, TestKind};

/// This many cases are visible; hidden are all, as published graders run them.
const VISIBLE: usize = 3;

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("buggy") || entry.has("cases")
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let name = entry.string("name")?;
    let buggy = entry.string("buggy")?;
    let correct = entry.string("correct")?;
    let cases = entry.list("cases")?;
    if cases.is_empty() {
        return Err(entry.error("the field `cases` is empty: there would be nothing to check a program on"));
    }
    let tests = |prefix: &str, cases: &[Value]| {
        cases
            .iter()
            .enumerate()
            .map(|(index, case)| test(entry, name, format!("{prefix}-{}", index + 1), case))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(Task {
        id: name.to_owned(),
        brief: Brief {
            language: Language::Python,
            statement: statement(name, buggy),
            entry_point: Some(name.to_owned()),
            starter_code: String::new(),
            visible: tests("visible", &cases[..cases.len().min(VISIBLE)])?,
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(tests("hidden", cases)?),
        references: vec![Program::python(correct)],
        wrong: vec![Program::python(buggy)],
    })
}

fn test(entry: &Entry<'_>, name: &str, label: String, case: &Value) -> Result<Test, SuiteError> {
    let (args, expected) = match case.as_array().map(Vec::as_slice) {
        Some([Value::Array(args), expected]) => (args.clone(), expected.clone()),
        _ => return Err(entry.error("each of `cases` has to be `[[argument, ...], expected]`")),
    };
    let kind = TestKind::Call {
        entry: name.to_owned(),
        args,
        expected,
        compare: Compare::default(),
    };
    Ok(Test { name: label, kind })
}

/// The description that stands as a string behind the buggy program.
fn statement(name: &str, buggy: &str) -> String {
    let mut parts = buggy.split("\"\"\"");
    match (parts.next(), parts.next()) {
        (Some(_), Some(text)) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => format!("Write the function `{name}`."),
    }
}
