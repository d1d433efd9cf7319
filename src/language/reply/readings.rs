//! Ways to read a text as Python: as it stands, or without what came into it on its way.

use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged as _;

use super::tidy;
use crate::language::source::{Outline, outline};

/// A text, and its outline where it is Python.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) source: String,
    pub(super) outline: Option<Outline>,
}

/// Reads a text as it stands if that is Python, else without prompts, escapes, line numbers and so on, one after the
/// other until it is.
pub(super) fn read(raw: &str) -> Reading {
    if let Some(outline) = outline(raw).filter(|_| !has_stray_entity(raw)) {
        return Reading {
            source: raw.to_owned(),
            outline: Some(outline),
        };
    }
    let repairs = [
        without_invisible,
        without_entities,
        without_prompts,
        patched,
        without_numbers,
        dedented,
    ];
    let mut text = raw.to_owned();
    for repair in repairs {
        let Some(repaired) = repair(&text) else { continue };
        text = repaired;
        if let Some(outline) = outline(&text) {
            return Reading {
                source: text,
                outline: Some(outline),
            };
        }
    }
    let clean = without_invisible(raw).unwrap_or_else(|| raw.to_owned());
    Reading {
        source: without_prompts(&clean).unwrap_or(clean),
        outline: None,
    }
}

/// Without characters that nobody sees, and with plain blanks. Strings may hold them, so only where it helps.
fn without_invisible(text: &str) -> Option<String> {
    let hidden = |c: char| {
        matches!(
            c,
            '\u{feff}'
                | '\u{200b}'
                | '\u{200c}'
                | '\u{200d}'
                | '\u{2060}'
                | '\u{ad}'
                | '\u{200e}'
                | '\u{200f}'
        )
    };
    let blank = |c: char| {
        matches!(
            c,
            '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}' | '\u{2002}' | '\u{2003}'
        )
    };
    let clean: String = text
        .chars()
        .filter(|c| !hidden(*c))
        .map(|c| if blank(c) { ' ' } else { c })
        .collect();
    (clean != text).then_some(clean)
}

/// The entities that escape code in HTML.
const ENTITIES: [(&str, &str); 12] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#x22;", "\""),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&#96;", "`"),
    ("&nbsp;", " "),
    // The last, so that an escaped entity is unescaped once.
    ("&amp;", "&"),
    ("&#38;", "&"),
];

fn without_entities(text: &str) -> Option<String> {
    let clean = ENTITIES.iter().fold(text.to_owned(), |text, (entity, meant)| {
        text.replace(entity, meant)
    });
    (clean != text).then_some(clean)
}

/// Whether an entity stands where Python would take it for names and operators: `a &lt; b` is valid, and not meant.
fn has_stray_entity(text: &str) -> bool {
    if !ENTITIES.iter().any(|(entity, _)| text.contains(entity)) {
        return false;
    }
    let Ok(parsed) = ruff_python_parser::parse_module(text) else {
        return true;
    };
    let in_text = |at: usize| {
        parsed.tokens().iter().any(|token| {
            let literal = matches!(
                token.kind(),
                TokenKind::String | TokenKind::FStringMiddle | TokenKind::TStringMiddle | TokenKind::Comment
            );
            literal && token.start().to_usize() <= at && at < token.end().to_usize()
        })
    };
    ENTITIES
        .iter()
        .flat_map(|(entity, _)| text.match_indices(entity))
        .any(|(at, _)| !in_text(at))
}

/// Code from an interactive session without its prompts and outputs.
fn without_prompts(text: &str) -> Option<String> {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty())?;
    if !(first.starts_with(">>>") || first.starts_with("In [")) {
        return None;
    }
    let mut code = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        let rest = line
            .strip_prefix(">>>")
            .or_else(|| line.strip_prefix("...:"))
            .or_else(|| line.strip_prefix("..."))
            .or_else(|| {
                let (number, rest) = line.strip_prefix("In [")?.split_once("]:")?;
                number.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
            });
        if let Some(rest) = rest {
            code.push_str(rest.strip_prefix(' ').unwrap_or(rest));
            code.push('\n');
        }
    }
    Some(code)
}

