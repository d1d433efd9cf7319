//! Self-Debug (Chen et al., ICLR 2024): run the program on the visible tests, have the same model explain it
//! against the failures, then fix it, until the tests pass.

use std::sync::Arc;

use async_trait::async_trait;

use super::examiner::{NO_PROGRAM, VisibleTests};
use super::failures;
use crate::cycle::{
    Artifact, Author, Choose, CycleError, Desk, Draft, Pattern, Same, Status, StopRule, Version,
};
use crate::judge::Judge;
use crate::language::find_program;
use crate::model::Message;
use crate::prompts::Prompts;
use crate::task::{Brief, Program};

/// Settings of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfDebug {
    /// Debugging rounds at most.
    pub rounds: usize,
    /// Whether the model explains before it fixes.
    pub explain: bool,
}

impl Default for SelfDebug {
    fn default() -> Self {
        Self {
            rounds: 3,
            explain: true,
        }
    }
}

/// Redrafts that may come back unchanged before the loop gives up.
const UNCHANGED: usize = 2;

/// The pattern for one task. `given` is a program to mend in place of a first draft.
pub fn self_debug(
    settings: SelfDebug,
    brief: Arc<Brief>,
    given: Option<Program>,
    judge: Arc<Judge>,
    prompts: Arc<Prompts>,
) -> Pattern {
    Pattern {
        author: Box::new(Debugger {
            brief: Arc::clone(&brief),
            given,
            prompts,
            explain: settings.explain,
        }),
        examiner: Box::new(VisibleTests { judge, brief }),
        stop: StopRule {
            rounds: settings.rounds,
            unchanged: Some(UNCHANGED),
            same: Same::Draft,
        },
        choose: Choose::Best,
        status: [Status::Passed, Status::DidNotPass],
    }
}

#[derive(Debug)]
struct Debugger {
    brief: Arc<Brief>,
    given: Option<Program>,
    prompts: Arc<Prompts>,
    explain: bool,
}

impl Debugger {
    async fn program(&self, desk: &Desk<'_>, role: &str, prompt: String) -> Result<Draft, CycleError> {
        let reply = desk.ask(role, vec![Message::user(prompt)]).await?;
        let found = find_program(&reply.content, &self.brief);
        let rule = found.as_ref().map(|found| found.rule);
        Ok(Draft {
            artifact: found.map(|found| Artifact::Program(found.program)),
            rule,
            ..Draft::default()
        })
    }
}

#[async_trait]
impl Author for Debugger {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        if let Some(program) = self.given.take() {
            return Ok(Draft::program(program));
        }
        let tests = failures::visible_tests(&self.brief.visible);
        let prompt = self.prompts.render(
            "self-debug/draft.txt",
            &[
                ("language", self.brief.language.title()),
                ("task", self.brief.statement.trim()),
                ("tests", &tests),
            ],
        )?;
        self.program(desk, "draft", prompt).await
    }

    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        let Some(last) = versions.last() else {
            return self.draft(desk).await;
        };
        let code = last.draft.source().map_or(NO_PROGRAM, str::trim_end);
        let failures = last
            .findings
            .report
            .as_ref()
            .map(failures::failing_tests)
            .unwrap_or_default();
        let mut fields = vec![
            ("task", self.brief.statement.trim()),
            ("code", code),
            ("failing_tests_with_expected_and_actual", failures.trim_end()),
        ];
        if !self.explain {
            let prompt = self
                .prompts
                .render("self-debug/fix-without-explanation.txt", &fields)?;
            return self.program(desk, "fix", prompt).await;
        }
        let prompt = self.prompts.render("self-debug/explain.txt", &fields)?;
        let explanation = desk.ask("explain", vec![Message::user(prompt)]).await?.content;
        fields.push(("explanation", explanation.trim()));
        let prompt = self.prompts.render("self-debug/fix.txt", &fields)?;
        let draft = self.program(desk, "fix", prompt).await?;
        Ok(Draft {
            explanation: Some(explanation),
            ..draft
        })
    }
}
