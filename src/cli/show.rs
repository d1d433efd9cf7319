//! `redraft show`: a run's attempts, or one of them in full.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::bench::RUNS;
use super::{Done, Failure, output};
use crate::bench::summary::Summary;
use crate::bench::{self, RunInfo};
use crate::report;

/// Arguments of `redraft show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run's folder [default: the newest one below `runs/`].
    run: Option<PathBuf>,
    /// A task's id, or the end of it (`3` for `HumanEval/3`), to show its versions, diffs and failing tests.
    task: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    let (run, task) = which(args)?;
    let info = RunInfo::read(&run).map_err(Failure::input)?;
    let records = bench::records(&run, &info).map_err(Failure::input)?;
    // A run of one attempt at one thing is that attempt.
    let only = info.tasks.first().filter(|_| info.is_single());
    let Some(task) = task.as_ref().or(only) else {
        let summary = Summary::of(&info, &records);
        if args.json {
            let attempts: Vec<_> = records.iter().map(bench::attempt_json).collect();
            output::result(&json!({ "run": info, "summary": summary, "attempts": attempts }).to_string());
        } else {
            for record in &records {
                output::result(&report::attempt_line(record));
            }
            output::result("");
            output::result(&report::table(&info, &summary));
        }
        return Ok(Done::Good);
    };
    let exact = || records.iter().filter(|record| record.task == *task);
    let by_end = || {
        records
            .iter()
            .filter(|record| record.task.ends_with(&format!("/{task}")))
    };
    let chosen: Vec<_> = if exact().next().is_some() {
        exact().collect()
    } else {
        by_end().collect()
    };
    if chosen.is_empty() {
        let known = info.tasks.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        return Err(Failure::Input(format!(
            "{}: no attempt at a task {task}; its tasks are {known}{}",
            run.display(),
            if info.tasks.len() > 5 { " …" } else { "" }
        )));
    }
    if args.json {
        let attempts: Vec<_> = chosen.iter().map(|record| bench::attempt_json(record)).collect();
        output::result(&json!({ "attempts": attempts }).to_string());
        return Ok(Done::Good);
    }
    for record in chosen {
        output::result(&format!("{}\n", report::attempt_line(record)));
        output::result(&report::story(record));
    }
    Ok(Done::Good)
}

/// The run and the task that are meant. A single argument that is no folder is a task of the newest run.
fn which(args: &Args) -> Result<(PathBuf, Option<String>), Failure> {
    match (&args.run, &args.task) {
        (Some(run), None) if !run.exists() && !run.to_string_lossy().contains("runs/") => {
            let Some(newest) = newest(Path::new(RUNS)) else {
                return Ok((run.clone(), None));
            };
            Ok((newest, Some(run.to_string_lossy().into_owned())))
        }
        (Some(run), task) => Ok((run.clone(), task.clone())),
        (None, _) => match newest(Path::new(RUNS)) {
            Some(run) => Ok((run, None)),
            None => Err(Failure::Input(
                "there is no run below runs/; name the folder of one".to_owned(),
            )),
        },
    }
}

/// The newest run.
fn newest(parent: &Path) -> Option<PathBuf> {
    let folders = std::fs::read_dir(parent).ok()?;
    let runs = folders.filter_map(|entry| Some(entry.ok()?.path()));
    runs.filter(|folder| folder.join(RunInfo::FILE).is_file())
        .max_by_key(|folder| {
            std::fs::metadata(folder.join(RunInfo::FILE))
                .and_then(|file| file.modified())
                .ok()
        })
}
