//! Where one attempt is worked on: the model, the journal, and what the journal already knows.

use std::sync::Arc;

use super::{CycleError, Draft, Findings, Purse};
use crate::journal::{Event, Journal, Status, Stopped};
use crate::model::{ChatModel, ChatReply, ChatRequest, Message, ToolSpec};
use crate::task::ToolUse;
use crate::tools::{Pending, Toolbox};

/// How replies are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// 0 is greedy.
    pub temperature: f64,
    /// Longest reply in tokens.
    pub max_tokens: u32,
    /// Seed of sample 0; sample n uses the n-th after it.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 0.0,
            max_tokens: 1024,
            seed: 0,
        }
    }
}

/// A model and how it is sampled.
#[derive(Clone, Debug)]
pub struct Voice {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// How it is sampled.
    pub sampling: Sampling,
}

/// A question to a model, with all that can be said about it.
#[derive(Clone, Debug, Default)]
pub struct Ask<'a> {
    /// What the question is for: `draft`, `verify` …
    pub role: &'a str,
    /// The chat so far.
    pub messages: Vec<Message>,
    /// Tools that the model may call.
    pub tools: &'a [ToolSpec],
    /// Who is asked, where it isn't the author's model.
    pub voice: Option<&'a Voice>,
    /// Whether log-probabilities are wanted with the reply.
    pub logprobs: bool,
}

/// One attempt's access to the model and the journal. Everything that passes here is written down before it is
/// acted upon; what an interrupted run has already written is taken from there and not done again.
#[derive(Debug)]
pub struct Desk<'a> {
    /// The task's id.
    pub task: &'a str,
    /// The sample's number.
    pub sample: usize,
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// How it is sampled.
    pub sampling: Sampling,
    /// The journal.
    pub journal: &'a Journal,
    /// What may be spent on models.
    pub purse: Arc<Purse>,
}

impl Desk<'_> {
    /// Asks the author's model; `role` says what for.
    pub async fn ask(&self, role: &str, messages: Vec<Message>) -> Result<ChatReply, CycleError> {
        let ask = Ask {
            role,
            messages,
            ..Ask::default()
        };
        self.put(ask).await
    }

    /// Asks a model.
    pub async fn put(&self, ask: Ask<'_>) -> Result<ChatReply, CycleError> {
        let (model, sampling) = match ask.voice {
            Some(voice) => (&voice.model, &voice.sampling),
            None => (&self.model, &self.sampling),
        };
        let request = ChatRequest {
            messages: ask.messages,
            tools: ask.tools.to_vec(),
            logprobs: ask.logprobs,
            temperature: sampling.temperature,
            max_tokens: sampling.max_tokens,
            seed: sampling.seed.wrapping_add(self.sample as u64),
        };
        let key = request.key();
        if !self.purse.paid_before() {
            self.purse.check()?;
        }
        if let Some(reply) = self.journal.past().take_reply(self.task, self.sample, &key) {
            if !self.purse.paid_before() {
                self.purse.note(&reply);
            }
            return Ok(reply);
        }
        self.purse.check()?;
        let reply = model.chat(&request).await?;
        self.purse.note(&reply);
        self.journal.append(&Event::Exchange {
            task: self.task.to_owned(),
            sample: self.sample,
            role: ask.role.to_owned(),
            key,
            model: model.name().to_owned(),
            request,
            reply: reply.clone(),
        })?;
        Ok(reply)
    }

    /// Calls a tool for the examination of version `number`; `voice` is who asked for it. What an interrupted run or a
    /// recording knows is taken from there.
    pub async fn call(
        &self,
        toolbox: &Toolbox,
        pending: Pending,
        number: usize,
        voice: Option<&Voice>,
    ) -> Result<ToolUse, CycleError> {
        let key = pending.key.clone();
        if let Some(done) = self.journal.past().take_tool(self.task, self.sample, &key) {
            return Ok(done);
        }
        let model = voice.map_or(&self.model, |voice| &voice.model);
        let call = if let Some(recorded) = model.recorded_tool(&key) {
            ToolUse {
                claim: pending.call.claim,
                ..recorded
            }
        } else {
            let call = toolbox.make(pending).await;
            model.record_tool(&key, &call)?;
            call
        };
        self.journal.append(&Event::Tool {
            task: self.task.to_owned(),
            sample: self.sample,
            number,
            key,
            call: call.clone(),
        })?;
        Ok(call)
    }

    /// What an interrupted run has already found in the version.
    pub(super) fn past_findings(&self, number: usize) -> Option<Findings> {
        self.journal.past().take_findings(self.task, self.sample, number)
    }

    pub(super) fn note_version(
        &self,
        number: usize,
        parent: Option<usize>,
        draft: &Draft,
    ) -> Result<(), CycleError> {
        if self.journal.past().has_version(self.task, self.sample, number) {
            return Ok(());
        }
        Ok(self.journal.append(&Event::Version {
            task: self.task.to_owned(),
            sample: self.sample,
            number,
            parent,
            source: draft.source().map(str::to_owned),
            rule: draft.rule,
            explanation: draft.explanation.clone(),
        })?)
    }

    pub(super) fn note_findings(&self, number: usize, findings: &Findings) -> Result<(), CycleError> {
        if self.journal.past().has_findings(self.task, self.sample, number) {
            return Ok(());
        }
        let (task, sample) = (self.task.to_owned(), self.sample);
        // What the tests' report says alone is written as just that.
        let event = if *findings == Findings::from_report(findings.report.clone()) {
            Event::Report {
                task,
                sample,
                number,
                report: findings.report.clone(),
            }
        } else {
            Event::Findings {
                task,
                sample,
                number,
                findings: findings.clone(),
            }
        };
        Ok(self.journal.append(&event)?)
    }

    pub(super) fn note_choice(
        &self,
        number: usize,
        by_round: &[usize],
        stopped: Stopped,
        status: Option<Status>,
    ) -> Result<(), CycleError> {
        if self.journal.past().has_choice(self.task, self.sample) {
            return Ok(());
        }
        Ok(self.journal.append(&Event::Choice {
            task: self.task.to_owned(),
            sample: self.sample,
            number,
            stopped,
            by_round: by_round.to_vec(),
            status,
        })?)
    }
}
