//! What stands in the body of a function.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextRange};

/// What stands in a body, nested functions left out.
#[derive(Default)]
pub(super) struct Inside {
    /// Assertions, each with what may keep it from failing.
    pub(super) assertions: Vec<(String, TextRange)>,
    /// Calls that stand alone, each with the name that is called.
    pub(super) calls: Vec<(String, TextRange)>,
    pub(super) loops: usize,
    pub(super) returns: bool,
    /// What stands around the statement that is read.
    around: String,
}

impl Inside {
    pub(super) fn read(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assert(_) => self.assertions.push((self.around.clone(), statement.range())),
            Stmt::Return(back) => self.returns |= back.value.is_some(),
            Stmt::Expr(expression) => {
                if let Some(name) = called(&expression.value) {
                    self.calls.push((name, statement.range()));
                }
            }
            Stmt::If(branch) => {
                self.within(never(&branch.test), &branch.body);
                for clause in &branch.elif_else_clauses {
                    self.within(clause.test.as_ref().and_then(never), &clause.body);
                }
            }
            Stmt::For(each) => {
                self.loops += 1;
                self.read(&each.body);
                self.read(&each.orelse);
            }
            Stmt::While(repeat) => {
                self.loops += 1;
                self.within(never(&repeat.test), &repeat.body);
                self.read(&repeat.orelse);
            }
            Stmt::With(with) => {
                let suppresses = with.items.iter().any(|item| {
                    called(&item.context_expr)
                        .is_some_and(|name| name.ends_with("suppress") || name.ends_with("raises"))
                });
                self.within(suppresses.then_some("with "), &with.body);
            }
            Stmt::Try(attempt) => {
                let catches = (!attempt.handlers.is_empty()).then_some("try ");
                self.within(catches, &attempt.body);
                self.read(&attempt.orelse);
                self.read(&attempt.finalbody);
                for handler in &attempt.handlers {
                    let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                    self.within(Some("except "), &handler.body);
                }
            }
            Stmt::Match(cases) => cases.cases.iter().for_each(|case| self.read(&case.body)),
            _ => {}
        }
    }

    fn within(&mut self, around: Option<&str>, statements: &[Stmt]) {
        let before = self.around.len();
        self.around.push_str(around.unwrap_or_default());
        self.read(statements);
        self.around.truncate(before);
    }
}

/// Conditions that never hold when a program runs.
fn never(test: &Expr) -> Option<&'static str> {
    let is_false = match test {
        Expr::BooleanLiteral(value) => !value.value,
        Expr::NoneLiteral(_) => true,
        Expr::NumberLiteral(number) => {
            matches!(&number.value, ruff_python_ast::Number::Int(int) if int.as_u8() == Some(0))
        }
        Expr::StringLiteral(text) => text.value.is_empty(),
        Expr::Name(name) => name.id.as_str() == "TYPE_CHECKING",
        Expr::UnaryOp(not) => {
            not.op == ruff_python_ast::UnaryOp::Not
                && matches!(not.operand.as_ref(), Expr::BooleanLiteral(value) if value.value)
        }
        _ => false,
    };
    is_false.then_some("never ")
}

/// The name that an expression calls, with dots.
pub(super) fn called(expression: &Expr) -> Option<String> {
    let Expr::Call(call) = expression else { return None };
    match call.func.as_ref() {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => match attribute.value.as_ref() {
            Expr::Name(base) => Some(format!("{}.{}", base.id, attribute.attr)),
            _ => Some(attribute.attr.to_string()),
        },
        _ => None,
    }
}
