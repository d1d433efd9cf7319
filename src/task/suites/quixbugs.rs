//! `QuixBugs`: one-line bugs, as `name`, `buggy`, `correct` and `cases` (`[arguments, expected]` each).
//!
//! Hidden are all cases but two that the project's own tests leave out too; visible are four of them.

use serde_json::Value;

use super::SuiteError;
use super::entry::Entry;
use super::python_text::{joined, python};
use crate::task::{Brief, Compare, HiddenTests, Language, Limits, Program, ScriptForm, Task, Test, TestKind};

/// Cases (counted from 0) for which even the right program needs minutes or gigabytes.
const SLOW: [(&str, usize); 2] = [("knapsack", 9), ("levenshtein", 3)];

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("buggy") || entry.has("cases")
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let name = entry.string("name")?;
    let buggy = entry.string("buggy")?;
    let correct = entry.string("correct")?;
    let cases: Vec<Case<'_>> = entry
        .list("cases")?
        .iter()
        .enumerate()
        .filter(|(index, _)| !SLOW.contains(&(name, *index)))
        .map(|(_, case)| {
            Case::of(case)
                .ok_or_else(|| entry.error("each of `cases` has to be `[[argument, ...], expected]`"))
        })
        .collect::<Result<_, _>>()?;
    if cases.is_empty() {
        return Err(entry.error("the field `cases` is empty: there would be nothing to check a program on"));
    }
    // The first alone are often too simple to show the bug.
    let mut visible = vec![0, 1, cases.len() / 2, cases.len() - 1];
    visible.retain(|index| *index < cases.len());
    visible.sort_unstable();
    visible.dedup();
    let lazy = correct.contains("yield ");
    let test = |prefix: &str, number: usize, case: &Case<'_>| Test {
        name: format!("{prefix}-{}", number + 1),
        kind: case.kind(name, lazy),
    };
    Ok(Task {
        id: name.to_owned(),
        brief: Brief {
            language: Language::PYTHON,
            statement: statement(name, buggy),
            entry_point: Some(name.to_owned()),
            starter_code: String::new(),
            visible: visible
                .iter()
                .enumerate()
                .map(|(number, index)| test("visible", number, &cases[*index]))
                .collect(),
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(
            cases
                .iter()
                .enumerate()
                .map(|(number, case)| test("hidden", number, case))
                .collect(),
        ),
        references: vec![Program::python(correct)],
        wrong: vec![Program::python(buggy)],
    })
}

struct Case<'a> {
    args: &'a [Value],
    expected: &'a Value,
}

impl<'a> Case<'a> {
    fn of(case: &'a Value) -> Option<Self> {
        match case.as_array()?.as_slice() {
            [Value::Array(args), expected] => Some(Self { args, expected }),
            _ => None,
        }
    }

    fn kind(&self, name: &str, lazy: bool) -> TestKind {
        if lazy {
            // The result is a generator, which is compared by what it yields.
            return TestKind::Script {
                code: format!(
                    "assert list({name}({})) == {}",
                    joined(self.args),
                    python(self.expected)
                ),
                form: ScriptForm::Asserts,
                entry: None,
            };
        }
        // "A float in the interval [sqrt(x) - epsilon, sqrt(x) + epsilon]", where epsilon is an argument.
        let epsilon = self
            .args
            .get(1)
            .and_then(Value::as_f64)
            .filter(|_| name == "sqrt");
        TestKind::Call {
            entry: name.to_owned(),
            args: self.args.to_vec(),
            expected: self.expected.clone(),
            compare: epsilon.map_or(Compare::Trim, |abs| Compare::Float { abs, rel: 0.0 }),
        }
    }
}

/// The function's head, and the description that stands as a string behind the buggy program.
fn statement(name: &str, buggy: &str) -> String {
    let head = format!("def {name}");
    let signature = buggy
        .lines()
        .find_map(|line| line.strip_prefix(&head)?.trim_end().strip_suffix(':'))
        .unwrap_or_default();
    let description = buggy.split("\"\"\"").nth(1).map_or("", str::trim);
    format!("Write a function `{name}{signature}`.\n\n{description}")
        .trim_end()
        .to_owned()
}
