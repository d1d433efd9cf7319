//! Assertions, and tests that are calls.

use super::{Walker, within};
use crate::verify::guard::lex::{Sort, Token, joined};
use crate::verify::guard::outline::{Clause, ClauseKind, Test};
use crate::verify::guard::preset::Shape;

impl Walker<'_, '_> {
    /// Assertions between two indices.
    pub(super) fn assertions(&self, begin: usize, end: usize, out: &mut Vec<Clause>) {
        let end = end.min(self.tokens().len());
        let mut at = begin;
        while at < end {
            if self.text(at) == "/*@" {
                at = (at..end).find(|at| self.text(*at) == "*/").unwrap_or(end);
            }
            let is_assertion = self.lexed.tokens.get(at).is_some_and(Token::is_word)
                && self
                    .preset
                    .specifications
                    .assertions
                    .iter()
                    .any(|word| word == self.text(at));
            let next = self.text(at + 1);
            // A test that isn't called any more tests nothing.
            let is_assertion = is_assertion || self.starts_test(at);
            let used = match self.preset.shape {
                Shape::Keyword => !matches!(next, "=" | ":=" | "," | ")" | ";" | "}" | "]" | ":" | "::"),
                _ => matches!(next, "(" | "."),
            };
            if !(is_assertion && used) {
                at += 1;
                continue;
            }
            let stop = self.assertion_end(at, end);
            let tokens = &self.tokens()[at..stop];
            out.push(Clause {
                kind: ClauseKind::Assertion,
                text: format!(
                    "{}{}",
                    self.around(begin, at),
                    joined(tokens).trim_end_matches(',')
                ),
                line: self.lexed.tokens[at].line,
            });
            at = stop.max(at + 1);
        }
    }

    /// Conditions between two indices that end the program badly: assertions in other words.
    pub(super) fn checks(&self, begin: usize, end: usize, out: &mut Vec<Clause>) {
        let end = end.min(self.tokens().len());
        for at in begin..end {
            if self.text(at) != "if" || !matches!(self.before(at), ";" | "{" | "}" | "" | "else") {
                continue;
            }
            let mut stop = at + 1;
            while stop < end && !matches!(self.text(stop), "{" | ";") {
                stop = self.close(stop) + 1;
            }
            let close = if self.text(stop) == "{" {
                self.close(stop)
            } else {
                stop
            };
            let fails = (at..close.min(end)).any(|at| match self.text(at) {
                "exit" | "abort" | "_exit" | "throw" | "panic" => true,
                "return" => self
                    .lexed
                    .tokens
                    .get(at + 1)
                    .is_some_and(|value| !matches!(value.text, "0" | ";" | "EXIT_SUCCESS" | "Ok")),
                _ => false,
            });
            if fails {
                out.push(Clause {
                    kind: ClauseKind::Assertion,
                    text: format!(
                        "{}{}",
                        self.around(begin, at),
                        joined(&self.tokens()[at..(close + 1).min(end)])
                    ),
                    line: self.lexed.tokens[at].line,
                });
            }
        }
    }

    /// `test_x(…)` in a language whose tests are called by hand.
    fn starts_test(&self, at: usize) -> bool {
        let prefixes = &self.preset.tests.prefixes;
        self.preset.shape == Shape::C
            && prefixes
                .iter()
                .any(|prefix| self.text(at).starts_with(prefix.as_str()))
    }

    pub(super) fn assertion_end(&self, begin: usize, end: usize) -> usize {
        let mut at = begin + 1;
        while at < end {
            match self.text(at) {
                ";" | "by" | "}" => break,
                "{" if self.preset.shape == Shape::Keyword => break,
                _ => {}
            }
            let calls = self.preset.shape != Shape::Keyword || self.text(at) == "(" && at == begin + 1;
            at = self.close(at) + 1;
            // `assert(x)` is whole, and `expect(x).toBe(y)` goes on.
            if calls && self.text(at) != "." && self.before(at) == ")" {
                break;
            }
        }
        at.min(end)
    }

    /// Assertions that stand in no function.
    pub(super) fn loose_assertions(&mut self) {
        if self.preset.shape != Shape::Script {
            return;
        }
        let mut loose = Vec::new();
        let mut at = 0;
        let mut functions: Vec<(usize, usize)> =
            self.ranges.iter().map(|(from, to, _)| (*from, *to)).collect();
        functions.sort_unstable();
        for (from, to) in functions {
            if from >= at {
                self.assertions(at, from, &mut loose);
                self.checks(at, from, &mut loose);
            }
            at = at.max(to);
        }
        let end = self.tokens().len();
        self.assertions(at, end, &mut loose);
        self.checks(at, end, &mut loose);
        self.out.assertions.extend(loose);
    }

    /// `test("name", …)` and the like, wherever they stand.
    pub(super) fn test_calls(&mut self, group: &str, begin: usize, end: usize) {
        if self.preset.shape != Shape::Script {
            return;
        }
        let mut at = begin;
        while at < end {
            let word = self.text(at);
            let is = |list: &[String]| list.iter().any(|known| known == word);
            let is_group = is(&self.preset.tests.groups);
            let free = self.before(at) != ".";
            if !(free && (is_group || is(&self.preset.tests.calls))) {
                at += 1;
                continue;
            }
            // `test.each([…])("name", …)`.
            let mut open = at + 1;
            while self.text(open) == "."
                || open > at + 1 && self.lexed.tokens.get(open).is_some_and(Token::is_word)
            {
                open += 1;
            }
            let mut close = open;
            while self.text(open) == "(" {
                close = self.close(open).min(end);
                if self.text(close + 1) != "(" {
                    break;
                }
                open = close + 1;
            }
            if self.text(open) != "(" || close <= open {
                at += 1;
                continue;
            }
            let title = self
                .lexed
                .tokens
                .get(open + 1)
                .filter(|token| token.sort == Sort::Text);
            let name = within(group, title.map_or(word, |title| title.text));
            if is_group && title.is_some() {
                self.ranges.push((at, close, name.clone()));
                self.test_calls(&name, open + 2, close);
            } else if title.is_some() || word.starts_with("before") || word.starts_with("after") {
                self.ranges.push((at, close, name.clone()));
                let whole = joined(&self.tokens()[at..(close + 1).min(self.tokens().len())]);
                let test = Test {
                    name,
                    line: self.lexed.tokens[at].line,
                    whole,
                };
                if word.starts_with("before") || word.starts_with("after") {
                    self.out.beside_tests.push(test.clone());
                }
                self.out.tests.push(test);
            }
            at = close + 1;
        }
    }
}
