//! APPS: a folder for each problem, with `question.txt`, `input_output.json` (`inputs`, `outputs`, `fn_name` for functions),
//! `solutions.json`, `starter_code.py`; or as JSON lines, either with the same fields as text (`problem_id`, `question`,
//! `input_output`, `solutions`, `starter_code`) or as `MapCoder` packs them (`id`, `description`, `sample_io`, `test_list`).
//!
//! The last ones are programs that read stdin throughout: arguments of functions stand a line each, and what a
//! function would return is printed.

use std::path::Path;

use serde_json::{Map, Value};

use super::entry::Entry;
use super::{SuiteError, statement};
use crate::task::{Brief, Compare, HiddenTests, Language, Limits, Program, Task, Test, TestKind};

/// As many solutions are kept as references; some tasks have hundreds.
const MOST_REFERENCES: usize = 3;

/// As many tests are visible where the data doesn't say which.
const VISIBLE: usize = 2;

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("test_list") && entry.has("description") || entry.has("input_output")
}

/// Whether a folder holds one problem.
pub(super) fn is_problem(folder: &Path) -> bool {
    folder.join("question.txt").is_file() && folder.join("input_output.json").is_file()
}

/// The files of a problem's folder as fields.
pub(super) fn fields(folder: &Path) -> Result<Map<String, Value>, SuiteError> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|source| SuiteError::Unreadable { path, source })
    };
    let name = folder
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut fields = Map::new();
    fields.insert("problem_id".to_owned(), name.into());
    fields.insert("question".to_owned(), read("question.txt")?.into());
    fields.insert("input_output".to_owned(), read("input_output.json")?.into());
    for (file, field) in [
        ("solutions.json", "solutions"),
        ("starter_code.py", "starter_code"),
    ] {
        if folder.join(file).is_file() {
            fields.insert(field.to_owned(), read(file)?.into());
        }
    }
    Ok(fields)
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    if entry.has("test_list") {
        return packed(entry);
    }
    let id = id(entry)?;
    let io = json(entry, "input_output")?
        .ok_or_else(|| entry.missing("input_output", "an object with `inputs` and `outputs`"))?;
    let list = |name: &str| {
        io.get(name)
            .and_then(Value::as_array)
            .ok_or_else(|| entry.error(format!("the field `input_output` has no list `{name}`")))
    };
    let (inputs, outputs) = (list("inputs")?, list("outputs")?);
    if inputs.len() != outputs.len() || inputs.is_empty() {
        return Err(entry.error(format!(
            "the field `input_output` has {} inputs and {} outputs; as many of both are needed, and one at least",
            inputs.len(),
            outputs.len()
        )));
    }
    let starter = entry.optional_string("starter_code")?.unwrap_or_default();
    let function = io.get("fn_name").and_then(Value::as_str).map(|name| {
        if starter.contains("class Solution") {
            format!("Solution.{name}")
        } else {
            name.to_owned()
        }
    });
    let tests: Vec<Test> = inputs
        .iter()
        .zip(outputs)
        .enumerate()
        .map(|(at, (input, output))| {
            let kind = kind(input, output, function.as_deref())
                .map_err(|why| entry.error(format!("the field `input_output`, test {}: {why}", at + 1)))?;
            Ok(Test {
                name: format!("test-{}", at + 1),
                kind,
            })
        })
        .collect::<Result<_, SuiteError>>()?;
    let solutions = json(entry, "solutions")?.unwrap_or_default();
    let references = solutions
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(MOST_REFERENCES)
        .map(Program::python)
        .collect();
    // Something has to stay hidden.
    let visible = tests[..VISIBLE.min(tests.len() - 1)].to_vec();
    Ok(Task {
        id,
        brief: Brief {
            language: Language::PYTHON,
            statement: statement::with_starter(entry.string("question")?, starter),
            entry_point: function,
            starter_code: String::new(),
            visible,
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(tests),
        references,
        wrong: Vec::new(),
    })
}

/// A problem's name, which may be a number.
fn id(entry: &Entry<'_>) -> Result<String, SuiteError> {
    let value = ["problem_id", "id", "name"]
        .into_iter()
        .find_map(|name| entry.value(name));
    match value {
        Some(Value::String(id)) => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        _ => Err(entry.missing("problem_id", "a number or a string")),
    }
}

/// A field that is JSON, or JSON in a string.
fn json(entry: &Entry<'_>, field: &str) -> Result<Option<Value>, SuiteError> {
    match entry.value(field) {
        Some(Value::String(text)) if !text.trim().is_empty() => {
            let text = crate::task::case::keep_integers(text);
            let value = serde_json::from_str(&text)
                .map_err(|error| entry.error(format!("the field `{field}` is no JSON: {error}")))?;
            Ok(Some(value))
        }
        Some(Value::String(_)) | None => Ok(None),
        Some(other) => Ok(Some(other.clone())),
    }
}

