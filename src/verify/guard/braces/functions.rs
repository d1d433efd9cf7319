//! Functions: heads, attributes, bodies.

use super::{Item, Walker, within, words};
use crate::verify::guard::clauses::conjuncts;
use crate::verify::guard::escapes::matches;
use crate::verify::guard::lex::{Sort, Token, joined};
use crate::verify::guard::outline::{Clause, ClauseKind, Escape, Function};
use crate::verify::guard::preset::Shape;

impl Walker<'_, '_> {
    pub(super) fn function(&mut self, scope: &str, item: &Item, in_tests: bool) {
        let Some(name_at) = item.name else { return };
        let name = within(scope, self.text(name_at));
        let end = item.end.min(self.tokens().len());
        let head_end = item.clauses.or(item.body.map(|body| body.0)).unwrap_or(end);
        self.ranges.push((
            item.attributes.first().map_or(item.begin, |first| first.0),
            end,
            name.clone(),
        ));
        let mut function = Function {
            line: self.lexed.tokens[name_at].line,
            signature: self.signature(item, head_end),
            has_body: item.body.is_some(),
            ..Function::default()
        };
        let test_like = self
            .preset
            .tests
            .prefixes
            .iter()
            .any(|prefix| self.text(name_at).starts_with(prefix.as_str()));
        let returns_nothing =
            self.preset.shape != Shape::C || (item.begin..name_at).any(|at| self.text(at) == "void");
        let is_test_macro = self
            .preset
            .tests
            .calls
            .iter()
            .any(|call| call == self.text(name_at))
            && item.body.is_some();
        function.is_test = in_tests || test_like && returns_nothing || is_test_macro;
        self.attributes(item, &mut function);
        self.annotations(&name, &item.attributes, &mut function.clauses);
        let head = &self.tokens()[item.begin..head_end];
        function.is_pure = head
            .iter()
            .any(|token| token.is_word() && self.preset.items.pure.iter().any(|word| word == token.text));
        if let Some(first) = item.clauses {
            let stop = item.body.map_or(end, |body| body.0);
            self.clauses(first, stop, true, &mut function.clauses);
        }
        if let Some((open, close)) = item.body {
            let inner = (open + 1).min(close);
            function.words = words(&self.tokens()[inner..close.min(self.tokens().len())]);
            function.loops = (inner..close.min(self.tokens().len()))
                .filter(|at| {
                    self.preset
                        .specifications
                        .loops
                        .iter()
                        .any(|word| word == self.text(*at))
                })
                .count();
            self.body_clauses(inner, close, &mut function.clauses);
            let promises = function
                .clauses
                .iter()
                .any(|clause| clause.kind == ClauseKind::Ensures && clause.text != "true");
            let steps = promises && self.preset.specifications.assertions_are_steps;
            if !(function.is_test || steps) {
                self.assertions(inner, close.min(self.tokens().len()), &mut function.clauses);
            }
            if self.text(name_at) == "main" && !function.is_test {
                self.checks(inner, close, &mut function.clauses);
            }
            self.is_only_claims(inner, close, &mut function);
            let body = &self.tokens()[inner..close.min(self.tokens().len())];
            let begins = |stub: &String| matches(body, &stub.split(' ').collect::<Vec<_>>());
            function.is_stub = body.is_empty() && !self.preset.specifications.assertions_are_steps
                || self.preset.items.stubs.iter().any(begins);
            let compares = self
                .preset
                .items
                .comparisons
                .iter()
                .any(|name| name == self.text(name_at));
            if compares && !self.looks_at_other(head, inner, close) {
                self.out.escapes.push(Escape {
                    what: "a comparison that doesn't look at the other one".to_owned(),
                    text: name.clone(),
                    line: function.line,
                    within: name.clone(),
                    trusted: false,
                });
            }
            // A program's beginning that starts tests is one itself.
            let claims =
                |clause: &Clause| clause.kind == ClauseKind::Assertion && !clause.text.contains("if ");
            function.is_test |= !self.preset.specifications.assertions_are_steps
                && self.text(name_at) == "main"
                && function.clauses.iter().any(claims);
        }
        let mut whole = function.attributes.join(" ");
        whole.push(' ');
        whole.push_str(joined(&self.tokens()[item.begin..end]).trim_end_matches(';'));
        function.whole = whole;
        // Macros of test frameworks have their names as arguments.
        function.name = if is_test_macro {
            within(scope, &joined(&self.tokens()[name_at..head_end]))
        } else {
            name
        };
        if self.preset.items.bodyless_is_trusted && !function.has_body {
            self.out.escapes.push(Escape {
                what: "a claim without a proof".to_owned(),
                text: format!("{} without a body", function.name),
                line: function.line,
                within: function.name.clone(),
                trusted: true,
            });
        }
        self.out.functions.push(function);
    }

