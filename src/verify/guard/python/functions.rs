//! Functions of a Python program: heads, decorators, assertions, examples.

use ruff_python_ast::{Decorator, Expr, Parameters, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::inside::Inside;
use super::{Walker, within};
use crate::verify::guard::clauses::conjuncts;
use crate::verify::guard::outline::{Clause, ClauseKind, Function, Test};

impl Walker<'_, '_> {
    pub(super) fn function(
        &mut self,
        scope: &str,
        statement: &Stmt,
        function: &ruff_python_ast::StmtFunctionDef,
        in_tests: bool,
    ) {
        let name = within(scope, &function.name);
        let (from, to) = self.span(function.range());
        self.ranges.push((from, to, name.clone()));
        let (parameters, mut annotations) = self.parameters(&function.parameters);
        if let Some(returns) = &function.returns {
            annotations.push(("its result".to_owned(), self.text(returns.range())));
        }
        let inside = Inside::of(&function.body);
        let asynchronous = if function.is_async { "async " } else { "" };
        let mut made = Function {
            line: self.lines.line(function.name.start()),
            signature: format!("{asynchronous}def {}({})", function.name, parameters.join(", ")),
            annotations,
            has_body: true,
            loops: inside.loops,
            whole: self.text(function.range()),
            meaning: self.meaning(statement),
            ..Function::default()
        };
        let tests = &self.preset.tests;
        let named = tests
            .prefixes
            .iter()
            .any(|prefix| function.name.starts_with(prefix.as_str()));
        made.is_test = named && (in_tests || !inside.returns)
            || inside.only_claims
            || function.name.as_str() == "main" && !inside.assertions.is_empty();
        if in_tests && !named {
            self.beside(scope, &function.name, function.range());
            made.is_test = true;
        }
        made.is_stub = inside.is_stub;
        self.decorators(&function.decorator_list, &mut made);
        if made.is_test {
            made.clauses.clear();
        } else {
            let body = function.body.iter().map(Ranged::range).reduce(TextRange::cover);
            let words = body.map(|body| self.tokens(body)).unwrap_or_default();
            made.words = words
                .iter()
                .filter(|token| token.is_word())
                .map(|token| token.text.to_owned())
                .collect();
            let calls = inside.calls.into_iter().filter(|(name, _)| self.names_test(name));
            let calls = calls.map(|(_, range)| (String::new(), range));
            for (around, range) in inside.assertions.into_iter().chain(calls) {
                made.clauses.push(Clause {
                    kind: ClauseKind::Assertion,
                    text: format!("{around}{}", self.text(range)),
                    line: self.lines.line(range.start()),
                });
            }
            self.examples(&name, &function.body);
        }
        made.name = name;
        self.out.functions.push(made);
    }

    /// Parameters with their kinds and defaults, and their annotations.
    fn parameters(&self, parameters: &Parameters) -> (Vec<String>, Vec<(String, String)>) {
        let mut all = Vec::new();
        let mut annotations = Vec::new();
        let mut annotate = |name: &str, annotation: Option<&Expr>| {
            if let Some(annotation) = annotation {
                annotations.push((format!("its parameter {name}"), self.text(annotation.range())));
            }
        };
        let named = |parameter: &ruff_python_ast::ParameterWithDefault| match &parameter.default {
            Some(default) => format!("{}={}", parameter.parameter.name, self.text(default.range())),
            None => parameter.parameter.name.to_string(),
        };
        for parameter in &parameters.posonlyargs {
            annotate(
                &parameter.parameter.name,
                parameter.parameter.annotation.as_deref(),
            );
            all.push(named(parameter));
        }
        if !parameters.posonlyargs.is_empty() {
            all.push("/".to_owned());
        }
        for parameter in &parameters.args {
            annotate(
                &parameter.parameter.name,
                parameter.parameter.annotation.as_deref(),
            );
            all.push(named(parameter));
        }
        if let Some(rest) = &parameters.vararg {
            annotate(&rest.name, rest.annotation.as_deref());
            all.push(format!("*{}", rest.name));
        } else if !parameters.kwonlyargs.is_empty() {
            all.push("*".to_owned());
        }
        for parameter in &parameters.kwonlyargs {
            annotate(
                &parameter.parameter.name,
                parameter.parameter.annotation.as_deref(),
            );
            all.push(named(parameter));
        }
        if let Some(rest) = &parameters.kwarg {
            annotate(&rest.name, rest.annotation.as_deref());
            all.push(format!("**{}", rest.name));
        }
        (all, annotations)
    }

    pub(super) fn decorators(&self, decorators: &[Decorator], function: &mut Function) {
        for decorator in decorators {
            let tokens = self.tokens(decorator.expression.range());
            let path: String = tokens
                .iter()
                .take_while(|token| token.is_word() || token.is("."))
                .map(|token| token.text)
                .collect();
            let last = path.rsplit('.').next().unwrap_or(&path);
            function.is_test |= self
                .preset
                .tests
                .attributes
                .iter()
                .any(|known| *known == path || known == last);
            let open = tokens.iter().position(|token| token.is("("));
            if let Some(kind) = self.preset.specifications.clause(&path)
                && let Some(open) = open
                && tokens.last().is_some_and(|token| token.is(")"))
            {
                function
                    .clauses
                    .extend(conjuncts(kind, &tokens[open + 1..tokens.len() - 1], false));
                continue;
            }
            function
                .attributes
                .push(format!("@{}", self.text(decorator.expression.range())));
        }
    }

    /// Examples in the docstring of a body, each of which is a test of its own.
    pub(super) fn examples(&mut self, name: &str, body: &[Stmt]) {
        let Some(Stmt::Expr(first)) = body.first() else {
            return;
        };
        if !first.value.is_string_literal_expr() {
            return;
        }
        let text = &self.source[first.range()];
        let line = self.lines.line(first.start());
        let mut lines = text.lines().enumerate().peekable();
        while let Some((at, row)) = lines.next() {
            let Some(source) = row.trim().strip_prefix(">>>") else {
                continue;
            };
            let mut whole = source.trim().to_owned();
            while let Some((_, row)) = lines.peek() {
                let row = row.trim();
                if row.is_empty()
                    || row.starts_with(">>>")
                    || row.starts_with("\"\"\"")
                    || row.starts_with("'''")
                {
                    break;
                }
                whole.push('\n');
                whole.push_str(row);
                lines.next();
            }
            self.out.tests.push(Test {
                name: within(name, &format!(">>> {}", source.trim())),
                line: line + at,
                whole,
            });
        }
    }
}
