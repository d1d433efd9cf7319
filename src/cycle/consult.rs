//! One question to a model that may call tools before it answers: asked, called, told, until it answers or the cap on
//! calls is reached.

use super::{Ask, CycleError, Desk, Voice};
use crate::model::{ChatReply, Message, ModelError, ToolCall, ToolSpec};
use crate::prompts::Prompts;
use crate::task::ToolUse;
use crate::tools::{Toolbox, parse_calls};

/// How a model is told of tools.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ToolProtocol {
    /// Natively; in words if the model or its server takes no tools, or answers neither with a call nor with a verdict.
    #[default]
    Auto,
    /// By the chat API's own tool calls.
    Native,
    /// In words, with calls as lines of text.
    Text,
}

/// What an examiner's model has at hand.
#[derive(Clone, Debug)]
pub struct Means<'a> {
    /// The tools.
    pub toolbox: &'a Toolbox,
    /// Calls at most in this round, together.
    pub calls: usize,
    /// How the model is told of them.
    pub protocol: ToolProtocol,
    /// Prompts for telling it in words.
    pub prompts: &'a Prompts,
    /// Whether a reply is an answer; one that isn't, and calls no tool either, is by a model that didn't see its tools.
    pub is_answer: fn(&str) -> bool,
}

/// A chat in which tools can be called. It can go on after an answer.
#[derive(Debug)]
pub struct Consultation<'a> {
    means: Means<'a>,
    role: &'a str,
    voice: Option<&'a Voice>,
    /// The version that is examined.
    number: usize,
    messages: Vec<Message>,
    in_words: bool,
    /// Calls that were really made.
    made: usize,
    /// All calls so far with what came of them, those that were refused because of the cap among them.
    pub evidence: Vec<ToolUse>,
}

impl<'a> Consultation<'a> {
    /// A chat about version `number`.
    pub fn new(means: Means<'a>, role: &'a str, voice: Option<&'a Voice>, number: usize) -> Self {
        Self {
            in_words: means.protocol == ToolProtocol::Text,
            means,
            role,
            voice,
            number,
            messages: Vec::new(),
            made: 0,
            evidence: Vec::new(),
        }
    }

    /// Asks, carries out the calls that the model asks for, and returns its answer.
    pub async fn ask(&mut self, desk: &Desk<'_>, question: &str) -> Result<String, CycleError> {
        self.messages.push(self.question(question)?);
        let mut refused = false;
        loop {
            let reply = match self.put(desk).await {
                Err(CycleError::Model(ModelError::NoTools { .. })) if self.may_need_words() => {
                    self.put_in_words(question)?;
                    continue;
                }
                reply => reply?,
            };
            let (calls, said) = self.calls_of(&reply);
            if calls.is_empty() && self.may_need_words() && !(self.means.is_answer)(&reply.content) {
                self.put_in_words(question)?;
                continue;
            }
            self.messages.push(self.asking(&calls, said));
            // Once told that there are no more calls, the model has to answer: so each turn makes a call or is the last
            // but one.
            if calls.is_empty() || refused {
                return Ok(reply.content);
            }
            refused = self.carry_out(desk, &calls).await?;
        }
    }

    /// Whether it may still turn out that the model has to be told of tools in words.
    fn may_need_words(&self) -> bool {
        !self.in_words
            && self.means.protocol == ToolProtocol::Auto
            && self.messages.len() == 1
            && !self.means.toolbox.is_empty()
    }

    fn put_in_words(&mut self, question: &str) -> Result<(), CycleError> {
        self.in_words = true;
        self.messages.clear();
        self.messages.push(self.question(question)?);
        Ok(())
    }

    /// The question as it is put: with a word on the tools where the model is told of them in words.
    fn question(&self, question: &str) -> Result<Message, CycleError> {
        if !self.in_words || self.means.toolbox.is_empty() || !self.messages.is_empty() {
            return Ok(Message::user(question));
        }
        let tools: Vec<String> = self.means.toolbox.specs().iter().map(in_words).collect();
        let fields = [("tools", &*tools.join("\n"))];
        let told = self.means.prompts.render("tools/protocol.txt", &fields)?;
        Ok(Message::user(format!("{question}\n\n{told}")))
    }

