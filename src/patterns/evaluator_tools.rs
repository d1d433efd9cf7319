//! Evaluator-optimizer with tools: an evaluator that checks the draft's claims with read-only tools before it judges, so that
//! every critique quotes evidence.

use std::sync::Arc;

use async_trait::async_trait;

use super::Assignment;
use super::evaluator_separate::{Generator, Variant};
use super::quote::quoted;
use super::verdict::{JsonVerdict, UNCHECKED, judged};
use crate::cycle::{
    Choose, Consultation, CycleError, Desk, Draft, Examiner, Findings, Means, Pattern, Same, Status,
    StopRule, ToolProtocol, Version, Voice,
};
use crate::prompts::Prompts;
use crate::tools::Toolbox;

/// Settings of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluatorTools {
    /// Drafts at most, and at least 1.
    pub rounds: usize,
    /// Tool calls at most in a round.
    pub calls: usize,
    /// How the evaluator is told of the tools.
    pub protocol: ToolProtocol,
}

impl Default for EvaluatorTools {
    fn default() -> Self {
        Self {
            rounds: 3,
            calls: 5,
            protocol: ToolProtocol::Auto,
        }
    }
}

/// The pattern for one assignment. `evaluator` is who judges; the generator's own model where it is `None`.
pub fn evaluator_tools(
    settings: EvaluatorTools,
    assignment: Arc<Assignment>,
    evaluator: Option<Voice>,
    toolbox: Arc<Toolbox>,
    prompts: Arc<Prompts>,
) -> Pattern {
    Pattern {
        author: Box::new(Generator {
            assignment: Arc::clone(&assignment),
            prompts: Arc::clone(&prompts),
            variant: Variant::Tools,
        }),
        examiner: Box::new(ToolEvaluator {
            assignment,
            prompts,
            voice: evaluator,
            toolbox,
            settings,
        }),
        stop: StopRule {
            // The first draft is a round too.
            rounds: settings.rounds.saturating_sub(1),
            unchanged: None,
            same: Same::Draft,
        },
        choose: Choose::Last,
        status: [Status::Passed, Status::DidNotPass],
    }
}

#[derive(Debug)]
struct ToolEvaluator {
    assignment: Arc<Assignment>,
    prompts: Arc<Prompts>,
    voice: Option<Voice>,
    toolbox: Arc<Toolbox>,
    settings: EvaluatorTools,
}

#[async_trait]
impl Examiner for ToolEvaluator {
    async fn examine(
        &mut self,
        desk: &Desk<'_>,
        draft: &Draft,
        earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        let text = draft.source().unwrap_or_default();
        let fields = [("criteria", self.assignment.criteria.trim()), ("draft", text)];
        let prompt = self.prompts.render("evaluator-tools/evaluate.txt", &fields)?;
        let means = Means {
            toolbox: &self.toolbox,
            calls: self.settings.calls,
            protocol: self.settings.protocol,
            prompts: &self.prompts,
            is_answer: |reply| JsonVerdict::read(reply).is_some(),
        };
        let mut chat = Consultation::new(means, "evaluate", self.voice.as_ref(), earlier.len());
        let mut reply = chat.ask(desk, &prompt).await?;
        // A reply that is no verdict, and a failing one that quotes nothing, are sent back, once.
        let sent_back = match JsonVerdict::read(&reply) {
            None => Some("evaluator-tools/not-json.txt"),
            Some(verdict) if verdict.passed => None,
            Some(verdict) => quoted(&verdict.critique, &chat.evidence, &[text])
                .is_empty()
                .then_some("evaluator-tools/no-evidence.txt"),
        };
        if let Some(name) = sent_back {
            let again = self.prompts.render(name, &[])?;
            reply = chat.ask(desk, &again).await?;
        }
        let mut findings = JsonVerdict::read(&reply).map_or_else(
            || Findings {
                critique: Some(reply.clone()),
                note: Some(
                    "the evaluator's reply is not the JSON asked for; it counts as a critique".to_owned(),
                ),
                ..Findings::default()
            },
            |verdict| verdict.findings(&reply),
        );
        let critique = findings.critique.as_deref().unwrap_or_default();
        let quotes = quoted(critique, &chat.evidence, &[text]);
        if !findings.satisfied && quotes.is_empty() && findings.note.is_none() {
            findings.note = Some("the critique quotes no result of a tool, even when asked to".to_owned());
        }
        if findings.satisfied && chat.evidence.is_empty() {
            findings.note = Some(UNCHECKED.to_owned());
        }
        findings.evidence = judged(chat.evidence, &quotes);
        Ok(findings)
    }
}
