//! The tests of a task in TOML.

use serde_json::Value as Json;
use toml::Value;

use super::table::Fields;
use crate::task::suites::SuiteError;
use crate::task::{Compare, Language, ScriptForm, Test, TestKind};

/// Reads the list of tests called `list` (`visible` or `hidden`).
pub(super) fn read(
    task: &Fields<'_>,
    list: &str,
    entry: Option<&str>,
    language: Language,
) -> Result<Vec<Test>, SuiteError> {
    let mut tests: Vec<Test> = Vec::new();
    for (index, item) in task.list(list)?.iter().enumerate() {
        let mut name = format!("{list}-{}", index + 1);
        let kind = match item {
            Value::String(code) if code.contains("assert") || language != Language::PYTHON => {
                TestKind::Script {
                    code: code.trim().to_owned(),
                    form: ScriptForm::Asserts,
                    entry: None,
                }
            }
            Value::String(_) => {
                return Err(task.error(format!("{list} test {} holds no `assert`", index + 1)));
            }
            Value::Table(table) => {
                let fields = task.item(list, index, table);
                if let Some(given) = fields.optional_string("name")? {
                    given.clone_into(&mut name);
                }
                kind(&fields, entry)?
            }
            _ => {
                let problem = format!(
                    "{list} test {} has to be test code (a string) or a table",
                    index + 1
                );
                return Err(task.error(problem));
            }
        };
        if tests.iter().any(|test| test.name == name) {
            return Err(task.error(format!("two {list} tests have the name `{name}`")));
        }
        tests.push(Test { name, kind });
    }
    Ok(tests)
}

fn kind(fields: &Fields<'_>, entry: Option<&str>) -> Result<TestKind, SuiteError> {
    let compare = compare(fields)?;
    if fields.has("stdin") {
        fields.only(&["name", "stdin", "stdout", "compare"])?;
        return Ok(TestKind::Stdin {
            stdin: fields.string("stdin")?.to_owned(),
            expected: fields.string("stdout")?.to_owned(),
            compare,
        });
    }
    if !fields.has("args") {
        return Err(
            fields.error("a test is test code (a string), `args` with `expected`, or `stdin` with `stdout`")
        );
    }
    fields.only(&["name", "args", "expected", "entry", "compare"])?;
    let entry = fields
        .optional_string("entry")?
        .or(entry)
        .ok_or_else(|| fields.error("a test with `args` calls the task's `entry`, which is missing"))?;
    let expected = fields
        .value("expected")
        .ok_or_else(|| fields.error("the field `expected` (the right result) is missing"))?;
    Ok(TestKind::Call {
        entry: entry.to_owned(),
        args: fields
            .list("args")?
            .iter()
            .map(|value| json(fields, value))
            .collect::<Result<_, _>>()?,
        expected: json(fields, expected)?,
        compare,
    })
}

fn compare(fields: &Fields<'_>) -> Result<Compare, SuiteError> {
    let problem = "`compare` is \"trim\", \"exact\", \"tokens\", \"unordered\" or { mode = \"float\", abs = 1e-9, rel = 0 }";
    match fields.value("compare") {
        None => Ok(Compare::default()),
        Some(Value::String(mode)) => match mode.as_str() {
            "trim" => Ok(Compare::Trim),
            "exact" => Ok(Compare::Exact),
            "tokens" => Ok(Compare::Tokens),
            "unordered" => Ok(Compare::Unordered),
            _ => Err(fields.error(problem)),
        },
        Some(Value::Table(table)) if table.get("mode").and_then(Value::as_str) == Some("float") => {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a tolerance written without a point is small"
            )]
            let number = |name: &str| match table.get(name) {
                None => Some(0.0),
                Some(Value::Float(number)) => Some(*number),
                Some(Value::Integer(number)) => Some(*number as f64),
                Some(_) => None,
            };
            let known = table
                .keys()
                .all(|key| ["mode", "abs", "rel"].contains(&key.as_str()));
            match (number("abs"), number("rel")) {
                (Some(abs), Some(rel)) if known => Ok(Compare::Float { abs, rel }),
                _ => Err(fields.error(problem)),
            }
        }
        Some(_) => Err(fields.error(problem)),
    }
}

/// A value as JSON, where that loses nothing.
fn json(fields: &Fields<'_>, value: &Value) -> Result<Json, SuiteError> {
    let unsuited = || {
        fields.error("dates, infinities and NaN can't be arguments or results; write the test as an assert")
    };
    Ok(match value {
        Value::String(text) => Json::from(text.as_str()),
        Value::Integer(number) => Json::from(*number),
        Value::Float(number) => serde_json::Number::from_f64(*number)
            .map(Json::Number)
            .ok_or_else(unsuited)?,
        Value::Boolean(truth) => Json::from(*truth),
        Value::Datetime(_) => return Err(unsuited()),
        Value::Array(items) => Json::Array(
            items
                .iter()
                .map(|item| json(fields, item))
                .collect::<Result<_, _>>()?,
        ),
        Value::Table(table) => Json::Object(
            table
                .iter()
                .map(|(key, value)| Ok((key.clone(), json(fields, value)?)))
                .collect::<Result<_, SuiteError>>()?,
        ),
    })
}
