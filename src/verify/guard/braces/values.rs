//! Values and statements outside of functions, which tests may be made of.

use super::{Item, Walker, within, words};
use crate::verify::guard::lex::{Token, joined};
use crate::verify::guard::outline::{Definition, Escape, Test};
use crate::verify::guard::preset::Shape;

impl Walker<'_, '_> {
    /// Something outside of functions that is neither a function nor a type.
    pub(super) fn other(&mut self, scope: &str, item: &Item) {
        let end = item.end.min(self.tokens().len());
        let begin = item.begin;
        if begin >= end || self.preset.shape == Shape::Keyword {
            return;
        }
        let tokens = self.tokens()[begin..end].to_vec();
        let whole = joined(&tokens).trim_end_matches(';').to_owned();
        let line = tokens[0].line;
        if self.text(begin) == "import" {
            self.import(begin, end, &whole);
            return;
        }
        if let Some(name) = self.assigned_name(begin, end).map(str::to_owned) {
            if self.preset.shape == Shape::Script {
                self.out.bound.insert(within(scope, &name));
            }
            self.out.values.push(Definition {
                name: within(scope, &name),
                line,
                words: words(&tokens),
                whole: whole.clone(),
                always: false,
                is_macro: false,
            });
        }
        if self.preset.shape == Shape::Script {
            let control = matches!(
                self.text(begin),
                "for" | "while" | "do" | "try" | "switch" | "if" | "{" | "with"
            );
            let mut claims = Vec::new();
            self.assertions(begin, end, &mut claims);
            if control && !claims.is_empty() {
                let name = whole.chars().take(40).collect::<String>();
                self.out.tests.push(Test {
                    name: within(scope, &name),
                    line,
                    whole: whole.clone(),
                });
            }
            if scope.is_empty() && matches!(self.text(begin), "return" | "throw") {
                self.out.escapes.push(Escape {
                    what: "an end of the whole program".to_owned(),
                    text: whole.clone(),
                    line,
                    within: String::new(),
                    trusted: false,
                });
            }
            let tests = &self.preset.tests;
            let word = self.text(begin);
            if !tests.calls.iter().chain(&tests.groups).any(|known| known == word) {
                self.out.loose.push((whole, words(&tokens)));
            }
        }
    }

    /// The name that a value is given to: the last word in front of the assignment, its type left out.
    fn assigned_name(&self, begin: usize, end: usize) -> Option<&str> {
        let mut at = begin;
        let mut name = None;
        while at < end {
            match self.text(at) {
                "=" | ":=" => return name.map(|name| self.text(name)),
                ":" => {
                    let equals = (at..end).find(|at| self.text(*at) == "=")?;
                    return name.filter(|_| equals < end).map(|name| self.text(name));
                }
                // A member of something else.
                "." => return None,
                _ if self.lexed.tokens[at].is_word() => name = Some(at),
                _ => {}
            }
            at = self.close(at) + 1;
        }
        None
    }

    fn import(&mut self, begin: usize, end: usize, whole: &str) {
        let from = (begin..end).find(|at| self.text(*at) == "from").unwrap_or(end);
        let source = whole.rsplit(" from ").next().unwrap_or(whole).to_owned();
        let names: Vec<String> = self.tokens()[begin + 1..from]
            .iter()
            .filter(|token| token.is_word() && token.text != "type")
            .map(|token| token.text.to_owned())
            .collect();
        for name in names {
            self.out.imports.insert(name, source.clone());
        }
    }

    /// Loops and claims without a body, which some provers take for granted.
    pub(super) fn bodiless(&mut self) {
        if !self.preset.items.bodyless_is_trusted {
            return;
        }
        for at in 0..self.tokens().len() {
            let starts = matches!(self.before(at), ";" | "{" | "}" | "");
            let what = match self.text(at) {
                "while" | "for" if starts => "a loop without a body",
                "forall" if starts => "a claim without a proof",
                _ => continue,
            };
            let mut pending = 0_usize;
            let mut next = at + 1;
            let mut has_body = false;
            while next < self.tokens().len() {
                match self.text(next) {
                    "if" | "match" => pending += 1,
                    "then" => pending = pending.saturating_sub(1),
                    "{" if self.text(next + 1) != ":" && self.body_begins(next, &mut pending) => {
                        has_body = true;
                        break;
                    }
                    ";" | "}" | ":=" => break,
                    _ => {}
                }
                next = self.close(next) + 1;
            }
            if !has_body {
                let text = joined(&self.tokens()[at..next.min(self.tokens().len())]);
                self.out.escapes.push(Escape {
                    what: what.to_owned(),
                    text,
                    line: self.lexed.tokens[at].line,
                    within: crate::verify::guard::escapes::owner(&self.ranges, at),
                    trusted: true,
                });
            }
        }
    }

    /// Whether the body of a comparison looks at what it compares with.
    pub(super) fn looks_at_other(&self, head: &[Token<'_>], open: usize, close: usize) -> bool {
        let parameters = words(head);
        (open..close.min(self.tokens().len())).any(|at| {
            parameters.contains(self.text(at))
                && !matches!(self.text(at), "self" | "this")
                && matches!(self.text(at + 1), "." | "->")
        })
    }
}
