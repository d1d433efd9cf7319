//! The names that a statement uses and doesn't bind.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Alias, ExceptHandler, Expr, ExprContext, Parameter, Pattern, Stmt};

/// Names that `statement` loads and binds nowhere in itself. A name that is bound somewhere inside counts as bound
/// everywhere in it, which is right for all but odd programs.
pub(super) fn names(statement: &Stmt) -> BTreeSet<String> {
    let mut names = Names::default();
    names.visit_stmt(statement);
    names.loaded.difference(&names.bound).cloned().collect()
}

/// Whether evaluating `expression` calls, awaits or yields.
pub(super) fn calls(expression: &Expr) -> bool {
    let mut calls = Calls(false);
    calls.visit_expr(expression);
    calls.0
}

#[derive(Default)]
struct Names {
    loaded: BTreeSet<String>,
    bound: BTreeSet<String>,
}

impl Names {
    fn bind(&mut self, name: &str) {
        self.bound.insert(name.to_owned());
    }
}

impl<'a> Visitor<'a> for Names {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.bind(&function.name),
            Stmt::ClassDef(class) => self.bind(&class.name),
            Stmt::Global(global) => {
                // What is set with `global` is bound for the others too.
                for name in &global.names {
                    self.bind(name);
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression {
            match name.ctx {
                ExprContext::Load => self.loaded.insert(name.id.to_string()),
                _ => self.bound.insert(name.id.to_string()),
            };
        }
        visitor::walk_expr(self, expression);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        self.bind(name.split('.').next().unwrap_or_default());
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bind(&parameter.name);
        visitor::walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bind(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(matched) => matched.name.as_ref(),
            Pattern::MatchStar(matched) => matched.name.as_ref(),
            Pattern::MatchMapping(matched) => matched.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name);
        }
        visitor::walk_pattern(self, pattern);
    }
}

struct Calls(bool);

impl<'a> Visitor<'a> for Calls {
    fn visit_expr(&mut self, expression: &'a Expr) {
        self.0 |= matches!(
            expression,
            Expr::Call(_) | Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_)
        );
        visitor::walk_expr(self, expression);
    }
}
