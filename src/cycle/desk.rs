//! Where one attempt is worked on: the model, the journal, and what the journal already knows.

use std::sync::Arc;

use super::{CycleError, Draft, Findings};
use crate::journal::{Event, Journal, Stopped};
use crate::model::{ChatModel, ChatReply, ChatRequest, Message};
use crate::task::Report;

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
}

impl Desk<'_> {
    /// Asks the model; `role` says what for.
    pub async fn ask(&self, role: &str, messages: Vec<Message>) -> Result<ChatReply, CycleError> {
        let request = ChatRequest {
            messages,
            temperature: self.sampling.temperature,
            max_tokens: self.sampling.max_tokens,
            seed: self.sampling.seed.wrapping_add(self.sample as u64),
        };
        let key = request.key();
        if let Some(reply) = self.journal.past().take_reply(self.task, self.sample, &key) {
            return Ok(reply);
        }
        let reply = self.model.chat(&request).await?;
        self.journal.append(&Event::Exchange {
            task: self.task.to_owned(),
            sample: self.sample,
            role: role.to_owned(),
            key,
            model: self.model.name().to_owned(),
            request,
            reply: reply.clone(),
        })?;
        Ok(reply)
    }

    /// What an interrupted run has already found in the version.
    pub(super) fn past_findings(&self, number: usize) -> Option<Findings> {
        let report = self.journal.past().report(self.task, self.sample, number)?;
        Some(Findings::from_report(report.clone()))
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
            source: draft.program.as_ref().map(|program| program.source.clone()),
            rule: draft.rule,
            explanation: draft.explanation.clone(),
        })?)
    }

    pub(super) fn note_report(&self, number: usize, report: Option<&Report>) -> Result<(), CycleError> {
        if self
            .journal
            .past()
            .report(self.task, self.sample, number)
            .is_some()
        {
            return Ok(());
        }
        Ok(self.journal.append(&Event::Report {
            task: self.task.to_owned(),
            sample: self.sample,
            number,
            report: report.cloned(),
        })?)
    }

    pub(super) fn note_choice(&self, number: usize, stopped: Stopped) -> Result<(), CycleError> {
        if self.journal.past().has_choice(self.task, self.sample) {
            return Ok(());
        }
        Ok(self.journal.append(&Event::Choice {
            task: self.task.to_owned(),
            sample: self.sample,
            number,
            stopped,
        })?)
    }
}
