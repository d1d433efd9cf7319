//! gcc, clang, mypy, javac, go, and everything else that writes `FILE:LINE[:COLUMN]: message`.

use super::{Taken, bracketed_code, category, colon_place, looks_like_file, number};
use crate::task::{Category, Diagnostic, Place, Related, Severity};

/// One message, with the lines that explain it.
pub(super) fn message(lines: &[&str]) -> Option<Taken> {
    let (place, rest) = colon_place(lines[0])?;
    // `3:5:3:9`: the end of a span.
    let rest = span_end(rest);
    let text = rest.strip_prefix(':')?.trim();
    if text.is_empty() {
        return None;
    }
    let (severity, code, text) = classed(text);
    // The next lines quote the source, or go on with a message that was too long for one.
    let mut text = text.to_owned();
    let mut count = 1;
    let next = |count: usize| lines.get(count).copied().unwrap_or_default();
    if wraps(&text, next(1)) {
        text.push(' ');
        text.push_str(next(1).trim());
        count += 1;
    }
    count += lines[count..]
        .iter()
        .take_while(|line| line.starts_with(' '))
        .count();
    let Some(severity) = severity else {
        return Some(Taken {
            lines: count,
            related: vec![Related {
                place: Some(place),
                message: text,
            }],
            ..Taken::default()
        });
    };
    let (text, bracketed) = bracketed_code(&text);
    let code = code.or(bracketed);
    let diagnostic = Diagnostic {
        category: of(severity, code.as_deref(), &text, &place),
        severity,
        place: Some(place),
        code,
        test: None,
        message: text,
        related: Vec::new(),
    };
    Taken::one(count, diagnostic)
}

fn span_end(rest: &str) -> &str {
    let end = |rest: &str| {
        let (_, rest) = number(rest.strip_prefix(':')?)?;
        let (_, rest) = number(rest.strip_prefix(':')?)?;
        rest.starts_with(':').then_some(rest.len())
    };
    end(rest).map_or(rest, |left| &rest[rest.len() - left..])
}

/// mypy breaks long messages; what follows isn't indented and ends in the code.
fn wraps(text: &str, next: &str) -> bool {
    !text.ends_with(']')
        && !next.is_empty()
        && !next.starts_with([' ', '\t'])
        && colon_place(next).is_none()
        && next.ends_with(']')
        && bracketed_code(&format!(" {next}")).1.is_some()
}

/// Severity (`None` for a note), code and text.
fn classed(text: &str) -> (Option<Severity>, Option<String>, &str) {
    for (word, severity) in [
        ("fatal error", Some(Severity::Error)),
        ("internal compiler error", Some(Severity::Error)),
        ("error", Some(Severity::Error)),
        ("warning", Some(Severity::Warning)),
        ("note", None),
        ("remark", None),
        ("information", None),
        ("help", None),
        ("Error", Some(Severity::Error)),
        ("Warning", Some(Severity::Warning)),
    ] {
        let Some(rest) = text.strip_prefix(word) else {
            continue;
        };
        if let Some(rest) = rest.strip_prefix(':') {
            return (severity, None, rest.trim());
        }
        if let Some((code, rest)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("]:")) {
            return (severity, Some(code.to_owned()), rest.trim());
        }
    }
    // `F401 name imported but unused`, `W0611: …`: linters put their code first.
    let (head, rest) = text.split_once([' ', ':']).unwrap_or((text, ""));
    let letters = head.chars().take_while(char::is_ascii_uppercase).count();
    let is_code = (1..=6).contains(&letters)
        && head.len() > letters
        && head[letters..].chars().all(|c| c.is_ascii_digit());
    if is_code && !rest.trim().is_empty() {
        return (
            Some(Severity::Error),
            Some(head.to_owned()),
            rest.trim_start_matches(':').trim(),
        );
    }
    (Some(Severity::Error), None, text)
}

fn of(severity: Severity, code: Option<&str>, text: &str, place: &Place) -> Category {
    let code = code.unwrap_or_default();
    if ending(&place.file) == "rs" && severity == Severity::Error {
        return super::rust::of(severity, Some(code).filter(|code| !code.is_empty()), text, true);
    }
    if code == "syntax" || code == "E999" || code == "invalid-syntax" {
        return Category::Syntax;
    }
    let linter = code.chars().next().is_some_and(|c| c.is_ascii_uppercase())
        && code.ends_with(|c: char| c.is_ascii_digit());
    if severity == Severity::Warning || code.starts_with("-W") || linter {
        return category::of_prover(text)
            .filter(|_| severity == Severity::Error)
            .unwrap_or(Category::Lint);
    }
    match category::of(text) {
        Some(category) => category,
        None if category::is_syntax(text) => Category::Syntax,
        None if is_compiled(&place.file) => Category::Type,
        None => Category::Other,
    }
}

fn ending(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Files of languages with a checker: what it says of them without a better word is about names and types.
fn is_compiled(file: &str) -> bool {
    matches!(
        ending(file),
        "c" | "h"
            | "cc"
            | "cpp"
            | "cxx"
            | "hpp"
            | "py"
            | "pyi"
            | "go"
            | "java"
            | "kt"
            | "swift"
            | "rs"
            | "ts"
            | "tsx"
            | "hs"
            | "ml"
    )
}

/// `main.c:(.text+0x5): undefined reference to …`, perhaps behind the name of the linker.
pub(super) fn linker(lines: &[&str]) -> Option<Taken> {
    let line = lines[0];
    if line.starts_with("collect2: error") || line.starts_with("clang: error: linker command failed") {
        return Taken::noise(1);
    }
    if line.ends_with(':') && (line.contains(": in function ") || line.contains(": In function ")) {
        return Taken::noise(1);
    }
    let (_, text) = line.split_once("undefined reference to ")?;
    let file = line.split(": ").find_map(|part| {
        part.split(":(")
            .next()
            .filter(|file| looks_like_file(file) && !file.ends_with("/ld"))
    });
    let place = file.map(|file| {
        let (file, row) = match colon_place(&format!("{file} ")) {
            Some((place, _)) => (place.file, place.line),
            None => (file.to_owned(), None),
        };
        Place {
            file,
            line: row,
            column: None,
        }
    });
    let message = format!("undefined reference to {}", text.trim());
    Taken::one(1, Diagnostic::error(Category::Type, message).at(place))
}

/// `FILE: line N: message` of a shell.
pub(super) fn shell(lines: &[&str]) -> Option<Taken> {
    let (file, rest) = lines[0].split_once(": line ")?;
    let (row, rest) = number(rest)?;
    let text = rest.strip_prefix(": ")?;
    let place = Place {
        file: file.to_owned(),
        line: Some(row),
        column: None,
    };
    let category = category::of(text).unwrap_or(Category::Other);
    looks_like_file(file).then(|| Taken::one(1, Diagnostic::error(category, text).at(Some(place))))?
}

/// What C's `assert` prints: program, file, line, function, and the assertion in quotes.
pub(super) fn assertion(lines: &[&str]) -> Option<Taken> {
    let line = lines[0];
    let at = line
        .find("Assertion `")
        .filter(|_| line.trim_end().ends_with("failed."))?;
    let place = line[..at]
        .split(": ")
        .find_map(|part| colon_place(part))
        .map(|found| found.0);
    Taken::one(
        1,
        Diagnostic::error(Category::Assertion, line[at..].trim()).at(place),
    )
}
