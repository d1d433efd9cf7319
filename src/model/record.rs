//! `--record FILE`: keeps what a model says, so that it need not be asked again.
//!
//! Each exchange is a line of FILE, on the disk before the reply is handed out. A request that FILE holds is answered
//! from it without asking the model, also within one run: an interrupted run continues where it was, and after a change
//! of prompt only what changed is asked. Requests with different seeds are different requests. FILE then does for
//! `replay:FILE`.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::OnceCell;

use super::{ChatModel, ChatReply, ChatRequest, Exchange, ModelError, Recording, ToolLine};
use crate::task::ToolUse;

/// A model whose exchanges are kept in a file.
#[derive(Debug)]
pub struct RecordModel {
    inner: Arc<dyn ChatModel>,
    path: PathBuf,
    replies: Mutex<HashMap<String, Arc<Held>>>,
    tools: Mutex<HashMap<String, ToolUse>>,
    file: Arc<Mutex<File>>,
}

/// What is known of one request.
#[derive(Debug, Default)]
struct Held {
    /// A cell, so that two that ask the same at once cost one reply.
    reply: OnceCell<ChatReply>,
    /// Whether the model has counted this request: it was asked or told to skip it.
    counted: AtomicBool,
}

impl RecordModel {
    /// Records what `inner` says in the file at `path`, which is made, or continued if it is there.
    pub fn open(path: &Path, inner: Arc<dyn ChatModel>) -> Result<Self, ModelError> {
        let bad = |problem: String| ModelError::BadFile {
            path: path.display().to_string(),
            problem,
        };
        if path.extension().is_some_and(|extension| extension == "gz") {
            return Err(bad(
                "recordings are written plain; gzip the file when it is finished".to_owned(),
            ));
        }
        let unusable = |error: std::io::Error| bad(format!("can't be used to record: {}", error.kind()));
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(bad("something else is recording there".to_owned())),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unusable)?;
        let (recording, whole) = Recording::parse(&bytes, &path.display().to_string())?;
        if recording.is_empty() && !recording.has_tools() && whole > 0 {
            return Err(bad(
                "is no recording: it holds lines, but no exchange with a model".to_owned(),
            ));
        }
        if let Some(other) = recording.models().iter().find(|model| *model != inner.name()) {
            // Keys don't tell models apart: this file would answer in the name of another.
            return Err(bad(format!(
                "holds replies of the model `{other}`, not of `{}`; record to another file",
                inner.name()
            )));
        }
        // A torn line goes away, and a whole one gets the newline that a kill kept from it.
        let mut end = whole as u64;
        file.set_len(end).map_err(unusable)?;
        file.seek(SeekFrom::Start(end)).map_err(unusable)?;
        if whole > 0 && bytes[whole - 1] != b'\n' {
            file.write_all(b"\n").map_err(unusable)?;
            end += 1;
        }
        tracing::debug!(path = %path.display(), held = recording.len(), bytes = end, "recording");
        let mut replies = HashMap::new();
        for exchange in recording.exchanges() {
            replies.entry(exchange.key.clone()).or_insert_with(|| {
                Arc::new(Held {
                    reply: OnceCell::new_with(Some(exchange.reply.clone())),
                    counted: AtomicBool::new(false),
                })
            });
        }
        Ok(Self {
            inner,
            path: path.to_owned(),
            replies: Mutex::new(replies),
            tools: Mutex::new(recording.into_first_tools()),
            file: Arc::new(Mutex::new(file)),
        })
    }

    fn unwritten(&self, problem: String) -> ModelError {
        ModelError::Unwritten {
            path: self.path.display().to_string(),
            problem,
        }
    }

    fn held(&self, request: &ChatRequest) -> Arc<Held> {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(replies.entry(request.key()).or_default())
    }

    /// Asks the model and writes down what it says.
    async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let reply = self.inner.chat(request).await?;
        let unwritten = |problem: String| self.unwritten(problem);
        let mut line = serde_json::to_vec(&Exchange::new(self.inner.name(), request, &reply))
            .map_err(|error| unwritten(error.to_string()))?;
        line.push(b'\n');
        let file = Arc::clone(&self.file);
        tokio::task::spawn_blocking(move || {
            append(&mut file.lock().unwrap_or_else(PoisonError::into_inner), &line)
        })
        .await
        .map_err(|error| unwritten(error.to_string()))?
        .map_err(|error| unwritten(error.to_string()))?;
        Ok(reply)
    }
}

/// Appends a line and waits for the disk; of a line that doesn't fit, nothing stays.
fn append(file: &mut File, line: &[u8]) -> std::io::Result<()> {
    let start = file.stream_position()?;
    let written = file.write_all(line).and_then(|()| file.sync_data());
    if written.is_err() {
        file.set_len(start)?;
        file.seek(SeekFrom::Start(start))?;
    }
    written
}

#[async_trait]
impl ChatModel for RecordModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn check(&self) -> Result<(), ModelError> {
        self.inner.check().await
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let held = self.held(request);
        if held.reply.initialized() && !held.counted.swap(true, Ordering::Relaxed) {
            // It gave this reply in an earlier process.
            self.inner.skip(request);
        }
        let ask = || {
            held.counted.store(true, Ordering::Relaxed);
            self.ask(request)
        };
        held.reply.get_or_try_init(ask).await.cloned()
    }

    fn skip(&self, request: &ChatRequest) {
        // Of equal requests only the first reached the model.
        if !self.held(request).counted.swap(true, Ordering::Relaxed) {
            self.inner.skip(request);
        }
    }

    fn recorded_tool(&self, key: &str) -> Option<ToolUse> {
        let held = self
            .tools
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned();
        held.or_else(|| self.inner.recorded_tool(key))
    }

    fn record_tool(&self, key: &str, call: &ToolUse) -> Result<(), ModelError> {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if tools.contains_key(key) {
            return Ok(());
        }
        let line = ToolLine {
            key: key.to_owned(),
            call: call.clone(),
        };
        let mut line = serde_json::to_vec(&line).map_err(|error| self.unwritten(error.to_string()))?;
        line.push(b'\n');
        append(
            &mut self.file.lock().unwrap_or_else(PoisonError::into_inner),
            &line,
        )
        .map_err(|error| self.unwritten(error.to_string()))?;
        tools.insert(key.to_owned(), call.clone());
        Ok(())
    }
}