/// What a text that looks like a patch makes: its new lines and those that stay.
fn patched(text: &str) -> Option<String> {
    if text.lines().any(|line| line.starts_with("<<<<<<<")) {
        return Some(replacements(text));
    }
    let begins = |mark: char| text.lines().any(|line| line.starts_with(mark));
    let is_patch =
        begins('+') && text.lines().all(is_patch_line) || text.lines().any(|line| line.starts_with("@@ "));
    if !is_patch {
        return None;
    }
    let heads = ["+++", "---", "@@", "diff ", "index ", "new file", "\\ No newline"];
    let kept = text
        .lines()
        .filter(|line| !line.starts_with('-') && !heads.iter().any(|head| line.starts_with(head)))
        .map(|line| line.strip_prefix(['+', ' ']).unwrap_or(line));
    Some(tidy::lines(kept))
}

fn is_patch_line(line: &str) -> bool {
    line.trim().is_empty()
        || line.starts_with(['+', '-', ' ', '@', '\\'])
        || line.starts_with("diff ")
        || line.starts_with("index ")
}

/// The new parts of search-and-replace blocks.
fn replacements(text: &str) -> String {
    let mut code = String::new();
    let mut old = false;
    for line in text.lines() {
        if line.starts_with("<<<<<<<") {
            old = true;
        } else if line.starts_with("=======") && old {
            old = false;
        } else if !old && !line.starts_with(">>>>>>>") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

/// A listing without its line numbers.
fn without_numbers(text: &str) -> Option<String> {
    let mut code = String::new();
    let mut last = None;
    for line in text.lines() {
        if line.trim().is_empty() {
            code.push('\n');
            continue;
        }
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let number: usize = line[..digits].parse().ok()?;
        if last.is_some_and(|last: usize| number != last + 1) {
            return None;
        }
        last = Some(number);
        let rest = line[digits..].trim_start_matches(' ');
        let rest = match rest.strip_prefix(['|', ':', '.', ')', '\t']) {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
            None => line[digits..].strip_prefix(' ').unwrap_or(&line[digits..]),
        };
        code.push_str(rest);
        code.push('\n');
    }
    last.map(|_| code)
}

/// Without the blanks that all lines have in front.
pub(super) fn dedented(text: &str) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(indent)
        .min()
        .filter(|least| *least > 0)?;
    Some(tidy::lines(
        text.lines().map(|line| line.get(least..).unwrap_or_default()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_python_stays() {
        for text in [
            "x = 'a\u{200b}b'\n",
            "y = '&lt;'  # &amp;\n",
            "z = f'&gt;{x}'\n",
            "if x:\n\ty = 1\n",
        ] {
            assert_eq!(read(text).source, text);
        }
    }

    #[test]
    fn what_came_on_the_way_goes() {
        let code = "def f(n):\n    return n < 3\n";
        for text in [
            "def f(n):\n    return\u{200b} n < 3\n",
            "def f(n):\n\u{a0}   return n < 3\n",
            "def f(n):\n    return n &lt; 3\n",
            ">>> def f(n):\n...     return n < 3\n",
            "In [1]: def f(n):\n   ...:     return n < 3\n",
            "  def f(n):\n      return n < 3\n",
            "1 | def f(n):\n2 |     return n < 3\n",
            "1: def f(n):\n2:     return n < 3\n",
            " def f(n):\n-    return n > 3\n+    return n < 3\n",
            "--- a.py\n+++ b.py\n@@ -1,2 +1,2 @@\n def f(n):\n-    return n > 3\n+    return n < 3\n",
            "<<<<<<< SEARCH\ndef f(n): pass\n=======\ndef f(n):\n    return n < 3\n>>>>>>> REPLACE\n",
        ] {
            let reading = read(text);
            assert!(reading.outline.is_some(), "{text}");
            assert_eq!(reading.source, code, "{text}");
        }
    }

    #[test]
    fn a_session_keeps_what_was_typed() {
        assert_eq!(read(">>> x = 1\n>>> x\n1\n").source, "x = 1\nx\n");
    }
}
