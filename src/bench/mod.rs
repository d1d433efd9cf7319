//! Many attempts at once: a suite, a model and a pattern in; a run folder and a summary out.

pub mod check;
pub mod evalplus;
pub mod evaluate;
mod files;
pub mod interval;
pub mod metrics;
mod samples;
mod settings;
pub mod summary;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub use files::{FileError, attempt_json, version_json, write_derived};
pub use samples::{Places, Sample, SampleSource, Samples, SamplesError, results_beside};
pub use settings::{PatternName, RunInfo, Settings, ToolSettings};

use crate::cycle::{self, CycleError, Desk, Sampling};
use crate::journal::{Event, HiddenReport, Journal, JournalError};
use crate::judge::Judge;
use crate::model::{ChatModel, ModelError, Recording};
use crate::patterns::{SelfDebug, self_debug};
use crate::prompts::Prompts;
use crate::task::{Brief, Suite, Task, Verdict};

/// The bundled suite's recording: the replies of Qwen2.5-Coder-1.5B-Instruct (`Q4_K_M`) to `redraft bench`.
const RECORDING: &[u8] = include_bytes!("../../tasks/recordings/qwen2.5-coder-1.5b.jsonl");

/// The recording that `redraft bench` replays where no model is named.
pub fn bundled_recording() -> Result<Recording, ModelError> {
    Recording::from_bytes(RECORDING, "the bundled recording")
}

/// Everything that a run needs, ready to use.
#[derive(Clone, Debug)]
pub struct Run {
    /// The tasks.
    pub suite: Arc<Suite>,
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// Who runs tests.
    pub judge: Arc<Judge>,
    /// What the model is told.
    pub prompts: Arc<Prompts>,
    /// What to do.
    pub settings: Settings,
    /// Attempts at the same time.
    pub jobs: usize,
}

/// Runs every attempt that the journal doesn't hold yet. An attempt that fails is written down as such and
/// doesn't stop the others, except where the model says that it will answer nothing more.
pub async fn run(run: &Run, journal: Arc<Journal>) -> Result<(), JournalError> {
    for event in journal.past().events() {
        if let Event::Exchange { request, .. } = event {
            run.model.skip(request);
        }
    }
    let slots = Arc::new(Semaphore::new(run.jobs.max(1)));
    let mut attempts = JoinSet::new();
    for sample in 0..run.settings.samples {
        for index in 0..run.suite.tasks.len() {
            if journal.past().is_finished(&run.suite.tasks[index].id, sample) {
                continue;
            }
            // Before the attempt is spawned, so that attempts begin in the suite's order.
            let slot = Arc::clone(&slots).acquire_owned().await;
            let (run, journal) = (run.clone(), Arc::clone(&journal));
            attempts.spawn(async move {
                let _slot = slot;
                let task = &run.suite.tasks[index];
                match attempt(&run, task, sample, &journal).await {
                    Ok(()) => Ok(()),
                    Err(CycleError::Journal(error)) => Err(error),
                    Err(error) => journal.append(&Event::Failed {
                        task: task.id.clone(),
                        sample,
                        error: error.to_string(),
                    }),
                }
            });
        }
    }
    while let Some(result) = attempts.join_next().await {
        match result {
            Ok(result) => result?,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
    Ok(())
}

/// One attempt: the loop, the choice, and only then the hidden tests.
async fn attempt(run: &Run, task: &Task, sample: usize, journal: &Journal) -> Result<(), CycleError> {
    let settings = &run.settings;
    let rounds = match settings.pattern {
        PatternName::None => 0,
        _ => settings.rounds,
    };
    let pattern = self_debug(
        SelfDebug {
            rounds,
            explain: settings.explain,
        },
        Arc::new(Brief::clone(&task.brief)),
        None,
        Arc::clone(&run.judge),
        Arc::clone(&run.prompts),
    );
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
    };
    let outcome = cycle::run(pattern, &desk).await?;

    // The loop is over. What each smaller number of rounds would have returned is checked as well, so that one
    // run tells the gain of every round.
    let returned: BTreeSet<usize> = outcome.by_round.iter().copied().collect();
    let mut reports = Vec::new();
    if !task.hidden.is_empty() {
        for number in returned {
            let Some(program) = outcome.versions[number].draft.as_program().cloned() else {
                continue;
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
            reports.push(HiddenReport { number, report });
        }
    }
    Ok(journal.append(&Event::Hidden {
        task: task.id.clone(),
        sample,
        reports,
    })?)
}

/// The attempts of a run folder's journal, in the suite's order.
pub fn records(folder: &Path, info: &RunInfo) -> Result<Vec<crate::journal::AttemptRecord>, JournalError> {
    let events = crate::journal::read(folder)?;
    let mut records = crate::journal::attempts(&events);
    let order = |task: &str| info.tasks.iter().position(|id| id == task).unwrap_or(usize::MAX);
    records.sort_by_key(|record| (order(&record.task), record.sample));
    Ok(records)
}
