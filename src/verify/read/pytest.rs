//! pytest's failures.

use super::{Taken, colon_place};
use crate::task::{Category, Diagnostic, Place};

/// Lines of explanation that are kept of one failure.
const MOST_LINES: usize = 12;

/// A section `____ NAME ____` up to the next one.
pub(super) fn section(lines: &[&str]) -> Option<Taken> {
    let title = framed(lines[0], '_')?;
    let end = lines
        .iter()
        .skip(1)
        .position(|line| {
            framed(line, '_').is_some() || framed(line, '=').is_some() || line.starts_with("====")
        })
        .map_or(lines.len(), |at| at + 1);
    let mut place: Option<Place> = None;
    let mut explained = Vec::new();
    for line in &lines[1..end] {
        if let Some(text) = line.strip_prefix('E').filter(|rest| rest.starts_with("  ")) {
            explained.push(text.trim());
        } else if let Some((found, rest)) = colon_place(line)
            && rest.starts_with(": ")
        {
            // The last one is where it was raised.
            place = Some(found);
        }
    }
    if explained.is_empty() && place.is_none() {
        return None;
    }
    explained.truncate(MOST_LINES);
    let message = explained.join("\n");
    let name = ["ERROR collecting ", "ERROR at setup of ", "ERROR at teardown of "]
        .iter()
        .find_map(|prefix| title.strip_prefix(prefix))
        .unwrap_or(title);
    let mut diagnostic = Diagnostic::error(of(&message), message).at(place);
    diagnostic.test = Some(name.to_owned());
    Taken::one(end, diagnostic)
}

fn of(message: &str) -> Category {
    let is_syntax = ["SyntaxError", "IndentationError", "TabError"]
        .iter()
        .any(|name| message.contains(name));
    if is_syntax {
        Category::Syntax
    } else {
        Category::Test
    }
}

/// `FAILED file::Class::name - message`.
pub(super) fn summary(lines: &[&str]) -> Option<Taken> {
    let line = lines[0];
    let rest = line
        .strip_prefix("FAILED ")
        .or_else(|| line.strip_prefix("ERROR "))?;
    let (id, message) = rest.split_once(" - ").unwrap_or((rest, "the test fails"));
    let (file, name) = id.split_once("::").unwrap_or((id, id));
    if std::path::Path::new(file)
        .extension()
        .is_none_or(|ending| ending != "py")
    {
        return None;
    }
    let mut diagnostic = Diagnostic::error(of(message), message.trim()).at(Some(Place {
        file: file.to_owned(),
        line: None,
        column: None,
    }));
    diagnostic.test = Some(name.replace("::", "."));
    Taken::one(1, diagnostic)
}

/// The title of a line such as `____ title ____`.
fn framed(line: &str, frame: char) -> Option<&str> {
    let line = line.trim_end();
    let inner = line.trim_matches(frame);
    let sides = line.chars().take_while(|c| *c == frame).count();
    let title = inner.trim();
    (sides >= 2
        && line.ends_with(frame)
        && inner.starts_with(' ')
        && inner.ends_with(' ')
        && !title.is_empty())
    .then_some(title)
}
