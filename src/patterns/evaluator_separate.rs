//! Evaluator-optimizer with a separate judge: a generator that sees only the task, and another model that holds each draft
//! against the criteria, until it passes one.

use std::sync::Arc;

use async_trait::async_trait;

use super::verdict::JsonVerdict;
use crate::cycle::{
    Ask, Author, Choose, CycleError, Desk, Draft, Examiner, Findings, Pattern, Same, Status, StopRule,
    Version, Voice,
};
use crate::model::Message;
use crate::prompts::Prompts;

/// What is to be written, and what it is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The task: all that the generator sees.
    pub task: String,
    /// The criteria: for the evaluator.
    pub criteria: String,
    /// What is written: `text`, `release notes` …
    pub artifact: String,
}

/// The pattern for one assignment. `rounds` is the number of drafts at most, and at least 1. `evaluator` is who judges; the
/// generator's own model and sampling where it is `None`.
pub fn evaluator_separate(
    rounds: usize,
    assignment: Arc<Assignment>,
    evaluator: Option<Voice>,
    prompts: Arc<Prompts>,
) -> Pattern {
    Pattern {
        author: Box::new(Generator {
            assignment: Arc::clone(&assignment),
            prompts: Arc::clone(&prompts),
            variant: Variant::Separate,
        }),
        examiner: Box::new(Evaluator {
            assignment,
            prompts,
            voice: evaluator,
        }),
        stop: StopRule {
            // The first draft is a round too.
            rounds: rounds.saturating_sub(1),
            unchanged: None,
            same: Same::Draft,
        },
        choose: Choose::Last,
        status: [Status::Passed, Status::DidNotPass],
    }
}

/// How the generator is told of critiques.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// Every critique so far, oldest first.
    Separate,
    /// The latest, with the evidence that it quotes.
    Tools,
}

/// Writes and rewrites; never sees the criteria.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) assignment: Arc<Assignment>,
    pub(super) prompts: Arc<Prompts>,
    pub(super) variant: Variant,
}

impl Generator {
    async fn generate(&self, desk: &Desk<'_>, feedback: &str) -> Result<Draft, CycleError> {
        let name = match self.variant {
            Variant::Separate => "evaluator-separate/generate.txt",
            Variant::Tools => "evaluator-tools/generate.txt",
        };
        let fields = [
            ("artifact", self.assignment.artifact.as_str()),
            ("task", self.assignment.task.trim()),
            ("feedback", feedback),
        ];
        let prompt = self.prompts.render(name, &fields)?;
        let reply = desk.ask("generate", vec![Message::user(prompt)]).await?;
        Ok(Draft::text(reply.content.trim()))
    }
}

#[async_trait]
impl Author for Generator {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        self.generate(desk, "").await
    }

    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        let mut critiques = versions.iter().filter_map(|version| {
            let critique = version.findings.critique.as_deref()?.trim();
            Some(format!("Draft {}: {critique}", version.number + 1))
        });
        let critiques: Vec<String> = match self.variant {
            Variant::Separate => critiques.collect(),
            Variant::Tools => critiques.next_back().into_iter().collect(),
        };
        self.generate(desk, &critiques.join("\n")).await
    }
}

#[derive(Debug)]
struct Evaluator {
    assignment: Arc<Assignment>,
    prompts: Arc<Prompts>,
    voice: Option<Voice>,
}

#[async_trait]
impl Examiner for Evaluator {
    async fn examine(
        &mut self,
        desk: &Desk<'_>,
        draft: &Draft,
        _earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        let fields = [
            ("criteria", self.assignment.criteria.trim()),
            ("draft", draft.source().unwrap_or_default()),
        ];
        let prompt = self.prompts.render("evaluator-separate/evaluate.txt", &fields)?;
        let mut messages = vec![Message::user(prompt)];
        let mut reply = self.ask(desk, &messages).await?;
        if JsonVerdict::read(&reply).is_none() {
            // Once more, and told why: an unchanged question would get an unchanged reply from a greedy model.
            let again = self.prompts.render("evaluator-separate/not-json.txt", &[])?;
            messages.extend([Message::assistant(reply), Message::user(again)]);
            reply = self.ask(desk, &messages).await?;
        }
        Ok(match JsonVerdict::read(&reply) {
            Some(verdict) => verdict.findings(&reply),
            None => Findings {
                critique: Some(reply),
                note: Some(
                    "the evaluator's reply is not the JSON asked for, twice; it counts as a critique"
                        .to_owned(),
                ),
                ..Findings::default()
            },
        })
    }
}

impl Evaluator {
    async fn ask(&self, desk: &Desk<'_>, messages: &[Message]) -> Result<String, CycleError> {
        let ask = Ask {
            role: "evaluate",
            messages: messages.to_vec(),
            voice: self.voice.as_ref(),
            ..Ask::default()
        };
        Ok(desk.put(ask).await?.content)
    }
}
