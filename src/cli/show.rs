//! `redraft show`: a run's attempts, or one of them in full.

use std::path::PathBuf;

use serde_json::json;

use super::{Done, Failure, output};
use crate::bench::summary::Summary;
use crate::bench::{self, RunInfo};
use crate::report;

/// Arguments of `redraft show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run's folder.
    run: PathBuf,
    /// A task's id, or the end of it (`3` for `HumanEval/3`), to show its versions, diffs and failing tests.
    task: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    let info = RunInfo::read(&args.run).map_err(Failure::input)?;
    let records = bench::records(&args.run, &info).map_err(Failure::input)?;
    // A run of one attempt at one thing is that attempt.
    let only = info.tasks.first().filter(|_| info.is_single());
    let Some(task) = args.task.as_ref().or(only) else {
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
            args.run.display(),
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
