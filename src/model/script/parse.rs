//! Reading a script, by hand so that each mistake is told with its place.

use serde_json::{Map, Value};

use super::super::{TokenUsage, ToolCall};
use super::{Entry, Reply};

/// The entries of a script, and whether the file tells them apart.
pub(super) fn script(bytes: &[u8]) -> Result<(Vec<Entry>, bool), String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("is no JSON: {error}"))?;
    match value {
        Value::Array(replies) => {
            let entry = Entry {
                replies: all(replies, "")?,
                ..Entry::default()
            };
            Ok((vec![entry], false))
        }
        Value::Object(map) => {
            only(&map, &["by"], "the script")?;
            match map.get("by") {
                Some(Value::Array(entries)) if !entries.is_empty() => {
                    let entries: Result<_, _> = entries
                        .iter()
                        .enumerate()
                        .map(|(at, value)| entry(value, at + 1))
                        .collect();
                    Ok((entries?, true))
                }
                _ => Err("`by` must be a list of entries with `contains` and `replies`".to_owned()),
            }
        }
        _ => Err(
            "a script is a list of replies, or {\"by\": [{\"contains\": …, \"replies\": […]}, …]}".to_owned(),
        ),
    }
}

fn entry(value: &Value, number: usize) -> Result<Entry, String> {
    let place = format!("entry {number}");
    let Value::Object(map) = value else {
        return Err(format!("{place} must be an object with `contains` and `replies`"));
    };
    only(map, &["contains", "last", "replies"], &place)?;
    let Some(Value::Array(replies)) = map.get("replies") else {
        return Err(format!("{place} has no list of `replies`"));
    };
    Ok(Entry {
        contains: texts(map, "contains", &place)?,
        last: texts(map, "last", &place)?,
        replies: all(replies.clone(), &format!("{place}, "))?,
        ..Entry::default()
    })
}

fn all(replies: Vec<Value>, place: &str) -> Result<Vec<Reply>, String> {
    let numbered = replies.into_iter().enumerate();
    numbered
        .map(|(at, value)| reply(value, &format!("{place}reply {}", at + 1)))
        .collect()
}

fn reply(value: Value, place: &str) -> Result<Reply, String> {
    let map = match value {
        Value::String(content) => return Ok(Reply::plain(content)),
        Value::Object(map) => map,
        _ => return Err(format!("{place} must be a text or an object with `content`")),
    };
    only(
        &map,
        &[
            "content",
            "contains",
            "finish_reason",
            "usage",
            "delay_ms",
            "tool_calls",
        ],
        place,
    )?;
    let tool_calls = tool_calls(&map, place)?;
    let content = match map.get("content") {
        Some(Value::String(content)) => content.clone(),
        None if !tool_calls.is_empty() => String::new(),
        _ => return Err(format!("{place} has no text `content`")),
    };
    let mut reply = Reply::plain(content);
    reply.tool_calls = tool_calls;
    reply.contains = texts(&map, "contains", place)?;
    match map.get("finish_reason") {
        None => {}
        Some(Value::String(reason)) => reply.finish_reason.clone_from(reason),
        Some(_) => {
            return Err(format!(
                "{place}: `finish_reason` must be a text such as \"stop\""
            ));
        }
    }
    match map.get("usage") {
        None => {}
        Some(Value::Object(usage)) => {
            let place = format!("{place}, usage");
            only(usage, &["prompt", "completion"], &place)?;
            reply.usage = TokenUsage {
                prompt: count(usage, "prompt", &place)?,
                completion: count(usage, "completion", &place)?,
            };
        }
        Some(_) => {
            return Err(format!(
                "{place}: `usage` must be an object with `prompt` and `completion`"
            ));
        }
    }
    reply.delay_ms = count(&map, "delay_ms", place)?;
    Ok(reply)
}

/// Calls with a name, and arguments as an object or a text.
fn tool_calls(map: &Map<String, Value>, place: &str) -> Result<Vec<ToolCall>, String> {
    let wrong = || format!("{place}: `tool_calls` must be a list of objects with `name` and `arguments`");
    let calls = match map.get("tool_calls") {
        None => return Ok(Vec::new()),
        Some(Value::Array(calls)) => calls,
        Some(_) => return Err(wrong()),
    };
    let numbered = calls.iter().enumerate();
    numbered
        .map(|(at, call)| {
            let call = call.as_object().ok_or_else(wrong)?;
            only(call, &["name", "arguments"], &format!("{place}, tool_calls"))?;
            Ok(ToolCall {
                id: format!("call_{}", at + 1),
                name: call
                    .get("name")
                    .and_then(Value::as_str)
                    .ok_or_else(wrong)?
                    .to_owned(),
                arguments: match call.get("arguments") {
                    Some(Value::String(text)) => text.clone(),
                    Some(Value::Object(object)) => Value::from(object.clone()).to_string(),
                    _ => return Err(wrong()),
                },
            })
        })
        .collect()
}

fn only(map: &Map<String, Value>, known: &[&str], place: &str) -> Result<(), String> {
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!(
            "{place} has an unknown key `{key}`; known: {}",
            known.join(", ")
        )),
        None => Ok(()),
    }
}

/// A text, a list of texts, or none.
fn texts(map: &Map<String, Value>, key: &str, place: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{place}: `{key}` must be a text or a list of texts");
    match map.get(key) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(values)) => values
            .iter()
            .map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

fn count(map: &Map<String, Value>, key: &str, place: &str) -> Result<u64, String> {
    match map.get(key) {
        None => Ok(0),
        Some(value) => value
            .as_u64()
            .ok_or_else(|| format!("{place}: `{key}` must be a whole number")),
    }
}
