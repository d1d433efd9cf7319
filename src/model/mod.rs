//! Chat models: one trait, one file per provider, and recordings.
//!
//! [`open`] makes a model of what a user writes after `--model`: a server ([`HttpModel`]), a list of replies
//! ([`ScriptModel`]) or an earlier run ([`ReplayModel`]). [`RecordModel`] wraps any of them and keeps what it says.

mod chat;
mod error;
mod http;
mod key;
mod open;
mod record;
mod recording;
mod replay;
mod script;
mod settings;
mod text;

pub use chat::{ChatModel, ChatReply, ChatRequest, LogProb, Message, Role, TokenUsage, ToolCall, ToolSpec};
pub use error::{Miss, ModelError, Stage};
pub use http::{HttpModel, RetryPolicy};
pub use key::hash as canonical_hash;
pub use open::{SPEC_FORMS, open};
pub use record::RecordModel;
pub use recording::{Exchange, Recording, ToolLine};
pub use replay::ReplayModel;
pub use script::ScriptModel;
pub use settings::{Environment, ModelSettings};
