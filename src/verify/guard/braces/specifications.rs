//! Clauses in heads, in bodies, in attributes, and in comments that count.

use std::collections::BTreeSet;

use super::{Walker, within};
use crate::verify::guard::clauses::conjuncts;
use crate::verify::guard::lex::joined;
use crate::verify::guard::outline::{Clause, ClauseKind, Definition};
use crate::verify::guard::preset::Shape;

impl Walker<'_, '_> {
    /// Clauses between two indices, each from its word to the next.
    pub(super) fn clauses(&self, begin: usize, end: usize, in_head: bool, out: &mut Vec<Clause>) {
        let mut at = begin;
        while at < end {
            let word = self.text(at);
            let kind = self.lexed.tokens[at]
                .is_word()
                .then(|| self.preset.specifications.clause(word))
                .flatten();
            let Some(kind) = kind else {
                at = self.close(at) + 1;
                continue;
            };
            let mut stop = at + 1;
            while stop < end {
                let token = &self.lexed.tokens[stop];
                if token.is_word()
                    && self.preset.specifications.clause(token.text).is_some()
                    && !self.is_field(stop)
                {
                    break;
                }
                stop = self.close(stop) + 1;
            }
            let stop = stop.min(end);
            let wanted = in_head || matches!(kind, ClauseKind::Invariant | ClauseKind::Decreases);
            if wanted && kind != ClauseKind::Unguarded {
                let commas = self.preset.specifications.commas;
                out.extend(conjuncts(kind, &self.tokens()[at + 1..stop], commas));
            }
            at = stop;
        }
    }

    pub(super) fn is_field(&self, at: usize) -> bool {
        matches!(self.before(at), "." | "::")
    }

    /// Clauses of the loops in a body: from the first of their words to the brace that begins the loop's body.
    pub(super) fn body_clauses(&self, begin: usize, end: usize, out: &mut Vec<Clause>) {
        let end = end.min(self.tokens().len());
        if self.preset.specifications.as_attributes || self.preset.shape == Shape::C {
            let mut at = begin;
            while at < end {
                if self.text(at) == "/*@" {
                    let stop = (at..end).find(|at| self.text(*at) == "*/").unwrap_or(end);
                    self.annotation(at + 1, stop, out);
                    at = stop;
                } else if self.text(at) == "#" && self.text(at + 1) == "[" {
                    let stop = self.close(at + 1).min(end);
                    self.body_attribute(at + 2, stop, out);
                    at = stop;
                }
                at += 1;
            }
            return;
        }
        let mut at = begin;
        while at < end {
            let is_clause = self.lexed.tokens[at].is_word()
                && self.preset.specifications.clause(self.text(at)).is_some()
                && !self.is_field(at);
            if !is_clause {
                at += 1;
                continue;
            }
            let mut stop = at + 1;
            let mut pending = 0_usize;
            while stop < end {
                match self.text(stop) {
                    "if" | "match" => pending += 1,
                    "then" => pending = pending.saturating_sub(1),
                    "{" if self.text(stop + 1) != ":" && self.body_begins(stop, &mut pending) => break,
                    ";" | "}" => break,
                    _ => {}
                }
                stop = self.close(stop) + 1;
            }
            self.clauses(at, stop.min(end), false, out);
            at = stop.max(at + 1);
        }
    }

    pub(super) fn body_attribute(&self, begin: usize, end: usize, out: &mut Vec<Clause>) {
        let Some(open) = (begin..end).find(|at| self.text(*at) == "(") else {
            return;
        };
        let path: String = self.tokens()[begin..open]
            .iter()
            .map(|token| token.text)
            .collect();
        if let Some(kind) = self.preset.specifications.clause(&path) {
            let close = self.close(open).min(end);
            out.extend(conjuncts(kind, &self.tokens()[open + 1..close], false));
        }
    }

    /// Clauses in comments that are specifications.
    pub(super) fn annotations(&mut self, name: &str, attributes: &[(usize, usize)], out: &mut Vec<Clause>) {
        for (from, to) in attributes {
            if self.text(*from) != "/*@" {
                continue;
            }
            let mut clauses = Vec::new();
            self.annotation(from + 1, *to, &mut clauses);
            for clause in clauses {
                out.push(clause);
            }
            // Logic functions and the like are definitions.
            let mut at = from + 1;
            while at < *to {
                let stop = (at..*to)
                    .find(|at| matches!(self.text(*at), ";" | "{"))
                    .map_or(*to, |stop| self.close(stop).min(*to));
                let first = self.text(at);
                if matches!(
                    first,
                    "predicate"
                        | "logic"
                        | "inductive"
                        | "lemma"
                        | "ghost"
                        | "behavior"
                        | "assumes"
                        | "complete"
                        | "disjoint"
                ) {
                    let tokens = &self.tokens()[at..stop];
                    self.out.definitions.push(Definition {
                        name: within(name, &joined(&tokens[..tokens.len().min(2)])),
                        line: self.lexed.tokens[at].line,
                        whole: joined(tokens),
                        words: BTreeSet::new(),
                        always: true,
                        is_macro: false,
                    });
                }
                at = stop + 1;
            }
        }
    }

    pub(super) fn annotation(&self, begin: usize, end: usize, out: &mut Vec<Clause>) {
        let end = end.min(self.tokens().len());
        let mut at = begin;
        while at < end {
            let stop = (at..end).find(|at| self.text(*at) == ";").unwrap_or(end);
            // `loop invariant` and the like have two words; a behaviour's name stands before its clauses.
            let mut first = at;
            if self.text(first) == "behavior" {
                first = (first..stop)
                    .find(|at| self.text(*at) == ":")
                    .map_or(first, |colon| colon + 1);
            }
            let two = format!("{} {}", self.text(first), self.text(first + 1));
            let specifications = &self.preset.specifications;
            let (kind, words) = match specifications.clause(&two) {
                Some(kind) => (Some(kind), 2),
                None => (specifications.clause(self.text(first)), 1),
            };
            let kind = kind.or_else(|| {
                let word = self.text(first);
                specifications
                    .assertions
                    .iter()
                    .any(|known| known == word)
                    .then_some(ClauseKind::Assertion)
            });
            if let Some(kind) = kind
                && first + words <= stop
            {
                out.extend(conjuncts(kind, &self.tokens()[first + words..stop], false));
            }
            at = stop + 1;
        }
    }
}
