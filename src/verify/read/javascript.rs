//! `ESLint`'s list, `tsc` with colours, and what Node prints of an error that nobody caught.

use super::{Taken, colon_place, looks_like_file, number};
use crate::task::{Category, Diagnostic, Place, Related, Severity};

/// `FILE:LINE:COLUMN - error TS2322: message` of `tsc`, `FILE:LINE:COLUMN - error: message (rule)` of pyright.
pub(super) fn dashed(lines: &[&str]) -> Option<Taken> {
    let (place, rest) = colon_place(lines[0].trim_start())?;
    let rest = rest.strip_prefix(" - ")?;
    let (head, text) = rest.split_once(": ")?;
    let (word, code) = head.split_once(' ').unwrap_or((head, ""));
    let severity = match word {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let deeper = lines[0].len() - lines[0].trim_start().len();
    let indented = |line: &&&str| line.len() - line.trim_start().len() > deeper;
    let mut related = Vec::new();
    let mut text = text.trim().to_owned();
    let mut count = 1 + lines[1..].iter().take_while(indented).count();
    if code.is_empty() {
        // The rule stands behind the last line.
        for line in &lines[1..count] {
            text.push('\n');
            text.push_str(line.trim());
        }
        let rule = text
            .strip_suffix(')')
            .and_then(|inner| inner.rsplit_once(" ("))
            .filter(|(_, rule)| rule.chars().all(char::is_alphanumeric))
            .map(|(text, rule)| (text.to_owned(), rule.to_owned()));
        let category = match (severity, &rule) {
            (Severity::Warning, _) => Category::Lint,
            (_, None) => Category::Syntax,
            _ => Category::Type,
        };
        let (text, code) = rule.map_or((text, None), |(text, rule)| (text, Some(rule)));
        let mut diagnostic = Diagnostic::error(category, text).at(Some(place)).coded(code);
        diagnostic.severity = severity;
        return Taken::one(count, diagnostic);
    }
    // The quoted source follows, and places that explain it.
    let quoted = |line: &&&str| line.is_empty() || line.starts_with(' ') || number(line).is_some();
    count += lines[count..].iter().take_while(quoted).count();
    while count > 1 && lines[count - 1].is_empty() {
        count -= 1;
    }
    let mut elsewhere = None;
    for line in &lines[1..count] {
        if let Some((place, rest)) = colon_place(line.trim_start())
            && rest.is_empty()
        {
            elsewhere = Some(place);
        } else if line.starts_with("    ")
            && line.trim_start().starts_with(char::is_alphabetic)
            && let Some(place) = elsewhere.take()
        {
            related.push(Related {
                place: Some(place),
                message: line.trim().to_owned(),
            });
        }
    }
    let category = super::braces::of(severity, Some(code), &text);
    let mut diagnostic = Diagnostic::error(category, text)
        .at(Some(place))
        .coded(Some(code.to_owned()));
    diagnostic.severity = severity;
    diagnostic.related = related;
    Taken::one(count, diagnostic)
}

/// A file's name, and below it `  LINE:COLUMN  error  message  rule`.
pub(super) fn eslint(lines: &[&str]) -> Option<Taken> {
    let file = lines[0].trim_end();
    if file.starts_with(' ') || !looks_like_file(file) {
        return None;
    }
    let found: Vec<Diagnostic> = lines[1..].iter().map_while(|line| finding(file, line)).collect();
    (!found.is_empty()).then(|| Taken {
        lines: found.len() + 1,
        found,
        related: Vec::new(),
    })
}

fn finding(file: &str, line: &str) -> Option<Diagnostic> {
    let rest = line.strip_prefix(' ')?.trim_start();
    let (row, rest) = number(rest)?;
    let (column, rest) = number(rest.strip_prefix(':')?)?;
    let rest = rest.trim_start();
    let (severity, rest) = match rest.split_once(' ')? {
        ("error", rest) => (Severity::Error, rest.trim()),
        ("warning", rest) => (Severity::Warning, rest.trim()),
        _ => return None,
    };
    // Two blanks or more stand before the rule.
    let (text, code) = match rest.rsplit_once("  ") {
        Some((text, rule)) if !rule.trim().contains(' ') => (text.trim(), Some(rule.trim().to_owned())),
        _ => (rest, None),
    };
    let category = if text.starts_with("Parsing error") {
        Category::Syntax
    } else {
        Category::Lint
    };
    let place = Place {
        file: file.to_owned(),
        line: Some(row),
        column: Some(column),
    };
    let mut diagnostic = Diagnostic::error(category, text).at(Some(place)).coded(code);
    diagnostic.severity = severity;
    Some(diagnostic)
}

/// `FILE:LINE`, the quoted source, and `SomeError: message` with its stack.
pub(super) fn node(lines: &[&str]) -> Option<Taken> {
    let (place, rest) = colon_place(lines[0])?;
    if !rest.is_empty() {
        return None;
    }
    let at = lines
        .iter()
        .take(SOURCE_LINES)
        .position(|line| exception(line).is_some())?;
    let mut taken = thrown(&lines[at..])?;
    taken.lines += at;
    for diagnostic in &mut taken.found {
        diagnostic.place.get_or_insert_with(|| place.clone());
    }
    Some(taken)
}

/// Lines between the place and the exception.
const SOURCE_LINES: usize = 8;
/// Lines of a message.
const MESSAGE_LINES: usize = 40;

/// `SomeError: message` with its stack; the place is that of the first call outside of Node itself.
pub(super) fn thrown(lines: &[&str]) -> Option<Taken> {
    let (name, _) = exception(lines[0])?;
    let frame = |line: &str| line.starts_with("    at ");
    let stack = lines.iter().take(MESSAGE_LINES).position(|line| frame(line))?;
    let calls: Vec<&&str> = lines[stack..].iter().take_while(|line| frame(line)).collect();
    let category = match name.split(' ').next().unwrap_or(name) {
        "SyntaxError" => Category::Syntax,
        "AssertionError" => Category::Assertion,
        _ => Category::Other,
    };
    let message: Vec<&str> = lines[..stack]
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .collect();
    let place = calls.iter().find_map(|line| {
        let inner = line.trim().trim_start_matches("at ").trim_end_matches(')');
        let inner = inner.rsplit_once('(').map_or(inner, |(_, place)| place);
        let inner = inner.trim_start_matches("file://");
        (!inner.starts_with("node:"))
            .then(|| colon_place(inner))
            .flatten()
            .map(|(place, _)| place)
    });
    let diagnostic = Diagnostic::error(category, message.join("\n")).at(place);
    Taken::one(stack + calls.len(), diagnostic)
}

fn exception(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let (name, text) = line.split_once(": ")?;
    let word = name.split(' ').next().unwrap_or(name);
    let is_name = word.ends_with("Error") && word.chars().all(|c| c.is_ascii_alphanumeric());
    is_name.then_some((name, text))
}
