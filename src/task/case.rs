//! `case.json`: a program's tests with their limits, in several forms.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use super::{Compare, Language, Limits, ScriptForm, Test, TestKind};

/// The tests of a `case.json`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The tests in order.
    pub tests: Vec<Test>,
    /// Tests that can't be carried out, with the place that they have among all and the reason.
    pub unsupported: Vec<(usize, String, String)>,
    /// What a test may use.
    pub limits: Limits,
    /// The language of the programs.
    pub language: Language,
    /// Whether programs for this case count on common imports and on `ListNode` and `TreeNode`.
    pub common_imports: bool,
    /// Data that a snippet prints.
    made: Vec<Made>,
}

/// Data of a test that has to be made first.
#[derive(Clone, Debug)]
struct Made {
    test: usize,
    is_stdin: bool,
    snippet: String,
}

#[derive(Debug, Deserialize)]
struct Written {
    #[serde(default = "python")]
    language: String,
    #[serde(default)]
    kind: String,
    tests: Vec<WrittenTest>,
    #[serde(default)]
    limits: WrittenLimits,
}

fn python() -> String {
    Language::PYTHON.name().to_owned()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WrittenLimits {
    wall_ms: Option<u64>,
    cpu_ms: Option<u64>,
    memory_mb: Option<u64>,
    procs: Option<u32>,
    output_kb: Option<u64>,
    file_mb: Option<u64>,
    compile_wall_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct WrittenTest {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    stdin: Option<String>,
    stdin_gen: Option<String>,
    expected_stdout: Option<String>,
    expected_stdout_gen: Option<String>,
    #[serde(default)]
    compare: Compare,
    checker: Option<Value>,
    stdin_from_setup: Option<Value>,
    entry: Option<String>,
    args: Option<Vec<Value>>,
    #[serde(default)]
    expected: Value,
    arg_types: Option<Vec<Option<String>>>,
    result_type: Option<String>,
    code: Option<String>,
}

/// Wall time where a case names none.
const DEFAULT_WALL_MS: u64 = 10_000;

impl Case {
    /// Reads a case. The error says what is wrong, without the file's name.
    pub fn read(text: &str) -> Result<Self, String> {
        let written: Written =
            serde_json::from_str(&keep_integers(text)).map_err(|error| error.to_string())?;
        let language = Language::named(&written.language).ok_or_else(|| {
            let known = Language::names().join(", ");
            format!(
                "the language {:?} isn't known; known are {known}",
                written.language
            )
        })?;
        let mut case = Self {
            language,
            tests: Vec::new(),
            unsupported: Vec::new(),
            limits: written.limits.into_limits(),
            common_imports: written.kind == "class",
            made: Vec::new(),
        };
        for (at, test) in written.tests.into_iter().enumerate() {
            let name = test.name.clone();
            match case.kind(test).map_err(|why| format!("test {name:?}: {why}"))? {
                Ok(kind) => case.tests.push(Test { name, kind }),
                Err(why) => case.unsupported.push((at, name, why)),
            }
        }
        Ok(case)
    }

    /// Makes the data that snippets print; `run` gives what one prints.
    pub fn make(&mut self, mut run: impl FnMut(&str) -> Result<String, String>) -> Result<(), String> {
        for made in std::mem::take(&mut self.made) {
            let text = run(&made.snippet)?;
            if let Some(Test {
                kind: TestKind::Stdin { stdin, expected, .. },
                ..
            }) = self.tests.get_mut(made.test)
            {
                *(if made.is_stdin { stdin } else { expected }) = text;
            }
        }
        Ok(())
    }

    /// A test; inside, `Err` with the reason for one that is right but can't be carried out.
    fn kind(&mut self, test: WrittenTest) -> Result<Result<TestKind, String>, String> {
        if test.checker.is_some() {
            return Ok(Err("checker programs can't be run yet".to_owned()));
        }
        if test.stdin_from_setup.is_some() {
            return Ok(Err("its stdin is only known to who set it up".to_owned()));
        }
        match test.kind.as_str() {
            "stdin" => self.stdin(test).map(Ok),
            "call" => call(test).map(Ok),
            "assert" => {
                let code = test.code.ok_or("it has no `code`")?;
                Ok(Ok(TestKind::Script {
                    code,
                    form: ScriptForm::Asserts,
                    entry: None,
                }))
            }
            "unittest" | "pytest" | "doctest" | "files" => Ok(Err(format!(
                "tests of type {:?} can't be carried out yet",
                test.kind
            ))),
            other => Err(format!(
                "{other:?} is no type of test; types are stdin, call, assert, unittest, pytest, doctest and files"
            )),
        }
    }

    fn stdin(&mut self, test: WrittenTest) -> Result<TestKind, String> {
        let at = self.tests.len();
        for (snippet, is_stdin) in [(test.stdin_gen, true), (test.expected_stdout_gen, false)] {
            if let Some(snippet) = snippet {
                self.made.push(Made {
                    test: at,
                    is_stdin,
                    snippet,
                });
            }
        }
        let made = self.made.iter().any(|made| made.test == at && !made.is_stdin);
        let expected = match test.expected_stdout {
            Some(expected) => expected,
            None if made => String::new(),
            None => return Err("it has no `expected_stdout`".to_owned()),
        };
        Ok(TestKind::Stdin {
            stdin: test.stdin.unwrap_or_default(),
            expected,
            compare: test.compare,
        })
    }
}

impl WrittenLimits {
    fn into_limits(self) -> Limits {
        let usual = Limits::default();
        let wall_ms = self.wall_ms.unwrap_or(DEFAULT_WALL_MS);
        Limits {
            wall_ms,
            cpu_ms: self.cpu_ms.unwrap_or(usual.cpu_ms.min(wall_ms)),
            memory_bytes: self
                .memory_mb
                .map_or(usual.memory_bytes, |mb| mb.saturating_mul(1 << 20)),
            processes: self.procs.unwrap_or(usual.processes),
            output_bytes: self
                .output_kb
                .map_or(usual.output_bytes, |kb| kb.saturating_mul(1 << 10)),
            scratch_bytes: self
                .file_mb
                .map_or(usual.scratch_bytes, |mb| mb.saturating_mul(1 << 20)),
            compile_cpu_ms: self.compile_wall_ms,
        }
    }
}

fn call(test: WrittenTest) -> Result<TestKind, String> {
    let entry = test.entry.ok_or("it has no `entry`")?;
    let args = test.args.ok_or("it has no `args`")?;
    if test.arg_types.is_none() && test.result_type.is_none() {
        return Ok(TestKind::Call {
            entry,
            args,
            expected: test.expected,
            compare: test.compare,
        });
    }
    // Linked lists and trees are built by the test out of the program's own classes.
    let types = test.arg_types.unwrap_or_default();
    let mut call = String::new();
    for (at, arg) in args.iter().enumerate() {
        let value = python_source(arg);
        let comma = if at == 0 { "" } else { ", " };
        let value = match types.get(at).and_then(Option::as_deref) {
            Some(kind) => format!("{}({value})", builder("build", kind)?),
            None => value,
        };
        call.push_str(comma);
        call.push_str(&value);
    }
    let target = entry
        .split_once('.')
        .map_or(entry.clone(), |(class, method)| format!("{class}().{method}"));
    let mut actual = format!("{target}({call})");
    if let Some(kind) = &test.result_type {
        actual = format!("{}({actual})", builder("read", kind)?);
    }
    let code = format!(
        "{BUILDERS}\nassert {actual} == {}\n",
        python_source(&test.expected)
    );
    Ok(TestKind::Script {
        code,
        form: ScriptForm::Asserts,
        entry: None,
    })
}

fn builder(what: &str, kind: &str) -> Result<String, String> {
    match kind {
        "ListNode" => Ok(format!("{what}_list")),
        "TreeNode" => Ok(format!("{what}_tree")),
        other => Err(format!(
            "{other:?} is no type of argument; types are ListNode and TreeNode"
        )),
    }
}

/// An empty list is `None`; a tree is its levels, with `null` for a child that isn't there.
const BUILDERS: &str = "\
def build_list(values):
    head = None
    for value in reversed(values):
        head = ListNode(value, head)
    return head

def read_list(node):
    values = []
    while node is not None and len(values) < 1000000:
        values.append(node.val)
        node = node.next
    return values

def build_tree(values):
    if not values:
        return None
    root = TreeNode(values[0])
    level, rest = [root], iter(values[1:])
    for node in level:
        for side in ('left', 'right'):
            value = next(rest, None)
            if value is not None:
                child = TreeNode(value)
                setattr(node, side, child)
                level.append(child)
    return root

def read_tree(root):
    values, level = [], [root]
    while any(node is not None for node in level) and len(values) < 1000000:
        values.extend(None if node is None else node.val for node in level)
        level = [child for node in level if node is not None for child in (node.left, node.right)]
    while values and values[-1] is None:
        values.pop()
    return values
";

/// JSON as a Python expression.
fn python_source(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        // JSON's numbers and strings are Python's, too; but for a surrogate pair, which serde_json doesn't write.
        Value::Number(number) => number.to_string(),
        Value::String(text) => Value::String(text.clone()).to_string().replace('\u{7f}', "\\x7f"),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(python_source).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(fields) => {
            if let (1, Some(Value::String(digits))) = (fields.len(), fields.get("$int")) {
                return digits.clone();
            }
            let pair = |(key, value): (&String, &Value)| {
                let key = python_source(&Value::String(key.clone()));
                format!("{key}: {}", python_source(value))
            };
            format!("{{{}}}", fields.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Writes integers that JSON readers would round as `{"$int": "digits"}`.
pub fn keep_integers(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if bytes[at] == b'"' {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(bytes.len());
        } else if bytes[at] == b'-' || bytes[at].is_ascii_digit() {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || b"+-.".contains(&bytes[at])) {
                at += 1;
            }
            let number = &text[start..at];
            let whole = number
                .strip_prefix('-')
                .unwrap_or(number)
                .bytes()
                .all(|byte| byte.is_ascii_digit());
            if whole && number.parse::<i64>().is_err() && number.len() > 1 {
                let _ = write!(kept, "{{\"$int\": \"{number}\"}}");
                continue;
            }
        } else {
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
        kept.push_str(text.get(start..at).unwrap_or_default());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_are_kept() {
        let text = r#"{"a": 160693804425899027, "b": [-16069380442589902755, 1e400], "ü 99999999999999999999": "\"1606938044258990275554"}"#;
        let kept = keep_integers(text);
        assert!(
            kept.contains(r#"[{"$int": "-16069380442589902755"}, 1e400]"#),
            "{kept}"
        );
        assert!(
            kept.contains(r#""ü 99999999999999999999": "\"1606938044258990275554"}"#),
            "{kept}"
        );
        assert!(kept.contains("160693804425899027,"), "{kept}");
    }

    #[test]
    fn limits_of_a_case() {
        let case = Case::read(r#"{"tests": [], "limits": {"wall_ms": 2000, "memory_mb": 256}}"#).unwrap();
        assert_eq!(
            (case.limits.cpu_ms, case.limits.wall_ms, case.limits.memory_bytes),
            (2000, 2000, 256 << 20)
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = Case::read(r#"{"tests": [{"name": "a", "type": "ask"}]}"#).unwrap_err();
        assert!(
            error.contains("\"a\"") && error.contains("types are stdin"),
            "{error}"
        );
    }
}
