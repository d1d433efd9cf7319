//! Where a Python value in running text ends.

/// The end of the bracketed text that `text` begins with, strings inside respected.
pub(super) fn bracketed_end(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(c) => return None,
            '\'' | '"' => {
                at += string_end(&text[at..])?;
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
        if open.is_empty() {
            return Some(at);
        }
    }
    None
}

/// The end of the string (on one line) whose quote `text` begins with.
fn string_end(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The end of the value that `text` begins with: brackets, a string, a number or a word.
pub(super) fn value_end(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    match first {
        '(' | '[' | '{' => bracketed_end(text),
        '\'' | '"' => string_end(text),
        'b' | 'r' if text[1..].starts_with(['\'', '"']) => string_end(&text[1..]).map(|end| end + 1),
        '-' | '+' | '.' | '0'..='9' => number_end(text),
        c if c.is_alphabetic() => {
            let end = text
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(text.len());
            match bracketed_end(&text[end..]).filter(|_| text[end..].starts_with('(')) {
                Some(brackets) => Some(end + brackets),
                None => Some(end),
            }
        }
        _ => None,
    }
}

/// A full stop behind a number ends the sentence; it belongs to the number only if digits follow or it is
/// the only thing left of one like `2.`, which nobody writes in prose.
fn number_end(text: &str) -> Option<usize> {
    let digits = |from: usize| {
        text[from..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .map_or(text.len(), |end| from + end)
    };
    let start = usize::from(text.starts_with(['-', '+']));
    let mut end = digits(start);
    if text[end..]
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        end = digits(end + 1);
    }
    if text[..end].ends_with(['e', 'E']) && text[end..].starts_with(['-', '+']) {
        end = digits(end + 1);
    }
    (end > start).then_some(end)
}

/// `text` without a comment at its end.
pub(super) fn without_comment(text: &str) -> &str {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '#' => return text[..at].trim_end(),
            '\'' | '"' => match string_end(&text[at..]) {
                Some(end) => at += end,
                None => return text,
            },
            _ => at += c.len_utf8(),
        }
    }
    text.trim_end()
}

/// Line breaks and indentation become one blank, outside of strings.
pub(super) fn on_one_line(text: &str) -> String {
    text.split('\n')
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether `c` can be part of a name.
pub(super) fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
