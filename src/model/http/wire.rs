//! Messages and tools as `/v1/chat/completions` wants them.

use serde_json::{Value, json};

use super::super::{Message, Role, ToolCall, ToolSpec};

/// The chat so far.
pub(super) fn messages(messages: &[Message]) -> Vec<Value> {
    messages.iter().map(message).collect()
}

fn message(message: &Message) -> Value {
    let mut value = json!({ "role": message.role, "content": message.content });
    if !message.tool_calls.is_empty() {
        let calls: Vec<Value> = message.tool_calls.iter().map(call).collect();
        value["tool_calls"] = Value::from(calls);
    }
    if message.role == Role::Tool {
        value["tool_call_id"] = json!(message.tool_call_id);
    }
    value
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.name, "arguments": call.arguments },
    })
}

/// The tools on offer.
pub(super) fn tools(tools: &[ToolSpec]) -> Vec<Value> {
    tools
        .iter()
        .map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            })
        })
        .collect()
}

/// The calls in a reply's message. Some servers leave out the ids, and some send the arguments as an object.
pub(super) fn calls(message: &Value) -> Vec<ToolCall> {
    let Some(calls) = message.get("tool_calls").and_then(Value::as_array) else {
        return Vec::new();
    };
    calls
        .iter()
        .enumerate()
        .filter_map(|(at, call)| {
            let function = call.get("function")?;
            let arguments = match function.get("arguments") {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Null) | None => "{}".to_owned(),
                Some(other) => other.to_string(),
            };
            let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
            Some(ToolCall {
                id: id.map_or_else(|| format!("call_{}", at + 1), str::to_owned),
                name: function.get("name")?.as_str()?.to_owned(),
                arguments,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_message_has_nothing_but_role_and_content() {
        let wire = messages(&[Message::user("a"), Message::assistant("b")]);
        assert_eq!(
            json!(wire),
            json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
        );
    }

    #[test]
    fn a_call_and_its_answer_refer_to_each_other() {
        let call = ToolCall {
            id: "c1".to_owned(),
            name: "search".to_owned(),
            arguments: "{\"query\":\"x\"}".to_owned(),
        };
        let asking = Message {
            tool_calls: vec![call.clone()],
            ..Message::assistant("")
        };
        let wire = messages(&[asking, Message::tool("c1", "found")]);
        assert_eq!(calls(&wire[0]), [call]);
        assert_eq!(
            wire[1],
            json!({"role": "tool", "content": "found", "tool_call_id": "c1"})
        );
    }

    #[test]
    fn calls_are_read_in_all_their_forms() {
        let message = json!({"tool_calls": [
            {"function": {"name": "a", "arguments": {"x": 1}}},
            {"id": "", "function": {"name": "b"}},
            {"id": "z", "function": {"arguments": "{}"}},
            {"id": "y", "function": {"name": "c", "arguments": "not json"}},
        ]});
        let read: Vec<_> = calls(&message)
            .into_iter()
            .map(|call| (call.id, call.name, call.arguments))
            .collect();
        let text =
            |id: &str, name: &str, arguments: &str| (id.to_owned(), name.to_owned(), arguments.to_owned());
        assert_eq!(
            read,
            [
                text("call_1", "a", "{\"x\":1}"),
                text("call_2", "b", "{}"),
                text("y", "c", "not json")
            ]
        );
        assert!(calls(&json!({"tool_calls": null})).is_empty());
    }
}