    /// A function of which at least half are assertions is a test.
    fn is_only_claims(&self, inner: usize, close: usize, function: &mut Function) {
        if self.preset.shape == Shape::Keyword && function.signature.contains("->") {
            return;
        }
        let claims = function
            .clauses
            .iter()
            .filter(|clause| clause.kind == ClauseKind::Assertion)
            .count();
        let (mut statements, mut at) = (0, inner);
        while at < close {
            let next = self.close(at);
            statements += usize::from(self.text(at) == ";" || self.text(at) == "{");
            if self.text(at) == "return" && self.text(at + 1) != ";" {
                return;
            }
            at = next + 1;
        }
        function.is_test |=
            claims > 0 && claims * 2 >= statements && !self.preset.specifications.assertions_are_steps;
    }

    /// The head without what doesn't matter to callers.
    pub(super) fn signature(&self, item: &Item, head_end: usize) -> String {
        let mut kept: Vec<Token<'_>> = Vec::new();
        let mut at = item.begin;
        while at < head_end {
            if let Some((_, stop)) = item.attributes.iter().find(|(from, _)| *from == at) {
                at = stop + 1;
                continue;
            }
            let token = self.lexed.tokens[at];
            let before = kept.last().map_or("", |token| token.text);
            let ignored = token.is_word()
                && matches!(before, "(" | ",")
                && self
                    .preset
                    .items
                    .not_in_signatures
                    .iter()
                    .any(|word| word == token.text);
            // `-> (r: T)` is `-> T`.
            let named = before == "->"
                && token.is("(")
                && self.lexed.tokens.get(at + 1).is_some_and(Token::is_word)
                && self.text(at + 2) == ":"
                && self.preset.items.pure.iter().any(|word| word == "spec");
            if named {
                let stop = self.close(at).min(head_end);
                kept.extend(&self.tokens()[at + 3..stop]);
                at = stop + 1;
                continue;
            }
            if token.is(")") && before == "," {
                kept.pop();
            }
            if !ignored {
                kept.push(token);
            }
            at += 1;
        }
        while kept.last().is_some_and(|token| token.is(";") || token.is("=>")) {
            kept.pop();
        }
        joined(&kept)
    }

    pub(super) fn attributes(&self, item: &Item, function: &mut Function) {
        for (from, to) in &item.attributes {
            let tokens = &self.tokens()[*from..(*to + 1).min(self.tokens().len())];
            if tokens[0].is("/*@") {
                continue;
            }
            // Behind `#[`, `#![`, `{:` or `@`.
            let skip = tokens.iter().take_while(|token| token.sort == Sort::Sign).count();
            let path: String = tokens[skip.min(tokens.len())..]
                .iter()
                .take_while(|token| token.is_word() || token.is("::") || token.is("."))
                .map(|token| token.text)
                .collect();
            let specifications = &self.preset.specifications;
            function.is_test |= self.preset.tests.attributes.contains(&path);
            let inner = tokens.iter().position(|token| token.is("("));
            if let Some(open) = inner {
                let close = self.close(from + open).min(self.tokens().len());
                if path == "verus_spec" {
                    self.clauses(from + open + 1, close, true, &mut function.clauses);
                    continue;
                }
                if specifications.as_attributes
                    && let Some(kind) = specifications.clause(&path)
                {
                    function
                        .clauses
                        .extend(conjuncts(kind, &self.tokens()[from + open + 1..close], false));
                    continue;
                }
            }
            function.attributes.push(joined(tokens));
        }
    }
}
