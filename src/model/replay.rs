//! `replay:PATH`: a model that says again what another said.
//!
//! Requests are found by [`ChatRequest::key`]. A request that was recorded several times gets its replies in that order,
//! then the last one again. One that wasn't recorded is an error which names it and the recorded one most like it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::text::{beginning, brief};
use super::{ChatModel, ChatReply, ChatRequest, Exchange, Miss, ModelError, Recording};
use crate::task::ToolUse;

/// A model that says again what another said.
#[derive(Debug)]
pub struct ReplayModel {
    name: String,
    recording: Recording,
    /// How often each request was asked.
    asked: Mutex<HashMap<String, usize>>,
    /// Whether the recorded model was offered tools: what refused them then does so now.
    offers_tools: bool,
}

impl ReplayModel {
    /// Replays a recording under the name of the model that was recorded.
    pub fn new(recording: Recording) -> Self {
        let name = match recording.models() {
            [] => "replay".to_owned(),
            models => models.join("+"),
        };
        Self {
            name,
            offers_tools: recording.offers_tools(),
            recording,
            asked: Mutex::default(),
        }
    }

    /// Counts one more asking of `key`, and says how many there were before.
    fn count(&self, key: &str) -> usize {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let times = asked.entry(key.to_owned()).or_default();
        *times += 1;
        *times - 1
    }
}

#[async_trait]
impl ChatModel for ReplayModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if !request.tools.is_empty() && !self.offers_tools {
            return Err(ModelError::NoTools {
                model: self.name.clone(),
            });
        }
        let key = request.key();
        let nth = self.count(&key);
        self.recording.reply(&key, nth).cloned().ok_or_else(|| {
            ModelError::Miss(Box::new(Miss {
                source: self.recording.source().to_owned(),
                key,
                messages: request.messages.len(),
                begins: beginning(request),
                nearest: nearest(self.recording.exchanges(), request),
            }))
        })
    }

    fn skip(&self, request: &ChatRequest) {
        self.count(&request.key());
    }

    fn recorded_tool(&self, key: &str) -> Option<ToolUse> {
        let nth = self.count(key);
        self.recording.tool(key, nth).cloned()
    }
}

/// How the recorded request that is most like `request` differs from it.
fn nearest(exchanges: &[Exchange], request: &ChatRequest) -> Option<String> {
    let mut best: Option<((usize, usize, usize), &Exchange)> = None;
    for exchange in exchanges {
        let score = likeness(&exchange.request, request);
        // The earliest of equals, so that the same miss always reads the same.
        if best.is_none_or(|(best, _)| score > best) {
            best = Some((score, exchange));
        }
    }
    best.map(|(score, exchange)| {
        let task = exchange
            .task
            .as_ref()
            .map(|task| format!("(task {task}) "))
            .unwrap_or_default();
        task + &difference(score, &exchange.request, request)
    })
}

