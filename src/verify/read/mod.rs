//! Reads diagnostics off what tools print: JSON and text of compilers, provers, type checkers, linters, test runners.
//!
//! Which tool it was need not be known. JSON is recognised by its fields. Text is read line by line by a list of
//! readers, each of which knows one form and takes the lines that belong to it; the general `file:line: message` is
//! the last of them.

mod braces;
mod category;
mod colon;
mod javascript;
mod json;
mod pytest;
mod python;
mod rust;

use crate::task::{Category, Diagnostic, Place, Related};

/// What a reader made of the lines at its beginning.
#[derive(Debug, Default)]
struct Taken {
    /// How many lines belong to it; at least one.
    lines: usize,
    /// What they say. Empty: they are only noise.
    found: Vec<Diagnostic>,
    /// What they add to the diagnostic before.
    related: Vec<Related>,
}

#[expect(clippy::unnecessary_wraps, reason = "readers answer with an option")]
impl Taken {
    fn noise(lines: usize) -> Option<Self> {
        Some(Self {
            lines,
            ..Self::default()
        })
    }

    fn one(lines: usize, found: Diagnostic) -> Option<Self> {
        Some(Self {
            lines,
            found: vec![found],
            related: Vec::new(),
        })
    }
}

/// Takes the lines that it knows from the beginning of what is left.
type Reader = fn(&[&str]) -> Option<Taken>;

/// From the most peculiar form to the most general.
const READERS: &[Reader] = &[
    pytest::section,
    pytest::summary,
    python::unittest,
    python::traceback,
    python::location,
    rust::panic,
    rust::test,
    braces::prover_noise,
    braces::parenthesised,
    javascript::dashed,
    javascript::eslint,
    javascript::node,
    javascript::thrown,
    rust::message,
    colon::linker,
    colon::shell,
    colon::assertion,
    colon::message,
];

/// What a tool's output says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Every diagnostic, in the order of the output, each once.
    pub diagnostics: Vec<Diagnostic>,
    /// The output for people: without JSON that is among the diagnostics, and without lines known to mean nothing.
    pub text: String,
}

/// Reads both streams of a tool.
pub fn output(stdout: &str, stderr: &str) -> Output {
    let mut all = Output::default();
    for stream in [stdout, stderr] {
        let plain = without_colours(stream);
        let (found, rest) = json::diagnostics(&plain);
        all.diagnostics.extend(found);
        let lines: Vec<&str> = rest.lines().collect();
        let mut at = 0;
        while let Some(left) = lines.get(at..).filter(|left| !left.is_empty()) {
            let Some(taken) = READERS.iter().find_map(|reader| reader(left)) else {
                push_line(&mut all.text, left[0]);
                at += 1;
                continue;
            };
            let count = taken.lines.clamp(1, left.len());
            if !(taken.found.is_empty() && taken.related.is_empty()) {
                left[..count]
                    .iter()
                    .for_each(|line| push_line(&mut all.text, line));
            }
            all.diagnostics.extend(taken.found);
            if let Some(last) = all.diagnostics.last_mut() {
                last.related.extend(taken.related);
            }
            at += count;
        }
    }
    for diagnostic in &mut all.diagnostics {
        if rust::is_denied_lint(&diagnostic.related) {
            diagnostic.category = Category::Lint;
        }
    }
    once(&mut all.diagnostics);
    all
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Drops what is said twice. A line about a test that only names it says nothing beside the failure itself, and a
/// line that only says where and why says nothing beside the test.
fn once(diagnostics: &mut Vec<Diagnostic>) {
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics.drain(..) {
        if kept.iter_mut().any(|known| repeats(known, &diagnostic)) {
            continue;
        }
        kept.push(diagnostic);
    }
    *diagnostics = kept;
}

/// Whether `other` says what `known` says already. What `known` lacks it takes over.
fn repeats(known: &mut Diagnostic, other: &Diagnostic) -> bool {
    if known == other {
        return true;
    }
    let row = |diagnostic: &Diagnostic| diagnostic.place.as_ref().and_then(|place| place.line);
    let (ours, theirs) = (row(known), row(other));
    let same_test = known.test.is_some() && known.test == other.test && (ours.is_none() || theirs.is_none());
    // pytest's short forms tell places and names in different lists.
    let split = known.test.is_some() != other.test.is_some()
        && known.message == other.message
        && (known.test.is_none() && theirs.is_none() || other.test.is_none() && ours.is_none());
    if !same_test && !split {
        return false;
    }
    if ours.is_none() && theirs.is_some() {
        known.place.clone_from(&other.place);
        known.message.clone_from(&other.message);
    }
    if known.test.is_none() {
        known.test.clone_from(&other.test);
        known.category = other.category;
    }
    true
}

/// Text without the escape sequences that colour it.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        if chars.next() == Some('[') {
            for c in chars.by_ref() {
                if ('@'..='~').contains(&c) {
                    break;
                }
            }
        }
    }
    plain
}

/// A number at the beginning of a text, and what follows.
fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// `FILE:LINE[:COLUMN]` at the beginning of a line, and what follows.
fn colon_place(line: &str) -> Option<(Place, &str)> {
    if line.starts_with([' ', '\t', ':']) {
        return None;
    }
    for (at, _) in line.match_indices(':') {
        let Some((row, mut rest)) = number(&line[at + 1..]) else {
            continue;
        };
        let file = line[..at].trim();
        let mut column = None;
        if let Some((number, behind)) = rest.strip_prefix(':').and_then(number) {
            (column, rest) = (Some(number), behind);
        }
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

/// Whether a text can be the name of a file: with an ending or a folder, and not an address.
fn looks_like_file(name: &str) -> bool {
    if name.is_empty() || name.contains("://") || name.contains(": ") || name.len() > 1000 {
        return false;
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let ending = last.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && ending.chars().any(|c| c.is_ascii_alphabetic())
    });
    ending || (name.contains('/') && !name.contains(' ')) || name.starts_with('<') && name.ends_with('>')
}

/// `message [code]` without its code.
fn bracketed_code(message: &str) -> (String, Option<String>) {
    let message = message.trim();
    let code = message
        .strip_suffix(']')
        .and_then(|inner| inner.rsplit_once('['))
        .filter(|(before, code)| {
            (before.is_empty() || before.ends_with(' '))
                && !code.is_empty()
                && code
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_=+/,".contains(c))
        });
    match code {
        Some((before, code)) => (before.trim_end().to_owned(), Some(code.to_owned())),
        None => (message.to_owned(), None),
    }
}
