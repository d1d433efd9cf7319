//! Values of a Python program that stand for an input and for what is given back for it.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{CmpOp, Expr, Pattern, Stmt, StmtIf};

use super::questions::Question;
use crate::judge::evidence::values::plain;

/// What is compared, and what comes of it.
#[derive(Debug, Default)]
pub(super) struct Pair {
    inputs: HashSet<String>,
    answers: HashSet<String>,
}

impl Pair {
    pub(super) fn answers(&self, question: &Question) -> bool {
        self.answers.contains(&question.answer)
            && question
                .inputs
                .iter()
                .any(|inputs| inputs.iter().all(|input| self.inputs.contains(input)))
    }
}

/// All pairs of a source; `None` if it is no Python.
pub(super) fn of(source: &str) -> Option<Vec<Pair>> {
    let module = ruff_python_parser::parse_module(source).ok()?;
    let mut pairs = Pairs::default();
    pairs.visit_body(&module.syntax().body);
    Some(pairs.found)
}

#[derive(Default)]
struct Pairs {
    found: Vec<Pair>,
}

impl Pairs {
    fn add(&mut self, inputs: HashSet<String>, answers: HashSet<String>) {
        if !inputs.is_empty() && !answers.is_empty() {
            self.found.push(Pair { inputs, answers });
        }
    }

    fn branches(&mut self, stmt: &StmtIf) {
        self.add(compared(&stmt.test), literals_of(&stmt.body));
        for clause in &stmt.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.add(compared(test), literals_of(&clause.body));
            }
        }
    }
}

impl<'a> Visitor<'a> for Pairs {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            // What a program says of itself isn't what it answers.
            Stmt::Assert(_) => return,
            Stmt::Expr(only) if !only.value.is_call_expr() => return,
            Stmt::If(branch) if is_main(&branch.test) => return,
            Stmt::If(branch) => self.branches(branch),
            Stmt::Match(matching) => {
                for case in &matching.cases {
                    let mut inputs = Literals::default();
                    inputs.visit_pattern(&case.pattern);
                    self.add(inputs.found, literals_of(&case.body));
                }
            }
            Stmt::Return(returned) => {
                // `return n == 101`, `return n in (101, 103)`
                if let Some(value) = &returned.value {
                    let truth = HashSet::from(["True".to_owned()]);
                    self.add(compared(value), truth);
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::If(choice) => self.add(compared(&choice.test), literals_in(&choice.body)),
            Expr::Dict(dict) => {
                for item in &dict.items {
                    if let Some(key) = &item.key {
                        self.add(literals_in(key), literals_in(&item.value));
                    }
                }
            }
            // What is only printed at the top level is seen by nobody but in a whole program, and there it stands in an `if`.
            Expr::Call(call)
                if call
                    .func
                    .as_name_expr()
                    .is_some_and(|name| name.id.as_str() == "print") =>
            {
                return;
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}

/// `__name__ == "__main__"`
fn is_main(test: &Expr) -> bool {
    test.as_compare_expr().is_some_and(|compare| {
        compare
            .left
            .as_name_expr()
            .is_some_and(|name| name.id.as_str() == "__name__")
    })
}

/// The literals that something is held against.
fn compared(test: &Expr) -> HashSet<String> {
    struct Compared(HashSet<String>);
    impl<'a> Visitor<'a> for Compared {
        fn visit_expr(&mut self, expr: &'a Expr) {
            if let Expr::Compare(compare) = expr {
                let operands = std::iter::once(&*compare.left).chain(&compare.comparators);
                let alike = |op: &CmpOp| matches!(op, CmpOp::Eq | CmpOp::Is | CmpOp::In);
                if compare.ops.iter().all(alike) {
                    let literals = operands.filter(|operand| plain(operand).is_some());
                    for literal in literals {
                        self.0.extend(literals_in(literal));
                    }
                }
            }
            walk_expr(self, expr);
        }
    }
    let mut found = Compared(HashSet::new());
    found.visit_expr(test);
    found.0
}

fn literals_in(expr: &Expr) -> HashSet<String> {
    let mut literals = Literals::default();
    literals.visit_expr(expr);
    literals.found
}

fn literals_of(body: &[Stmt]) -> HashSet<String> {
    let mut literals = Literals::default();
    literals.visit_body(body);
    literals.found
}

/// All literals, those inside of others too; texts and numbers also as they would be printed.
#[derive(Default)]
struct Literals {
    found: HashSet<String>,
}

impl<'a> Visitor<'a> for Literals {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Some(value) = plain(expr) {
            self.found.insert(value);
        }
        if let Expr::StringLiteral(text) = expr {
            self.found.insert(text.value.to_str().trim().to_owned());
        }
        walk_expr(self, expr);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        walk_pattern(self, pattern);
    }
}
