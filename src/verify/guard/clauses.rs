//! Specifications taken apart into conjuncts, so that neither their order nor how they are grouped matters.

use super::lex::{Sort, Token, joined};
use super::outline::{Clause, ClauseKind};
use super::preset::Specifications;

impl Specifications {
    /// The kind of clause that a word begins, if it begins one.
    pub(super) fn clause(&self, word: &str) -> Option<ClauseKind> {
        let among = |list: &[String]| list.iter().any(|known| known == word);
        let kinds = [
            (&self.requires, ClauseKind::Requires),
            (&self.ensures, ClauseKind::Ensures),
            (&self.frame, ClauseKind::Frame),
            (&self.invariants, ClauseKind::Invariant),
            (&self.decreases, ClauseKind::Decreases),
        ];
        for (list, kind) in kinds {
            if among(list) {
                return Some(kind);
            }
        }
        among(&self.others).then_some(ClauseKind::Unguarded)
    }
}

/// The conjuncts of one clause.
pub(super) fn conjuncts(kind: ClauseKind, tokens: &[Token<'_>], commas: bool) -> Vec<Clause> {
    let line = tokens.first().map_or(0, |token| token.line);
    let parts = match kind {
        // A measure may have several parts, and they belong together.
        ClauseKind::Decreases => vec![tokens],
        ClauseKind::Frame => split(tokens, |token| token.is(",")),
        _ if commas => split(tokens, |token| token.is(",")),
        _ => vec![tokens],
    };
    let mut pieces: Vec<&[Token<'_>]> = Vec::new();
    for part in parts {
        if matches!(kind, ClauseKind::Decreases | ClauseKind::Frame) {
            pieces.push(part);
        } else {
            conjoined(part, &mut pieces);
        }
    }
    let mut all = Vec::new();
    for piece in pieces {
        let piece = bare(piece);
        if piece.is_empty() {
            continue;
        }
        for text in chained(piece) {
            all.push(Clause {
                kind,
                text,
                line: piece.first().map_or(line, |token| token.line),
            });
        }
    }
    all
}

/// Signs that bind weaker than `&&`, so that what stands beside an `&&` isn't a conjunct of the whole.
fn binds_weaker(token: &Token<'_>) -> bool {
    (token.sort == Sort::Sign
        && matches!(
            token.text,
            "||" | "==>" | "<==" | "<==>" | "=" | ":=" | "=>" | ";" | "?" | "|||" | ":" | "::" | "|" | ":|"
        ))
        || (token.is_word()
            && matches!(
                token.text,
                "forall"
                    | "exists"
                    | "choose"
                    | "if"
                    | "let"
                    | "match"
                    | "lambda"
                    | "or"
                    | "then"
                    | "else"
                    | "var"
                    | "implies"
            ))
}

fn conjoined<'t, 'a>(tokens: &'t [Token<'a>], out: &mut Vec<&'t [Token<'a>]>) {
    let tokens = bare(tokens);
    // `a::b` is a path here and there, and a quantifier's sign elsewhere.
    let weak = outside(tokens).any(|at| {
        let token = &tokens[at];
        binds_weaker(token) && !(token.is("::") && is_path(tokens, at))
    });
    let and = |token: &Token<'_>| token.is("&&") || token.is("&&&") || token.is("and");
    if weak || !outside(tokens).any(|at| and(&tokens[at])) {
        out.push(tokens);
        return;
    }
    for part in split(tokens, and) {
        conjoined(part, out);
    }
}

fn is_path(tokens: &[Token<'_>], at: usize) -> bool {
    let quantified = tokens[..at]
        .iter()
        .any(|token| matches!(token.text, "forall" | "exists" | "|"));
    !quantified && at > 0 && tokens[at - 1].is_word() && tokens.get(at + 1).is_some_and(Token::is_word)
}

/// `a <= b < c` as `a <= b` and `b < c`.
fn chained(tokens: &[Token<'_>]) -> Vec<String> {
    let compares: Vec<usize> = outside(tokens)
        .filter(|at| {
            tokens[*at].sort == Sort::Sign && matches!(tokens[*at].text, "<" | "<=" | "==" | ">" | ">=")
        })
        .collect();
    let up = compares
        .iter()
        .all(|at| matches!(tokens[*at].text, "<" | "<=" | "=="));
    let down = compares
        .iter()
        .all(|at| matches!(tokens[*at].text, ">" | ">=" | "=="));
    let weak = outside(tokens).any(|at| binds_weaker(&tokens[at]) || tokens[at].is("!") && at == 0);
    if compares.len() < 2 || !(up || down) || weak {
        return vec![joined(tokens)];
    }
    let mut parts = Vec::new();
    let mut begin = 0;
    for (index, at) in compares.iter().enumerate() {
        let end = compares.get(index + 1).copied().unwrap_or(tokens.len());
        parts.push(joined(&tokens[begin..end]));
        begin = at + 1;
    }
    parts
}

/// Without parentheses around the whole, and without a comma or `&&&` left over at the ends.
fn bare<'t, 'a>(mut tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    loop {
        let left_over = |token: &Token<'_>| token.is(",") || token.is("&&&") || token.is(";");
        if tokens.first().is_some_and(left_over) {
            tokens = &tokens[1..];
        } else if tokens.last().is_some_and(left_over) {
            tokens = &tokens[..tokens.len() - 1];
        } else if tokens.len() >= 2
            && tokens[0].is("(")
            && super::lex::partners(tokens)[0] == tokens.len() - 1
            && !outside(&tokens[1..tokens.len() - 1]).any(|at| tokens[at + 1].is(","))
        {
            tokens = &tokens[1..tokens.len() - 1];
        } else {
            return tokens;
        }
    }
}

/// Indices of tokens that stand in no brackets, the brackets left out.
fn outside<'t>(tokens: &'t [Token<'_>]) -> impl Iterator<Item = usize> + 't {
    let partner = super::lex::partners(tokens);
    let mut until = 0;
    (0..tokens.len()).filter(move |at| {
        if *at < until {
            return false;
        }
        if partner[*at] > *at {
            until = partner[*at] + 1;
            return false;
        }
        true
    })
}

/// Parts between separators that stand in no brackets and not between the bars of a closure or a quantifier.
fn split<'t, 'a>(tokens: &'t [Token<'a>], is_separator: impl Fn(&Token<'_>) -> bool) -> Vec<&'t [Token<'a>]> {
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut in_bars = false;
    for at in outside(tokens) {
        let token = &tokens[at];
        if token.is("|") {
            let opens = at == 0
                || matches!(
                    tokens[at - 1].text,
                    "forall" | "exists" | "choose" | "," | "(" | "=" | "==>" | "&&" | "||"
                );
            in_bars = !in_bars && opens;
        } else if !in_bars && is_separator(token) {
            parts.push(&tokens[begin..at]);
            begin = at + 1;
        }
    }
    parts.push(&tokens[begin..]);
    parts.retain(|part| !part.is_empty());
    parts
}
