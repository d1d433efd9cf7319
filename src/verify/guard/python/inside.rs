//! What stands in the body of a function.

use ruff_python_ast::{Expr, Number, Stmt, UnaryOp};
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
    /// At least half of it are assertions.
    pub(super) only_claims: bool,
    /// It begins with what never gives anything back.
    pub(super) is_stub: bool,
    /// What stands around the statement that is read.
    around: String,
    /// Ways out in front of it.
    ends: usize,
}

impl Inside {
    pub(super) fn of(body: &[Stmt]) -> Self {
        let mut inside = Self::default();
        inside.read(body);
        let body: Vec<&Stmt> = body.iter().filter(|statement| !is_text(statement)).collect();
        let asserts = body.iter().filter(|statement| claims(statement)).count();
        inside.only_claims = asserts > 0 && asserts * 2 >= body.len() && !inside.returns;
        inside.is_stub = match body.first() {
            None => true,
            Some(first) => gives_nothing(first) || body.iter().all(|statement| says_nothing(statement)),
        };
        inside
    }

    fn read(&mut self, statements: &[Stmt]) {
        let before = self.around.len();
        for statement in statements {
            self.statement(statement);
            if leaves(statement) {
                self.around.push_str("never ");
            }
        }
        self.around.truncate(before);
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assert(_) => {
                // A new way out in front of it may keep it from being reached.
                let behind = if self.ends > 0 {
                    format!("behind {} ends: ", self.ends)
                } else {
                    String::new()
                };
                self.assertions.push((behind + &self.around, statement.range()));
            }
            Stmt::Return(back) => {
                self.ends += 1;
                self.returns |= back.value.is_some();
            }
            Stmt::Raise(_) => self.ends += 1,
            Stmt::Expr(expression) => {
                if let Some(name) = called(&expression.value) {
                    self.calls.push((name, statement.range()));
                }
            }
            Stmt::If(branch) => {
                self.within(
                    if is_never(&branch.test) { "never " } else { "if " },
                    &branch.body,
                );
                for clause in &branch.elif_else_clauses {
                    let never = clause.test.as_ref().is_some_and(is_never) || is_always(&branch.test);
                    self.within(if never { "never " } else { "else " }, &clause.body);
                }
            }
            Stmt::For(each) => {
                self.loops += 1;
                self.within(if is_never(&each.iter) { "never " } else { "for " }, &each.body);
                self.read(&each.orelse);
            }
            Stmt::While(repeat) => {
                self.loops += 1;
                self.within(
                    if is_never(&repeat.test) {
                        "never "
                    } else {
                        "while "
                    },
                    &repeat.body,
                );
                self.read(&repeat.orelse);
            }
            Stmt::With(with) => {
                let suppresses = with.items.iter().any(|item| {
                    called(&item.context_expr)
                        .is_some_and(|name| name.ends_with("suppress") || name.ends_with("raises"))
                });
                self.within(if suppresses { "with " } else { "" }, &with.body);
            }
            Stmt::Try(attempt) => {
                self.within(
                    if attempt.handlers.is_empty() { "" } else { "try " },
                    &attempt.body,
                );
                self.read(&attempt.orelse);
                self.read(&attempt.finalbody);
                for handler in &attempt.handlers {
                    let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                    self.within("except ", &handler.body);
                }
            }
            Stmt::Match(cases) => cases
                .cases
                .iter()
                .for_each(|case| self.within("case ", &case.body)),
            _ => {}
        }
    }

    fn within(&mut self, around: &str, statements: &[Stmt]) {
        let before = self.around.len();
        self.around.push_str(around);
        self.read(statements);
        self.around.truncate(before);
    }
}

/// Whether a statement claims something, at any depth.
pub(super) fn claims(statement: &Stmt) -> bool {
    let any = |statements: &[Stmt]| statements.iter().any(claims);
    match statement {
        Stmt::Assert(_) => true,
        Stmt::Expr(expression) => called(&expression.value).is_some_and(|name| {
            let last = name.rsplit('.').next().unwrap_or(&name);
            last.starts_with("assert") || last.starts_with("test")
        }),
        Stmt::If(branch) => {
            any(&branch.body) || branch.elif_else_clauses.iter().any(|clause| any(&clause.body))
        }
        Stmt::For(each) => any(&each.body),
        Stmt::While(repeat) => any(&repeat.body),
        Stmt::With(with) => any(&with.body),
        Stmt::Try(attempt) => any(&attempt.body) || any(&attempt.finalbody) || any(&attempt.orelse),
        Stmt::Match(cases) => cases.cases.iter().any(|case| any(&case.body)),
        _ => false,
    }
}

/// Whether statements end the program, other than by coming to their end.
pub(super) fn ends(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Raise(_) => true,
        Stmt::Expr(expression) => called(&expression.value)
            .is_some_and(|name| matches!(name.rsplit('.').next(), Some("exit" | "_exit" | "quit" | "abort"))),
        Stmt::If(branch) => ends(&branch.body),
        _ => false,
    })
}

fn is_text(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(expression) if expression.value.is_string_literal_expr())
}

fn says_nothing(statement: &Stmt) -> bool {
    match statement {
        Stmt::Pass(_) => true,
        Stmt::Expr(expression) => expression.value.is_ellipsis_literal_expr(),
        _ => false,
    }
}

/// Whether nothing that could be given back comes behind it.
fn gives_nothing(statement: &Stmt) -> bool {
    match statement {
        Stmt::Raise(_) => true,
        Stmt::Assert(assert) => is_never(&assert.test),
        Stmt::While(repeat) => {
            is_always(&repeat.test)
                && repeat
                    .body
                    .iter()
                    .all(|inner| says_nothing(inner) || gives_nothing(inner))
        }
        _ => false,
    }
}

/// Whether what stands behind it in its block is never reached.
fn leaves(statement: &Stmt) -> bool {
    match statement {
        Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_) => true,
        Stmt::If(branch) => is_always(&branch.test) && branch.body.iter().any(leaves),
        Stmt::With(with) => with.body.iter().any(leaves),
        _ => gives_nothing(statement),
    }
}

/// Conditions that never hold when a program runs, and collections of nothing.
fn is_never(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(value) => !value.value,
        Expr::NoneLiteral(_) => true,
        Expr::NumberLiteral(number) => matches!(&number.value, Number::Int(int) if int.as_u8() == Some(0)),
        Expr::StringLiteral(text) => text.value.is_empty(),
        Expr::Name(name) => name.id.as_str() == "TYPE_CHECKING",
        Expr::UnaryOp(not) => not.op == UnaryOp::Not && is_always(&not.operand),
        Expr::Tuple(items) => items.elts.is_empty(),
        Expr::List(items) => items.elts.is_empty(),
        Expr::Dict(items) => items.items.is_empty(),
        Expr::Call(call) => {
            let empty = call.arguments.args.is_empty() || call.arguments.args.iter().all(is_never);
            empty
                && matches!(call.func.as_ref(), Expr::Name(name)
                if matches!(name.id.as_str(), "range" | "list" | "set" | "dict" | "tuple" | "iter" | "bool"))
        }
        _ => false,
    }
}

/// Conditions that always hold.
fn is_always(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(value) => value.value,
        Expr::NumberLiteral(number) => !matches!(&number.value, Number::Int(int) if int.as_u8() == Some(0)),
        Expr::StringLiteral(text) => !text.value.is_empty(),
        Expr::UnaryOp(not) => not.op == UnaryOp::Not && is_never(&not.operand),
        _ => false,
    }
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
