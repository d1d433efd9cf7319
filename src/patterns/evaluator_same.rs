//! Evaluator-optimizer with one model: it drafts, criticises its draft against the criteria, and refines it, until its own
//! critique finds nothing left to fix.

use std::sync::Arc;

use async_trait::async_trait;

use super::Assignment;
use crate::cycle::{
    Author, Choose, CycleError, Desk, Draft, Examiner, Findings, Pattern, Same, Status, StopRule, Version,
};
use crate::model::Message;
use crate::prompts::Prompts;

/// What the model says when there is nothing left to fix: this alone, nothing like it.
const STOP: &str = "STOP";

/// The pattern for one assignment; `rounds` is the number of refinements at most.
pub fn evaluator_same(rounds: usize, assignment: Arc<Assignment>, prompts: Arc<Prompts>) -> Pattern {
    Pattern {
        author: Box::new(Refiner {
            assignment: Arc::clone(&assignment),
            prompts: Arc::clone(&prompts),
        }),
        examiner: Box::new(SelfCritic { assignment, prompts }),
        stop: StopRule {
            rounds,
            unchanged: None,
            same: Same::Draft,
        },
        choose: Choose::Last,
        status: [Status::NoProblemsLeft, Status::StillFindingProblems],
    }
}

#[derive(Debug)]
struct Refiner {
    assignment: Arc<Assignment>,
    prompts: Arc<Prompts>,
}

impl Refiner {
    async fn write(&self, desk: &Desk<'_>, role: &str, prompt: String) -> Result<Draft, CycleError> {
        let reply = desk.ask(role, vec![Message::user(prompt)]).await?;
        Ok(Draft::text(reply.content.trim()))
    }
}

#[async_trait]
impl Author for Refiner {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        let fields = [
            ("artifact", self.assignment.artifact.as_str()),
            ("task", self.assignment.task.trim()),
        ];
        let prompt = self.prompts.render("evaluator-same/draft.txt", &fields)?;
        self.write(desk, "draft", prompt).await
    }

    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        let history: Vec<String> = versions.iter().map(told).collect();
        let fields = [
            ("artifact", self.assignment.artifact.as_str()),
            ("task", self.assignment.task.trim()),
            ("drafts_and_feedback", &*history.join("\n\n")),
        ];
        let prompt = self.prompts.render("evaluator-same/refine.txt", &fields)?;
        self.write(desk, "refine", prompt).await
    }
}

/// A draft with its feedback, as the history has it.
fn told(version: &Version) -> String {
    format!(
        "Draft {0}:\n{1}\n\nFeedback on draft {0}:\n{2}",
        version.number + 1,
        version.draft.source().unwrap_or_default(),
        version.findings.critique.as_deref().unwrap_or_default().trim()
    )
}

#[derive(Debug)]
struct SelfCritic {
    assignment: Arc<Assignment>,
    prompts: Arc<Prompts>,
}

#[async_trait]
impl Examiner for SelfCritic {
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
        let prompt = self.prompts.render("evaluator-same/critique.txt", &fields)?;
        let feedback = desk.ask("evaluate", vec![Message::user(prompt)]).await?.content;
        let satisfied = feedback.trim() == STOP;
        Ok(Findings {
            satisfied,
            critique: (!satisfied).then_some(feedback),
            ..Findings::default()
        })
    }
}
