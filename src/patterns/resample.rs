//! Resampling: independent samples, the best by the visible tests. What every loop has to beat at the same number of
//! calls or tokens.

use std::sync::Arc;

use async_trait::async_trait;

use super::examiner::VisibleTests;
use super::failures;
use crate::cycle::{
    Ask, Author, Choose, CycleError, Desk, Draft, Pattern, Same, Sampling, Status, StopRule, Version, Voice,
};
use crate::judge::Judge;
use crate::language::find_program;
use crate::model::Message;
use crate::prompts::Prompts;
use crate::task::Brief;

/// How far apart the seeds of one attempt's samples are, so that attempts don't share any.
const STRIDE: u64 = 1_000_003;

/// The pattern for one task: a draft and at most `more` samples beside it, until one passes the visible tests.
pub fn resample(more: usize, brief: Arc<Brief>, judge: Arc<Judge>, prompts: Arc<Prompts>) -> Pattern {
    Pattern {
        author: Box::new(Sampler {
            brief: Arc::clone(&brief),
            prompts,
        }),
        examiner: Box::new(VisibleTests { judge, brief }),
        stop: StopRule {
            rounds: more,
            unchanged: None,
            same: Same::Draft,
        },
        choose: Choose::Best,
        status: [Status::Passed, Status::DidNotPass],
    }
}

#[derive(Debug)]
struct Sampler {
    brief: Arc<Brief>,
    prompts: Arc<Prompts>,
}

impl Sampler {
    /// Sample number `number`; nothing of the others is shown to it.
    async fn sample(&self, desk: &Desk<'_>, number: usize) -> Result<Draft, CycleError> {
        let tests = failures::visible_tests(&self.brief.visible);
        let prompt = self.prompts.render(
            "self-debug/draft.txt",
            &[
                ("language", self.brief.language.title()),
                ("task", self.brief.statement.trim()),
                ("tests", &tests),
            ],
        )?;
        let voice = Voice {
            model: Arc::clone(&desk.model),
            sampling: Sampling {
                seed: desk
                    .sampling
                    .seed
                    .wrapping_add(STRIDE.wrapping_mul(number as u64)),
                ..desk.sampling
            },
        };
        let ask = Ask {
            role: "draft",
            messages: vec![Message::user(prompt)],
            voice: Some(&voice),
            ..Ask::default()
        };
        let reply = desk.put(ask).await?;
        let found = find_program(&reply.content, &self.brief);
        let rule = found.as_ref().map(|found| found.rule);
        Ok(Draft {
            rule,
            ..found.map_or_else(Draft::default, |found| Draft::program(found.program))
        })
    }
}

#[async_trait]
impl Author for Sampler {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        self.sample(desk, 0).await
    }

    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        self.sample(desk, versions.len()).await
    }
}
