//! Dafny, Boogie, C#, and `tsc` without colours: `FILE(LINE,COLUMN): Error: message`.

use super::{Taken, bracketed_code, category, looks_like_file, number};
use crate::task::{Category, Diagnostic, Place, Related, Severity};

/// One message, with the lines that explain it.
pub(super) fn parenthesised(lines: &[&str]) -> Option<Taken> {
    let (place, rest) = place(lines[0])?;
    let rest = rest.strip_prefix(':')?.trim_start();
    let (word, text) = match rest.split_once(':') {
        Some((head, text)) if head.split(' ').count() <= 3 => (head.to_lowercase(), text.trim()),
        _ => (String::new(), rest),
    };
    if word.starts_with("related") {
        return Some(Taken {
            lines: 1,
            related: vec![Related {
                place: Some(place),
                message: text.to_owned(),
            }],
            ..Taken::default()
        });
    }
    // A related place may come without words.
    if rest.to_lowercase().starts_with("related location") {
        return Some(Taken {
            lines: 1,
            related: vec![Related {
                place: Some(place),
                message: rest.to_owned(),
            }],
            ..Taken::default()
        });
    }
    let mut words = word.split(' ');
    let severity = match words.next() {
        Some("warning") => Severity::Warning,
        Some("info" | "information" | "hint") => return Taken::noise(1),
        _ => Severity::Error,
    };
    let known_word = word.starts_with("error") || word.starts_with("warning");
    let text = if known_word { text } else { rest };
    let code = words.next().map(str::to_uppercase).filter(|_| known_word);
    let (text, bracketed) = if code.is_some() {
        (text.to_owned(), None)
    } else {
        bracketed_code(text)
    };
    let (mut text, code) = (text, code.or(bracketed));
    let mut count = 1;
    let mut related = Vec::new();
    for line in &lines[1..] {
        let inner = line.trim_start();
        if line.starts_with("Execution trace") {
            // How the prover got there, in its own names.
            count += 1;
            count += lines[count..]
                .iter()
                .take_while(|line| line.starts_with(' '))
                .count();
            break;
        }
        let is_quote = inner.starts_with('|')
            || number(inner).is_some_and(|(_, rest)| rest.trim_start().starts_with('|'));
        if is_quote {
            count += 1;
        } else if line.starts_with("  ") && !inner.is_empty() && is_typescript(code.as_deref()) {
            related.push(Related {
                place: None,
                message: inner.trim_end().to_owned(),
            });
            count += 1;
        } else {
            break;
        }
    }
    if text.ends_with('.') {
        text.pop();
    }
    let diagnostic = Diagnostic {
        category: of(severity, code.as_deref(), &text),
        severity,
        place: Some(place),
        code,
        test: None,
        message: text,
        related,
    };
    Taken::one(count, diagnostic)
}

fn is_typescript(code: Option<&str>) -> bool {
    code.is_some_and(|code| code.starts_with("TS"))
}

/// The category of a message of Dafny, or of `tsc` by its number.
pub(super) fn of(severity: Severity, code: Option<&str>, text: &str) -> Category {
    if let Some(number) = code
        .and_then(|code| code.strip_prefix("TS"))
        .and_then(|code| code.parse::<u32>().ok())
    {
        return match number {
            1000..2000 => Category::Syntax,
            // Unused names and unreachable code: errors only where the settings make them such.
            6133 | 6138 | 6192 | 6196 | 6198 | 6199 | 7027 | 7028 => Category::Lint,
            _ => Category::Type,
        };
    }
    if severity == Severity::Warning {
        return Category::Lint;
    }
    match category::of(text) {
        Some(category) => category,
        None if category::is_syntax(text) || text.starts_with("invalid ") => Category::Syntax,
        None => Category::Type,
    }
}

/// `FILE(LINE,COLUMN)` and what follows.
fn place(line: &str) -> Option<(Place, &str)> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    for (at, _) in line.match_indices('(') {
        let Some((row, rest)) = number(&line[at + 1..]) else {
            continue;
        };
        let (column, rest) = match rest.strip_prefix(',').map(str::trim_start).and_then(number) {
            Some((column, rest)) => (Some(column), rest),
            None => (None, rest),
        };
        // `(3,5-9)`, `(3,5,3,9)`: the end of a span.
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == '-');
        let rest = rest.strip_prefix(')')?;
        let file = &line[..at];
        return looks_like_file(file).then(|| {
            let place = Place {
                file: file.to_owned(),
                line: Some(row),
                column,
            };
            (place, rest)
        });
    }
    None
}

/// Boogie and Z3 of different age: the prover names a parameter that it doesn't know, and all that it does.
pub(super) fn prover_noise(lines: &[&str]) -> Option<Taken> {
    if !(lines[0].starts_with("Prover error: ") && lines[0].contains("unknown parameter")) {
        return None;
    }
    let list = lines[1..]
        .iter()
        .take_while(|line| line.starts_with("Legal parameters are") || line.starts_with("  "))
        .count();
    Taken::noise(1 + list)
}
