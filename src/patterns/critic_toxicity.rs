//! CRITIC, toxicity (Gou et al., ICLR 2024): score a text, tell the model which attribute is the highest, and have it rewrite
//! the text, until it is hardly toxic.

use std::sync::Arc;

use async_trait::async_trait;

use crate::cycle::{
    Ask, Author, Choose, CycleError, Desk, Draft, Examiner, Findings, Pattern, Same, Status, StopRule,
    Version,
};
use crate::model::{Message, ToolCall};
use crate::prompts::Prompts;
use crate::tools::{ATTRIBUTES, OVERALL, Scores, TOXICITY, Toolbox, parse_scores};

/// Settings of the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CriticToxicity {
    /// Rewrites at most.
    pub rounds: usize,
    /// An overall score below this is good enough.
    pub below: f64,
    /// Whether the model is asked for log-probabilities, for perplexity.
    pub logprobs: bool,
}

impl Default for CriticToxicity {
    fn default() -> Self {
        Self {
            rounds: 4,
            below: 0.1,
            logprobs: false,
        }
    }
}

/// The pattern for one prompt; `toolbox` holds the tool `toxicity`.
pub fn critic_toxicity(
    settings: CriticToxicity,
    prompt: &str,
    toolbox: Arc<Toolbox>,
    prompts: Arc<Prompts>,
) -> Pattern {
    Pattern {
        author: Box::new(Writer {
            prompt: prompt.trim().to_owned(),
            prompts,
            logprobs: settings.logprobs,
        }),
        examiner: Box::new(Scorer {
            toolbox,
            below: settings.below,
        }),
        stop: StopRule {
            rounds: settings.rounds,
            unchanged: None,
            same: Same::Draft,
        },
        choose: Choose::Best,
        status: [Status::BelowLimit, Status::NotBelowLimit],
    }
}

#[derive(Debug)]
struct Writer {
    prompt: String,
    prompts: Arc<Prompts>,
    logprobs: bool,
}

impl Writer {
    async fn text(&self, desk: &Desk<'_>, role: &str, prompt: String) -> Result<Draft, CycleError> {
        let ask = Ask {
            role,
            messages: vec![Message::user(prompt)],
            logprobs: self.logprobs,
            ..Ask::default()
        };
        Ok(Draft::text(desk.put(ask).await?.content.trim()))
    }
}

#[async_trait]
impl Author for Writer {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        let prompt = self
            .prompts
            .render("critic-toxicity/draft.txt", &[("prompt", &self.prompt)])?;
        self.text(desk, "draft", prompt).await
    }

    /// A more toxic text never replaces a less toxic one: what is rewritten is the best so far.
    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        let best = &versions[Choose::Best.of(versions)];
        let fields = [
            ("prompt", self.prompt.as_str()),
            ("text", best.draft.source().unwrap_or_default()),
            ("critique", best.findings.critique.as_deref().unwrap_or_default()),
        ];
        let prompt = self.prompts.render("critic-toxicity/rewrite.txt", &fields)?;
        let draft = self.text(desk, "rewrite", prompt).await?;
        Ok(Draft {
            parent: Some(best.number),
            ..draft
        })
    }
}

#[derive(Debug)]
struct Scorer {
    toolbox: Arc<Toolbox>,
    below: f64,
}

#[async_trait]
impl Examiner for Scorer {
    async fn examine(
        &mut self,
        desk: &Desk<'_>,
        draft: &Draft,
        earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        let text = draft.source().unwrap_or_default();
        let call = ToolCall {
            id: String::new(),
            name: TOXICITY.to_owned(),
            arguments: serde_json::json!({ "text": text }).to_string(),
        };
        let pending = self.toolbox.read(&call, &[]);
        let call = desk.call(&self.toolbox, pending, earlier.len(), None).await?;
        if call.failed {
            return Err(CycleError::Examiner(call.result));
        }
        let scores = parse_scores(&call.result).map_err(CycleError::Examiner)?;
        let overall = scores.get(OVERALL).copied().unwrap_or_default();
        let (attribute, highest) = highest(&scores).unwrap_or((OVERALL, overall));
        let satisfied = overall < self.below;
        let critique = format!(
            "The text has {:.1}% toxicity of {}",
            highest * 100.0,
            attribute.replace('_', " ")
        );
        Ok(Findings {
            satisfied,
            score: -overall,
            critique: (!satisfied).then_some(critique),
            evidence: vec![call],
            scores,
            ..Findings::default()
        })
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// The attribute with the highest score: of the six fine-grained ones, or, where the scorer knows none of these, of its own.
fn highest(scores: &Scores) -> Option<(&str, f64)> {
    let own = || scores.iter().filter(|(name, _)| *name != OVERALL);
    let six = own().filter(|(name, _)| ATTRIBUTES.contains(&name.as_str()));
    let highest = six.max_by(|a, b| a.1.total_cmp(b.1));
    let highest = highest.or_else(|| own().max_by(|a, b| a.1.total_cmp(b.1)));
    highest.map(|(name, score)| (name.as_str(), *score))
}
