//! CRITIC, search and code (Gou et al., ICLR 2024): answer, have the same model check the answer's claims with tools, and
//! revise it from the evidence, until a round of verification finds nothing wrong.

use std::sync::Arc;

use async_trait::async_trait;

use super::quote::quoted;
use super::verdict::{ALL_FAILED, UNCHECKED, critique_in, critique_in_prose, is_ok, judged};
use crate::cycle::{
    Author, Choose, Consultation, CycleError, Desk, Draft, Examiner, Findings, Means, Pattern, Same, Status,
    StopRule, ToolProtocol, Version,
};
use crate::model::Message;
use crate::prompts::Prompts;
use crate::task::ToolUse;
use crate::tools::Toolbox;

/// Settings of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticSearch {
    /// Revisions at most.
    pub rounds: usize,
    /// Tool calls at most in a round of verification.
    pub calls: usize,
    /// Stop when this many revisions in a row gave back the same answer; `None` for never.
    pub unchanged: Option<usize>,
    /// Whether the answer is to be a name or phrase and no sentence.
    pub short: bool,
    /// How the model is told of the tools.
    pub protocol: ToolProtocol,
}

impl Default for CriticSearch {
    fn default() -> Self {
        Self {
            rounds: 3,
            calls: 5,
            unchanged: None,
            short: false,
            protocol: ToolProtocol::Auto,
        }
    }
}

impl CriticSearch {
    /// The settings of the paper's question answering: 7 interactions, and the same answer twice in a row ends it.
    pub fn paper() -> Self {
        Self {
            calls: 7,
            unchanged: Some(2),
            ..Self::default()
        }
    }
}

/// The pattern for one question.
pub fn critic_search(
    settings: CriticSearch,
    question: &str,
    toolbox: Arc<Toolbox>,
    prompts: Arc<Prompts>,
) -> Pattern {
    let question: Arc<str> = Arc::from(question.trim());
    Pattern {
        author: Box::new(Answerer {
            question: Arc::clone(&question),
            prompts: Arc::clone(&prompts),
            short: settings.short,
        }),
        examiner: Box::new(Verifier {
            question,
            prompts,
            toolbox,
            settings,
        }),
        stop: StopRule {
            rounds: settings.rounds,
            unchanged: settings.unchanged,
            same: Same::Draft,
        },
        choose: Choose::Last,
        status: [Status::Verified, Status::NotVerified],
    }
}

#[derive(Debug)]
struct Answerer {
    question: Arc<str>,
    prompts: Arc<Prompts>,
    short: bool,
}

impl Answerer {
    async fn answer(&self, desk: &Desk<'_>, role: &str, prompt: String) -> Result<Draft, CycleError> {
        let reply = desk.ask(role, vec![Message::user(prompt)]).await?;
        Ok(Draft::text(reply.content.trim()))
    }
}

#[async_trait]
impl Author for Answerer {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        let name = if self.short {
            "critic-search/answer-short.txt"
        } else {
            "critic-search/answer.txt"
        };
        let prompt = self.prompts.render(name, &[("question", &self.question)])?;
        self.answer(desk, "answer", prompt).await
    }

    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        let last = versions.last();
        let answer = last
            .and_then(|version| version.draft.source())
            .unwrap_or_default();
        let critique = last.and_then(|version| version.findings.critique.as_deref());
        let fields = [
            ("question", &*self.question),
            ("answer", answer),
            ("critique", critique.unwrap_or_default()),
        ];
        let prompt = self.prompts.render("critic-search/revise.txt", &fields)?;
        self.answer(desk, "revise", prompt).await
    }
}

#[derive(Debug)]
struct Verifier {
    question: Arc<str>,
    prompts: Arc<Prompts>,
    toolbox: Arc<Toolbox>,
    settings: CriticSearch,
}

#[async_trait]
impl Examiner for Verifier {
    async fn examine(
        &mut self,
        desk: &Desk<'_>,
        draft: &Draft,
        earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        let answer = draft.source().unwrap_or_default();
        let fields = [("question", &*self.question), ("answer", answer)];
        let prompt = self.prompts.render("critic-search/verify.txt", &fields)?;
        let means = Means {
            toolbox: &self.toolbox,
            calls: self.settings.calls,
            protocol: self.settings.protocol,
            prompts: &self.prompts,
            is_answer: |reply| is_ok(reply) || critique_in(reply).is_some(),
        };
        let mut consultation = Consultation::new(means, "verify", None, earlier.len());
        let reply = consultation.ask(desk, &prompt).await?;
        Ok(verdict(&reply, consultation.evidence, &[&self.question, answer]))
    }
}

/// What a round of verification comes to. A critique counts only if it quotes a result of this round; without evidence it
/// counts as OK, so that the model can't argue itself out of a right answer.
fn verdict(reply: &str, evidence: Vec<ToolUse>, known: &[&str]) -> Findings {
    let critique = if is_ok(reply) {
        None
    } else {
        critique_in(reply).or_else(|| critique_in_prose(reply))
    };
    let quotes = critique
        .map(|critique| quoted(critique, &evidence, known))
        .unwrap_or_default();
    let stands = !quotes.is_empty();
    let unchecked = evidence.iter().all(|call| call.failed);
    let set_aside = match critique {
        None if is_ok(reply) && evidence.is_empty() => Some(UNCHECKED.to_owned()),
        None if is_ok(reply) => unchecked.then(|| ALL_FAILED.to_owned()),
        _ if stands => None,
        Some(critique) => Some(format!(
            "this critique quotes no result of a tool and counts as OK: {critique}"
        )),
        None => Some(format!(
            "this reply is neither OK nor a critique and counts as OK: {}",
            reply.trim()
        )),
    };
    Findings {
        satisfied: !stands,
        unchecked: !stands && unchecked,
        critique: critique.filter(|_| stands).map(str::to_owned),
        note: set_aside,
        evidence: judged(evidence, &quotes),
        ..Findings::default()
    }
}
