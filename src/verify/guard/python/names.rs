//! Names of a Python program: what is bound at the top, by whatever means, and what is done to names of others.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprContext, Pattern, Stmt};
use ruff_text_size::{Ranged, TextRange};

/// Methods that say what equals, orders or is true: an object can lie with them to a test.
const COMPARISONS: [&str; 9] = [
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__bool__",
    "__instancecheck__",
    "__getattribute__",
];

/// What was found.
#[derive(Default)]
pub(super) struct Names {
    /// Bound at the top other than by defining a function.
    pub(super) bound: BTreeSet<String>,
    /// Where each name comes from that is imported, anywhere.
    pub(super) imports: BTreeMap<String, String>,
    /// What reads as one thing and does another, each with its place.
    pub(super) odd: Vec<(&'static str, TextRange)>,
    /// Changes of attributes: whose, which, where.
    changed: Vec<(String, String, TextRange)>,
    functions: BTreeSet<String>,
    class: Option<String>,
    /// How many functions, classes or comprehensions it stands in.
    depth: usize,
}

impl Names {
    pub(super) fn of(statements: &[Stmt]) -> Self {
        let mut names = Self::default();
        names.visit_body(statements);
        for (root, attribute, range) in std::mem::take(&mut names.changed) {
            let own = format!("{root}::{attribute}");
            if names.imports.contains_key(&root) {
                names.odd.push(("a library changed", range));
            } else if names.functions.contains(&own) {
                names.odd.push(("a method replaced from outside", range));
                names.bound.insert(own);
            } else if names.functions.contains(&root) && attribute.starts_with("__") {
                names.odd.push(("a function changed from outside", range));
            }
        }
        names
    }

    fn bind(&mut self, name: &str) {
        if self.depth == 0 {
            self.bound.insert(name.to_owned());
        }
    }

    fn deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }

    /// An object that compares without looking at the other one.
    fn comparison(&mut self, function: &ruff_python_ast::StmtFunctionDef) {
        if !COMPARISONS.contains(&function.name.as_str()) {
            return;
        }
        let other = function
            .parameters
            .iter_non_variadic_params()
            .nth(1)
            .map(|other| other.parameter.name.as_str());
        let mut looks = Looks {
            at: other.unwrap_or_default(),
            found: false,
        };
        looks.visit_body(&function.body);
        if !looks.found {
            self.odd.push((
                "a comparison that doesn't look at the other one",
                function.name.range(),
            ));
        }
    }
}

/// Whether attributes or items of a name are looked at, or it is compared with something of one's own.
struct Looks<'n> {
    at: &'n str,
    found: bool,
}

impl<'a> Visitor<'a> for Looks<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let of = match expression {
            Expr::Attribute(attribute) => Some(&attribute.value),
            Expr::Subscript(subscript) => Some(&subscript.value),
            _ => None,
        };
        self.found |=
            of.is_some_and(|value| matches!(value.as_ref(), Expr::Name(name) if name.id == self.at));
        visitor::walk_expr(self, expression);
    }
}

/// The name at the root of `a.b[c].d`.
fn root(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => root(&attribute.value),
        Expr::Subscript(subscript) => root(&subscript.value),
        _ => None,
    }
}

impl<'a> Visitor<'a> for Names {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                let scope = self
                    .class
                    .as_ref()
                    .map(|class| format!("{class}::"))
                    .unwrap_or_default();
                self.functions.insert(format!("{scope}{}", function.name));
                self.comparison(function);
                self.deeper(|names| visitor::walk_stmt(names, statement));
                return;
            }
            Stmt::ClassDef(class) => {
                self.bind(&class.name);
                let outer = self.class.replace(class.name.to_string());
                self.deeper(|names| visitor::walk_stmt(names, statement));
                self.class = outer;
                return;
            }
            Stmt::Global(global) => self.bound.extend(global.names.iter().map(ToString::to_string)),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    let first = name.split('.').next().unwrap_or_default();
                    self.bind(first);
                    self.imports.insert(first.to_owned(), alias.name.to_string());
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import
                    .module
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.bind(name);
                    self.imports
                        .insert(name.to_string(), format!("{module}.{}", alias.name));
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx != ExprContext::Load => self.bind(&name.id),
            Expr::Attribute(attribute) if attribute.ctx != ExprContext::Load => {
                if let Some(root) = root(&attribute.value) {
                    self.changed
                        .push((root.to_owned(), attribute.attr.to_string(), expression.range()));
                }
            }
            Expr::Subscript(subscript) if subscript.ctx != ExprContext::Load => {
                if let Some(root) = root(&subscript.value) {
                    self.changed
                        .push((root.to_owned(), String::new(), expression.range()));
                }
            }
            Expr::Call(call)
                if matches!(call.func.as_ref(), Expr::Name(name) if name.id == "type")
                    && call.arguments.args.len() > 1 =>
            {
                self.odd.push(("a class made on the fly", expression.range()));
            }
            Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::Generator(_)
            | Expr::Lambda(_) => {
                self.deeper(|names| visitor::walk_expr(names, expression));
                return;
            }
            _ => {}
        }
        visitor::walk_expr(self, expression);
    }

    fn visit_except_handler(&mut self, handler: &'a ruff_python_ast::ExceptHandler) {
        let ruff_python_ast::ExceptHandler::ExceptHandler(caught) = handler;
        if let Some(name) = &caught.name {
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
