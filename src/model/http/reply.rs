//! What servers send, read leniently: they agree on little beyond the happy path.

use serde_json::Value;

use super::super::{ChatReply, LogProb, TokenUsage};

/// The reply in a chat completion, or what is missing from it.
pub(super) fn reply(value: &Value) -> Result<ChatReply, String> {
    let choice = value
        .get("choices")
        .and_then(Value::as_array)
        .ok_or("it has no `choices`")?
        .first()
        .ok_or("its `choices` are empty")?;
    let message = choice.get("message").ok_or("its first choice has no `message`")?;
    let finish_reason = choice
        .get("finish_reason")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let tool_calls = super::wire::calls(message);
    let content = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        _ if !tool_calls.is_empty() => String::new(),
        _ => return Err(without_content(message, finish_reason.as_deref())),
    };
    let count = |name: &str| {
        value
            .get("usage")
            .and_then(|usage| usage.get(name))
            .and_then(Value::as_u64)
    };
    Ok(ChatReply {
        content,
        tool_calls,
        logprob: logprob(choice),
        finish_reason,
        usage: TokenUsage {
            prompt: count("prompt_tokens").unwrap_or(0),
            completion: count("completion_tokens").unwrap_or(0),
        },
        latency_ms: 0,
    })
}

/// The probability of the text, where the tokens' are given.
fn logprob(choice: &Value) -> Option<LogProb> {
    let tokens = choice.pointer("/logprobs/content")?.as_array()?;
    let each = tokens.iter().filter_map(|token| token.get("logprob")?.as_f64());
    let (sum, count) = each.fold((0.0, 0), |(sum, count), logprob| (sum + logprob, count + 1));
    (count > 0).then_some(LogProb { sum, tokens: count })
}

fn without_content(message: &Value, finish_reason: Option<&str>) -> String {
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        return format!("the model declines: {refusal}");
    }
    match finish_reason {
        Some("length") => {
            "it was cut off before the answer began; a larger --reply-tokens may help".to_owned()
        }
        Some(reason) => format!("its message has no content (finish reason `{reason}`)"),
        None => "its message has no content".to_owned(),
    }
}

/// The names in a list of models, if it is one.
pub(super) fn models(value: &Value) -> Option<Vec<String>> {
    let entries = value.get("data")?.as_array()?;
    Some(
        entries
            .iter()
            .filter_map(|entry| entry.get("id")?.as_str())
            .map(str::to_owned)
            .collect(),
    )
}

/// The message and code in the body of an error; the body itself where it has no known form.
pub(super) fn refusal(body: &[u8]) -> (String, Option<String>) {
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        let error = value.get("error").unwrap_or(&value);
        let code = error.get("code").and_then(Value::as_str).map(str::to_owned);
        if let Some(message) = message(error) {
            return (message, code);
        }
    }
    (String::from_utf8_lossy(body).into_owned(), None)
}

fn message(error: &Value) -> Option<String> {
    let text = error.as_str().or_else(|| {
        ["message", "detail"]
            .iter()
            .find_map(|name| error.get(name)?.as_str())
    });
    text.map(str::to_owned)
}

/// An error that came instead of choices with status 200, with the status that it should have had if it says so.
pub(super) fn hidden_error(value: &Value) -> Option<(String, Option<u16>)> {
    let error = value.get("error").filter(|error| !error.is_null())?;
    if value.get("choices").is_some() || value.get("data").is_some() {
        return None;
    }
    let status = error
        .get("code")
        .and_then(Value::as_u64)
        .and_then(|code| u16::try_from(code).ok());
    let status = status.filter(|status| (400..600).contains(status));
    Some((message(error).unwrap_or_else(|| error.to_string()), status))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn says(message: &Value, reason: &Value) -> Result<String, String> {
        reply(&json!({"choices": [{"message": message, "finish_reason": reason}]})).map(|reply| reply.content)
    }

    #[test]
    fn content_is_read_in_all_its_forms() {
        assert_eq!(says(&json!({"content": ""}), &json!(null)).unwrap(), "");
        let thinking = json!({"content": "x", "reasoning_content": "hm"});
        assert_eq!(says(&thinking, &json!("stop")).unwrap(), "x");
        let parts = json!({"content": [{"type": "text", "text": "a"}, {"type": "thinking"}, {"text": "b"}]});
        assert_eq!(says(&parts, &json!("stop")).unwrap(), "ab");
    }

    #[test]
    fn what_is_missing_is_said() {
        for (value, problem) in [
            (json!([]), "it has no `choices`"),
            (json!({"choices": []}), "its `choices` are empty"),
            (json!({"choices": [{}]}), "its first choice has no `message`"),
            (
                json!({"choices": [{"message": {"content": null}}]}),
                "its message has no content",
            ),
            (
                json!({"choices": [{"message": {"tool_calls": []}, "finish_reason": "tool_calls"}]}),
                "its message has no content (finish reason `tool_calls`)",
            ),
            (
                json!({"choices": [{"message": {"content": null, "refusal": "No."}}]}),
                "the model declines: No.",
            ),
            (
                json!({"choices": [{"message": {"reasoning_content": "hm"}, "finish_reason": "length"}]}),
                "it was cut off before the answer began; a larger --reply-tokens may help",
            ),
        ] {
            assert_eq!(reply(&value).unwrap_err(), problem);
        }
    }

    #[test]
    fn errors_are_read_in_all_their_forms() {
        let text = |body: &str| refusal(body.as_bytes());
        assert_eq!(
            text(r#"{"error": {"message": "m", "code": "insufficient_quota"}}"#),
            ("m".to_owned(), Some("insufficient_quota".to_owned()))
        );
        assert_eq!(text(r#"{"error": "e"}"#).0, "e");
        assert_eq!(text(r#"{"detail": "d"}"#).0, "d");
        assert_eq!(text(r#"{"detail": [1]}"#).0, r#"{"detail": [1]}"#);
        assert_eq!(text("<html>").0, "<html>");
        assert_eq!(text("").0, "");

        let hidden = json!({"error": {"message": "upstream", "code": 502}});
        assert_eq!(hidden_error(&hidden), Some(("upstream".to_owned(), Some(502))));
        assert_eq!(hidden_error(&json!({"error": null, "choices": []})), None);
        assert_eq!(hidden_error(&json!({"error": "x"})), Some(("x".to_owned(), None)));
    }
}
