//! `LiveCodeBench`: `question_title`, `question_content`, `question_id`, `platform`, `contest_date`, `starter_code`,
//! `difficulty`, `public_test_cases`, `private_test_cases` and `metadata`.
//!
//! Public tests are visible, all are hidden. Private ones come as JSON, or as a pickle packed with zlib and written in base64,
//! which is read as data (`pickle`). A test is a stdin/stdout pair, or a call whose arguments stand a line each.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use serde_json::Value;

use super::entry::Entry;
use super::{SuiteError, pickle};
use crate::task::{Brief, Compare, HiddenTests, Language, Limits, Task, Test, TestKind};

/// No task's tests are larger when unpacked.
const LARGEST: u64 = 1 << 30;

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("question_content") && (entry.has("public_test_cases") || entry.has("private_test_cases"))
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let id = entry.string("question_id")?.to_owned();
    let starter = entry.optional_string("starter_code")?.unwrap_or_default();
    let function = function(entry)?;
    let entry_point = function.map(|name| {
        if starter.contains("class Solution") || starter.trim().is_empty() {
            format!("Solution.{name}")
        } else {
            name
        }
    });
    let read = |field: &'static str| -> Result<Vec<Test>, SuiteError> {
        let cases = match entry.optional_string(field)? {
            None => return Ok(Vec::new()),
            Some(text) => cases(text).map_err(|why| entry.error(format!("the field `{field}`: {why}")))?,
        };
        let prefix = field.split('_').next().unwrap_or(field);
        cases
            .iter()
            .enumerate()
            .map(|(at, case)| {
                let kind = kind(case, entry_point.as_deref())
                    .map_err(|why| entry.error(format!("the field `{field}`, test {}: {why}", at + 1)))?;
                Ok(Test {
                    name: format!("{prefix}-{}", at + 1),
                    kind,
                })
            })
            .collect()
    };
    let visible = read("public_test_cases")?;
    let mut hidden = visible.clone();
    hidden.extend(read("private_test_cases")?);
    if hidden.is_empty() {
        return Err(entry.error(
            "the fields `public_test_cases` and `private_test_cases` hold no test: there would be nothing to check a \
             program on",
        ));
    }
    let title = entry.optional_string("question_title")?.unwrap_or_default();
    let content = entry.string("question_content")?.trim();
    let statement = match (title.trim(), starter.trim()) {
        ("", "") => content.to_owned(),
        (title, "") => format!("{title}\n\n{content}"),
        (title, starter) => format!("{title}\n\n{content}\n\nBegin with this code:\n\n{starter}")
            .trim_start()
            .to_owned(),
    };
    Ok(Task {
        id,
        brief: Brief {
            language: Language::PYTHON,
            statement,
            entry_point,
            // A head without a body is no code that a completion can be put behind; the statement shows it.
            starter_code: String::new(),
            visible,
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(hidden),
        references: Vec::new(),
        wrong: Vec::new(),
    })
}

/// The function that tests call; `None` where programs read stdin.
fn function(entry: &Entry<'_>) -> Result<Option<String>, SuiteError> {
    let parsed;
    let metadata = match entry.value("metadata") {
        None => return Ok(None),
        Some(Value::String(text)) => {
            parsed = serde_json::from_str::<Value>(text)
                .map_err(|error| entry.error(format!("the field `metadata` is no JSON: {error}")))?;
            &parsed
        }
        Some(other) => other,
    };
    Ok(metadata
        .get("func_name")
        .and_then(Value::as_str)
        .map(str::to_owned))
}

/// The tests of a field: a JSON list, plain or packed.
fn cases(text: &str) -> Result<Vec<Value>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let list = |text: &str| {
        serde_json::from_str::<Vec<Value>>(text).map_err(|error| format!("is no JSON list: {error}"))
    };
    if text.starts_with('[') {
        return list(text);
    }
    let packed = base64(text).ok_or("is neither a JSON list nor base64")?;
    let mut unpacked = Vec::new();
    ZlibDecoder::new(packed.as_slice())
        .take(LARGEST + 1)
        .read_to_end(&mut unpacked)
        .map_err(|error| format!("can't be unpacked: {error}"))?;
    if unpacked.len() as u64 > LARGEST {
        return Err("unpacks to more than 1 GiB, which is no task".to_owned());
    }
    match pickle::read(&unpacked)? {
        Value::String(text) => list(&text),
        Value::Array(cases) => Ok(cases),
        _ => Err("its pickle holds no list of tests".to_owned()),
    }
}

fn kind(case: &Value, entry_point: Option<&str>) -> Result<TestKind, String> {
    let text = |name: &str| {
        case.get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| format!("the field `{name}` (a string) is missing"))
    };
    let (input, output) = (text("input")?, text("output")?);
    let form = case
        .get("testtype")
        .and_then(Value::as_str)
        .unwrap_or(match entry_point {
            Some(_) => "functional",
            None => "stdin",
        });
    match (form, entry_point) {
        ("stdin", _) => Ok(TestKind::Stdin {
            stdin: input.to_owned(),
            expected: output.to_owned(),
            // Line by line would be stricter, and 1.0 for 1 would be wrong, which the suite's own grader takes.
            compare: Compare::Float { abs: 0.0, rel: 0.0 },
        }),
        ("functional", Some(entry)) => {
            let json = |text: &str| {
                serde_json::from_str::<Value>(text).map_err(|error| format!("{text:?} is no JSON: {error}"))
            };
            let lines = input.split('\n').filter(|line| !line.trim().is_empty());
            Ok(TestKind::Call {
                entry: entry.to_owned(),
                args: lines.map(json).collect::<Result<_, _>>()?,
                expected: json(output)?,
                compare: Compare::Float { abs: 0.0, rel: 0.0 },
            })
        }
        ("functional", None) => Err("it calls a function, and `metadata` has no `func_name`".to_owned()),
        (other, _) => Err(format!(
            "its `testtype` is {other:?}; types are stdin and functional"
        )),
    }
}

/// Bytes out of base64, line ends aside.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut buffer, mut bits) = (0_u32, 0);
    let mut padding = false;
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace()) {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                padding = true;
                continue;
            }
            _ => return None,
        };
        if padding {
            return None;
        }
        buffer = (buffer << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_read() {
        for (text, bytes) in [
            ("", ""),
            ("QQ==", "A"),
            ("QUI=", "AB"),
            ("QUJD", "ABC"),
            ("QU\nJD", "ABC"),
        ] {
            assert_eq!(base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(base64("Q?"), None);
        assert_eq!(base64("QQ==QQ"), None);
    }
}
