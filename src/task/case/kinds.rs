//! The types of test that a `case.json` knows.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Case, Made, What};
use crate::task::{Compare, Program, ScriptForm, TestKind};

/// All types, for who wrote another one.
const TYPES: &str = "stdin, call, assert, unittest, pytest, doctest, files and interactive";

#[derive(Debug, Deserialize)]
pub(super) struct WrittenTest {
    pub(super) name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    compare: Compare,
    // stdin, interactive and files
    stdin: Option<String>,
    stdin_gen: Option<String>,
    stdin_from_setup: Option<Value>,
    expected_stdout: Option<String>,
    expected_stdout_gen: Option<String>,
    checker: Option<WrittenProgram>,
    talker: Option<WrittenProgram>,
    files: Option<BTreeMap<String, String>>,
    expected_files: Option<BTreeMap<String, String>>,
    // call
    entry: Option<String>,
    args: Option<Vec<Value>>,
    #[serde(default)]
    expected: Value,
    arg_types: Option<Vec<Option<String>>>,
    result_type: Option<String>,
    // scripts
    code: Option<String>,
}

/// A program of the test's own.
#[derive(Debug, Deserialize)]
struct WrittenProgram {
    #[serde(default = "super::python")]
    language: String,
    code: String,
}

impl Case {
    /// A test of one of the types.
    pub(super) fn kind(&mut self, test: WrittenTest) -> Result<TestKind, String> {
        let form = match test.kind.as_str() {
            "stdin" => return self.stdin(test),
            "interactive" => return self.interactive(test),
            "files" => return self.files(test),
            "call" => return call(test),
            "assert" => ScriptForm::Asserts,
            "unittest" => ScriptForm::Unittest,
            "pytest" => ScriptForm::Pytest,
            "doctest" => ScriptForm::Doctest,
            other => return Err(format!("{other:?} is no type of test; types are {TYPES}")),
        };
        Ok(TestKind::Script {
            code: test.code.ok_or("it has no `code`")?,
            form,
            entry: test.entry,
        })
    }

    fn stdin(&mut self, mut test: WrittenTest) -> Result<TestKind, String> {
        let checker = test.checker.take();
        self.note_what_to_make(&test)?;
        let stdin = test.stdin.unwrap_or_default();
        let answer = test.expected_stdout;
        if let Some(checker) = checker {
            return Ok(TestKind::Checked {
                stdin,
                answer: answer.unwrap_or_default(),
                checker: checker.into_program()?,
            });
        }
        if answer.is_none() && test.expected_stdout_gen.is_none() {
            return Err("it has no `expected_stdout` and no `checker`".to_owned());
        }
        Ok(TestKind::Stdin {
            stdin,
            expected: answer.unwrap_or_default(),
            compare: test.compare,
        })
    }

    fn interactive(&mut self, mut test: WrittenTest) -> Result<TestKind, String> {
        let talker = test.talker.take().ok_or("it has no `talker`")?;
        self.note_what_to_make(&test)?;
        Ok(TestKind::Interactive {
            input: test.stdin.unwrap_or_default(),
            answer: test.expected_stdout.unwrap_or_default(),
            talker: talker.into_program()?,
        })
    }

    fn files(&mut self, test: WrittenTest) -> Result<TestKind, String> {
        self.note_what_to_make(&test)?;
        let expected_files = test.expected_files.unwrap_or_default();
        if expected_files.is_empty() && test.expected_stdout.is_none() && test.expected_stdout_gen.is_none() {
            return Err("it has neither `expected_files` nor `expected_stdout`".to_owned());
        }
        Ok(TestKind::Files {
            stdin: test.stdin.unwrap_or_default(),
            files: test.files.unwrap_or_default(),
            expected_files,
            expected_stdout: test.expected_stdout,
            compare: test.compare,
        })
    }

    /// Notes what of the next test isn't in the file.
    fn note_what_to_make(&mut self, test: &WrittenTest) -> Result<(), String> {
        let mut wanted = Vec::new();
        wanted.extend(test.stdin_gen.clone().map(What::Stdin));
        wanted.extend(test.expected_stdout_gen.clone().map(What::Expected));
        match &test.stdin_from_setup {
            None => {}
            Some(Value::String(word)) if word == "path" => wanted.push(What::Canary(std::env::temp_dir())),
            Some(other) => {
                return Err(format!("`stdin_from_setup` can only be \"path\", not {other}"));
            }
        }
        let at = self.tests.len();
        self.made
            .extend(wanted.into_iter().map(|what| Made { test: at, what }));
        Ok(())
    }
}

impl WrittenProgram {
    fn into_program(self) -> Result<Program, String> {
        super::language(&self.language).map(|language| Program::new(language, self.code))
    }
}

fn call(test: WrittenTest) -> Result<TestKind, String> {
    let entry = test.entry.ok_or("it has no `entry`")?;
    let args = test.args.ok_or("it has no `args`")?;
    let types = test.arg_types.unwrap_or_default();
    if types.len() > args.len() {
        let (types, args) = (types.len(), args.len());
        return Err(format!("it has {types} `arg_types` for {args} `args`"));
    }
    let typed = |(at, arg)| match types.get(at).and_then(Option::as_deref) {
        Some(kind) => typed(arg, kind),
        None => Ok(arg),
    };
    Ok(TestKind::Call {
        entry,
        args: args
            .into_iter()
            .enumerate()
            .map(typed)
            .collect::<Result<_, _>>()?,
        expected: match &test.result_type {
            Some(kind) => self::typed(test.expected, kind)?,
            None => test.expected,
        },
        compare: test.compare,
    })
}

/// A value of a named type: linked lists and trees are marked, wherever they are; all else JSON can tell.
fn typed(value: Value, kind: &str) -> Result<Value, String> {
    let kind = kind.trim();
    let inner = |outer: &str| kind.strip_prefix(outer)?.strip_suffix(']');
    if let Some(inner) = inner("Optional[") {
        return typed(value, inner);
    }
    if let Some(inner) = inner("List[").or_else(|| inner("list[")) {
        return match value {
            Value::Array(items) => items.into_iter().map(|item| typed(item, inner)).collect(),
            other => Ok(other),
        };
    }
    match (kind, value) {
        ("ListNode" | "TreeNode", Value::Null) => Ok(marked(kind, Value::Array(Vec::new()))),
        ("ListNode" | "TreeNode", Value::Array(items)) => Ok(marked(kind, Value::Array(items))),
        ("ListNode" | "TreeNode", other) => Err(format!("a {kind} is written as a list, not as {other}")),
        (other, _) if other.ends_with("Node") => Err(format!(
            "{other:?} is no type of argument; types are ListNode and TreeNode, and lists of them"
        )),
        (_, value) => Ok(value),
    }
}

fn marked(kind: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(format!("${kind}"), value)]))
}
