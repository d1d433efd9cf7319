//! Why a model gave no reply: one variant a cause, one sentence each.

use std::fmt;

/// When a server was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before the first task, to see whether it is there.
    Check,
    /// For a reply.
    Chat,
}

/// Why a model gave no reply. Never holds an API key.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// What the user wrote names no model.
    #[error("`{spec}` is not a model: {problem}")]
    BadSpec {
        /// As the user wrote it.
        spec: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A service needs a key that the environment doesn't hold.
    #[error("{service} needs a key: {problem}")]
    MissingKey {
        /// Which service.
        service: String,
        /// The variable and what is wrong with it.
        problem: String,
    },
    /// A script or recording can't be read.
    #[error("{path}: {problem}")]
    BadFile {
        /// Which file.
        path: String,
        /// Where in it and what would be right.
        problem: String,
    },
    /// Nobody answered before the first task.
    #[error("no model answers at {url}: {problem}; is the server running?")]
    Down {
        /// The base address.
        url: String,
        /// What the connection said.
        problem: String,
    },
    /// The server went away during the run.
    #[error("the model at {url} doesn't answer any more: {problem} (tried {tries} times)")]
    Unreachable {
        /// The base address.
        url: String,
        /// What the connection said.
        problem: String,
        /// How often it was tried.
        tries: u32,
    },
    /// The server took longer than the user wants to wait.
    #[error("the model at {url} gave no reply within {seconds} s; a longer --model-timeout may help")]
    TimedOut {
        /// The base address.
        url: String,
        /// The limit.
        seconds: f64,
    },
    /// The server answered with an error status.
    #[error("the model at {url} refuses with status {status}{}: {message}", after(*tries))]
    Refused {
        /// The base address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What the server says, cut.
        message: String,
        /// How often it was asked.
        tries: u32,
        /// When it was asked.
        stage: Stage,
    },
    /// The server answered with something that is no reply.
    #[error("the model at {url} sent something that is no reply: {problem}")]
    BadReply {
        /// The base address.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A script was asked more often than it holds replies.
    #[error("{script} holds {held} {} and was asked for one more", if *held == 1 { "reply" } else { "replies" })]
    Exhausted {
        /// The file, or the entry and the file.
        script: String,
        /// How many it holds.
        held: usize,
    },
    /// A script was asked something that it doesn't expect.
    #[error("{script}: {problem}")]
    Unscripted {
        /// The file.
        script: String,
        /// Which entry, what it expects, and what was asked.
        problem: String,
    },
    /// A recording doesn't hold the request.
    #[error("{0}")]
    Miss(Box<Miss>),
    /// A recording can't be written.
    #[error("{path} can't be written: {problem}")]
    Unwritten {
        /// Which file.
        path: String,
        /// What the system says.
        problem: String,
    },
    /// The model can't be offered tools; it can still be told of them in words.
    #[error("the model {model} takes no tools; --tool-protocol text tells it of them in words")]
    NoTools {
        /// Which model.
        model: String,
    },
    /// Anything else, for models written elsewhere.
    #[error("{0}")]
    Other(String),
}

fn after(tries: u32) -> String {
    if tries > 1 {
        format!(" after {tries} tries")
    } else {
        String::new()
    }
}

impl ModelError {
    /// Whether the user's input is at fault (a bad spec, a missing key, a model that is down at the start), rather than
    /// something that happened during the run.
    pub fn is_input(&self) -> bool {
        match self {
            Self::BadSpec { .. } | Self::MissingKey { .. } | Self::BadFile { .. } | Self::Down { .. } => true,
            Self::Refused { stage, .. } => *stage == Stage::Check,
            _ => false,
        }
    }
}

/// A request that a recording doesn't hold.
#[derive(Clone, Debug)]
pub struct Miss {
    /// The recording.
    pub source: String,
    /// The request's key.
    pub key: String,
    /// How many messages the request has.
    pub messages: usize,
    /// First line of its last message, cut.
    pub begins: String,
    /// How the recorded request that is most like it differs, if there is one.
    pub nearest: Option<String>,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} holds no reply to request {} (message {}: `{}`)",
            self.source,
            self.key.get(..12).unwrap_or(&self.key),
            self.messages,
            self.begins
        )?;
        match &self.nearest {
            Some(nearest) => write!(f, "; the nearest recorded one {nearest}"),
            None => Ok(()),
        }
    }
}
