//! What can be read off Python source without running it.

use std::collections::BTreeSet;

use ruff_python_ast::{Expr, Stmt};

/// Parsed top-level structure of a Python source text.
#[derive(Debug)]
pub(crate) struct Outline {
    /// Names that the top level defines: functions, classes, assignments, imports.
    pub(crate) defines: BTreeSet<String>,
    /// Whether it holds a statement other than imports, definitions and docstrings.
    pub(crate) acts: bool,
    /// Whether there is any statement at all.
    pub(crate) is_empty: bool,
}

/// The outline of `source`, or `None` where it isn't Python.
pub(crate) fn outline(source: &str) -> Option<Outline> {
    let parsed = ruff_python_parser::parse_module(source).ok()?;
    let mut outline = Outline {
        defines: BTreeSet::new(),
        acts: false,
        is_empty: true,
    };
    for statement in &parsed.syntax().body {
        outline.is_empty = false;
        note(statement, &mut outline);
    }
    Some(outline)
}

/// The last function or class at the top level of `source` whose name stands in `tests`.
pub fn called_definition(source: &str, tests: &str) -> Option<String> {
    let parsed = ruff_python_parser::parse_module(source).ok()?;
    parsed.syntax().body.iter().rev().find_map(|statement| {
        let name = match statement {
            Stmt::FunctionDef(function) => function.name.as_str(),
            Stmt::ClassDef(class) => class.name.as_str(),
            _ => return None,
        };
        uses(tests, name).then(|| name.to_owned())
    })
}

/// Whether `name` stands in `text` as a word.
pub(crate) fn uses(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + name.len()..].chars().next().is_some_and(is_word)
    })
}

fn note(statement: &Stmt, outline: &mut Outline) {
    match statement {
        Stmt::FunctionDef(function) => {
            outline.defines.insert(function.name.to_string());
        }
        Stmt::ClassDef(class) => {
            outline.defines.insert(class.name.to_string());
        }
        Stmt::Import(import) => {
            for alias in &import.names {
                let name = alias.asname.as_ref().unwrap_or(&alias.name);
                outline
                    .defines
                    .insert(name.split('.').next().unwrap_or_default().to_owned());
            }
        }
        Stmt::ImportFrom(import) => {
            for alias in &import.names {
                outline
                    .defines
                    .insert(alias.asname.as_ref().unwrap_or(&alias.name).to_string());
            }
        }
        Stmt::Assign(assign) => {
            for target in &assign.targets {
                note_target(target, outline);
            }
        }
        Stmt::AnnAssign(assign) => note_target(&assign.target, outline),
        // A definition may stand behind a version check or an import guard.
        Stmt::If(branch) => {
            for inner in branch
                .body
                .iter()
                .chain(branch.elif_else_clauses.iter().flat_map(|clause| &clause.body))
            {
                note(inner, outline);
            }
        }
        Stmt::Try(attempt) => {
            for inner in attempt
                .body
                .iter()
                .chain(&attempt.orelse)
                .chain(&attempt.finalbody)
            {
                note(inner, outline);
            }
        }
        Stmt::Expr(expression) if expression.value.is_string_literal_expr() => {}
        Stmt::Pass(_) => {}
        _ => outline.acts = true,
    }
}

fn note_target(target: &Expr, outline: &mut Outline) {
    match target {
        Expr::Name(name) => {
            outline.defines.insert(name.id.to_string());
        }
        Expr::Tuple(tuple) => tuple
            .elts
            .iter()
            .for_each(|element| note_target(element, outline)),
        Expr::List(list) => list.elts.iter().for_each(|element| note_target(element, outline)),
        _ => {}
    }
}