/// How many messages begin both alike, how many bytes of the next one, and how many settings are the same.
fn likeness(recorded: &ChatRequest, asked: &ChatRequest) -> (usize, usize, usize) {
    let pairs = || recorded.messages.iter().zip(&asked.messages);
    let alike = pairs().take_while(|(a, b)| a == b).count();
    let within = pairs().nth(alike).map_or(0, |(a, b)| {
        a.content
            .bytes()
            .zip(b.content.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    });
    (alike, within, settings(recorded, asked).alike)
}

struct Settings {
    alike: usize,
    differing: Vec<String>,
}

fn settings(recorded: &ChatRequest, asked: &ChatRequest) -> Settings {
    let all = [
        (
            "temperature",
            recorded.temperature.to_string(),
            asked.temperature.to_string(),
        ),
        (
            "max_tokens",
            recorded.max_tokens.to_string(),
            asked.max_tokens.to_string(),
        ),
        ("seed", recorded.seed.to_string(), asked.seed.to_string()),
    ];
    let differing: Vec<String> = all
        .iter()
        .filter(|(_, a, b)| a != b)
        .map(|(name, a, b)| format!("{name} {a} instead of {b}"))
        .collect();
    Settings {
        alike: all.len() - differing.len(),
        differing,
    }
}

fn difference(
    (alike, within, _): (usize, usize, usize),
    recorded: &ChatRequest,
    asked: &ChatRequest,
) -> String {
    match (recorded.messages.get(alike), asked.messages.get(alike)) {
        (None, None) => {
            let differing = settings(recorded, asked).differing;
            format!("has the same messages, but {}", differing.join(" and "))
        }
        (Some(was), Some(is)) if was.role == is.role => {
            let before = &was.content[..was.content.floor_char_boundary(within)];
            let line = 1 + before.matches('\n').count();
            format!(
                "differs from it in message {}, line {line}: recorded `{}`, asked `{}`",
                alike + 1,
                around(&was.content, within),
                around(&is.content, within)
            )
        }
        (Some(_), Some(_)) => format!("has another role in message {}", alike + 1),
        _ => format!(
            "has {} messages instead of {}, of which the first {alike} are the same",
            recorded.messages.len(),
            asked.messages.len()
        ),
    }
}

/// The line of `text` that `at` is in, from shortly before it.
fn around(text: &str, at: usize) -> String {
    let line = text[..text.floor_char_boundary(at)]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    let start = text.floor_char_boundary(at.saturating_sub(20).max(line));
    let rest = text[start..].lines().next().unwrap_or("");
    let mark = if start > line { "…" } else { "" };
    format!("{mark}{}", brief(rest, 60))
}

#[cfg(test)]
mod tests {
    use super::super::{Message, TokenUsage};
    use super::*;

    fn request(text: &str, seed: u64) -> ChatRequest {
        ChatRequest {
            messages: vec![Message::user(text)],
            temperature: 0.0,
            max_tokens: 10,
            seed,
            ..ChatRequest::default()
        }
    }

    fn exchange(text: &str, seed: u64, reply: &str) -> Exchange {
        let reply = ChatReply {
            content: reply.to_owned(),
            finish_reason: None,
            usage: TokenUsage::default(),
            latency_ms: 7,
            ..ChatReply::default()
        };
        Exchange::new("m", &request(text, seed), &reply)
    }

    fn model(exchanges: Vec<Exchange>) -> ReplayModel {
        let mut recording = Recording::from_bytes(b"", "rec.jsonl").unwrap();
        for exchange in exchanges {
            recording.push(exchange);
        }
        ReplayModel::new(recording)
    }

    async fn miss(model: &ReplayModel, request: &ChatRequest) -> String {
        model.chat(request).await.unwrap_err().to_string()
    }

    #[tokio::test]
    async fn repeated_requests_get_their_replies_in_order_then_the_last_again() {
        let model = model(vec![
            exchange("a", 0, "1"),
            exchange("b", 0, "x"),
            exchange("a", 0, "2"),
        ]);
        let mut said = Vec::new();
        for _ in 0..3 {
            said.push(model.chat(&request("a", 0)).await.unwrap().content);
        }
        assert_eq!(said, ["1", "2", "2"]);
        assert_eq!(model.name(), "m");
    }

    #[tokio::test]
    async fn what_was_answered_before_a_kill_is_skipped() {
        let model = model(vec![exchange("a", 0, "1"), exchange("a", 0, "2")]);
        model.skip(&request("a", 0));
        assert_eq!(model.chat(&request("a", 0)).await.unwrap().content, "2");
    }

    #[tokio::test]
    async fn a_miss_says_what_is_nearest() {
        let mut other = exchange("def add(a, b):\n    return a - b", 3, "");
        other.task = Some("T/1".to_owned());
        let model = model(vec![exchange("a", 0, ""), other]);

        let seed = miss(&model, &request("a", 1)).await;
        assert!(
            seed.contains("has the same messages, but seed 0 instead of 1"),
            "{seed}"
        );
        assert!(seed.starts_with("rec.jsonl holds no reply to request "), "{seed}");

        let text = miss(&model, &request("def add(a, b):\n    return a + b", 0)).await;
        assert!(
            text.ends_with(
                "(task T/1) differs from it in message 1, line 2: recorded `return a - b`, asked `return a + b`"
            ),
            "{text}"
        );

        let mut longer = request("a", 0);
        longer.messages.push(Message::assistant("b"));
        let more = miss(&model, &longer).await;
        assert!(
            more.ends_with("has 1 messages instead of 2, of which the first 1 are the same"),
            "{more}"
        );
    }

    #[tokio::test]
    async fn a_miss_in_an_empty_recording_is_an_error_too() {
        let text = miss(&model(vec![]), &request("ü", 0)).await;
        assert!(text.ends_with("(message 1: `ü`)"), "{text}");
    }
}
