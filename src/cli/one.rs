//! One attempt at one thing (a question, a task, a text), with a run folder of its own where the user wants one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::budget::BudgetArgs;
use super::folder::named_folder;
use super::isolation::IsolationArgs;
use super::{Failure, output};
use crate::bench::{self, RunInfo, Settings};
use crate::cycle::{self, Budget, Desk, Outcome, Pattern, Purse, Sampling, Voice};
use crate::journal::{AttemptRecord, Event, Journal, attempts};
use crate::model::ChatModel;
use crate::prompts::Prompts;

/// The flags of all commands that make one attempt.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OneArgs {
    /// Keep everything that happens in this folder; what was interrupted there goes on.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// A folder of prompts that replace the bundled ones of the same name.
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) isolation: IsolationArgs,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) struct One<'a> {
    /// Where everything is kept.
    pub(crate) out: Option<&'a Path>,
    pub(crate) budget: Budget,
    /// Says what happens while it happens.
    pub(crate) tell: fn(&Event),
    /// The command's name.
    pub(crate) name: &'a str,
    /// All that the user said, for the identity of the run.
    pub(crate) texts: &'a [&'a str],
    pub(crate) settings: Settings,
    pub(crate) prompts: &'a Prompts,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) sampling: Sampling,
    /// The examiner's own model, if it has one.
    pub(crate) examiner: Option<&'a Voice>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    pub(crate) record: AttemptRecord,
}

/// Runs a pattern once.
pub(crate) fn run(
    one: &One<'_>,
    pattern: Pattern,
    runtime: &tokio::runtime::Runtime,
) -> Result<Finished, Failure> {
    let mut info = one.info();
    info.settings.budget = one.budget;
    let (journal, earlier) = match one.out {
        None => (Journal::in_memory(), false),
        Some(folder) => {
            let earlier = named_folder(folder, &info)?;
            let journal = Journal::open(folder).map_err(Failure::input)?;
            if !earlier {
                info.write(folder).map_err(Failure::input)?;
            }
            (journal, earlier)
        }
    };
    let events: Arc<Mutex<Vec<Event>>> = Arc::new(Mutex::new(journal.past().events().to_vec()));
    for event in journal.past().events() {
        one.skip(event);
    }
    if let (true, Some(folder)) = (earlier, one.out) {
        output::talk(&format!("{}: going on", folder.display()));
    }
    let (kept, tell) = (Arc::clone(&events), one.tell);
    let journal = journal.listened_by(Box::new(move |event| {
        tell(event);
        kept.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event.clone());
    }));
    let desk = Desk {
        task: one.name,
        sample: 0,
        model: Arc::clone(&one.model),
        sampling: one.sampling,
        journal: &journal,
        purse: Arc::new(Purse::new(one.budget)),
    };
    let outcome = runtime.block_on(cycle::run(pattern, &desk))?;
    if !journal.past().is_finished(one.name, 0) {
        let finished = Event::Hidden {
            task: one.name.to_owned(),
            sample: 0,
            reports: Vec::new(),
        };
        journal.append(&finished).map_err(Failure::harness)?;
    }
    let events = events.lock().unwrap_or_else(PoisonError::into_inner);
    let records = attempts(events.iter());
    if let Some(folder) = one.out {
        bench::write_derived(folder, &info, &records).map_err(Failure::harness)?;
    }
    Ok(Finished {
        outcome,
        record: records.into_iter().next().unwrap_or_default(),
    })
}

impl One<'_> {
    fn info(&self) -> RunInfo {
        let mut hash = Sha256::new();
        for text in self.texts {
            hash.update(text);
            hash.update([0]);
        }
        let folders = self.settings.pattern.prompts();
        RunInfo {
            redraft: env!("CARGO_PKG_VERSION").to_owned(),
            suite: self.name.to_owned(),
            suite_hash: format!("{:x}", hash.finalize()),
            tasks: vec![self.name.to_owned()],
            model: self.model.name().to_owned(),
            prompts_hash: format!("{:x}", Sha256::digest(self.prompts.text(folders))),
            settings: self.settings.clone(),
            python: String::new(),
            host: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            isolation: redraft_sandbox::Isolation::default(),
        }
    }

    /// Tells the models what they answered before the run was interrupted.
    fn skip(&self, event: &Event) {
        match event {
            Event::Exchange {
                request, role, model, ..
            } => match self.examiner {
                // Two models may have the same name.
                Some(voice) if voice.model.name() == model && role.starts_with("evaluate") => {
                    voice.model.skip(request);
                }
                _ => self.model.skip(request),
            },
            Event::Tool { key, .. } => {
                let model = self.examiner.map_or(&self.model, |voice| &voice.model);
                model.recorded_tool(key);
            }
            _ => {}
        }
    }
}

impl Finished {
    /// The returned text or program.
    pub(crate) fn source(&self) -> &str {
        let chosen = &self.outcome.versions[self.outcome.chosen];
        chosen.draft.source().unwrap_or_default()
    }

    /// Everything as one object; `name` is what the returned text is called.
    pub(crate) fn json(&self, name: &str) -> Value {
        let outcome = &self.outcome;
        let chosen = &outcome.versions[outcome.chosen];
        let versions: Vec<Value> = self.record.versions.iter().map(bench::version_json).collect();
        json!({
            name: self.source(),
            "status": outcome.status,
            "stopped": outcome.stopped,
            "returned": outcome.chosen,
            "critique": chosen.findings.critique,
            "note": chosen.findings.note,
            "evidence": chosen.findings.evidence,
            "versions": versions,
            "calls": self.record.calls,
            "tool_calls": self.record.tool_calls,
            "tokens": self.record.tokens,
        })
    }
}

impl Finished {
    /// Says how it ended, and what is still wrong.
    pub(crate) fn conclude(&self) {
        let outcome = &self.outcome;
        let status = outcome
            .status
            .map_or("not examined", crate::journal::Status::words);
        let redrafts = match outcome.versions.len() - 1 {
            0 => "the first draft".to_owned(),
            1 => "1 redraft".to_owned(),
            count => format!("{count} redrafts"),
        };
        output::talk(&format!(
            "{status}, after {redrafts}: {}",
            outcome.stopped.plain_words()
        ));
        let findings = &outcome.versions[outcome.chosen].findings;
        if let Some(critique) = &findings.critique {
            output::talk(critique);
        }
    }
}
