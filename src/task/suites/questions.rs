//! Suites of questions: `GSM8K` and `SVAMP` (a number), `HotpotQA` and the like (a few words).

use serde_json::Value;

use super::SuiteError;
use super::entry::Entry;
use crate::task::{AnswerRule, Brief, HiddenTests, Language, Limits, Task, Test, TestKind};

/// Whether an entry looks like a question with its answer.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    let question = ["question", "prompt", "input", "Body"]
        .iter()
        .any(|name| entry.has(name));
    let answer = ["answer", "answers", "reference", "target", "Answer"]
        .iter()
        .any(|name| entry.has(name));
    question && answer && !entry.has("entry_point") && !entry.has("test")
}

/// Reads one question.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let question = match entry.optional_string("Body")? {
        // SVAMP's story and question are apart.
        Some(body) => {
            let body = body.trim();
            let dot = if body.ends_with(['.', '?', '!']) { "" } else { "." };
            format!("{body}{dot} {}", entry.string("Question")?.trim())
        }
        None => first(entry, &["question", "prompt", "input"])?.trim().to_owned(),
    };
    let accepted = accepted(entry)?;
    let numeric = entry.has("target") || entry.has("Answer") || is_worked_out(entry);
    let kind = TestKind::Answer {
        accepted,
        rule: if numeric {
            AnswerRule::Number
        } else {
            AnswerRule::Words
        },
    };
    Ok(Task {
        id: id(entry),
        brief: Brief {
            language: Language::PYTHON,
            statement: question,
            entry_point: None,
            starter_code: String::new(),
            visible: Vec::new(),
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(vec![Test {
            name: "answer".to_owned(),
            kind,
        }]),
        references: Vec::new(),
        wrong: Vec::new(),
    })
}

fn first<'a>(entry: &'a Entry<'_>, names: &[&str]) -> Result<&'a str, SuiteError> {
    for name in names {
        if let Some(text) = entry.optional_string(name)? {
            return Ok(text);
        }
    }
    Err(entry.missing(names[0], "a string"))
}

/// The name that the entry gives itself, or its place.
fn id(entry: &Entry<'_>) -> String {
    let named = ["task_id", "id", "ID", "qid"]
        .iter()
        .find_map(|name| entry.value(name));
    match named {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => entry.place().replace(' ', "-"),
    }
}

/// Whether the answer is GSM8K's: steps, and the number behind `####`.
fn is_worked_out(entry: &Entry<'_>) -> bool {
    matches!(entry.value("answer"), Some(Value::String(text)) if text.contains("####"))
        || matches!(entry.value("answer"), Some(Value::Number(_)))
}

/// All answers that count as right.
fn accepted(entry: &Entry<'_>) -> Result<Vec<String>, SuiteError> {
    let value = ["answers", "answer", "reference", "target", "Answer"]
        .iter()
        .find_map(|name| entry.value(name));
    let text = |value: &Value| match value {
        Value::String(text) => {
            let last = text.rsplit("####").next().unwrap_or(text);
            Some(last.trim().to_owned())
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Bool(false) => Some("no".to_owned()),
        _ => None,
    };
    let accepted: Vec<String> = match value {
        Some(Value::Array(values)) => values.iter().filter_map(text).collect(),
        Some(value) => text(value).into_iter().collect(),
        None => Vec::new(),
    };
    if accepted.is_empty() {
        return Err(entry.missing("answer", "a text, a number, or a list of them"));
    }
    Ok(accepted)
}
