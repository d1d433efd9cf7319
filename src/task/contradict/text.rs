//! Other outputs, and test code of languages other than Python.

use super::How;

/// Words that programs print for two answers.
const OPPOSITES: [(&str, &str); 5] = [
    ("YES", "NO"),
    ("Yes", "No"),
    ("yes", "no"),
    ("True", "False"),
    ("true", "false"),
];

/// An output that means something else, however it is compared.
pub(super) fn other(output: &str) -> String {
    let first = output.split_whitespace().next().unwrap_or_default();
    for (one, opposite) in OPPOSITES {
        if first == one || first == opposite {
            let other = if first == one { opposite } else { one };
            return output.replacen(first, other, 1);
        }
    }
    match output.find(|c: char| c.is_ascii_digit()) {
        // Another number, by more than any tolerance.
        Some(at) => format!("{}1{}", &output[..at], &output[at..]),
        None if first.is_empty() => "1\n".to_owned(),
        None => output.replacen(first, &format!("{first}x"), 1),
    }
}

/// Assertions, and the same for the opposite.
const CALLS: [(&str, &str); 17] = [
    ("lu.assertEquals(", "lu.assertNotEquals("),
    ("assert_eq!(", "assert_ne!("),
    ("assert.Equal(", "assert.NotEqual("),
    ("assert.True(", "assert.False("),
    ("assert.deepStrictEqual(", "assert.notDeepStrictEqual("),
    ("assert.deepEqual(", "assert.notDeepEqual("),
    ("assert.strictEqual(", "assert.notStrictEqual("),
    ("assert.equal(", "assert.notEqual("),
    ("assertEquals(", "assertNotEquals("),
    ("assert_equal(", "refute_equal("),
    ("assert_equal ", "refute_equal "),
    ("console.assert(", "console.assert(!"),
    ("assert!(", "assert!(!"),
    ("Debug.Assert(", "Debug.Assert(!"),
    ("assert(", "assert(!"),
    ("assert (", "assert (!"),
    ("assert ", "assert !"),
];

/// A list of truths, as HumanEval-X writes Java's tests.
const TRUTHS: &str = "List<Boolean> correct = Arrays.asList(";

/// Conditions of failure, and their opposite with what follows it in their place.
const CONDITIONS: [(&str, &str); 1] = [(
    "if (!correct)",
    "if (correct) { throw new AssertionError(); }\n        if (!correct)",
)];

/// Comparisons in conditions, as shells and PHP write them.
const COMPARISONS: [(&str, &str, &str); 2] = [("[[ ", " = ", " != "), ("if (", " !== ", " === ")];

/// Test code in which an assertion is followed by its opposite, or replaced by it.
pub(super) fn assertion(code: &str, how: How) -> Option<String> {
    for (call, opposite) in CALLS {
        let Some((start, end)) = statement(code, call) else {
            continue;
        };
        let (before, asserted, after) = (&code[..start], &code[start..end], &code[end..]);
        let negated = if opposite.ends_with('!') {
            // What is denied is the whole of it.
            let inner = asserted[call.len()..].trim_end_matches(';').trim_end();
            let (inner, close) = if call.ends_with('(') {
                (inner.strip_suffix(')')?, ")")
            } else {
                (inner, "")
            };
            let rest = &asserted[call.len() + inner.len() + close.len()..];
            format!("{opposite}({inner}){close}{rest}")
        } else {
            format!("{opposite}{}", &asserted[call.len()..])
        };
        return Some(match how {
            How::Conflict => format!("{before}{asserted}\n{negated}{after}"),
            How::OneOff => format!("{before}{negated}{after}"),
        });
    }
    if let Some(at) = code.find(TRUTHS) {
        let start = at + TRUTHS.len();
        let end = start + first_item(&code[start..])?;
        let (before, truth, after) = (&code[..start], code[start..end].trim(), &code[end..]);
        return Some(match how {
            How::Conflict => format!("{before}{truth}, !({truth}){after}"),
            How::OneOff => format!("{before}!({truth}){after}"),
        });
    }
    for (condition, both) in CONDITIONS {
        if code.contains(condition) {
            return Some(match how {
                How::Conflict => code.replacen(condition, both, 1),
                How::OneOff => code.replacen(condition, "if (correct)", 1),
            });
        }
    }
    for (head, comparison, opposite) in COMPARISONS {
        let found = code
            .lines()
            .find(|line| line.trim_start().starts_with(head) && line.contains(comparison));
        if let Some(line) = found {
            let other = line.replacen(comparison, opposite, 1);
            // The condition of a block over several lines can't stand twice.
            return match how {
                How::Conflict if line.trim_end().ends_with('{') => None,
                How::Conflict => Some(code.replacen(line, &format!("{line}\n{other}"), 1)),
                How::OneOff => Some(code.replacen(line, &other, 1)),
            };
        }
    }
    None
}

