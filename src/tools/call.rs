//! Tool calls in plain text, for models that can't make them natively.
//!
//! The form that models are told is a line `CALL name {"argument": "…"}`. Small models fall back to what they were trained
//! on, so the usual other forms are understood as well: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, and a fence
//! that holds such an object.

use serde_json::{Deserializer, Value};

use crate::model::ToolCall;

/// The calls in a reply, in order, and the part of the reply before the first of them.
///
/// What a model writes behind its calls is what it imagines that the tools will say, and is left out.
pub fn parse_calls(reply: &str) -> (Vec<ToolCall>, &str) {
    let mut calls = Vec::new();
    let mut first = None;
    let mut at = 0;
    while at < reply.len() {
        let line_end = reply[at..].find('\n').map_or(reply.len(), |end| at + end + 1);
        let found = call_line(reply, at, line_end).or_else(|| call_object(reply, at, line_end));
        match found {
            Some((name, arguments, end)) => {
                first.get_or_insert(at);
                calls.push(ToolCall {
                    id: format!("call_{}", calls.len() + 1),
                    name,
                    arguments,
                });
                // At least one line further, whatever the object's end.
                at = reply[end..]
                    .find('\n')
                    .map_or(reply.len(), |newline| end + newline + 1);
            }
            None => at = line_end,
        }
    }
    (calls, &reply[..first.unwrap_or(reply.len())])
}

/// `CALL name {…}`, or `CALL name some text`. The object may go on over the next lines.
fn call_line(reply: &str, start: usize, line_end: usize) -> Option<(String, String, usize)> {
    let line = &reply[start..line_end];
    let marked = line.trim_start_matches([
        ' ', '\t', '-', '*', '`', '>', '.', ')', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
    ]);
    let rest = marked
        .strip_prefix("CALL")
        .filter(|rest| rest.starts_with([' ', ':', '\t']))?;
    let rest = rest.trim_start_matches([' ', ':', '\t', '`', '*']);
    let length = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(length);
    if name.is_empty() {
        return None;
    }
    let rest_at = line_end - rest.len();
    let blank = rest.len() - rest.trim_start_matches([' ', ':', '\t', '(', '`']).len();
    let from = rest_at + blank;
    if reply[from..].starts_with('{')
        && let Some((value, end)) = object_at(reply, from)
    {
        return Some((name.to_owned(), value.to_string(), end));
    }
    let line = reply[from..line_end].trim_end_matches('\n');
    let bare = line.trim().trim_end_matches([')', '`']);
    Some((name.to_owned(), bare.to_owned(), from + line.len()))
}

/// `{"name": "search", "arguments": {…}}` at the beginning of a line, in a tag or not.
fn call_object(reply: &str, start: usize, line_end: usize) -> Option<(String, String, usize)> {
    let line = &reply[start..line_end];
    let trimmed = line.trim_start();
    let inner = trimmed.strip_prefix("<tool_call>").unwrap_or(trimmed);
    let from = line_end - inner.len() + (inner.len() - inner.trim_start().len());
    if !reply[from..].starts_with('{') {
        return None;
    }
    let (value, end) = object_at(reply, from)?;
    let name = ["name", "tool", "function"]
        .iter()
        .find_map(|key| value.get(key)?.as_str())?;
    let arguments = ["arguments", "parameters", "args"]
        .iter()
        .find_map(|key| value.get(key))?;
    let arguments = match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some((name.to_owned(), arguments, end))
}

/// The JSON object that begins at `from`, and where it ends.
fn object_at(reply: &str, from: usize) -> Option<(Value, usize)> {
    let mut values = Deserializer::from_str(&reply[from..]).into_iter::<Value>();
    match values.next()? {
        Ok(value @ Value::Object(_)) => Some((value, from + values.byte_offset())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn calls(reply: &str) -> Vec<(String, String)> {
        let (calls, _) = parse_calls(reply);
        calls
            .into_iter()
            .map(|call| (call.name, call.arguments))
            .collect()
    }

    fn search(arguments: &str) -> (String, String) {
        ("search".to_owned(), arguments.to_owned())
    }

    #[test]
    fn the_form_that_models_are_told_is_read() {
        let reply = "1. It opened in 1936.\nCALL search {\"query\": \"bridge opening\"}\nCALL search {\"query\":\"b\"}\n";
        assert_eq!(
            calls(reply),
            [
                search(r#"{"query":"bridge opening"}"#),
                search(r#"{"query":"b"}"#)
            ]
        );
        assert_eq!(parse_calls(reply).1, "1. It opened in 1936.\n");
    }

    #[test]
    fn the_forms_that_models_fall_back_to_are_read() {
        for reply in [
            "- CALL search {\"query\": \"x\"}",
            "**CALL** no\n`CALL search {\"query\": \"x\"}`",
            "2. CALL: search {\n  \"query\": \"x\"\n}\nRESULT: made up",
            "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}\n</tool_call>",
            "<tool_call>{\"name\": \"search\", \"arguments\": \"{\\\"query\\\":\\\"x\\\"}\"}</tool_call>",
            "```json\n{\"tool\": \"search\", \"args\": {\"query\": \"x\"}}\n```",
        ] {
            assert_eq!(calls(reply), [search(r#"{"query":"x"}"#)], "{reply}");
        }
        assert_eq!(calls("CALL search Golden Gate\n"), [search("Golden Gate")]);
        assert_eq!(calls("CALL search(Golden Gate)"), [search("Golden Gate")]);
    }

    #[test]
    fn prose_and_verdicts_are_no_calls() {
        for reply in [
            "OK",
            "WRONG: the year is 1937",
            "I CALL it done",
            "{\"passed\": true, \"critique\": \"\"}",
            "CALLING search {}",
            "",
        ] {
            assert_eq!(calls(reply), [], "{reply}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_a_model_writes_breaks_it(reply in "(CALL |<tool_call>|\\{|\\}|\"name\":|search|é|\n|[ -~])*") {
            let (calls, before) = parse_calls(&reply);
            prop_assert!(reply.starts_with(before));
            prop_assert!(calls.len() <= reply.len());
        }

        #[test]
        fn what_is_written_as_told_is_read_back(query in "\\PC*") {
            let arguments = serde_json::json!({ "query": query }).to_string();
            prop_assert_eq!(calls(&format!("CALL search {arguments}")), [search(&arguments)]);
        }
    }
}
