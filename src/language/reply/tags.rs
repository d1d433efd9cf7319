//! Code between tags: `[PYTHON] … [/PYTHON]`, `<code> … </code>` and the like.

use super::fences::Block;
use super::kinds::{Kind, kind_of};

/// Names of tags that hold code, in lower case; the language's own names do so as well.
const NAMES: [&str; 10] = [
    "code",
    "pre",
    "answer",
    "solution",
    "program",
    "completion",
    "function",
    "output_code",
    "final_answer",
    "source",
];

/// The innermost tagged parts of `text`. One that is never closed goes to the end.
pub(super) fn blocks(text: &str, language: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, usize)> = None;
    let mut at = 0;
    while let Some(tag) = Tag::next(text, at, language) {
        at = tag.end;
        match (&open, tag.closes) {
            (Some((name, start)), true) if *name == tag.name => {
                push(&mut blocks, &text[*start..tag.start]);
                open = None;
            }
            (_, true) => {}
            // One inside of another: the inner one is it.
            (_, false) => open = Some((tag.name, tag.end)),
        }
    }
    if let Some((_, start)) = open {
        push(&mut blocks, &text[start..]);
    }
    blocks
}

fn push(blocks: &mut Vec<Block>, source: &str) {
    let source = source.strip_prefix('\n').unwrap_or(source);
    if !source.trim().is_empty() {
        blocks.push(Block {
            kind: Kind::Ours,
            source: format!("{}\n", source.trim_end()),
        });
    }
}

struct Tag {
    name: String,
    closes: bool,
    start: usize,
    end: usize,
}

impl Tag {
    /// The next tag behind `from` that is one of ours.
    fn next(text: &str, from: usize, language: &str) -> Option<Self> {
        text[from..]
            .match_indices(['[', '<'])
            .find_map(|(at, _)| Self::at(text, from + at, language))
    }

    fn at(text: &str, start: usize, language: &str) -> Option<Self> {
        let close = if text[start..].starts_with('[') { ']' } else { '>' };
        let indexes = text[..start].ends_with(|c: char| c.is_alphanumeric() || "_)]'\"".contains(c));
        if close == ']' && indexes {
            return None;
        }
        let inner = &text[start + 1..];
        let length = inner.find(close).filter(|length| *length < 60)?;
        let inside = &inner[..length];
        let (closes, inside) = inside
            .strip_prefix('/')
            .map_or((false, inside), |rest| (true, rest));
        let inside = inside.trim_matches('|');
        let name: String = inside
            .chars()
            .take_while(|c| c.is_alphanumeric() || "_+".contains(*c))
            .collect::<String>()
            .to_ascii_lowercase();
        // `<code class="language-python">`: attributes are fine, `x[code + 1]` and `a<code` are not.
        let rest = &inside[name.len()..];
        let attributes = rest.is_empty() || (close == '>' && rest.starts_with(' ') && rest.contains('='));
        let known =
            NAMES.contains(&name.as_str()) || (!name.is_empty() && kind_of(&name, language) == Kind::Ours);
        (known && attributes).then(|| Self {
            name,
            closes,
            start,
            end: start + 1 + length + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tagged_parts() {
        let found = |text: &str| -> Vec<String> {
            blocks(text, "python")
                .into_iter()
                .map(|block| block.source)
                .collect()
        };
        assert_eq!(found("So: [PYTHON]\nx = 1\n[/PYTHON] done"), ["x = 1\n"]);
        assert_eq!(
            found("<pre><code class=\"language-python\">x = 1</code></pre>"),
            ["x = 1\n"]
        );
        assert_eq!(
            found("<code>a</code> or <python>\nx = a[code]\n"),
            ["a\n", "x = a[code]\n"]
        );
        assert_eq!(found("<|python|>x = 1</|python|>"), ["x = 1\n"]);
        assert!(found("if a < b and c > d: x[1] = [code for code in y]").is_empty());
    }
}