    async fn put(&self, desk: &Desk<'_>) -> Result<ChatReply, CycleError> {
        let tools = if self.in_words {
            &[][..]
        } else {
            self.means.toolbox.specs()
        };
        desk.put(Ask {
            role: self.role,
            messages: self.messages.clone(),
            tools,
            voice: self.voice,
            logprobs: false,
        })
        .await
    }

    /// The calls in a reply, and what was said before them. A server that takes tools may still leave the model's calls in
    /// its text.
    fn calls_of<'r>(&self, reply: &'r ChatReply) -> (Vec<ToolCall>, &'r str) {
        if self.means.toolbox.is_empty() {
            return (Vec::new(), &reply.content);
        }
        let (mut calls, said) = if reply.tool_calls.is_empty() {
            parse_calls(&reply.content)
        } else {
            (reply.tool_calls.clone(), reply.content.as_str())
        };
        for (at, call) in calls.iter_mut().enumerate() {
            let mut earlier = self.messages.iter().flat_map(|message| &message.tool_calls);
            if earlier.any(|other| other.id == call.id) {
                call.id = format!("call_{}", self.evidence.len() + at + 1);
            }
        }
        (calls, said)
    }

    /// The model's message that asks for calls; in words without what it imagined behind them.
    fn asking(&self, calls: &[ToolCall], said: &str) -> Message {
        if !self.in_words {
            return Message {
                tool_calls: calls.to_vec(),
                ..Message::assistant(said)
            };
        }
        let lines = calls
            .iter()
            .map(|call| format!("CALL {} {}\n", call.name, call.arguments));
        Message::assistant(format!("{said}{}", lines.collect::<String>()).trim_end())
    }

    /// Makes the calls, as many as are left, and tells the model what came of each. Says whether any was refused.
    async fn carry_out(&mut self, desk: &Desk<'_>, calls: &[ToolCall]) -> Result<bool, CycleError> {
        let first = self.evidence.len();
        let mut refused = false;
        for call in calls {
            let mut pending = self.means.toolbox.read(call, &self.evidence);
            let done = if self.made < self.means.calls {
                self.made += 1;
                desk.call(self.means.toolbox, pending, self.number, self.voice)
                    .await?
            } else {
                refused = true;
                pending.call.failed = true;
                pending.call.result = format!(
                    "error: not called: the limit of {} tool calls is reached; give your verdict now",
                    self.means.calls
                );
                pending.call
            };
            self.evidence.push(done);
        }
        let results = &self.evidence[first..];
        if self.in_words {
            let told: Vec<String> = results.iter().map(result_in_words).collect();
            let fields = [("results", &*told.join("\n\n"))];
            let told = self.means.prompts.render("tools/results.txt", &fields)?;
            self.messages.push(Message::user(told));
        } else {
            let told = calls.iter().zip(results);
            self.messages
                .extend(told.map(|(call, done)| Message::tool(&call.id, &done.result)));
        }
        Ok(refused)
    }
}

/// A tool as a model is told of it in words.
fn in_words(tool: &ToolSpec) -> String {
    let properties = tool
        .parameters
        .get("properties")
        .and_then(|value| value.as_object());
    let arguments: Vec<String> = properties
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let description = property.get("description").and_then(|text| text.as_str());
            format!("\"{name}\": \"<{}>\"", description.unwrap_or("text"))
        })
        .collect();
    format!(
        "{}: {}\nCALL {} {{{}}}",
        tool.name,
        tool.description,
        tool.name,
        arguments.join(", ")
    )
}

fn result_in_words(call: &ToolUse) -> String {
    format!("{} {}\n{}", call.tool, call.arguments, call.result)
}
