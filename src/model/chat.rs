//! What is said to a model and what it says, and the trait that all models share.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::ModelError;
use crate::task::ToolUse;

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// Us.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// Tools that the model calls with this message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that this message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its arguments, as a JSON Schema of an object.
    pub parameters: serde_json::Value,
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What the answer refers to.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them: JSON, if it wrote it well.
    pub arguments: String,
}

impl Message {
    /// A message of ours.
    pub fn user(content: impl Into<String>) -> Self {
        Self::plain(Role::User, content)
    }

    /// A message of the model's.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::plain(Role::Assistant, content)
    }

    /// A tool's answer to a call.
    pub fn tool(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(id.into()),
            ..Self::plain(Role::Tool, content)
        }
    }

    /// A message that is nothing but text.
    pub fn plain(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

/// Everything that determines a reply, apart from which model is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The chat so far.
    pub messages: Vec<Message>,
    /// Tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Whether log-probabilities are wanted with the reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logprobs: bool,
    /// Sampling temperature; 0 is greedy.
    pub temperature: f64,
    /// Longest reply in tokens.
    pub max_tokens: u32,
    /// Seed for sampling; differs between the samples of one task.
    pub seed: u64,
}

impl ChatRequest {
    /// The request's identity in recordings: SHA-256 over its canonical JSON, in hex.
    ///
    /// Canonical JSON has sorted keys, no spaces, and whole numbers without a fraction (`0`, not `0.0`). The model's
    /// name and address are no part of it: the same question to another model has the same key.
    pub fn key(&self) -> String {
        super::key::of(self)
    }
}

/// Tokens of one exchange, as the provider counted them; 0 where it didn't say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens read.
    pub prompt: u64,
    /// Tokens written.
    pub completion: u64,
}

/// How probable a text is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogProb {
    /// Sum of the natural logarithms of its tokens' probabilities.
    pub sum: f64,
    /// How many tokens those are.
    pub tokens: u64,
}

impl LogProb {
    /// The perplexity of the text; `None` for one without tokens.
    pub fn perplexity(self) -> Option<f64> {
        (self.tokens > 0).then(|| (-self.sum / self.tokens as f64).exp())
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.prompt += other.prompt;
        self.completion += other.completion;
    }
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text.
    pub content: String,
    /// Tools that the model wants called before it goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Why it ended, as the provider says: `stop`, `length` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Tokens.
    #[serde(default)]
    pub usage: TokenUsage,
    /// How probable the model found the text, where it was asked and says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprob: Option<LogProb>,
    /// Time from request to reply, in milliseconds; a replayed reply keeps the recorded time.
    #[serde(default)]
    pub latency_ms: u64,
}

/// Something that continues a chat.
#[async_trait]
pub trait ChatModel: Send + Sync + std::fmt::Debug {
    /// The name for tables and files.
    fn name(&self) -> &str;

    /// Whether the model can be reached at all, asked before the first task; costs no tokens.
    async fn check(&self) -> Result<(), ModelError> {
        Ok(())
    }

    /// Asks for the next message.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError>;

    /// Tells the model that it answered this request before the run was interrupted, and that it won't be asked again.
    ///
    /// A resumed run calls this once for each exchange in its journal, in order, before its first question. Models
    /// whose replies depend on how often they were asked (a script, a replay) move on; the others have nothing to do.
    fn skip(&self, _request: &ChatRequest) {}

    /// What a tool answered to the call of this key when it was recorded; `None` where there is no recording, or
    /// none of this call.
    fn recorded_tool(&self, _key: &str) -> Option<ToolUse> {
        None
    }

    /// Keeps a tool's answer beside the replies, where these are recorded.
    fn record_tool(&self, _key: &str, _call: &ToolUse) -> Result<(), ModelError> {
        Ok(())
    }
}
