//! A file with tests: Python with assertions, a `check(candidate)` or a framework's tests, text with examples, or a
//! `case.json`.

mod form;

use std::path::Path;

use ruff_python_ast::{ModModule, Stmt};

use super::case::Case;
use super::{Limits, ScriptForm, Test, TestKind};

/// A file of tests that can't be used: says which and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TestsError(pub String);

/// What a file of tests holds.
#[derive(Clone, Debug)]
pub enum TestsFile {
    /// Python code; each assertion is a result of its own.
    Script(Test),
    /// Tests with limits; each is one result.
    Case(Case),
}

impl TestsFile {
    /// Reads a file. `entry` is what `candidate` stands for; where it is needed and missing, it is the last function
    /// at the top level of `program`.
    pub fn read(path: &Path, entry: Option<&str>, program: &str) -> Result<Self, TestsError> {
        let name = path.display();
        let text = crate::files::read(path).map_err(|error| TestsError(format!("{name}: {error}")))?;
        let text = String::from_utf8(text).map_err(|_| TestsError(format!("{name}: is no UTF-8 text")))?;
        if path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        {
            let case = Case::read(&text).map_err(|error| TestsError(format!("{name}: {error}")))?;
            if case.tests.is_empty() {
                return Err(TestsError(format!("{name} holds no test: `tests` is empty")));
            }
            return Ok(Self::Case(case));
        }
        let (form, entry) = if is_prose(path) {
            if !form::holds_examples(&text) {
                return Err(TestsError(format!(
                    "{name} holds no test: it has no example with `>>>`"
                )));
            }
            (ScriptForm::Doctest, None)
        } else {
            python(&text, entry, program).map_err(|error| TestsError(format!("{name} {error}")))?
        };
        let stem = path
            .file_stem()
            .map_or_else(|| "tests".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Ok(Self::Script(Test {
            name: stem,
            kind: TestKind::Script {
                code: text,
                form,
                entry,
            },
        }))
    }

    /// The limits that the file itself sets.
    pub fn limits(&self) -> Option<Limits> {
        match self {
            Self::Script(_) => None,
            Self::Case(case) => Some(case.limits),
        }
    }

    /// What `candidate` stands for.
    pub fn entry(&self) -> Option<&str> {
        match self {
            Self::Script(Test {
                kind: TestKind::Script { entry, .. },
                ..
            }) => entry.as_deref(),
            _ => None,
        }
    }
}

/// Whether a file is text with examples.
fn is_prose(path: &Path) -> bool {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| ["txt", "md", "rst", "doctest"].contains(&extension.as_str()))
}

/// The form of a Python file's tests, and what `candidate` stands for.
fn python(text: &str, entry: Option<&str>, program: &str) -> Result<(ScriptForm, Option<String>), String> {
    let parsed =
        ruff_python_parser::parse_module(text).map_err(|error| format!("isn't valid Python: {error}"))?;
    let script = parsed.into_syntax();
    let Some(form) = form::of(&script, text) else {
        let what =
            "it has no `assert` statement, in a `check(candidate)` or elsewhere, and no test of a framework";
        return Err(format!("holds no test: {what}"));
    };
    let entry = match (entry, form) {
        (Some(entry), _) => Some(entry.to_owned()),
        (None, ScriptForm::Check) => match last_function(program) {
            Some(found) => Some(found),
            None if form::calls(&script, "check") => None,
            None => {
                let what = "the program defines no function at its top level; name one with --entry";
                return Err(format!("needs a function to check: {what}"));
            }
        },
        (None, _) => None,
    };
    Ok((form, entry))
}

/// The last function at the top level of a program.
fn last_function(program: &str) -> Option<String> {
    let module: ModModule = ruff_python_parser::parse_module(program).ok()?.into_syntax();
    module.body.iter().rev().find_map(|stmt| match stmt {
        Stmt::FunctionDef(function) => Some(function.name.to_string()),
        _ => None,
    })
}
