//! Failing tests and visible tests as text for prompts and people.

use std::fmt::Write as _;

use crate::task::{Report, Test, TestKind, TestResult};

/// Every failing test of a report with its input, what was expected, and what came instead.
pub fn failing_tests(report: &Report) -> String {
    let mut text = String::new();
    for result in report.failures() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&one_failure(result));
    }
    text
}

/// One failing test.
pub fn one_failure(result: &TestResult) -> String {
    let mut text = String::new();
    field(&mut text, "Input", &result.input);
    field(&mut text, "Expected", &result.expected);
    if let Some(actual) = &result.actual {
        field(&mut text, "Actual", actual);
    }
    if let Some(error) = &result.error {
        field(&mut text, "Error", error);
    }
    text
}

/// A label and its value: on one line, or below the label where the value has several.
fn field(text: &mut String, label: &str, value: &str) {
    let value = value.trim_end_matches('\n');
    let result = if value.contains('\n') {
        writeln!(text, "{label}:\n{value}")
    } else if value.is_empty() {
        writeln!(text, "{label}: (empty)")
    } else {
        writeln!(text, "{label}: {value}")
    };
    debug_assert!(result.is_ok(), "writing to a string can't fail");
}

/// The visible tests as the author is shown them.
pub fn visible_tests(tests: &[Test]) -> String {
    let mut text = String::new();
    for test in tests {
        match &test.kind {
            TestKind::Script { code, .. } => text.push_str(code.trim()),
            TestKind::Call {
                entry,
                args,
                expected,
                ..
            } => {
                let args: Vec<String> = args.iter().map(literal).collect();
                let result = write!(
                    text,
                    "assert {entry}({}) == {}",
                    args.join(", "),
                    literal(expected)
                );
                debug_assert!(result.is_ok(), "writing to a string can't fail");
            }
            TestKind::Stdin { stdin, expected, .. } => {
                field(&mut text, "Input", stdin);
                field(&mut text, "Expected output", expected);
            }
            TestKind::Checked { stdin, answer, .. } => {
                field(&mut text, "Input", stdin);
                field(&mut text, "One right output", answer);
            }
            TestKind::Interactive { .. } => {
                text.push_str("A conversation on stdin and stdout with another program.\n");
            }
            TestKind::Files {
                stdin,
                files,
                expected_files,
                expected_stdout,
                ..
            } => {
                if !stdin.is_empty() {
                    field(&mut text, "Input", stdin);
                }
                for (name, content) in files {
                    field(&mut text, &format!("File {name} before"), content);
                }
                for (name, content) in expected_files {
                    field(&mut text, &format!("File {name} after"), content);
                }
                if let Some(expected) = expected_stdout {
                    field(&mut text, "Expected output", expected);
                }
            }
            TestKind::Answer { accepted, .. } => field(&mut text, "Expected answer", &accepted.join(", or ")),
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// A JSON value as Python source.
fn literal(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(&**key), literal(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}
