//! What switches a check off or makes it take something for granted.

use super::lex::{Lexed, Sort, Token, joined};
use super::outline::Escape;
use super::preset::{EscapeForm, Preset};

/// Tokens that belong to a function or a scope, with its name.
pub(super) type Range = (usize, usize, String);

/// Every escape in a program of tokens; `ranges` say what each is in.
pub(super) fn in_tokens(lexed: &Lexed<'_>, preset: &Preset, ranges: &[Range]) -> Vec<Escape> {
    let mut all = Vec::new();
    for form in &preset.escapes {
        let escape = |at: usize, line: usize, text: String| Escape {
            what: form.what.clone(),
            text,
            line,
            within: owner(ranges, at),
            trusted: form.trusted,
        };
        if !form.comment.is_empty() {
            let found = lexed
                .comments
                .iter()
                .filter(|comment| holds(comment.text, &form.comment));
            all.extend(found.map(|comment| {
                escape(
                    comment.at,
                    comment.line,
                    comment_text(comment.text, &form.comment),
                )
            }));
            continue;
        }
        let pattern: Vec<&str> = form.tokens.split(' ').collect();
        for at in 0..lexed.tokens.len() {
            if matches(&lexed.tokens[at..], &pattern) {
                let last = lexed.tokens[at + pattern.len() - 1].text;
                if form.harmless.iter().any(|harmless| harmless == last) {
                    continue;
                }
                let end = extent(lexed, form, at, pattern.len());
                all.push(escape(at, lexed.tokens[at].line, joined(&lexed.tokens[at..end])));
            }
        }
    }
    all.sort_by_key(|escape| escape.line);
    all
}

/// The innermost function or scope at an index.
pub(super) fn owner(ranges: &[Range], at: usize) -> String {
    ranges
        .iter()
        .filter(|(from, to, _)| (*from..=*to).contains(&at))
        .min_by_key(|(from, to, _)| to - from)
        .map(|(_, _, name)| name.clone())
        .unwrap_or_default()
}

/// Whether tokens begin as a pattern says.
pub(super) fn matches(tokens: &[Token<'_>], pattern: &[&str]) -> bool {
    if pattern.is_empty() || tokens.len() < pattern.len() {
        return false;
    }
    tokens.iter().zip(pattern).all(|(token, wanted)| match *wanted {
        "_" => true,
        "\"_\"" => token.sort == Sort::Text,
        wanted if token.sort == Sort::Text => token.text == wanted,
        "*" => token.text == "*",
        wanted => match wanted.strip_suffix('*') {
            Some(start) => token.is_word() && token.text.starts_with(start),
            None => token.text == wanted,
        },
    })
}

/// Index behind what belongs to an escape.
fn extent(lexed: &Lexed<'_>, form: &EscapeForm, at: usize, length: usize) -> usize {
    let all = lexed.tokens.len();
    let end = at + length;
    if form.statement {
        return (end..all)
            .find(|at| matches!(lexed.tokens[*at].text, ";" | "}" | "*/"))
            .unwrap_or(all);
    }
    // A bracket that was opened is closed: arguments, the rest of an attribute.
    let opens = |at: &usize| match lexed.tokens[*at].text {
        "(" | "[" => true,
        "{" => lexed.tokens.get(at + 1).is_some_and(|next| next.is(":")),
        _ => false,
    };
    let open = (at..end).find(opens);
    if let Some(open) = open {
        return (lexed.partner[open] + 1).clamp(end, all);
    }
    if lexed.tokens[at].is("#") {
        return (end..all)
            .find(|at| lexed.tokens[*at].text == "\n")
            .unwrap_or(end);
    }
    end
}

/// Whether a comment says these words. Spelling with or without blanks makes no difference to the tools.
pub(super) fn holds(comment: &str, words: &str) -> bool {
    let squeezed = |text: &str| -> String {
        text.chars()
            .filter(|c| !c.is_whitespace())
            .flat_map(char::to_lowercase)
            .collect()
    };
    squeezed(comment).contains(&squeezed(words))
}

/// From the words on, so that another rule that is switched off is another escape.
pub(super) fn comment_text(comment: &str, words: &str) -> String {
    let first = words.split([' ', ':']).next().unwrap_or(words);
    let at = comment
        .to_lowercase()
        .find(&first.to_lowercase())
        .filter(|at| comment.is_char_boundary(*at));
    let text = at.map_or(comment, |at| &comment[at..]);
    text.trim_end_matches("*/")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
