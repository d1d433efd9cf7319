//! Long texts made short enough for an error message.

use super::ChatRequest;

/// At most `limit` characters on one line, the cut marked.
pub(super) fn brief(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            out.push(' ');
            count += 1;
        }
        for character in word.chars() {
            if count >= limit {
                out.push('…');
                return out;
            }
            out.push(character);
            count += 1;
        }
    }
    out
}

/// The first line of a request's last message that says something.
pub(super) fn beginning(request: &ChatRequest) -> String {
    let last = request
        .messages
        .last()
        .map_or("", |message| message.content.as_str());
    let line = last.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    brief(line, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_the_cut_is_marked() {
        assert_eq!(brief("  a\n b\tc ", 10), "a b c");
        assert_eq!(brief("ééééé", 3), "ééé…");
        assert_eq!(brief("", 3), "");
    }
}
