//! Recordings: requests with their replies, one JSON object a line.
//!
//! A line is an [`Exchange`]: `{"event":"exchange","key":…,"model":…,"request":{…},"reply":{…}}`, or a [`ToolLine`]:
//! `{"event":"tool","key":…,"call":{…}}`. A run's journal has the same lines between others, so it is a recording too:
//! lines of other events are skipped. A last line without its newline that doesn't parse was torn by a kill, and is
//! dropped.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::text::brief;
use super::{ChatReply, ChatRequest, ModelError};
use crate::task::ToolUse;

/// What a run folder's journal is called.
const JOURNAL: &str = "journal.jsonl";
/// How a gzip file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// One request with its reply: a line of a recording or journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "exchange")]
pub struct Exchange {
    /// Which task asked, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The request's key; computed again on reading.
    #[serde(default)]
    pub key: String,
    /// The name of the model that replied.
    #[serde(default)]
    pub model: String,
    /// What was asked.
    pub request: ChatRequest,
    /// What was replied.
    pub reply: ChatReply,
}

impl Exchange {
    /// An exchange that just happened.
    pub fn new(model: &str, request: &ChatRequest, reply: &ChatReply) -> Self {
        Self {
            task: None,
            key: request.key(),
            model: model.to_owned(),
            request: request.clone(),
            reply: reply.clone(),
        }
    }
}

/// What a tool answered: a line of a recording or journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "tool")]
pub struct ToolLine {
    /// The call's key.
    pub key: String,
    /// The call and what came of it.
    pub call: ToolUse,
}

/// Which event a line is, before its shape is looked at.
#[derive(Deserialize)]
struct Line {
    event: Option<String>,
}

/// Replies by request, in the order in which they were recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    source: String,
    exchanges: Vec<Exchange>,
    by_key: HashMap<String, Vec<usize>>,
    models: Vec<String>,
    tools: HashMap<String, Vec<ToolUse>>,
}

impl Recording {
    /// Reads a recording (`.jsonl`, plain or gzipped) or the journal of a run folder.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let bad = |problem: String| ModelError::BadFile {
            path: path.display().to_string(),
            problem,
        };
        let file = if path.is_dir() {
            path.join(JOURNAL)
        } else {
            path.to_owned()
        };
        let bytes = crate::files::read(&file).map_err(|error| {
            if path.is_dir() && error.kind() == std::io::ErrorKind::NotFound {
                bad(format!(
                    "this folder holds no {JOURNAL}; a run folder or a recording is expected"
                ))
            } else {
                bad(format!("the recording can't be read: {}", error.kind()))
            }
        })?;
        let recording = Self::from_bytes(&bytes, &file.display().to_string())?;
        if recording.is_empty() {
            return Err(bad(
                "holds no exchange with a model; a recording or a run's journal is expected".to_owned(),
            ));
        }
        Ok(recording)
    }

    /// Reads a recording from memory, plain or gzipped; `source` is what errors call it.
    pub fn from_bytes(bytes: &[u8], source: &str) -> Result<Self, ModelError> {
        if bytes.starts_with(&GZIP) {
            let mut plain = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes)
                .read_to_end(&mut plain)
                .map_err(|error| ModelError::BadFile {
                    path: source.to_owned(),
                    problem: format!("the gzip data is damaged: {error}"),
                })?;
            return Ok(Self::parse(&plain, source)?.0);
        }
        Ok(Self::parse(bytes, source)?.0)
    }

    /// Reads lines; also says how many bytes of them are whole.
    pub(super) fn parse(bytes: &[u8], source: &str) -> Result<(Self, usize), ModelError> {
        let mut recording = Self {
            source: source.to_owned(),
            ..Self::default()
        };
        let mut whole = 0;
        for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let bad = |error: &serde_json::Error| ModelError::BadFile {
                path: source.to_owned(),
                problem: format!(
                    "line {} is no event of a recording: {}",
                    at + 1,
                    brief(&error.to_string(), 200)
                ),
            };
            if !line.trim_ascii().is_empty() {
                match serde_json::from_slice::<Line>(line) {
                    Ok(head) if head.event.as_deref() == Some("exchange") => {
                        recording.push(serde_json::from_slice(line).map_err(|error| bad(&error))?);
                    }
                    Ok(head) if head.event.as_deref() == Some("tool") => {
                        let line: ToolLine = serde_json::from_slice(line).map_err(|error| bad(&error))?;
                        recording.tools.entry(line.key).or_default().push(line.call);
                    }
                    Ok(_) => {}
                    Err(_) if !line.ends_with(b"\n") => {
                        tracing::debug!(source, line = at + 1, "dropped a torn last line");
                        break;
                    }
                    Err(error) => return Err(bad(&error)),
                }
            }
            whole += line.len();
        }
        Ok((recording, whole))
    }

    /// Adds an exchange at the end.
    pub fn push(&mut self, mut exchange: Exchange) {
        // Not the key as recorded: recordings outlive changes to how keys are made.
        exchange.key = exchange.request.key();
        if !exchange.model.is_empty() && !self.models.contains(&exchange.model) {
            self.models.push(exchange.model.clone());
        }
        self.by_key
            .entry(exchange.key.clone())
            .or_default()
            .push(self.exchanges.len());
        self.exchanges.push(exchange);
    }

    /// The reply to the `nth` time that a request is asked, from 0; asked more often than recorded, the last one again.
    pub fn reply(&self, key: &str, nth: usize) -> Option<&ChatReply> {
        let places = self.by_key.get(key)?;
        let place = places.get(nth).or(places.last())?;
        Some(&self.exchanges[*place].reply)
    }

    /// What a tool answered the `nth` time that the call of this key was made, from 0; made more often than recorded,
    /// the last answer again.
    pub fn tool(&self, key: &str, nth: usize) -> Option<&ToolUse> {
        let answers = self.tools.get(key)?;
        answers.get(nth).or(answers.last())
    }

    /// Whether there is any answer of a tool.
    pub(super) fn has_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// The first answer to each call of a tool.
    pub(super) fn into_first_tools(self) -> HashMap<String, ToolUse> {
        let first = |answers: Vec<ToolUse>| answers.into_iter().next();
        self.tools
            .into_iter()
            .filter_map(|(key, answers)| Some((key, first(answers)?)))
            .collect()
    }

    /// Whether a request was recorded that offers tools.
    pub fn offers_tools(&self) -> bool {
        self.exchanges
            .iter()
            .any(|exchange| !exchange.request.tools.is_empty())
    }

    /// All exchanges, in order.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// What errors call this recording.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names of the models that replied, in order of appearance.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// How many exchanges there are.
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }
}