/// Where the first statement that begins with `call` at the beginning of a line starts and ends.
fn statement(code: &str, call: &str) -> Option<(usize, usize)> {
    let start = code.match_indices(call).map(|(at, _)| at).find(|at| {
        let line = code[..*at].rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty()
    })?;
    let length = until(&code[start..], &[';', '\n'])?;
    let end = start + length;
    Some((start, end + usize::from(code[end..].starts_with(';'))))
}

/// Where the first item of a list ends.
fn first_item(rest: &str) -> Option<usize> {
    until(rest, &[',', ')']).filter(|end| *end < rest.len() && !rest[..*end].trim().is_empty())
}

/// Where one of `ends` comes outside of brackets and texts, or the text's end; `None` if brackets don't match.
fn until(rest: &str, ends: &[char]) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, c) if depth == 0 && ends.contains(&c) => return Some(at),
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (depth == 0 && quote.is_none()).then_some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::{How, assertion, other};

    #[test]
    fn another_output() {
        for (output, changed) in [
            ("55\n", "155\n"),
            ("-5 0.25", "-15 0.25"),
            ("YES\n", "NO\n"),
            ("no\nyes\n", "yes\nyes\n"),
            ("abc def\n", "abcx def\n"),
            ("", "1\n"),
        ] {
            assert_eq!(other(output), changed);
        }
    }

    #[test]
    fn assertions_and_their_opposites() {
        for (code, both, alone) in [
            (
                "    assert_eq!(f(1), vec![1; 2]);\n}",
                "    assert_eq!(f(1), vec![1; 2]);\nassert_ne!(f(1), vec![1; 2]);\n}",
                "    assert_ne!(f(1), vec![1; 2]);\n}",
            ),
            (
                "  console.assert(f(\";)\") === 2)\n",
                "  console.assert(f(\";)\") === 2)\nconsole.assert(!(f(\";)\") === 2))\n",
                "  console.assert(!(f(\";)\") === 2))\n",
            ),
            (
                "    assert (f(1) == 2);\n    assert (f(2) == 3);",
                "    assert (f(1) == 2);\nassert (!(f(1) == 2));\n    assert (f(2) == 3);",
                "    assert (!(f(1) == 2));\n    assert (f(2) == 3);",
            ),
            (
                "[[ $(f \"1\") = \"2\" ]]\n",
                "[[ $(f \"1\") = \"2\" ]]\n[[ $(f \"1\") != \"2\" ]]\n",
                "[[ $(f \"1\") != \"2\" ]]\n",
            ),
            (
                "    assert.Equal(t, 1, F(\n        2))\n",
                "    assert.Equal(t, 1, F(\n        2))\nassert.NotEqual(t, 1, F(\n        2))\n",
                "    assert.NotEqual(t, 1, F(\n        2))\n",
            ),
        ] {
            assert_eq!(assertion(code, How::Conflict).as_deref(), Some(both));
            assert_eq!(assertion(code, How::OneOff).as_deref(), Some(alone));
        }
        let java = assertion("if (!correct) {\n throw x; }", How::Conflict).unwrap();
        assert!(
            java.starts_with("if (correct) { throw") && java.ends_with("if (!correct) {\n throw x; }"),
            "{java}"
        );
        let truths = "List<Boolean> correct = Arrays.asList(\n    s.f(1, 2) == 3,\n    s.g()\n);";
        assert_eq!(
            assertion(truths, How::Conflict).as_deref(),
            Some("List<Boolean> correct = Arrays.asList(s.f(1, 2) == 3, !(s.f(1, 2) == 3),\n    s.g()\n);")
        );
        assert_eq!(
            assertion(truths, How::OneOff).as_deref(),
            Some("List<Boolean> correct = Arrays.asList(!(s.f(1, 2) == 3),\n    s.g()\n);")
        );
        assert_eq!(
            assertion("List<Boolean> correct = Arrays.asList();", How::OneOff),
            None
        );
        assert_eq!(assertion("nothing", How::Conflict), None);
        assert_eq!(assertion("assert(\"", How::Conflict), None);
    }
}
