//! A file with tests: Python with assertions or a `check(candidate)`, or a `case.json`.

use std::path::Path;

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Stmt};

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
        let text = std::fs::read_to_string(path).map_err(|error| TestsError(format!("{name}: {error}")))?;
        if path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        {
            let case = Case::read(&text).map_err(|error| TestsError(format!("{name}: {error}")))?;
            if case.tests.is_empty() && case.unsupported.is_empty() {
                return Err(TestsError(format!("{name} holds no test: `tests` is empty")));
            }
            return Ok(Self::Case(case));
        }
        let parsed = ruff_python_parser::parse_module(&text)
            .map_err(|error| TestsError(format!("{name} isn't valid Python: {error}")))?;
        let script = parsed.into_syntax();
        if !holds_a_test(&script) {
            let what = "it has no `assert` statement, in a `check(candidate)` or elsewhere";
            return Err(TestsError(format!("{name} holds no test: {what}")));
        }
        let is_check = |stmt: &Stmt| matches!(stmt, Stmt::FunctionDef(f) if f.name.as_str() == "check" && !f.parameters.is_empty());
        let form = if script.body.iter().any(is_check) {
            ScriptForm::Check
        } else {
            ScriptForm::Asserts
        };
        let entry = match (entry, form) {
            (Some(entry), _) => Some(entry.to_owned()),
            (None, ScriptForm::Asserts) => None,
            (None, ScriptForm::Check) => match last_function(program) {
                Some(found) => Some(found),
                None if calls_check(&script) => None,
                None => {
                    let what = "the program defines no function at its top level; name one with --entry";
                    return Err(TestsError(format!("{name} needs a function to check: {what}")));
                }
            },
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

/// The last function at the top level of a program.
fn last_function(program: &str) -> Option<String> {
    let module = ruff_python_parser::parse_module(program).ok()?.into_syntax();
    module.body.iter().rev().find_map(|stmt| match stmt {
        Stmt::FunctionDef(function) => Some(function.name.to_string()),
        _ => None,
    })
}

fn calls_check(module: &ModModule) -> bool {
    module.body.iter().any(|stmt| match stmt {
        Stmt::Expr(expression) => {
            matches!(&*expression.value, Expr::Call(call) if name_of(&call.func) == "check")
        }
        _ => false,
    })
}

fn holds_a_test(module: &ModModule) -> bool {
    let mut finder = Finder { found: false };
    finder.visit_body(&module.body);
    finder.found
}

struct Finder {
    found: bool,
}

impl Visitor<'_> for Finder {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        self.found |= match stmt {
            Stmt::Assert(_) | Stmt::Raise(_) => true,
            Stmt::Expr(expression) => {
                matches!(&*expression.value, Expr::Call(call) if name_of(&call.func).starts_with("assert"))
            }
            _ => false,
        };
        walk_stmt(self, stmt);
    }
}

fn name_of(function: &Expr) -> &str {
    match function {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    }
}
