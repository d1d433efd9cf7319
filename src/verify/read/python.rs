//! Tracebacks of Python and failures of `unittest`; also the `File "…", line …` of OCaml, Why3 and Coq.

use super::{Taken, category, number};
use crate::task::{Category, Diagnostic, Place, Severity};

/// `Traceback (most recent call last):` up to the exception.
pub(super) fn traceback(lines: &[&str]) -> Option<Taken> {
    if !lines[0]
        .trim_start()
        .starts_with("Traceback (most recent call last)")
    {
        return None;
    }
    raised(lines, 1)
}

/// Frames up to the exception, which is the first line that isn't indented.
fn raised(lines: &[&str], from: usize) -> Option<Taken> {
    let mut place = None;
    for (at, line) in lines.iter().enumerate().skip(from) {
        if let Some(found) = file_line(line) {
            place = Some(found.0);
        } else if !line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            let (head, _) = line.split_once(": ").unwrap_or((line, ""));
            let is_exception = head.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
                && head.chars().next().is_some_and(char::is_alphabetic);
            if !is_exception {
                return None;
            }
            let of = match head.rsplit('.').next().unwrap_or(head) {
                "SyntaxError" | "IndentationError" | "TabError" => Category::Syntax,
                "AssertionError" => Category::Assertion,
                "MemoryError" => Category::Resource,
                "TimeoutError" => Category::Timeout,
                _ => Category::Other,
            };
            return Taken::one(at + 1, Diagnostic::error(of, line.trim()).at(place));
        }
    }
    None
}

/// `File "NAME", line N` that stands alone: a syntax error of Python, or any message of OCaml's tools.
pub(super) fn location(lines: &[&str]) -> Option<Taken> {
    let (place, rest) = file_line(lines[0])?;
    if !rest.starts_with(", characters ") && !rest.starts_with(':') {
        return raised(lines, 0);
    }
    let (mut text, mut count) = (
        rest.rsplit_once(':')
            .map_or("", |(_, text)| text.trim())
            .to_owned(),
        1,
    );
    for line in &lines[1..] {
        if line.trim().is_empty() || file_line(line).is_some() {
            break;
        }
        let quote = number(line.trim_start()).is_some_and(|(_, rest)| rest.starts_with(" |"))
            || line.trim().chars().all(|c| c == '^');
        if !quote {
            text.push(' ');
            text.push_str(line.trim());
        }
        count += 1;
    }
    let text = text.trim();
    let (severity, text) = match text.split_once(": ") {
        Some(("Error" | "error", text)) => (Severity::Error, text),
        Some((word, text)) if word.to_lowercase().starts_with("warning") => (Severity::Warning, text),
        _ => (Severity::Error, text),
    };
    let of = match severity {
        Severity::Warning => Category::Lint,
        Severity::Error => category::of(text).unwrap_or(if category::is_syntax(text) {
            Category::Syntax
        } else {
            Category::Type
        }),
    };
    let mut diagnostic = Diagnostic::error(of, text).at(Some(place));
    diagnostic.severity = severity;
    Taken::one(count, diagnostic)
}

/// `FAIL: test_name (module.Class)` of `unittest`, with the traceback below.
pub(super) fn unittest(lines: &[&str]) -> Option<Taken> {
    let rest = lines[0]
        .strip_prefix("FAIL: ")
        .or_else(|| lines[0].strip_prefix("ERROR: "))?;
    let start = lines
        .iter()
        .take(5)
        .position(|line| line.starts_with("Traceback"))?;
    let mut taken = raised(lines, start + 1)?;
    let diagnostic = taken.found.first_mut()?;
    if diagnostic.category != Category::Syntax {
        diagnostic.category = Category::Test;
    }
    diagnostic.test = Some(rest.split(' ').next().unwrap_or(rest).to_owned());
    Some(taken)
}

/// `File "NAME", line N` and what follows.
fn file_line(line: &str) -> Option<(Place, &str)> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once('"').filter(|(file, _)| !file.is_empty())?;
    let rest = rest
        .strip_prefix(", line ")
        .or_else(|| rest.strip_prefix(", lines "))?;
    let (row, rest) = number(rest)?;
    let column = rest
        .strip_prefix(", characters ")
        .and_then(number)
        .map(|(column, _)| column);
    let place = Place {
        file: file.to_owned(),
        line: Some(row),
        column,
    };
    Some((place, rest))
}
