//! Numbers in JSON that JSON readers can't read or would round.

use std::fmt::Write as _;

/// Writes integers that JSON readers would round as `{"$int": "digits"}`, and Python's `NaN` and `Infinity`, which aren't
/// JSON, as `{"$float": "nan"}`.
pub fn keep_integers(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if bytes[at] == b'"' {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(bytes.len());
        } else if (bytes[at] == b'-' && !text[at..].starts_with("-I")) || bytes[at].is_ascii_digit() {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || b"+-.".contains(&bytes[at])) {
                at += 1;
            }
            let number = &text[start..at];
            let whole = number
                .strip_prefix('-')
                .unwrap_or(number)
                .bytes()
                .all(|byte| byte.is_ascii_digit());
            if whole && number.parse::<i64>().is_err() && number.len() > 1 {
                let _ = write!(kept, "{{\"$int\": \"{number}\"}}");
                continue;
            }
        } else if let Some((word, name)) = float_at(&text[at..]) {
            let _ = write!(kept, "{{\"$float\": \"{name}\"}}");
            at += word.len();
            continue;
        } else {
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
        kept.push_str(text.get(start..at).unwrap_or_default());
    }
    kept
}

/// A word for a float that has no digits.
fn float_at(text: &str) -> Option<(&'static str, &'static str)> {
    let words = [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")];
    words.into_iter().find(|(word, _)| text.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_are_kept() {
        let text = r#"{"a": 160693804425899027, "b": [-16069380442589902755, 1e400], "ü 99999999999999999999": "\"1606938044258990275554"}"#;
        let kept = keep_integers(text);
        assert!(
            kept.contains(r#"[{"$int": "-16069380442589902755"}, 1e400]"#),
            "{kept}"
        );
        assert!(
            kept.contains(r#""ü 99999999999999999999": "\"1606938044258990275554"}"#),
            "{kept}"
        );
        assert!(kept.contains("160693804425899027,"), "{kept}");
        assert_eq!(
            keep_integers(r#"[NaN, -Infinity, -1, "NaN"]"#),
            r#"[{"$float": "nan"}, {"$float": "-inf"}, -1, "NaN"]"#
        );
    }
}