fn kind(input: &Value, output: &Value, function: Option<&str>) -> Result<TestKind, String> {
    if let Some(entry) = function {
        let args = input.as_array().ok_or("its input is no list of arguments")?;
        // The result stands in a list of its own, mostly.
        let expected = match output.as_array().map(Vec::as_slice) {
            Some([only]) => only,
            _ => output,
        };
        return Ok(TestKind::Call {
            entry: entry.to_owned(),
            args: args.clone(),
            expected: expected.clone(),
            compare: Compare::Float { abs: 0.0, rel: 1e-9 },
        });
    }
    Ok(TestKind::Stdin {
        stdin: lines(input).ok_or("its input is no text")?,
        expected: lines(output).ok_or("its output is no text")?,
        compare: Compare::Trim,
    })
}

/// A text, or a list of lines.
fn lines(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let lines: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Some(lines?.join("\n"))
        }
        _ => None,
    }
}

fn packed(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let id = id(entry)?;
    let tests = |field: &str, name: &str| -> Result<Vec<Test>, SuiteError> {
        if !entry.has(field) {
            return Ok(Vec::new());
        }
        entry
            .list(field)?
            .iter()
            .enumerate()
            .map(|(at, pair)| {
                let wrong = || {
                    entry.error(format!(
                        "the field `{field}`, test {}, has to be an object with `input` (a string) and `output`",
                        at + 1
                    ))
                };
                let stdin = pair.get("input").and_then(Value::as_str).ok_or_else(wrong)?;
                let output = pair.get("output").ok_or_else(wrong)?;
                Ok(Test {
                    name: format!("{name}-{}", at + 1),
                    kind: TestKind::Stdin {
                        stdin: stdin.to_owned(),
                        expected: printed(output),
                        compare: Compare::Trim,
                    },
                })
            })
            .collect()
    };
    let hidden = tests("test_list", "hidden")?;
    if hidden.is_empty() {
        return Err(
            entry.error("the field `test_list` is empty: there would be nothing to check a program on")
        );
    }
    let starter = entry.optional_string("starter_code")?.unwrap_or_default().trim();
    let description = entry.string("description")?;
    let statement = if starter.is_empty() {
        description.to_owned()
    } else {
        let head = starter.trim_end_matches(':');
        let head = head.strip_prefix("def ").unwrap_or(head);
        format!(
            "{}\n\nWrite a program that reads the arguments of `{head}` from stdin, one a line, and prints what it returns.",
            description.trim_end()
        )
    };
    Ok(Task {
        id,
        brief: Brief {
            language: Language::PYTHON,
            statement,
            entry_point: None,
            starter_code: String::new(),
            visible: tests("sample_io", "visible")?,
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(hidden),
        references: Vec::new(),
        wrong: Vec::new(),
    })
}

/// What a program prints for an output: a list of values, each on a line, as Python's `print` writes them.
fn printed(output: &Value) -> String {
    let one = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => printed_value(other),
    };
    match output {
        Value::Array(items) => items.iter().map(one).collect::<Vec<_>>().join("\n"),
        other => one(other),
    }
}

/// `repr` of Python for what JSON can hold.
fn printed_value(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let quote = if text.contains('\'') && !text.contains('"') {
                '"'
            } else {
                '\''
            };
            let mut written = String::from(quote);
            for c in text.chars() {
                match c {
                    '\\' => written.push_str("\\\\"),
                    '\n' => written.push_str("\\n"),
                    '\t' => written.push_str("\\t"),
                    '\r' => written.push_str("\\r"),
                    c if c == quote => {
                        written.push('\\');
                        written.push(c);
                    }
                    c => written.push(c),
                }
            }
            written.push(quote);
            written
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(printed_value).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                format!(
                    "{}: {}",
                    printed_value(&Value::from(key.as_str())),
                    printed_value(value)
                )
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => super::python_text::python(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::printed;

    #[test]
    fn what_python_prints() {
        for (output, text) in [
            (json!(["1\n2"]), "1\n2"),
            (json!([100]), "100"),
            (json!([true]), "True"),
            (json!([["a", "it's", 0.5, null]]), "['a', \"it's\", 0.5, None]"),
            (json!([{"a": [1]}]), "{'a': [1]}"),
            (json!("x"), "x"),
            (json!([1, "b"]), "1\nb"),
        ] {
            assert_eq!(printed(&output), text);
        }
    }
}
