//! Verifier in the loop: a command (compiler, prover, linter, test runner) examines a program, and what it says is the
//! critique. A redraft that asks less of itself is rejected, whatever the command says.
//!
//! After CRITIC (Gou et al., ICLR 2024): the verifier, not the model, decides what is accepted.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::checked::{check_of, findings, holds};
use crate::cycle::{
    Artifact, Author, Choose, CycleError, Desk, Draft, Examiner, Findings, Pattern, Same, Status, StopRule,
    Version,
};
use crate::language::last_block;
use crate::model::Message;
use crate::prompts::Prompts;
use crate::task::CheckReport;
use crate::verify::guard::Guard;
use crate::verify::{Check, critique, rejected};

/// What a program is verified with.
#[derive(Clone, Debug)]
pub struct Verifier {
    /// The command.
    pub check: Arc<Check>,
    /// What a redraft must not weaken; `None` where nothing is known about the language.
    pub guard: Option<Guard>,
    /// What the program shall do, for the model.
    pub task: String,
    /// Redrafts at most.
    pub rounds: usize,
}

/// The pattern for one program. The last accepted version is returned, else the one with the fewest findings.
pub fn verifier(verifier: Verifier, given: String, prompts: Arc<Prompts>) -> Pattern {
    let rounds = verifier.rounds;
    Pattern {
        author: Box::new(Mender {
            verifier: verifier.clone(),
            given: given.clone(),
            prompts,
        }),
        examiner: Box::new(Examination { verifier, given }),
        stop: StopRule {
            rounds,
            unchanged: Some(1),
            same: Same::Earlier,
        },
        choose: Choose::Best,
        status: [Status::Verified, Status::NotVerified],
    }
}

#[derive(Debug)]
struct Mender {
    verifier: Verifier,
    given: String,
    prompts: Arc<Prompts>,
}

#[async_trait]
impl Author for Mender {
    async fn draft(&mut self, _desk: &Desk<'_>) -> Result<Draft, CycleError> {
        Ok(Draft::text(self.given.clone()))
    }

    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        // What was rejected is no ground to go on from.
        let base = versions
            .iter()
            .rfind(|version| holds(version))
            .unwrap_or(&versions[0]);
        let source = base.draft.source().unwrap_or(&self.given);
        let check = &self.verifier.check;
        let told = check_of(base).map(|report| critique(report, check.file_name(), source));
        let last = versions.last().filter(|last| last.number != base.number);
        let why = last.map(|last| match check_of(last) {
            Some(report) => rejected(&report.breaches),
            None => NO_PROGRAM.to_owned(),
        });
        let categories: BTreeSet<&str> = check_of(base)
            .into_iter()
            .flat_map(CheckReport::errors)
            .map(|error| error.category.name())
            .collect();
        let categories = categories.into_iter().collect::<Vec<_>>().join(" ");
        let prompt = self.prompts.render(
            "verifier/fix.txt",
            &[
                ("task", self.verifier.task.trim()),
                ("file", check.file_name()),
                ("code", source.trim_end()),
                ("check", &told.unwrap_or_default()),
                ("categories", &categories),
                ("rejected", &why.unwrap_or_default()),
            ],
        )?;
        let reply = desk.ask("fix", vec![Message::user(prompt)]).await?;
        let Some(found) = last_block(&reply.content, source) else {
            return Ok(Draft {
                parent: Some(base.number),
                ..Draft::default()
            });
        };
        // Only laid out in another way it is the version that it repeats.
        let known = versions.iter().filter_map(|version| version.draft.source());
        let same = |known: &&str| match &self.verifier.guard {
            Some(guard) => guard.same_program(known, &found),
            None => known.trim() == found.trim(),
        };
        let source = known.rev().find(same).map_or(found.clone(), str::to_owned);
        Ok(Draft {
            parent: Some(base.number),
            ..Draft::text(source)
        })
    }
}

const NO_PROGRAM: &str = "- no program was found in the reply";

#[derive(Debug)]
struct Examination {
    verifier: Verifier,
    given: String,
}

#[async_trait]
impl Examiner for Examination {
    async fn examine(
        &mut self,
        _desk: &Desk<'_>,
        draft: &Draft,
        earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        let Some(Artifact::Text(source)) = draft.artifact.clone() else {
            return Ok(Findings {
                score: f64::MIN,
                critique: Some(NO_PROGRAM.to_owned()),
                ..Findings::default()
            });
        };
        let guard = self.verifier.guard.clone();
        let breaches = match &guard {
            Some(guard) if !earlier.is_empty() => guard.compare(&self.given, &source),
            _ => Vec::new(),
        };
        let trusted = guard.map(|guard| guard.trusted(&source)).unwrap_or_default();
        let check = Arc::clone(&self.verifier.check);
        let report = if breaches.is_empty() {
            let examined = tokio::task::spawn_blocking(move || {
                let report = check.examine(&source);
                report.map(|report| (critique(&report, check.file_name(), &source), report))
            });
            let (words, mut report) = examined
                .await
                .map_err(|error| CycleError::Examiner(error.to_string()))?
                .map_err(|error| CycleError::Examiner(error.to_string()))?;
            report.trusted = trusted;
            return Ok(findings(report, words));
        } else {
            check.rejected(breaches, trusted)
        };
        let words = rejected(&report.breaches);
        Ok(findings(report, words))
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}
