//! Words and signs of source texts that look like C's, with their places: enough to find imports, classes and functions,
//! without being misled by comments and texts in quotes.

/// How a language writes what isn't code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// `'x'` is a character, `"""` begins a text of several lines.
    Java,
    /// As in C, with raw texts in C++'s manner.
    C,
    /// Raw texts stand between backticks.
    Go,
    /// `'a` may be a lifetime, raw texts are written `r#"…"#`, comments nest.
    Rust,
}

/// One word, sign or text in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// As it is written.
    pub(crate) text: &'a str,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
}

impl Token<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is a text or a character in quotes.
    pub(crate) fn is_text(&self) -> bool {
        self.text.ends_with(['"', '\'', '`'])
    }
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// All words, signs and texts of a source text; comments are left out.
pub(crate) fn tokens(source: &str, quotes: Quotes) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += comment(rest, quotes == Quotes::Rust);
            continue;
        }
        let length = text(rest, first, quotes).unwrap_or_else(|| {
            if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            }
        });
        tokens.push(Token {
            text: &rest[..length],
            start: at,
        });
        at += length;
    }
    tokens
}

/// The length of a comment that begins a text.
fn comment(text: &str, nests: bool) -> usize {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" if nests || depth == 0 => {
                depth += 1;
                at += 2;
            }
            b"*/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}

/// The length of a text in quotes that begins here, if one does.
fn text(rest: &str, first: char, quotes: Quotes) -> Option<usize> {
    let closed = |open: usize, close: &str| {
        rest[open..]
            .find(close)
            .map_or(rest.len(), |at| open + at + close.len())
    };
    match (quotes, first) {
        (Quotes::Java, '"') if rest.starts_with("\"\"\"") => Some(closed(3, "\"\"\"")),
        (Quotes::Go, '`') => Some(closed(1, "`")),
        (Quotes::Rust, '\'') => {
            let mut inside = rest[1..].chars();
            let (one, two) = (inside.next()?, inside.next());
            let is_char = one == '\\' || two == Some('\'');
            is_char.then(|| quoted(rest, '\'', false))
        }
        (Quotes::Rust, 'r' | 'b') => {
            let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
            let marks = raw.len() - raw.trim_start_matches('#').len();
            let open = rest.len() - raw.len() + marks + 1;
            raw[marks..]
                .starts_with('"')
                .then(|| closed(open, &format!("\"{}", "#".repeat(marks))))
        }
        (Quotes::C, 'R') if rest.starts_with("R\"") => {
            let open = rest.find('(')?;
            Some(closed(open + 1, &format!("){}\"", &rest[2..open])))
        }
        (_, '"') => Some(quoted(rest, '"', quotes == Quotes::Rust)),
        (_, '\'') => Some(quoted(rest, '\'', false)),
        _ => None,
    }
}

/// The length of a text with escapes; where it can't go over several lines, it ends with its own at the latest.
fn quoted(text: &str, quote: char, several_lines: bool) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '\n' && !several_lines {
            return at;
        }
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(source: &str, quotes: Quotes) -> Vec<&str> {
        tokens(source, quotes).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_no_words_and_texts_are_one() {
        assert_eq!(
            words("a /* b \" */ \"c // d\" // e\nf", Quotes::Java),
            ["a", "\"c // d\"", "f"]
        );
        assert_eq!(
            words("x \"\"\"\n y \" z\"\"\" w", Quotes::Java),
            ["x", "\"\"\"\n y \" z\"\"\"", "w"]
        );
        assert_eq!(words("f(`a\"b`)", Quotes::Go), ["f", "(", "`a\"b`", ")"]);
        assert_eq!(words("R\"x(a \" b)x\" c", Quotes::C), ["R\"x(a \" b)x\"", "c"]);
        assert_eq!(words("'\\'' '{'", Quotes::C), ["'\\''", "'{'"]);
    }

    #[test]
    fn rust_has_lifetimes_raw_texts_and_nested_comments() {
        assert_eq!(
            words(
                "fn f<'a>(c: &'a str) { '\\''; '{'; r#\"\"x\"#; /* /* */ x */ br\"y\" }",
                Quotes::Rust
            ),
            [
                "fn",
                "f",
                "<",
                "'",
                "a",
                ">",
                "(",
                "c",
                ":",
                "&",
                "'",
                "a",
                "str",
                ")",
                "{",
                "'\\''",
                ";",
                "'{'",
                ";",
                "r#\"\"x\"#",
                ";",
                "br\"y\"",
                "}"
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_has_tokens(text in "[a-zR\"'`\\\\/*#(){}\n ü]{0,60}") {
            for quotes in [Quotes::Java, Quotes::C, Quotes::Go, Quotes::Rust] {
                let mut end = 0;
                for token in tokens(&text, quotes) {
                    prop_assert!(token.start >= end && !token.text.is_empty());
                    prop_assert_eq!(&text[token.start..token.end()], token.text);
                    end = token.end();
                }
            }
        }
    }
}
