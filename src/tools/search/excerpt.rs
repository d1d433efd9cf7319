//! The part of a text that matches best.

use std::collections::{HashMap, HashSet};

/// The words of a text as an index keeps them, with the place of each.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, usize, String)> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|(_, c)| !c.is_alphanumeric()).is_some() {}
        let start = rest.peek()?.0;
        let mut end = start;
        let mut word = String::new();
        while let Some((at, c)) = rest.next_if(|(_, c)| c.is_alphanumeric()) {
            end = at + c.len_utf8();
            word.extend(c.to_lowercase());
        }
        Some((start, end, stem(word)))
    })
}

/// A plural and its singular are the same word.
fn stem(mut word: String) -> String {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && word.is_ascii() {
        word.pop();
    }
    word
}

/// The at most `limit` characters of `text` that hold most of the words of `wanted`; cuts are marked with `…`. White
/// space is folded.
pub fn excerpt(text: &str, wanted: &str, limit: usize) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= limit {
        return text;
    }
    // Room for the two marks.
    let limit = limit.saturating_sub(4);
    let wanted: HashSet<String> = words(wanted).map(|(_, _, word)| word).collect();
    let all: Vec<(usize, usize, String)> = words(&text).collect();
    // Places as counts of characters.
    let mut count = 0;
    let mut chars: HashMap<usize, usize> = HashMap::new();
    for (at, _) in text.char_indices() {
        chars.insert(at, count);
        count += 1;
    }
    chars.insert(text.len(), count);
    let place = |byte: usize| chars.get(&byte).copied().unwrap_or(count);

    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut hits = 0;
    let mut to = 0;
    let mut best: Option<((usize, usize, bool), usize)> = None;
    for from in 0..all.len() {
        let start = place(all[from].0);
        while to < all.len() && place(all[to].1) - start <= limit {
            if wanted.contains(&all[to].2) {
                *seen.entry(&all[to].2).or_default() += 1;
                hits += 1;
            }
            to += 1;
        }
        let score = (seen.len(), hits, begins_sentence(&text, all[from].0));
        if best.is_none_or(|(other, _)| score > other) {
            best = Some((score, from));
        }
        if to <= from {
            // A single word longer than the limit.
            to = from + 1;
        } else if wanted.contains(&all[from].2) {
            hits -= 1;
            if let Some(left) = seen.get_mut(all[from].2.as_str()) {
                *left -= 1;
                if *left == 0 {
                    seen.remove(all[from].2.as_str());
                }
            }
        }
    }
    let from = best.map_or(0, |(_, from)| all[from].0);
    let end = text[from..]
        .char_indices()
        .nth(limit)
        .map_or(text.len(), |(at, _)| from + at);
    // Not in the middle of a word, unless there is nothing but one.
    let end = if end < text.len() {
        text[from..end]
            .rfind(' ')
            .filter(|at| *at > 0)
            .map_or(end, |at| from + at)
    } else {
        end
    };
    let before = if from > 0 { "… " } else { "" };
    let after = if end < text.len() { " …" } else { "" };
    format!("{before}{}{after}", text[from..end].trim())
}

fn begins_sentence(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end();
    before.is_empty() || before.ends_with(['.', '!', '?'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_itself_with_white_space_folded() {
        assert_eq!(excerpt(" a\n b ", "x", 10), "a b");
    }

    #[test]
    fn the_best_part_of_a_long_text_is_taken() {
        let filler = "Nothing of interest is said here. ".repeat(40);
        let text = format!("{filler}The bridge opened to traffic in 1937. {filler}");
        let part = excerpt(&text, "when did the bridges open to traffic", 120);
        assert!(part.contains("The bridge opened to traffic in 1937."), "{part}");
        assert!(part.chars().count() <= 120, "{part}");
        assert!(part.starts_with("… ") && part.ends_with(" …"), "{part}");
    }

    proptest! {
        #[test]
        fn it_is_never_longer_and_always_a_part(text in "([a-zé]{1,9}[ .\n]){0,80}", query in "[a-z ]{0,20}", limit in 10usize..90) {
            let part = excerpt(&text, &query, limit);
            prop_assert!(part.chars().count() <= limit, "{}", part);
            let folded: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let inner = part.trim_start_matches("… ").trim_end_matches(" …");
            prop_assert!(folded.contains(inner));
        }
    }
}
