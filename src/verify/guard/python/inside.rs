//! What stands in the body of a function.

use ruff_python_ast::Stmt;
use ruff_text_size::{Ranged, TextRange};

/// What stands in a body, nested functions left out.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) assertions: Vec<TextRange>,
    pub(super) loops: usize,
    pub(super) returns: bool,
}

impl Inside {
    pub(super) fn read(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Assert(_) => self.assertions.push(statement.range()),
                Stmt::Return(back) => self.returns |= back.value.is_some(),
                Stmt::If(branch) => {
                    self.read(&branch.body);
                    branch
                        .elif_else_clauses
                        .iter()
                        .for_each(|clause| self.read(&clause.body));
                }
                Stmt::For(each) => {
                    self.loops += 1;
                    self.read(&each.body);
                    self.read(&each.orelse);
                }
                Stmt::While(repeat) => {
                    self.loops += 1;
                    self.read(&repeat.body);
                    self.read(&repeat.orelse);
                }
                Stmt::With(with) => self.read(&with.body),
                Stmt::Try(attempt) => {
                    for body in [&attempt.body, &attempt.orelse, &attempt.finalbody] {
                        self.read(body);
                    }
                    for handler in &attempt.handlers {
                        let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                        self.read(&handler.body);
                    }
                }
                Stmt::Match(cases) => cases.cases.iter().for_each(|case| self.read(&case.body)),
                _ => {}
            }
        }
    }
}
