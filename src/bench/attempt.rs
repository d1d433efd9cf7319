//! One attempt: the loop, the choice, and only then the hidden check.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Run;
use super::settings::{PatternName, Settings};
use crate::cycle::{self, CycleError, Desk, Draft, Findings, Pattern, Purse, Sampling, Version};
use crate::journal::{Event, HiddenReport, Journal};
use crate::judge::Judge;
use crate::patterns::{
    CriticProgram, CriticSearch, CriticToxicity, HiddenCheck, SelfDebug, critic_program, critic_search,
    critic_toxicity, resample, self_debug, with_oracle,
};
use crate::task::{Brief, Task, Verdict};

/// Carries an attempt through.
pub(super) async fn attempt(
    run: &Run,
    task: &Task,
    sample: usize,
    journal: &Journal,
    purse: Arc<Purse>,
) -> Result<(), CycleError> {
    let settings = &run.settings;
    let mut pattern = pattern(run, task);
    if settings.oracle {
        pattern = with_oracle(pattern, hidden_check(run, task));
    }
    let desk = Desk {
        task: &task.id,
        sample,
        model: Arc::clone(&run.model),
        sampling: Sampling {
            temperature: settings.temperature,
            max_tokens: settings.max_tokens,
            seed: settings.seed,
        },
        journal,
        purse,
    };
    let outcome = cycle::run(pattern, &desk).await?;

    // The loop is over. What each smaller number of rounds would have returned is checked as well, so that one
    // run tells the gain of every round.
    let returned: BTreeSet<usize> = outcome.by_round.iter().copied().collect();
    let mut reports = Vec::new();
    if !task.hidden.is_empty() {
        for number in returned {
            reports.extend(checked(run, task, &outcome.versions[number]).await?);
        }
    }
    Ok(journal.append(&Event::Hidden {
        task: task.id.clone(),
        sample,
        reports,
    })?)
}

/// The pattern for a task.
fn pattern(run: &Run, task: &Task) -> Pattern {
    let settings = &run.settings;
    let (judge, prompts) = (Arc::clone(&run.judge), Arc::clone(&run.prompts));
    let toolbox = Arc::clone(&run.toolbox);
    let brief = || Arc::new(Brief::clone(&task.brief));
    let rounds = settings.rounds;
    match settings.pattern {
        PatternName::CriticSearch => {
            critic_search(search_settings(settings), &task.brief.statement, toolbox, prompts)
        }
        PatternName::CriticProgram => {
            let critic = CriticProgram {
                rounds,
                interpreter: settings.interpreter.unwrap_or(true),
            };
            critic_program(critic, brief(), judge, prompts)
        }
        PatternName::CriticToxicity => {
            let critic = CriticToxicity {
                rounds,
                logprobs: run.logprobs,
                ..CriticToxicity::default()
            };
            critic_toxicity(critic, &task.brief.statement, toolbox, prompts)
        }
        PatternName::Resample => resample(rounds, brief(), judge, prompts),
        _ => {
            let debug = SelfDebug {
                rounds,
                explain: settings.explain,
            };
            self_debug(debug, brief(), None, judge, prompts)
        }
    }
}

fn search_settings(settings: &Settings) -> CriticSearch {
    let defaults = CriticSearch::default();
    let tools = settings.tools.as_ref();
    CriticSearch {
        rounds: settings.rounds,
        calls: tools.map_or(defaults.calls, |tools| tools.calls),
        protocol: tools.map_or(defaults.protocol, |tools| tools.protocol),
        unchanged: settings.unchanged,
        short: true,
    }
}

/// What becomes of a version on the hidden check; `None` where it is a program that isn't there.
async fn checked(run: &Run, task: &Task, version: &Version) -> Result<Option<HiddenReport>, CycleError> {
    let number = version.number;
    if task.hidden.want_answer() {
        let (report, f1) = run
            .judge
            .check_hidden_answer(answer(&version.draft, &version.findings), &task.hidden);
        return Ok(Some(HiddenReport { number, report, f1 }));
    }
    let Some(program) = version.draft.as_program().cloned() else {
        return Ok(None);
    };
    let (judge, hidden, limits) = (Arc::clone(&run.judge), task.hidden.clone(), task.brief.limits);
    let report = tokio::task::spawn_blocking(move || judge.test_hidden(&program, &hidden, &limits))
        .await
        .map_err(|error| CycleError::Examiner(error.to_string()))?;
    if report.verdict == Verdict::HarnessError {
        let error = report.results.iter().find_map(|result| result.error.clone());
        return Err(CycleError::Examiner(
            error.unwrap_or_else(|| "no hidden test was run".to_owned()),
        ));
    }
    Ok(Some(HiddenReport {
        number,
        report,
        f1: None,
    }))
}

/// The answer that a version gives: its text, or what its program came to.
fn answer<'a>(draft: &'a Draft, findings: &'a Findings) -> Option<&'a str> {
    match draft.as_program() {
        Some(_) => findings.result.as_deref(),
        None => draft.source(),
    }
}

/// The hidden check as the oracle mode asks it, before the choice: one bit goes back into the loop.
fn hidden_check(run: &Run, task: &Task) -> HiddenCheck {
    let (judge, hidden, limits) = (
        Arc::<Judge>::clone(&run.judge),
        task.hidden.clone(),
        task.brief.limits,
    );
    Arc::new(move |draft, findings| {
        if hidden.want_answer() {
            let (report, _) = judge.check_hidden_answer(answer(draft, findings), &hidden);
            return Ok(report.verdict.passed());
        }
        let Some(program) = draft.as_program() else {
            return Ok(false);
        };
        match judge.test_hidden(program, &hidden, &limits).verdict {
            Verdict::HarnessError => Err("the hidden tests could not be run".to_owned()),
            verdict => Ok(verdict.passed()),
        }
    })
}
