//! What tests ask and expect, as far as both are literals.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{CmpOp, Expr, ExprCall, Stmt, UnaryOp};

use crate::judge::evidence::values::{of_json, plain};
use crate::task::{ScriptForm, Test, TestKind};

/// A question and its answer.
#[derive(Debug)]
pub(super) struct Question {
    /// What a program would have to know; one of these suffices.
    pub(super) inputs: Vec<Vec<String>>,
    pub(super) answer: String,
}

/// All questions of a test.
pub(super) fn of(test: &Test) -> Vec<Question> {
    match &test.kind {
        TestKind::Call { args, expected, .. } if !args.is_empty() => vec![Question {
            inputs: vec![args.iter().map(of_json).collect()],
            answer: of_json(expected),
        }],
        TestKind::Stdin { stdin, expected, .. } if !stdin.trim().is_empty() => {
            let lines = stdin.lines().map(str::trim).filter(|line| !line.is_empty());
            vec![Question {
                inputs: vec![vec![stdin.trim().to_owned()], lines.map(str::to_owned).collect()],
                answer: expected.trim().to_owned(),
            }]
        }
        TestKind::Script {
            code,
            form: ScriptForm::Doctest,
            ..
        } => examples(code),
        TestKind::Script { code, .. } => {
            let Ok(module) = ruff_python_parser::parse_module(code) else {
                return Vec::new();
            };
            let mut found = Found::default();
            found.visit_body(&module.syntax().body);
            found.questions
        }
        _ => Vec::new(),
    }
}

/// `>>> f(1)` with the answer on the next line.
fn examples(text: &str) -> Vec<Question> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let parsed = |source: &str| ruff_python_parser::parse_expression(source).ok();
    lines
        .windows(2)
        .filter_map(|pair| {
            let (asked, expected) = (parsed(pair[0].strip_prefix(">>>")?.trim())?, parsed(pair[1])?);
            question(asked.expr(), plain(expected.expr())?)
        })
        .collect()
}

#[derive(Default)]
struct Found {
    questions: Vec<Question>,
}

impl<'a> Visitor<'a> for Found {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if let Stmt::Assert(assert) = stmt {
            self.questions.extend(claim(&assert.test));
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Call(call) = expr {
            self.questions.extend(assertion(call));
        }
        walk_expr(self, expr);
    }
}

/// `f(1) == 2`, `f(1)`, `not f(1)`.
fn claim(test: &Expr) -> Option<Question> {
    match test {
        Expr::Compare(compare) if compare.ops.len() == 1 => {
            if !matches!(compare.ops[0], CmpOp::Eq | CmpOp::Is) {
                return None;
            }
            either(&compare.left, &compare.comparators[0])
        }
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => question(&unary.operand, "False".to_owned()),
        other => question(other, "True".to_owned()),
    }
}

/// `self.assertEqual(f(1), 2)`, `assertTrue(f(1))`.
fn assertion(call: &ExprCall) -> Option<Question> {
    let name = call.func.as_attribute_expr()?.attr.as_str();
    match (name, &*call.arguments.args) {
        (
            "assertEqual" | "assertEquals" | "assertIs" | "assertListEqual" | "assertDictEqual"
            | "assertAlmostEqual",
            [left, right, ..],
        ) => either(left, right),
        ("assertTrue", [asked, ..]) => claim(asked),
        ("assertFalse", [asked, ..]) => question(asked, "False".to_owned()),
        _ => None,
    }
}

fn either(left: &Expr, right: &Expr) -> Option<Question> {
    let one = |asked, expected| question(asked, plain(expected)?);
    one(left, right).or_else(|| one(right, left))
}

fn question(asked: &Expr, answer: String) -> Option<Question> {
    let arguments = &asked.as_call_expr()?.arguments;
    let keywords = arguments.keywords.iter().map(|keyword| &keyword.value);
    let inputs: Option<Vec<String>> = arguments.args.iter().chain(keywords).map(plain).collect();
    let inputs = inputs.filter(|inputs| !inputs.is_empty())?;
    Some(Question {
        inputs: vec![inputs],
        answer,
    })
}
