//! CRITIC, program synthesis (Gou et al., ICLR 2024): write a program that sets `answer`, run it, have the same model say what
//! is wrong with it in view of what came of it, and write it anew, until the result stands.

use std::sync::Arc;

use async_trait::async_trait;

use super::examiner::NO_PROGRAM;
use crate::cycle::{
    Artifact, Author, Choose, CycleError, Desk, Draft, Examiner, Findings, Pattern, Same, Status, StopRule,
    Version,
};
use crate::judge::Judge;
use crate::language::find_program;
use crate::model::Message;
use crate::prompts::Prompts;
use crate::task::Brief;

/// Settings of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticProgram {
    /// Corrections at most.
    pub rounds: usize,
    /// Whether the critique is shown what came of the program; without it the model has only its own opinion.
    pub interpreter: bool,
}

impl Default for CriticProgram {
    fn default() -> Self {
        Self {
            rounds: 4,
            interpreter: true,
        }
    }
}

/// Corrections in a row that may leave the result as it is before the loop takes it for settled.
const UNCHANGED: usize = 2;

/// The pattern for one question.
pub fn critic_program(
    settings: CriticProgram,
    brief: Arc<Brief>,
    judge: Arc<Judge>,
    prompts: Arc<Prompts>,
) -> Pattern {
    Pattern {
        author: Box::new(Programmer {
            brief: Arc::clone(&brief),
            prompts,
            interpreter: settings.interpreter,
        }),
        examiner: Box::new(Interpreter { brief, judge }),
        stop: StopRule {
            rounds: settings.rounds,
            unchanged: Some(UNCHANGED),
            same: Same::Result,
        },
        choose: Choose::LastResult,
        status: [Status::Settled, Status::NotSettled],
    }
}

#[derive(Debug)]
struct Programmer {
    brief: Arc<Brief>,
    prompts: Arc<Prompts>,
    interpreter: bool,
}

impl Programmer {
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
impl Author for Programmer {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        let fields = [("question", self.brief.statement.trim())];
        let prompt = self.prompts.render("critic-program/draft.txt", &fields)?;
        self.program(desk, "draft", prompt).await
    }

    /// First what is wrong with the program, then a better one.
    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        let last = versions.last();
        let code = last
            .and_then(|version| version.draft.source())
            .unwrap_or(NO_PROGRAM);
        let (execution, answer) = match last.filter(|_| self.interpreter) {
            Some(version) => (
                version.findings.critique.as_deref().unwrap_or("Done"),
                version.findings.result.as_deref().unwrap_or_default(),
            ),
            None => ("", ""),
        };
        let mut fields = vec![
            ("question", self.brief.statement.trim()),
            ("code", code.trim_end()),
            ("execution", execution),
            ("answer", answer),
        ];
        let prompt = self.prompts.render("critic-program/critique.txt", &fields)?;
        let critique = desk.ask("critique", vec![Message::user(prompt)]).await?.content;
        fields.push(("critique", critique.trim()));
        let prompt = self.prompts.render("critic-program/correct.txt", &fields)?;
        let draft = self.program(desk, "correct", prompt).await?;
        Ok(Draft {
            explanation: Some(critique),
            ..draft
        })
    }
}

/// Runs the program; what is wrong with it, apart from an error, is for the model to say.
#[derive(Debug)]
struct Interpreter {
    brief: Arc<Brief>,
    judge: Arc<Judge>,
}

#[async_trait]
impl Examiner for Interpreter {
    async fn examine(
        &mut self,
        _desk: &Desk<'_>,
        draft: &Draft,
        _earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        let result = match draft.as_program().cloned() {
            None => Err(NO_PROGRAM.to_owned()),
            Some(program) => {
                let (judge, limits) = (Arc::clone(&self.judge), self.brief.limits);
                tokio::task::spawn_blocking(move || judge.execute(&program, &limits))
                    .await
                    .map_err(|error| CycleError::Examiner(error.to_string()))?
                    .map_err(CycleError::Examiner)?
                    .result
            }
        };
        Ok(match result {
            Ok(value) => Findings {
                score: 1.0,
                result: Some(value),
                ..Findings::default()
            },
            Err(error) => Findings {
                critique: Some(error),
                ..Findings::default()
            },
        })
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}
