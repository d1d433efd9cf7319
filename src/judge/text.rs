//! Texts: comparing outputs, and cutting what is too long to show.

use crate::task::Compare;

/// Longest text that is shown whole, in characters.
const SHOWN: usize = 4000;

/// Cuts the middle out of a long text and says how much is gone.
pub(crate) fn cut(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN / 2).collect();
    let tail: String = text.chars().skip(count - SHOWN / 2).collect();
    format!("{head} … {} characters cut … {tail}", thousands(count - SHOWN))
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Whether an output is what was expected.
pub(crate) fn same(actual: &[u8], expected: &str, compare: Compare) -> bool {
    if compare == Compare::Exact {
        return actual == expected.as_bytes();
    }
    // What isn't UTF-8 can't be what was expected: the replacement isn't in the expected text either, unless it is
    // there literally, which the bytes then show.
    let Ok(actual) = std::str::from_utf8(actual) else {
        return false;
    };
    match compare {
        Compare::Trim | Compare::Exact => trimmed(actual).eq(trimmed(expected)),
        Compare::Tokens => actual.split_whitespace().eq(expected.split_whitespace()),
        Compare::Float { abs, rel } => {
            let (mut left, mut right) = (actual.split_whitespace(), expected.split_whitespace());
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return true,
                    (Some(actual), Some(expected)) if near(actual, expected, abs, rel) => {}
                    _ => return false,
                }
            }
        }
        Compare::Unordered => {
            let (mut left, mut right): (Vec<_>, Vec<_>) =
                (trimmed(actual).collect(), trimmed(expected).collect());
            left.sort_unstable();
            right.sort_unstable();
            left == right
        }
    }
}

/// Lines without trailing blanks, without blank lines at the end.
fn trimmed(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().split('\n').map(str::trim_end)
}

/// The same word, or two numbers close to each other of which one is a float. Never "not too far": NaN is near
/// nothing but itself.
fn near(actual: &str, expected: &str, abs: f64, rel: f64) -> bool {
    if actual == expected {
        return true;
    }
    let whole = |text: &str| {
        text.trim_start_matches(['+', '-'])
            .bytes()
            .all(|byte| byte.is_ascii_digit())
    };
    if whole(actual) && whole(expected) {
        return match (actual.parse::<i128>(), expected.parse::<i128>()) {
            (Ok(actual), Ok(expected)) => actual == expected,
            _ => false,
        };
    }
    let (Ok(actual), Ok(expected)) = (actual.parse::<f64>(), expected.parse::<f64>()) else {
        return false;
    };
    near_numbers(actual, expected, Some((abs, rel)))
}

/// Two numbers that are the same or, with a tolerance (absolute, relative), close to each other.
pub(crate) fn near_numbers(actual: f64, expected: f64, tolerance: Option<(f64, f64)>) -> bool {
    if actual.is_nan() || expected.is_nan() {
        return actual.is_nan() && expected.is_nan();
    }
    #[expect(clippy::float_cmp, reason = "infinities and equal values need no tolerance")]
    let equal = actual == expected;
    equal
        || tolerance.is_some_and(|(abs, rel)| {
            (actual - expected).abs() <= abs.max(rel * expected.abs())
                && actual.is_finite()
                && expected.is_finite()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trim_is_about_ends_only() {
        assert!(same(b"a  \nb\n\n", "a\r\nb\r\n", Compare::Trim));
        assert!(!same(b"\na\n", "a\n", Compare::Trim));
        assert!(!same(b"a b", "a\nb", Compare::Trim));
        assert!(!same(b" a", "a", Compare::Trim));
        assert!(same(b"", "\n", Compare::Trim));
    }

    #[test]
    fn floats_are_near_and_integers_exact() {
        let near = Compare::Float { abs: 1e-6, rel: 0.0 };
        assert!(same(b"0.6000000000000001 2", "0.6 2", near));
        assert!(!same(b"nan", "2.5", near));
        assert!(same(b"nan", "nan", near));
        assert!(!same(b"3", "2", Compare::Float { abs: 5.0, rel: 0.0 }));
        assert!(!same(
            b"inf",
            "1.0",
            Compare::Float {
                abs: f64::INFINITY,
                rel: 0.0
            }
        ));
        assert!(same(b"1e3", "1000", near));
        assert!(!same(b"1 2", "1", near));
    }

    #[test]
    fn long_text_loses_its_middle() {
        let text = "x".repeat(16_345);
        let shown = cut(&text);
        assert!(shown.contains(" … 12,345 characters cut … "), "{shown}");
        assert!(shown.starts_with(&"x".repeat(2000)) && shown.ends_with(&"x".repeat(2000)));
    }

    #[test]
    fn bytes_that_are_no_text_are_a_wrong_answer() {
        assert!(!same(b"\xff", "\u{fffd}", Compare::Trim));
    }
}
