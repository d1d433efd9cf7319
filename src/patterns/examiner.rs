//! The examiner that runs a task's visible tests.

use std::sync::Arc;

use async_trait::async_trait;
use redraft_sandbox::Isolation;

use crate::cycle::{CycleError, Desk, Draft, Examiner, Findings, Version};
use crate::judge::Judge;
use crate::task::{Brief, Mode, Report, Test, TestKind, TestResult, Verdict};

/// What a version without a program is told.
pub(super) const NO_PROGRAM: &str = "no program was found in the reply";

/// Runs the visible tests of a brief in the sandbox.
#[derive(Debug)]
pub struct VisibleTests {
    /// Who runs them.
    pub judge: Arc<Judge>,
    /// Whose tests they are.
    pub brief: Arc<Brief>,
}

#[async_trait]
impl Examiner for VisibleTests {
    async fn examine(
        &mut self,
        _desk: &Desk<'_>,
        draft: &Draft,
        _earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        if self.brief.visible.is_empty() {
            return Ok(Findings::from_report(None));
        }
        let Some(program) = draft.as_program().cloned() else {
            return Ok(Findings::from_report(Some(without_program(&self.brief.visible))));
        };
        let (judge, brief) = (Arc::clone(&self.judge), Arc::clone(&self.brief));
        let report = tokio::task::spawn_blocking(move || judge.test(&program, &brief.visible, &brief.limits))
            .await
            .map_err(|error| CycleError::Examiner(error.to_string()))?;
        match report
            .results
            .iter()
            .find(|result| result.verdict == Verdict::HarnessError)
        {
            Some(result) => Err(CycleError::Examiner(result.error.clone().unwrap_or_default())),
            None => Ok(Findings::from_report(Some(report))),
        }
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// The report of a reply that held no program: every test fails, none was run.
fn without_program(tests: &[Test]) -> Report {
    let results = tests
        .iter()
        .map(|test| TestResult {
            input: match &test.kind {
                TestKind::Stdin { stdin, .. }
                | TestKind::Checked { stdin, .. }
                | TestKind::Files { stdin, .. } => stdin.clone(),
                TestKind::Interactive { input, .. } => input.clone(),
                TestKind::Script { code, .. } => code.trim().to_owned(),
                TestKind::Call { entry, .. } => entry.clone(),
                TestKind::Answer { .. } => String::new(),
            },
            expected: match &test.kind {
                TestKind::Stdin { expected, .. } => expected.clone(),
                TestKind::Checked { answer, .. } => answer.clone(),
                TestKind::Files { expected_stdout, .. } => expected_stdout.clone().unwrap_or_default(),
                TestKind::Script { .. } | TestKind::Interactive { .. } => String::new(),
                TestKind::Call { expected, .. } => expected.to_string(),
                TestKind::Answer { accepted, .. } => accepted.join(", or "),
            },
            error: Some(NO_PROGRAM.to_owned()),
            ..TestResult::new(&test.name, Verdict::CompileError)
        })
        .collect();
    Report::new(results, Mode::Split, Isolation::default())
}
