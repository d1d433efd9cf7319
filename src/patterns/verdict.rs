//! Verdicts of models, read from their replies.

/// A line without the marks that models put around it.
fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '.' | '!' | '#' | '>' | '-')
    })
}

/// Whether the verdict is OK: the whole reply, or its first or last line.
pub(super) fn is_ok(reply: &str) -> bool {
    if critique_in(reply).is_some() {
        return false;
    }
    let mut lines = reply.lines().filter(|line| !bare(line).is_empty());
    let first = lines.next();
    let last = lines.next_back();
    [first, last]
        .into_iter()
        .flatten()
        .any(|line| bare(line).eq_ignore_ascii_case("ok"))
}

/// The critique in a reply: from the line on that begins with WRONG.
pub(super) fn critique_in(reply: &str) -> Option<&str> {
    let mut at = 0;
    for line in reply.split_inclusive('\n') {
        let word = bare(line);
        if word
            .strip_prefix("WRONG")
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        {
            return Some(reply[at..].trim());
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{critique_in, is_ok};

    #[test]
    fn verdicts_are_read_however_they_are_set() {
        for reply in [
            "OK",
            " ok.\n",
            "**OK**",
            "I checked two claims.\n\nOK",
            "OK\nAll is well.",
        ] {
            assert!(is_ok(reply), "{reply}");
        }
        for reply in ["", "It looks OK to me.", "WRONG: x\nOK", "OKAY", "NOT OK"] {
            assert!(!is_ok(reply), "{reply}");
        }
        assert_eq!(
            critique_in("Claims:\n- one\n**WRONG**: it is 2\n"),
            Some("**WRONG**: it is 2")
        );
        assert_eq!(critique_in("WRONGLY said"), None);
        assert_eq!(critique_in("What is WRONG: x"), None);
    }
}
