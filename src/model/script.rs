//! `script:FILE.json`: a stub that answers from a list.
//!
//! The file holds a list of replies, given in order, whoever asks:
//!
//! ```json
//! ["first reply",
//!  {"content": "second reply", "contains": "what the request must say", "finish_reason": "length",
//!   "usage": {"prompt": 120, "completion": 8}, "delay_ms": 50},
//!  {"tool_calls": [{"name": "search", "arguments": {"query": "a bridge"}}]}]
//! ```
//!
//! Only `content` or `tool_calls` is needed; a script without any `tool_calls` takes no tools. `contains` (a text or a list of them) is looked for in the whole chat; a request without it
//! fails the run. Where several tasks ask at once, an object keeps their replies apart: the first entry whose texts are
//! all found gives its next reply. `contains` looks in the whole chat, `last` in its last message; an entry with
//! neither takes what no other takes.
//!
//! ```json
//! {"by": [{"contains": "def add", "replies": ["draft", "fix"]},
//!         {"contains": "def sub", "last": "Explain", "replies": ["because"]},
//!         {"replies": ["anything else"]}]}
//! ```
//!
//! More questions than replies fail the run, and so does one that no entry takes.

mod parse;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;

use super::text::{beginning, brief};
use super::{ChatModel, ChatReply, ChatRequest, ModelError, TokenUsage, ToolCall};

/// A stub that answers from a list.
#[derive(Debug)]
pub struct ScriptModel {
    name: String,
    /// What errors call it.
    file: String,
    entries: Vec<Entry>,
    /// Whether the file tells entries apart; a plain list is one entry.
    by: bool,
}

#[derive(Debug, Default)]
struct Entry {
    /// Texts that the chat must contain.
    contains: Vec<String>,
    /// Texts that its last message must contain.
    last: Vec<String>,
    replies: Vec<Reply>,
    given: AtomicUsize,
}

#[derive(Debug)]
struct Reply {
    content: String,
    tool_calls: Vec<ToolCall>,
    contains: Vec<String>,
    finish_reason: String,
    usage: TokenUsage,
    delay_ms: u64,
}

impl ScriptModel {
    /// Reads a script.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let file = path.display().to_string();
        let bad = |problem: String| ModelError::BadFile {
            path: file.clone(),
            problem,
        };
        let bytes = crate::files::read(path)
            .map_err(|error| bad(format!("the script can't be read: {}", error.kind())))?;
        let (entries, by) = parse::script(&bytes).map_err(bad)?;
        let name = path
            .file_name()
            .map_or_else(|| file.clone(), |name| name.to_string_lossy().into_owned());
        Ok(Self {
            name: format!("script:{name}"),
            file,
            entries,
            by,
        })
    }

    /// A script of plain replies.
    pub fn of<S: Into<String>>(replies: impl IntoIterator<Item = S>) -> Self {
        let replies = replies
            .into_iter()
            .map(|content| Reply::plain(content.into()))
            .collect();
        Self {
            name: "script".to_owned(),
            file: "the script".to_owned(),
            entries: vec![Entry {
                replies,
                ..Entry::default()
            }],
            by: false,
        }
    }

    /// How many replies were not asked for.
    pub fn left(&self) -> usize {
        let left = |entry: &Entry| {
            entry
                .replies
                .len()
                .saturating_sub(entry.given.load(Ordering::Relaxed))
        };
        self.entries.iter().map(left).sum()
    }

    fn calls_tools(&self) -> bool {
        let mut replies = self.entries.iter().flat_map(|entry| &entry.replies);
        replies.any(|reply| !reply.tool_calls.is_empty())
    }

    /// The entry that answers a request, with its number.
    fn entry(&self, request: &ChatRequest) -> Option<(usize, &Entry)> {
        self.entries
            .iter()
            .enumerate()
            .find(|(_, entry)| entry.takes(request))
    }
}

impl Entry {
    fn takes(&self, request: &ChatRequest) -> bool {
        let last = request
            .messages
            .last()
            .map_or("", |message| message.content.as_str());
        self.contains.iter().all(|text| says(request, text))
            && self.last.iter().all(|text| last.contains(text))
    }
}

impl Reply {
    fn plain(content: String) -> Self {
        Self {
            content,
            tool_calls: Vec::new(),
            contains: Vec::new(),
            finish_reason: "stop".to_owned(),
            usage: TokenUsage::default(),
            delay_ms: 0,
        }
    }
}

fn says(request: &ChatRequest, text: &str) -> bool {
    request
        .messages
        .iter()
        .any(|message| message.content.contains(text))
}

#[async_trait]
impl ChatModel for ScriptModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let unscripted = |problem: String| ModelError::Unscripted {
            script: self.file.clone(),
            problem,
        };
        if !request.tools.is_empty() && !self.calls_tools() {
            return Err(ModelError::NoTools {
                model: self.name.clone(),
            });
        }
        let Some((number, entry)) = self.entry(request) else {
            return Err(unscripted(format!(
                "none of its {} entries takes the request `{}`",
                self.entries.len(),
                beginning(request)
            )));
        };
        let nth = entry.given.fetch_add(1, Ordering::Relaxed);
        let Some(reply) = entry.replies.get(nth) else {
            return Err(ModelError::Exhausted {
                script: if self.by {
                    format!("entry {} of {}", number + 1, self.file)
                } else {
                    self.file.clone()
                },
                held: entry.replies.len(),
            });
        };
        if let Some(missing) = reply.contains.iter().find(|text| !says(request, text)) {
            let place = if self.by {
                format!("entry {}, reply {}", number + 1, nth + 1)
            } else {
                format!("reply {}", nth + 1)
            };
            return Err(unscripted(format!(
                "{place} expects `{}` in the request, which says `{}`",
                brief(missing, 80),
                beginning(request)
            )));
        }
        if reply.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
        }
        Ok(ChatReply {
            content: reply.content.clone(),
            tool_calls: reply.tool_calls.clone(),
            finish_reason: Some(reply.finish_reason.clone()),
            usage: reply.usage,
            // What the script says, not what the clock says: two runs of a script are the same to the byte.
            latency_ms: reply.delay_ms,
            logprob: None,
        })
    }

    fn skip(&self, request: &ChatRequest) {
        if let Some((_, entry)) = self.entry(request) {
            entry.given.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
