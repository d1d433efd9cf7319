//! Literals of a program in any language, one after another.

use super::questions::Question;
use crate::judge::evidence::values::quoted;

/// A literal, as it would be written in Python, and as it would be printed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token {
    plain: String,
    printed: String,
}

impl Token {
    fn is(&self, value: &str) -> bool {
        self.plain == value || self.printed == value
    }
}

/// Whether the inputs of a question stand right before its answer.
pub(super) fn answer(tokens: &[Token], question: &Question) -> bool {
    question.inputs.iter().any(|inputs| {
        tokens.windows(inputs.len() + 1).any(|window| {
            let (last, before) = (&window[inputs.len()], &window[..inputs.len()]);
            last.is(&question.answer) && before.iter().zip(inputs).all(|(token, input)| token.is(input))
        })
    })
}

/// The numbers and strings of a source, without those in comments.
pub(super) fn of(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") || (first == '#' && !rest.starts_with("#include")) {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if ['"', '\'', '`'].contains(&first) && !before.is_alphanumeric() {
            let end = closing(rest, first);
            let text = rest.get(1..end).unwrap_or_default();
            tokens.push(Token {
                plain: quoted(text),
                printed: text.trim().to_owned(),
            });
            (end + 1).min(rest.len())
        } else if first.is_ascii_digit() && !before.is_alphanumeric() && before != '_' {
            let end = rest
                .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
                .unwrap_or(rest.len());
            let number = rest[..end].trim_end_matches('.').replace('_', "");
            let number = if before == '-' {
                format!("-{number}")
            } else {
                number
            };
            tokens.push(Token {
                plain: number.clone(),
                printed: number,
            });
            end
        } else {
            first.len_utf8()
        };
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
    }
    tokens
}

/// Where the text that begins with `quote` ends; at the end of the line if it isn't closed.
fn closing(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return at,
            c if c == quote => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn literals_in_order() {
        let source = "x1 = -12.5; // 7\n/* 8 */ f('a\\'b', \"c\", 1_000) # 9\n'open\n3";
        let printed: Vec<String> = of(source).into_iter().map(|token| token.printed).collect();
        assert_eq!(printed, ["-12.5", "a\\'b", "c", "1000", "open", "3"]);
    }

    #[test]
    fn nothing_ends_it() {
        for source in ["", "\"", "'é", "`", "/*", "//", "1.", "é1\"é\"", "#"] {
            of(source);
        }
    }
}
