//! The examples in a function's docstring, as asserts: what a program's author may see.
//!
//! Taken is what can be read in one way only. In this order, the first kind that gives anything counts:
//! doctests (`>>> f(2)`), calls with their result (`f(2) == 3`, `=>`, `➞`, `should return` …), and examples that
//! name the parameters (`Input: n = 2`, `Output: 3`; `For n = 2 the result should be 3`).

mod calls;
mod doctest;
mod labelled;
mod literal;
mod scan;

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged as _;

/// An example: an expression that calls the function, and what it should give.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Example {
    /// Statements that have to come first; mostly none.
    setup: String,
    /// The call.
    call: String,
    /// The result as Python source; `None` if the call is already a whole condition.
    expected: Option<String>,
}

/// The function whose docstring is read.
#[derive(Debug)]
struct Subject {
    name: String,
    parameters: Vec<String>,
    /// Whether the number of arguments is free.
    variadic: bool,
    /// Other functions that the prompt defines; examples may use them.
    helpers: Vec<String>,
    /// The docstring's source text without its quotes.
    doc: String,
}

/// The examples in the docstring of `entry_point`, each as an `assert`.
pub(super) fn examples(prompt: &str, entry_point: &str) -> Vec<String> {
    let Some(subject) = subject(prompt, entry_point) else {
        return Vec::new();
    };
    let mut examples = doctest::examples(&subject);
    if examples.is_empty() {
        examples = calls::examples(&subject);
    }
    if examples.is_empty() {
        examples = labelled::examples(&subject);
    }
    let contradicted = |example: &Example| {
        examples.iter().any(|other| {
            other.setup == example.setup && other.call == example.call && other.expected != example.expected
        })
    };
    let mut asserts = Vec::new();
    for example in examples.iter().filter(|example| !contradicted(example)) {
        let assert = example.assert();
        if !asserts.contains(&assert) {
            asserts.push(assert);
        }
    }
    asserts
}

impl Example {
    fn new(call: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            setup: String::new(),
            call: call.into(),
            expected: Some(expected.into()),
        }
    }

    fn assert(&self) -> String {
        let Self { setup, call, .. } = self;
        match self.expected.as_deref() {
            None => format!("{setup}assert {call}"),
            Some("None") => format!("{setup}assert {call} is None"),
            Some(expected) => format!("{setup}assert {call} == {expected}"),
        }
    }
}

/// Finds the function in the prompt, its parameters and its docstring.
fn subject(prompt: &str, entry_point: &str) -> Option<Subject> {
    let module = ruff_python_parser::parse_module(prompt).ok()?.into_syntax();
    let functions = || module.body.iter().filter_map(Stmt::as_function_def_stmt);
    let function = functions()
        .filter(|function| function.name.as_str() == entry_point)
        .last()?;
    // Imports in front of the string make it none to Python, but not to a reader.
    let docstring = function
        .body
        .iter()
        .find(|statement| !matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_)))
        .and_then(Stmt::as_expr_stmt)
        .and_then(|statement| statement.value.as_string_literal_expr())?;
    Some(Subject {
        name: entry_point.to_owned(),
        parameters: function
            .parameters
            .iter_non_variadic_params()
            .map(|parameter| parameter.name().to_string())
            .collect(),
        variadic: function.parameters.vararg.is_some(),
        helpers: functions()
            .map(|function| function.name.to_string())
            .filter(|name| name != entry_point)
            .collect(),
        doc: unquoted(&prompt[docstring.range()]),
    })
}

/// A string literal's source without prefix and quotes. Backslashes stay as they are written, unless they are
/// doubled: in `f("a\nb")`, written in a docstring that isn't raw, the author meant the example's own escape.
fn unquoted(literal: &str) -> String {
    let quoted = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let raw = literal[..literal.len() - quoted.len()].contains(['r', 'R']);
    let width = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") {
        3
    } else {
        1
    };
    let text = &quoted[width..quoted.len() - width];
    if raw {
        text.to_owned()
    } else {
        text.replace("\\\\", "\\")
    }
}

#[cfg(test)]
mod tests;
