//! Questions with one number as the answer: GSM8K and SVAMP.
//!
//! They are no tasks for a program with tests; `redraft solve` answers them.

use std::path::Path;

use serde_json::Value;

use super::SuiteError;
use super::entry::{self, Entry};
use super::source::Source;

/// A question with its answer, which is never shown to who answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its name: the data's, or the file's name with the number of the line.
    pub id: String,
    /// The question.
    pub text: String,
    /// The right number.
    pub answer: f64,
}

/// A list of questions.
#[derive(Clone, Debug)]
pub struct Questions {
    /// The file's stem.
    pub name: String,
    /// SHA-256 over the content as read, in hex.
    pub hash: String,
    /// The questions in the order of the source.
    pub questions: Vec<Question>,
}

/// Reads a file of questions, packed or not: GSM8K (`question`, and `answer` that ends with `#### 18`, or is a number),
/// the same as `input` and `target`, or SVAMP (`Body`, `Question`, `Answer`).
pub fn questions(path: &Path) -> Result<Questions, SuiteError> {
    let source = Source::read(path)?;
    if source.text.trim().is_empty() {
        return Err(source.file_error("is empty; a suite holds at least one question"));
    }
    let stem = source.stem();
    let entries = entry::entries(&source)?;
    // What is no question of its own, as the first lines of a published record are.
    let is_question = |entry: &&Entry<'_>| !entry.has("prompt") || entry.has("question");
    let questions = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| is_question(entry))
        .map(|(at, entry)| question(entry, &format!("{stem}/{}", at + 1)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Questions {
        name: stem,
        hash: source.hash(),
        questions,
    })
}

/// Whether an entry looks like a question.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    [
        ("question", "answer"),
        ("Question", "Answer"),
        ("input", "target"),
    ]
    .iter()
    .any(|(question, answer)| entry.has(question) && entry.has(answer))
}

fn question(entry: &Entry<'_>, id: &str) -> Result<Question, SuiteError> {
    let (text, field) = if entry.has("Question") {
        let body = entry.optional_string("Body")?.unwrap_or_default().trim();
        // Some bodies lack their full stop.
        let stop = if body.is_empty() || body.ends_with(['.', '?', '!', ',']) {
            ""
        } else {
            "."
        };
        (
            format!("{body}{stop} {}", entry.string("Question")?.trim()),
            "Answer",
        )
    } else if entry.has("input") {
        (entry.string("input")?.to_owned(), "target")
    } else {
        (entry.string("question")?.to_owned(), "answer")
    };
    let answer = match entry.value(field) {
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => number(text),
        _ => return Err(entry.missing(field, "a number, or a text that ends with one")),
    };
    let id = ["ID", "id"]
        .into_iter()
        .find_map(|name| entry.optional_string(name).ok().flatten())
        .unwrap_or(id);
    Ok(Question {
        id: id.to_owned(),
        text: text.trim().to_owned(),
        answer: answer.ok_or_else(|| entry.error(format!("the field `{field}` ends with no number")))?,
    })
}

/// The number that a text is, or that stands behind its last `####`.
fn number(text: &str) -> Option<f64> {
    let last = text.rsplit("####").next().unwrap_or(text).trim();
    let plain: String = last
        .trim_start_matches('$')
        .trim_end_matches(['.', '%'])
        .chars()
        .filter(|c| *c != ',')
        .collect();
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}
