//! What kind of tests a Python file holds.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Stmt, StmtClassDef};

use crate::task::ScriptForm;

/// The form of a file's tests; `None` where it holds none.
pub(super) fn of(script: &ModModule, text: &str) -> Option<ScriptForm> {
    if script
        .body
        .iter()
        .any(|stmt| class(stmt).is_some_and(is_test_case))
    {
        return Some(ScriptForm::Unittest);
    }
    if script.body.iter().any(|stmt| is_pytest(stmt, script)) {
        return Some(ScriptForm::Pytest);
    }
    if !holds_a_test(script) {
        return holds_examples(text).then_some(ScriptForm::Doctest);
    }
    let is_check = |stmt: &Stmt| matches!(stmt, Stmt::FunctionDef(f) if f.name.as_str() == "check" && !f.parameters.is_empty());
    Some(if script.body.iter().any(is_check) {
        ScriptForm::Check
    } else {
        ScriptForm::Asserts
    })
}

/// Whether a text holds an example of an interactive session.
pub(super) fn holds_examples(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(">>> "))
}

/// Whether the top level calls that function.
pub(super) fn calls(module: &ModModule, name: &str) -> bool {
    let mut finder = Calls { name, found: false };
    for stmt in &module.body {
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            finder.visit_stmt(stmt);
        }
    }
    finder.found
}

fn class(stmt: &Stmt) -> Option<&StmtClassDef> {
    match stmt {
        Stmt::ClassDef(class) => Some(class),
        _ => None,
    }
}

/// A class below `unittest.TestCase` or one of its kind.
fn is_test_case(class: &StmtClassDef) -> bool {
    class
        .bases()
        .iter()
        .any(|base| name_of(base).ends_with("TestCase"))
}

/// What only pytest would run: a test that the file doesn't call itself.
fn is_pytest(stmt: &Stmt, script: &ModModule) -> bool {
    match stmt {
        Stmt::FunctionDef(function) => {
            let name = function.name.as_str();
            name.starts_with("test") && !calls(script, name)
        }
        Stmt::ClassDef(class) => {
            let is_test = |stmt: &Stmt| matches!(stmt, Stmt::FunctionDef(f) if f.name.starts_with("test"));
            class.name.starts_with("Test")
                && class.body.iter().any(is_test)
                && !calls(script, class.name.as_str())
        }
        _ => false,
    }
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

struct Calls<'a> {
    name: &'a str,
    found: bool,
}

impl Visitor<'_> for Calls<'_> {
    fn visit_expr(&mut self, expr: &Expr) {
        self.found |= matches!(expr, Expr::Call(call) if name_of(&call.func) == self.name);
        ruff_python_ast::visitor::walk_expr(self, expr);
    }
}

fn name_of(function: &Expr) -> &str {
    match function {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form() {
        for (text, form) in [
            ("assert f(1) == 1", Some(ScriptForm::Asserts)),
            (
                "def test():\n    assert f(1) == 1\ntest()\n",
                Some(ScriptForm::Asserts),
            ),
            (
                "def test():\n    assert f(1) == 1\nif __name__ == '__main__':\n    test()\n",
                Some(ScriptForm::Asserts),
            ),
            (
                "def check(candidate):\n    assert candidate(1)\n",
                Some(ScriptForm::Check),
            ),
            ("def test_f():\n    assert f(1) == 1\n", Some(ScriptForm::Pytest)),
            (
                "async def test_f():\n    assert await f(1) == 1\n",
                Some(ScriptForm::Pytest),
            ),
            (
                "class TestF:\n    def test_f(self):\n        assert f(1) == 1\n",
                Some(ScriptForm::Pytest),
            ),
            (
                "import unittest\nclass F(unittest.TestCase):\n    def test_f(self): pass\n",
                Some(ScriptForm::Unittest),
            ),
            (
                "class F(IsolatedAsyncioTestCase):\n    pass\n",
                Some(ScriptForm::Unittest),
            ),
            ("'''\n>>> f(1)\n1\n'''\n", Some(ScriptForm::Doctest)),
            ("f(1)\n", None),
        ] {
            let module = ruff_python_parser::parse_module(text).unwrap().into_syntax();
            assert_eq!(of(&module, text), form, "{text}");
        }
    }
}
