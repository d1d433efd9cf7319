//! What can't be part of an answer: thoughts, special tokens, foreign line ends.

/// Line ends as `\n`, no byte order mark, nothing behind the token with which a model ends.
pub(super) fn tidy(reply: &str) -> String {
    let text = reply.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_start_matches('\u{feff}');
    let end = ENDS.iter().filter_map(|token| find_tag(text, token)).min();
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Lines as a text, each with its end.
pub(super) fn lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// With these a model's answer ends; some servers leave them in the text.
const ENDS: [&str; 8] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eot|>",
    "<|end_of_text|>",
    "<|return|>",
    "<|end_of_sentence|>",
    "</s>",
];

/// How models mark their reasoning.
const THOUGHTS: [(&str, &str); 9] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// The reply without its reasoning parts, and the last such part if it never ends.
pub(super) fn without_thoughts(text: &str) -> (String, Option<String>) {
    let mut text = text.to_owned();
    let mut unended = None;
    for (open, close) in THOUGHTS {
        // A missing opening tag is common: the chat template has already written it.
        while let Some(end) = find_tag(&text, close) {
            let start = rfind_tag(&text[..end], open).unwrap_or(0);
            text.replace_range(start..end + close.len(), "");
        }
        // In the middle of an answer it would be part of it.
        if let Some(start) = find_tag(&text, open).filter(|start| text[..*start].trim().is_empty()) {
            unended = Some(text[start + open.len()..].to_owned());
            text.truncate(start);
        }
    }
    (text, unended)
}

/// Where `tag` stands, however it is cased, but not as a word in quotes: a program may speak of it.
fn find_tag(text: &str, tag: &str) -> Option<usize> {
    places(text, tag).next()
}

fn rfind_tag(text: &str, tag: &str) -> Option<usize> {
    places(text, tag).last()
}

fn places<'a>(text: &'a str, tag: &'a str) -> impl Iterator<Item = usize> + 'a {
    let quoted = |c: char| matches!(c, '"' | '\'' | '`');
    let (bytes, wanted) = (text.as_bytes(), tag.as_bytes());
    let first = wanted.first().copied().unwrap_or_default();
    bytes
        .windows(wanted.len())
        .enumerate()
        .filter(move |(_, window)| window[0] == first && window.eq_ignore_ascii_case(wanted))
        .map(|(at, _)| at)
        .filter(move |&at| {
            !text[..at].ends_with(quoted) && !text[at + tag.len()..].starts_with(quoted)
                || text[at + tag.len()..].starts_with("```")
                || text[..at].ends_with("```")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_go() {
        for (text, rest) in [
            ("<think>a</think>b", "b"),
            ("a\n</think>\nb", "\nb"),
            ("<THINK>a</THINK>b<think>c</think>d", "bd"),
            ("<thinking>x <think> y</thinking>z", "z"),
            ("[THINK]x[/THINK]y", "y"),
            (
                "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>y",
                "y",
            ),
            ("say \"</think>\" now", "say \"</think>\" now"),
            ("<think>a</think>```\nb```", "```\nb```"),
        ] {
            assert_eq!(without_thoughts(text), (rest.to_owned(), None), "{text}");
        }
    }

    #[test]
    fn thoughts_without_end_are_kept_apart() {
        assert_eq!(
            without_thoughts(" <think>a\nb"),
            (" ".to_owned(), Some("a\nb".to_owned()))
        );
        assert_eq!(without_thoughts("a <think> b"), ("a <think> b".to_owned(), None));
    }

    #[test]
    fn line_ends_and_tokens_at_the_end() {
        assert_eq!(tidy("\u{feff}a\r\nb\rc<|im_end|>\n<|im_start|>user"), "a\nb\nc");
        assert_eq!(tidy("s = '</s>'"), "s = '</s>'");
    }
}
