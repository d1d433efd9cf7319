//! A stub model, fake tools, and a loop run on them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, reason = "each test file uses the part that it needs")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use redraft::cycle::{self, Desk, Outcome, Pattern, Sampling};
use redraft::journal::{Event, Journal};
use redraft::model::{ChatModel, ChatReply, ChatRequest, ModelError, Role, TokenUsage, ToolCall};
use redraft::tools::{Arguments, Tool, ToolError};
use serde_json::Value;

/// What the stub says.
#[derive(Clone, Debug)]
pub(crate) enum Say {
    /// A text.
    Text(String),
    /// A call of one tool or several: name and arguments.
    Call(Vec<(&'static str, Value)>),
}

/// A text.
pub(crate) fn say(text: &str) -> Say {
    Say::Text(text.to_owned())
}

/// A search.
pub(crate) fn search(query: &str) -> Say {
    Say::Call(vec![("search", serde_json::json!({ "query": query }))])
}

/// A model that answers from a list and keeps what it was asked.
#[derive(Debug)]
pub(crate) struct Stub {
    name: &'static str,
    tools: bool,
    replies: Mutex<VecDeque<Say>>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Stub {
    pub(crate) fn new(replies: impl IntoIterator<Item = Say>) -> Arc<Self> {
        Self::named("stub", replies)
    }

    pub(crate) fn named(name: &'static str, replies: impl IntoIterator<Item = Say>) -> Arc<Self> {
        Arc::new(Self {
            name,
            tools: true,
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::default(),
        })
    }

    /// A model that can't be offered tools.
    pub(crate) fn without_tools(replies: impl IntoIterator<Item = Say>) -> Arc<Self> {
        Arc::new(Self {
            name: "stub",
            tools: false,
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::default(),
        })
    }

    pub(crate) fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// The first message of each chat that was begun: the prompts, in order.
    pub(crate) fn prompts(&self) -> Vec<String> {
        let asked = self.asked();
        let begun = asked.iter().filter(|request| request.messages.len() == 1);
        begun.map(|request| request.messages[0].content.clone()).collect()
    }

    /// Whether everything was said.
    pub(crate) fn is_done(&self) -> bool {
        self.replies.lock().unwrap().is_empty()
    }
}

#[async_trait]
impl ChatModel for Stub {
    fn name(&self) -> &str {
        self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if !request.tools.is_empty() && !self.tools {
            return Err(ModelError::NoTools {
                model: self.name.to_owned(),
            });
        }
        self.asked.lock().unwrap().push(request.clone());
        let said = self.replies.lock().unwrap().pop_front();
        let mut reply = ChatReply {
            usage: TokenUsage {
                prompt: 10,
                completion: 2,
            },
            ..ChatReply::default()
        };
        match said.expect("the stub is asked no more than it holds") {
            Say::Text(text) => reply.content = text,
            Say::Call(calls) => {
                let numbered = calls.into_iter().enumerate();
                reply.tool_calls = numbered
                    .map(|(at, (name, arguments))| ToolCall {
                        id: format!("c{at}"),
                        name: name.to_owned(),
                        arguments: arguments.to_string(),
                    })
                    .collect();
            }
        }
        Ok(reply)
    }
}

/// A tool that answers from a list, the last answer again and again, and keeps what it was called with.
#[derive(Debug)]
pub(crate) struct FakeTool {
    name: &'static str,
    answers: Mutex<VecDeque<Result<String, String>>>,
    calls: Mutex<Vec<(String, usize)>>,
    hangs: bool,
}

impl FakeTool {
    pub(crate) fn new(name: &'static str, answers: &[Result<&str, &str>]) -> Arc<Self> {
        let own = |answer: &Result<&str, &str>| answer.map(str::to_owned).map_err(str::to_owned);
        Arc::new(Self {
            name,
            answers: Mutex::new(answers.iter().map(own).collect()),
            calls: Mutex::default(),
            hangs: false,
        })
    }

    /// A search that never answers.
    pub(crate) fn hanging() -> Arc<Self> {
        Arc::new(Self {
            name: "search",
            answers: Mutex::default(),
            calls: Mutex::default(),
            hangs: true,
        })
    }

    /// Each query with how often it was made before.
    pub(crate) fn calls(&self) -> Vec<(String, usize)> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl Tool for FakeTool {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> String {
        "A fake.".to_owned()
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str)] {
        &[("query", "what to look for")]
    }

    async fn call(&self, arguments: &Arguments<'_>, nth: usize) -> Result<String, ToolError> {
        self.calls.lock().unwrap().push((arguments.text("query")?, nth));
        if self.hangs {
            std::future::pending::<()>().await;
        }
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        answer.unwrap().map_err(ToolError)
    }
}

/// Runs a pattern to its end, with everything that happened.
pub(crate) async fn run(pattern: Pattern, stub: &Arc<Stub>) -> (Outcome, Vec<Event>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&events);
    let journal =
        Journal::in_memory().listened_by(Box::new(move |event| sink.lock().unwrap().push(event.clone())));
    let desk = Desk {
        task: "t",
        sample: 0,
        model: Arc::clone(stub) as Arc<dyn ChatModel>,
        sampling: Sampling::default(),
        journal: &journal,
        purse: std::sync::Arc::default(),
    };
    let outcome = cycle::run(pattern, &desk).await.unwrap();
    let events = events.lock().unwrap().clone();
    (outcome, events)
}

/// What the calls were for, in order.
pub(crate) fn roles(events: &[Event]) -> Vec<&str> {
    let roles = events.iter().filter_map(|event| match event {
        Event::Exchange { role, .. } => Some(role.as_str()),
        _ => None,
    });
    roles.collect()
}

/// The texts of all versions.
pub(crate) fn texts(outcome: &Outcome) -> Vec<&str> {
    let texts = outcome.versions.iter().map(|version| version.draft.source());
    texts.map(Option::unwrap_or_default).collect()
}

/// What tools told the model in a request.
pub(crate) fn told(request: &ChatRequest) -> Vec<&str> {
    let told = request
        .messages
        .iter()
        .filter(|message| message.role == Role::Tool);
    told.map(|message| message.content.as_str()).collect()
}
