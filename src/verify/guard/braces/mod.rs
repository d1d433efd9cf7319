//! The outline of a program in a language with braces.

mod around;
mod examples;
mod functions;
mod items;
mod specifications;
mod tests;
mod values;

use std::collections::BTreeSet;

use super::escapes;
use super::lex::{Lexed, Sort, Token, joined, lex};
use super::outline::{ClauseKind, Definition, Outline, Test};
use super::preset::{Preset, Shape};

/// The outline of a source text.
pub(super) fn outline(source: &str, preset: &Preset) -> Outline {
    let lexed = lex(source, &preset.lexing);
    let mut walker = Walker {
        lexed: &lexed,
        preset,
        out: Outline::default(),
        ranges: Vec::new(),
    };
    walker.scope("", 0, lexed.tokens.len(), false);
    if preset.shape == Shape::Script || !preset.tests.calls.is_empty() {
        walker.test_calls("", 0, lexed.tokens.len());
    }
    walker.loose_assertions();
    walker.bodiless();
    if preset.tests.examples {
        walker.out.tests.extend(examples::examples(&lexed.comments));
    }
    walker.out.words = words(&lexed.tokens);
    let Walker { mut out, ranges, .. } = walker;
    out.escapes.extend(escapes::in_tokens(&lexed, preset, &ranges));
    out
}

struct Walker<'l, 'a> {
    lexed: &'l Lexed<'a>,
    preset: &'l Preset,
    out: Outline,
    ranges: Vec<escapes::Range>,
}

/// What an item turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Other,
    Function,
    Scope,
    Definition,
}

/// One item between two others.
struct Item {
    kind: Kind,
    /// Index of the name.
    name: Option<usize>,
    /// Index behind the attributes.
    begin: usize,
    /// Where the clauses begin, if there are any.
    clauses: Option<usize>,
    /// The braces.
    body: Option<(usize, usize)>,
    attributes: Vec<(usize, usize)>,
    /// Index of the first token behind it.
    end: usize,
}

impl<'a> Walker<'_, 'a> {
    fn tokens(&self) -> &[Token<'a>] {
        &self.lexed.tokens
    }

    fn text(&self, at: usize) -> &'a str {
        match self.lexed.tokens.get(at) {
            Some(token) if token.sort != Sort::Text => token.text,
            _ => "",
        }
    }

    /// The text in front of a token.
    fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    fn close(&self, open: usize) -> usize {
        self.lexed.partner.get(open).copied().unwrap_or(open).max(open)
    }

    fn scope(&mut self, scope: &str, begin: usize, end: usize, in_tests: bool) {
        let mut at = begin;
        while at < end {
            if self.text(at) == "#" && self.preset.lexing.preprocessor {
                at = self.directive(at, end);
                continue;
            }
            let item = self.item(at, end, scope);
            at = item.end.max(at + 1);
            self.note(scope, &item, in_tests);
        }
    }

    /// A line of the preprocessor.
    fn directive(&mut self, at: usize, end: usize) -> usize {
        let stop = (at..end)
            .find(|at| self.lexed.tokens[*at].text == "\n")
            .unwrap_or(end);
        if self.text(at + 1) == "define" {
            self.out.definitions.push(Definition {
                name: self.text(at + 2).to_owned(),
                line: self.lexed.tokens[at].line,
                whole: joined(&self.tokens()[at..stop]),
                words: words(&self.tokens()[at..stop]),
                always: false,
                is_macro: true,
            });
            self.out.values.extend(self.out.definitions.last().cloned());
        }
        stop + 1
    }

    fn note(&mut self, scope: &str, item: &Item, in_tests: bool) {
        match item.kind {
            Kind::Function => self.function(scope, item, in_tests),
            Kind::Scope => {
                let Some((open, close)) = item.body else { return };
                let header = joined(&self.tokens()[item.begin..open]);
                let header = header.strip_prefix("pub ").unwrap_or(&header);
                let name = within(scope, header);
                let tests = &self.preset.tests;
                let only_tests = in_tests
                    || tests.scopes.iter().any(|known| known == header)
                    || item.attributes.iter().any(|(from, to)| {
                        joined(&self.tokens()[*from..(*to + 1).min(self.tokens().len())]) == "#[cfg(test)]"
                    });
                self.ranges.push((open, close, name.clone()));
                self.scope(&name, open + 1, close, only_tests);
                if self.preset.specifications.clause("invariant") == Some(ClauseKind::Invariant) {
                    self.type_clauses(&name, item, open);
                }
            }
            Kind::Definition => {
                let Some(name) = item.name else { return };
                let end = item.end.min(self.tokens().len());
                let tokens = &self.tokens()[item.begin..end];
                let keyword = name.checked_sub(1).map_or("", |at| self.text(at));
                let definition = Definition {
                    name: within(scope, self.text(name)),
                    line: self.lexed.tokens[item.begin].line,
                    whole: joined(tokens).trim_end_matches(';').to_owned(),
                    words: words(tokens),
                    always: in_tests || self.preset.items.types.iter().any(|word| word == keyword),
                    is_macro: false,
                };
                if matches!(keyword, "const" | "static" | "mut") && !in_tests {
                    self.out.values.push(definition.clone());
                }
                self.out.definitions.push(definition);
            }
            Kind::Other => {
                if !in_tests {
                    self.other(scope, item);
                }
                if in_tests && item.begin < item.end.min(self.tokens().len()) {
                    let tokens = &self.tokens()[item.begin..item.end.min(self.tokens().len())];
                    if tokens.iter().any(|token| token.sort != Sort::Sign) {
                        let first: Vec<&str> = tokens.iter().take(4).map(|token| token.text).collect();
                        let test = Test {
                            name: within(scope, &first.join(" ")),
                            line: tokens[0].line,
                            whole: joined(tokens),
                        };
                        let of_std = matches!(self.text(item.begin + 1), "std" | "core" | "alloc");
                        if !of_std {
                            self.out.beside_tests.push(test.clone());
                        }
                        self.out.tests.push(test);
                    }
                }
                self.annotations(scope, &item.attributes, &mut Vec::new());
            }
        }
    }

    /// Clauses in the head of a scope.
    fn type_clauses(&mut self, name: &str, item: &Item, open: usize) {
        let mut clauses = Vec::new();
        self.annotations(name, &item.attributes, &mut clauses);
        let _ = open;
        self.out.assertions.extend(clauses);
    }
}

fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() {
        name.to_owned()
    } else {
        format!("{scope}::{name}")
    }
}

fn scope_is_class(scope: &str) -> bool {
    let last = scope.rsplit("::").next().unwrap_or_default();
    last.split(' ').any(|word| word == "class")
}

fn words(tokens: &[Token<'_>]) -> BTreeSet<String> {
    let words = tokens.iter().filter(|token| token.is_word());
    words.map(|token| token.text.to_owned()).collect()
}
