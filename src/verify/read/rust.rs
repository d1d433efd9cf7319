//! What rustc, cargo and Verus print for people, and what failing Rust tests print.

use super::{Taken, category, colon_place};
use crate::task::{Category, Diagnostic, Place, Related, Severity};

/// `error[E0308]: mismatched types`, with the place and the labels below it.
pub(super) fn message(lines: &[&str]) -> Option<Taken> {
    let (severity, code, text) = header(lines[0])?;
    let end = lines
        .iter()
        .skip(1)
        .position(|line| !belongs(line))
        .map_or(lines.len(), |at| at + 1);
    // A long first line of Verus goes on in the next.
    let mut text = text.trim().to_owned();
    let mut place = None;
    let mut related = Vec::new();
    let mut file = String::new();
    let mut row = None;
    for line in &lines[1..end] {
        let inner = line.trim_start();
        if let Some(arrow) = inner.strip_prefix("--> ").or_else(|| inner.strip_prefix("::: ")) {
            let Some((found, _)) = colon_place(arrow) else {
                continue;
            };
            file.clone_from(&found.file);
            place.get_or_insert(found);
        } else if let Some(number) = numbered(inner) {
            row = Some(number);
        } else if let Some(marked) = inner.strip_prefix('|') {
            if let Some(label) = label(marked) {
                related.push(Related {
                    place: row.map(|row| Place {
                        file: file.clone(),
                        line: Some(row),
                        column: None,
                    }),
                    message: label,
                });
            }
        } else if let Some(note) = inner.strip_prefix("= ") {
            related.push(Related {
                place: None,
                message: note.trim().to_owned(),
            });
        } else if place.is_none() && line.starts_with(' ') && !inner.starts_with(['-', '|', '.']) {
            text.push(' ');
            text.push_str(inner.trim_end());
        }
    }
    if severity.is_none() {
        if text.starts_with("run with `RUST_BACKTRACE") || text.starts_with("Some details are omitted") {
            return Taken::noise(end);
        }
        // A note or a hint belongs to what was said before.
        let mut notes = vec![Related { place, message: text }];
        notes.extend(related);
        return Some(Taken {
            lines: end,
            related: notes,
            ..Taken::default()
        });
    }
    if place.is_none() && is_summary(&text) {
        return Taken::noise(end);
    }
    let severity = severity.unwrap_or(Severity::Error);
    let diagnostic = Diagnostic {
        category: of(severity, code.as_deref(), &text, place.is_some()),
        severity,
        place,
        code,
        test: None,
        message: text,
        related,
    };
    Taken::one(end, diagnostic)
}

/// The category of a message of the compiler or of Verus.
pub(super) fn of(severity: Severity, code: Option<&str>, text: &str, placed: bool) -> Category {
    match (severity, code) {
        (Severity::Warning, _) => Category::Lint,
        (_, Some(code)) if is_error_code(code) => Category::Type,
        // A lint that is denied is an error with the lint's name.
        (_, Some(_)) => Category::Lint,
        (_, None) => match category::of_prover(text) {
            Some(category) => category,
            None if category::is_syntax(text) => Category::Syntax,
            None if placed => Category::Type,
            None => Category::Other,
        },
    }
}

fn is_error_code(code: &str) -> bool {
    code.strip_prefix('E')
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// Severity (`None` for a note), code and text of a line that begins a message.
fn header(line: &str) -> Option<(Option<Severity>, Option<String>, &str)> {
    for (word, severity) in [
        ("error", Some(Severity::Error)),
        ("warning", Some(Severity::Warning)),
        ("note", None),
        ("help", None),
    ] {
        let Some(rest) = line.strip_prefix(word) else {
            continue;
        };
        if let Some(text) = rest.strip_prefix(": ") {
            return Some((severity, None, text));
        }
        if let Some((code, text)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            return Some((severity, Some(code.to_owned()), text));
        }
    }
    None
}

/// Lines that only count what was said before.
pub(super) fn is_summary(text: &str) -> bool {
    text.starts_with("aborting due to ")
        || text.starts_with("could not compile ")
        || text.starts_with("build failed")
        || text.starts_with("test failed, to rerun")
        || text.contains(" generated ") && text.contains(" warning")
        || text.ends_with(" warning emitted")
        || text.ends_with(" warnings emitted")
}

/// Whether a line can belong to the message above it: indented, quoted source, or left out.
fn belongs(line: &str) -> bool {
    line.starts_with(' ') && !line.trim().is_empty() || line.starts_with("...") || numbered(line).is_some()
}

/// Whether notes say that this is a lint, which is an error only because somebody asked for that.
pub(super) fn is_denied_lint(related: &[Related]) -> bool {
    related.iter().any(|note| {
        let text = note.message.trim_start_matches("note: ");
        text.starts_with("the lint level is defined here")
            || text.starts_with("`#[deny(")
            || text.starts_with("`-D ")
            || text.starts_with("`#[forbid(")
    })
}

/// `12 | code`.
fn numbered(line: &str) -> Option<usize> {
    let (number, rest) = super::number(line)?;
    rest.trim_start().starts_with('|').then_some(number)
}

/// The words behind an underline.
fn label(marked: &str) -> Option<String> {
    let at = marked.rfind(['^', '-', '_'])?;
    let before = &marked[..=at];
    let underline = before.chars().all(|c| " |^-_/\\+~".contains(c));
    let words = marked[at + 1..].trim();
    // A hyphen inside of the words isn't an underline.
    if !underline {
        let words_at = marked.find(|c: char| c.is_alphanumeric() || c == '`')?;
        let marks = &marked[..words_at];
        return (marks.contains(['^', '-']) && marks.chars().all(|c| " |^-_/\\+~".contains(c)))
            .then(|| marked[words_at..].trim().to_owned());
    }
    (!words.is_empty()).then(|| words.to_owned())
}

/// `thread 'NAME' panicked at FILE:LINE:COLUMN:` with its message.
pub(super) fn panic(lines: &[&str]) -> Option<Taken> {
    let rest = lines[0].strip_prefix("thread '")?;
    let (thread, rest) = rest.split_once('\'')?;
    let (_, rest) = rest.split_once("panicked at ")?;
    // Since 1.73 the place is on the first line and the message below; before, both were on one line.
    let (place, mut text) = if let Some((place, _)) = colon_place(rest) {
        (Some(place), String::new())
    } else {
        let (text, place) = rest.rsplit_once(", ")?;
        let place = colon_place(place).map(|found| found.0);
        (place, text.trim_matches('\'').to_owned())
    };
    let mut count = 1;
    for line in &lines[1..] {
        if line.trim().is_empty() || line.starts_with("note: ") || line.starts_with("stack backtrace") {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line.trim_end());
        count += 1;
    }
    let is_test = thread != "main";
    let category = if is_test {
        Category::Test
    } else if text.starts_with("assertion") {
        Category::Assertion
    } else {
        Category::Other
    };
    let mut diagnostic = Diagnostic::error(category, text).at(place);
    diagnostic.test = is_test.then(|| thread.to_owned());
    Taken::one(count, diagnostic)
}

/// `test NAME ... FAILED`.
pub(super) fn test(lines: &[&str]) -> Option<Taken> {
    let (name, result) = lines[0].strip_prefix("test ")?.split_once(" ... ")?;
    if result.trim() != "FAILED" {
        return None;
    }
    let name = name.split(" - ").next().unwrap_or(name).trim();
    let mut diagnostic = Diagnostic::error(Category::Test, "the test fails");
    diagnostic.test = Some(name.to_owned());
    Taken::one(1, diagnostic)
}
