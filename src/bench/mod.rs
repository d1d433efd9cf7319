//! Many attempts at once: a suite, a model and a pattern in; a run folder and a summary out.

pub mod against;
mod attempt;
pub mod check;
pub mod compare;
pub mod evalplus;
pub mod evaluate;
mod files;
pub mod interval;
pub mod loops;
pub mod metrics;
mod samples;
mod settings;
pub mod summary;
pub mod toxicity;

use std::path::Path;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub use files::{FileError, RESULTS, attempt_json, version_json, write_derived};
pub use samples::{Places, Sample, SampleSource, Samples, SamplesError, results_beside};
pub use settings::{JudgeSettings, PatternName, RunInfo, Settings, ToolSettings};

use crate::cycle::{CycleError, Purse};
use crate::journal::{Event, Journal, JournalError};
use crate::judge::Judge;
use crate::model::{ChatModel, ModelError, Recording};
use crate::prompts::Prompts;
use crate::task::Suite;
use crate::tools::Toolbox;

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
    /// What an examiner may call.
    pub toolbox: Arc<Toolbox>,
    /// Whether the model is asked for log-probabilities, where the pattern can use them.
    pub logprobs: bool,
    /// What to do.
    pub settings: Settings,
    /// Attempts at the same time.
    pub jobs: usize,
}

/// Runs every attempt that the journal doesn't hold yet. An attempt that fails is written down as such and
/// doesn't stop the others, except where the model says that it will answer nothing more.
pub async fn run(run: &Run, journal: Arc<Journal>) -> Result<(), JournalError> {
    for event in journal.past().events() {
        match event {
            Event::Exchange { request, .. } => run.model.skip(request),
            Event::Tool { key, .. } => {
                run.model.recorded_tool(key);
            }
            _ => {}
        }
    }
    let budget = run.settings.budget;
    let replies = journal.past().events().iter().filter_map(|event| match event {
        Event::Exchange { reply, .. } => Some(reply),
        _ => None,
    });
    let of_run = budget.of_run.then(|| Arc::new(Purse::after(budget, replies)));
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
            let purse = of_run.clone().unwrap_or_else(|| Arc::new(Purse::new(budget)));
            attempts.spawn(async move {
                let _slot = slot;
                let task = &run.suite.tasks[index];
                match attempt::attempt(&run, task, sample, &journal, purse).await {
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

/// The attempts of a run folder's journal, in the suite's order.
pub fn records(folder: &Path, info: &RunInfo) -> Result<Vec<crate::journal::AttemptRecord>, JournalError> {
    let events = crate::journal::read(folder)?;
    let mut records = crate::journal::attempts(&events);
    let order = |task: &str| info.tasks.iter().position(|id| id == task).unwrap_or(usize::MAX);
    records.sort_by_key(|record| (order(&record.task), record.sample));
    Ok(records)
}
