//! `EvalPlus`' `HumanEval+` and `MBPP+`: `task_id`, `prompt`, `entry_point`, `canonical_solution`, `base_input`, `plus_input`,
//! `atol`; also `contract`, which describes the inputs and isn't needed to judge.
//!
//! The suite holds inputs and no results. What is right is what the canonical solution gives on the same input: it
//! runs beside the tests, in their sandbox, never beside the program. The tests are two, `base` and `plus`.

mod shapes;

use serde_json::Value;

use super::entry::Entry;
use super::human_eval::{program_of, visible_of};
use super::{SuiteError, python_text, visible_asserts};
use crate::task::{Brief, HiddenTests, Language, Limits, ScriptForm, Task, Test, TestKind};
use shapes::Shape;

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("base_input") || entry.has("plus_input")
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let id = entry.string("task_id")?.to_owned();
    let prompt = entry.string("prompt")?;
    let entry_point = entry.string("entry_point")?;
    let solution = entry.string("canonical_solution")?;
    let reference = program_of(prompt, entry_point, solution);
    let atol = match entry.value("atol") {
        None => 0.0,
        Some(value) => value.as_f64().filter(|atol| *atol >= 0.0).ok_or_else(|| {
            entry.error(format!(
                "the field `atol` has to be a number from 0, and is {value}"
            ))
        })?,
    };
    let shape = Shape::of(&id);
    let mut tests = Vec::new();
    for part in ["base", "plus"] {
        let field = format!("{part}_input");
        if !entry.has(&field) {
            continue;
        }
        let inputs = inputs(entry, &field, shape)?;
        if inputs.is_empty() {
            continue;
        }
        tests.push(Test {
            name: part.to_owned(),
            kind: TestKind::Script {
                code: script(&reference.source, entry_point, &inputs, atol),
                form: ScriptForm::Check,
                entry: Some(entry_point.to_owned()),
            },
        });
    }
    if tests.is_empty() {
        return Err(entry.error(
            "the fields `base_input` and `plus_input` hold no input: there would be nothing to check a program on",
        ));
    }
    // MBPP's prompts are a text with one assertion, HumanEval's a function's head with examples.
    let asserts: Vec<&str> = prompt
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("assert "))
        .collect();
    let visible = if asserts.is_empty() {
        visible_of(&id, prompt, entry_point)
    } else {
        visible_asserts(asserts, Some(entry_point))
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
        hidden: HiddenTests::new(tests),
        references: vec![reference],
        wrong: Vec::new(),
    })
}

/// The inputs of a part as Python source: each a list or tuple of arguments.
fn inputs(entry: &Entry<'_>, field: &str, shape: Shape) -> Result<Vec<String>, SuiteError> {
    let wrong = |at: usize| {
        entry.error(format!(
            "each of `{field}` has to be a list of arguments, and number {} isn't",
            at + 1
        ))
    };
    entry
        .list(field)?
        .iter()
        .enumerate()
        .map(|(at, input)| {
            let arguments = input.as_array().ok_or_else(|| wrong(at))?;
            Ok(shape.python(arguments))
        })
        .collect()
}

/// The test code: the program and the reference get a copy each of every input.
fn script(reference: &str, entry_point: &str, inputs: &[String], atol: f64) -> String {
    let quoted = python_text::python(&Value::from(reference));
    let name = python_text::python(&Value::from(entry_point));
    let inputs = inputs.join(",\n    ");
    let comparison = comparison(entry_point);
    format!(
        "import copy\n\nATOL = {atol:?}\n{NEAR}\n\
         reference = {{}}\nexec({quoted}, reference)\nreference = reference[{name}]\n\n\
         INPUTS = [\n    {inputs},\n]\n\n\
         def check(candidate):\n{comparison}"
    )
}

/// Functions whose result is right in any order.
const AS_SETS: [&str; 8] = [
    "similar_elements",
    "find_char_long",
    "common_in_nested_lists",
    "extract_singly",
    "larg_nnum",
    "intersection_array",
    "find_dissimilar",
    "Diff",
];

/// Functions of which it matters only whether they find something.
const FOUND_OR_NOT: [&str; 3] = ["check_str", "text_match_three", "text_starta_endb"];

/// How results are compared; some functions have more than one right result.
fn comparison(entry_point: &str) -> String {
    let each = |setup: &str, assertion: &str| {
        format!("    for args in INPUTS:\n        {setup}assert {assertion}\n")
    };
    let expected = "expected = reference(*copy.deepcopy(args))\n        ";
    match entry_point {
        // A root of a polynomial, of which there may be several.
        "find_zero" => format!(
            "    def value(xs, x):\n        return sum(c * x ** i for i, c in enumerate(xs))\n\n{}",
            each(
                "",
                "abs(value(*args, candidate(*copy.deepcopy(args)))) <= (ATOL or 1e-4)"
            )
        ),
        // Statements that can be read in two ways.
        "are_equivalent" => one_of("True"),
        "sum_div" => one_of("0"),
        name if AS_SETS.contains(&name) => {
            each(expected, "set(candidate(*copy.deepcopy(args))) == set(expected)")
        }
        name if FOUND_OR_NOT.contains(&name) => each(
            expected,
            "candidate(*copy.deepcopy(args)) not in (None, False) if expected else candidate(*copy.deepcopy(args)) in (None, False)",
        ),
        _ => each(expected, "candidate(*copy.deepcopy(args)) == near(expected)"),
    }
}

/// All as the reference, or all this value.
fn one_of(value: &str) -> String {
    format!(
        "    results = [candidate(*copy.deepcopy(args)) for args in INPUTS]\n    \
         expected = [reference(*copy.deepcopy(args)) for args in INPUTS]\n    \
         assert results == expected or results == [{value}] * len(INPUTS)\n"
    )
}

/// `EvalPlus` compares exactly, and where that fails and a tolerance is given or floats are expected, by closeness.
const NEAR: &str = "\
class Near:
    def __init__(self, expected, atol):
        self.expected, self.atol = expected, atol

    def __repr__(self):
        return repr(self.expected)

    def __eq__(self, actual):
        return actual == self.expected or self.close(actual, self.expected)

    def close(self, actual, expected):
        if type(expected) in (list, tuple):
            if type(actual) not in (list, tuple) or len(actual) != len(expected):
                return False
            return all(map(self.close, actual, expected))
        if type(expected) not in (int, float, bool) or type(actual) not in (int, float, bool):
            return False
        if expected != expected or actual != actual:
            return expected != expected and actual != actual
        return actual == expected or abs(actual - expected) <= self.atol + 1e-7 * abs(expected)


def is_floats(value):
    if type(value) in (list, tuple):
        return len(value) > 0 and all(type(item) is float for item in value)
    return type(value) is float


def near(expected):
    atol = ATOL or (1e-6 if is_floats(expected) else 0)
    return Near(expected, atol) if atol else expected
";
