//! Whether a critique quotes what a tool returned: checked, not asked for.
//!
//! A critique counts as evidence only if a piece of a result stands in it byte for byte, white space folded. Not every piece
//! is a quotation: a result about the golden gate shares words with any text about it. A piece counts if it is
//!
//! - the whole result, or
//! - put in quotation marks in the critique, or
//! - a figure of two digits or more, or a name (a capitalised word inside a sentence), or
//! - three words in a row,
//!
//! and if it says something that neither the draft nor the question says. What they say themselves contradicts nothing.

use std::collections::HashSet;

use super::words::{Text, Word};
use crate::task::ToolUse;

/// Words that say nothing by themselves.
const SMALL: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "for", "from", "had", "has", "have",
    "he", "her", "his", "in", "is", "it", "its", "not", "of", "on", "or", "she", "that", "the", "their",
    "there", "they", "this", "to", "was", "were", "which", "who", "will", "with",
];

/// The calls whose results `critique` quotes, with what it quotes of each. `known` is what the critique is about: the draft,
/// the question, the criteria. Errors are no evidence.
pub fn quoted(critique: &str, evidence: &[ToolUse], known: &[&str]) -> Vec<(usize, String)> {
    let critique = Text::of(critique);
    let known: HashSet<String> = known
        .iter()
        .flat_map(|text| Text::of(text).words)
        .map(|word| word.text)
        .collect();
    evidence
        .iter()
        .enumerate()
        .filter(|(_, call)| !call.failed)
        .filter_map(|(at, call)| Some((at, quote(&critique, &Text::of(&call.result), &known)?)))
        .collect()
}

/// The longest piece of `result` that `critique` quotes.
fn quote(critique: &Text, result: &Text, known: &HashSet<String>) -> Option<String> {
    let (said, shown) = (&critique.words, &result.words);
    let says = |run: &[Word]| {
        run.iter()
            .any(|word| !known.contains(&word.text) && !SMALL.contains(&&*word.text.to_lowercase()))
    };
    let mut best: Option<&[Word]> = None;
    for from in 0..said.len() {
        for at in 0..shown.len() {
            let longest = alike(&said[from..], &shown[at..]);
            for length in (1..=longest).rev() {
                if best.is_some_and(|best| best.len() >= length) {
                    break;
                }
                let run = &said[from..from + length];
                let counts = length == shown.len()
                    || length >= 3
                    || in_quotation(critique, from, length)
                    || stands_alone(run);
                if counts && says(run) {
                    best = Some(run);
                    break;
                }
            }
        }
    }
    let best = best?;
    let glued = best.iter().enumerate().map(|(at, word)| match at {
        0 => word.text.clone(),
        _ => format!("{}{}", word.glue, word.text),
    });
    Some(glued.collect())
}

/// How many words two texts have in common from their beginnings on, with the same between them.
fn alike(said: &[Word], shown: &[Word]) -> usize {
    let pairs = said.iter().zip(shown).enumerate();
    pairs
        .take_while(|(at, (a, b))| a.text == b.text && (*at == 0 || a.glue == b.glue))
        .count()
}

/// Whether the words are the whole of a passage in quotation marks.
fn in_quotation(critique: &Text, from: usize, length: usize) -> bool {
    let number = critique.words[from].quotation;
    let at = |at: Option<usize>| {
        at.and_then(|at| critique.words.get(at))
            .and_then(|word| word.quotation)
    };
    number.is_some()
        && critique.words[from..from + length]
            .iter()
            .all(|word| word.quotation == number)
        && at(from.checked_sub(1)) != number
        && at(Some(from + length)) != number
}

/// Whether a word tells enough by itself: a figure, or a name.
fn stands_alone(run: &[Word]) -> bool {
    run.iter().any(|word| {
        let digits = word.text.chars().filter(char::is_ascii_digit).count();
        let figure = digits >= 2 && !word.numbers_item;
        let name = !word.begins && word.text.chars().count() > 2 && word.text.starts_with(char::is_uppercase);
        figure || name
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn call(result: &str, failed: bool) -> ToolUse {
        ToolUse {
            claim: None,
            tool: "search".to_owned(),
            arguments: Value::Null,
            result: result.to_owned(),
            failed,
            ms: 0,
            verdict: None,
        }
    }

    const RESULT: &str =
        "bridge.md: The Golden Gate Bridge opened to traffic\non May 27, 1937, after four years of work.";
    const QUESTION: &str = "When did the Golden Gate Bridge open?";
    const ANSWER: &str = "The Golden Gate Bridge opened in 1936.";

    fn quotes(critique: &str) -> Option<String> {
        let found = quoted(critique, &[call(RESULT, false)], &[QUESTION, ANSWER]);
        found.into_iter().next().map(|(_, quote)| quote)
    }

    #[test]
    fn a_piece_of_the_result_is_a_quotation() {
        for (critique, quote) in [
            (
                "WRONG: it says \"opened to traffic on May 27, 1937\".",
                "opened to traffic on May 27, 1937",
            ),
            ("WRONG: 1936 is wrong, the search says 1937.", "1937"),
            ("WRONG: it was 'after four years'", "after four years"),
            ("WRONG: opened  to\n traffic later", "opened to traffic"),
            ("WRONG: it was in May of the next year", "May"),
            ("WRONG: that was on May 27 1937", "on May 27"),
        ] {
            assert_eq!(quotes(critique).as_deref(), Some(quote), "{critique}");
        }
    }

    #[test]
    fn what_is_not_in_the_result_or_was_said_before_is_none() {
        for critique in [
            "WRONG: I remember that it opened in 1938.",
            "WRONG: The Golden Gate Bridge opened in another year.",
            "WRONG: the answer says \"1936\".",
            "WRONG: the claim is not supported by the evidence.",
            "WRONG: it opened in the late thirties.",
            "WRONG: 193 and 19377 are not it",
            "",
        ] {
            assert_eq!(quotes(critique), None, "{critique}");
        }
    }

    #[test]
    fn an_error_is_no_evidence_and_a_whole_result_always_is() {
        let critique = "WRONG: nothing was found for `x`, and 17 * 3 is 51; 7";
        let calls = [
            call("nothing was found for `x`", true),
            call("51", false),
            call("7", false),
        ];
        let found = quoted(critique, &calls, &["17 * 3 is 41"]);
        assert_eq!(found, [(1, "51".to_owned()), (2, "7".to_owned())]);
    }

    #[test]
    fn the_number_of_an_item_is_no_figure() {
        let result = call("chapter 12 of the book", false);
        assert!(quoted("WRONG:\n12. nothing else", std::slice::from_ref(&result), &[]).is_empty());
        assert_eq!(quoted("WRONG: it is in 12", &[result], &[]).len(), 1);
    }

    proptest! {
        #[test]
        fn a_long_enough_piece_always_counts(words in proptest::collection::vec("[a-z]{4,8}", 6..20), from in 0usize..3, length in 3usize..4) {
            let result = words.join(" ");
            let piece = words[from..from + length].join("  ");
            let critique = format!("WRONG: says {piece} there");
            let found = quoted(&critique, &[call(&result, false)], &["nothing of it"]);
            prop_assert!(!found.is_empty());
        }

        #[test]
        fn what_shares_no_word_never_counts(result in "[a-m ]{0,60}", critique in "[n-z\"' ]{0,60}") {
            prop_assert!(quoted(&critique, &[call(&result, false)], &[]).is_empty());
        }
    }
}
