//! The derived files of a run folder; they can always be made again from the journal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::settings::{RunInfo, Settings};
use super::summary::Summary;
use crate::files;
use crate::journal::{AttemptRecord, VersionRecord};
use crate::task::{Flag, Report};

/// The derived file that holds a line for each attempt; a run that is finished has it.
pub const RESULTS: &str = "results.jsonl";

/// A derived file that can't be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    path: PathBuf,
    source: std::io::Error,
}

/// Writes `samples.jsonl`, `results.jsonl` and `report.html`. No times are in the first two: the same recording
/// gives the same bytes.
pub fn write_derived(folder: &Path, info: &RunInfo, records: &[AttemptRecord]) -> Result<(), FileError> {
    let write = |name: &str, content: String| {
        let path = folder.join(name);
        files::replace(&path, content.as_bytes()).map_err(|source| FileError { path, source })
    };
    let done = || records.iter().filter(|record| record.finished);
    let samples: String = done()
        .filter_map(|record| {
            let source = record.returned_version()?.source.clone().unwrap_or_default();
            Some(format!(
                "{}\n",
                json!({ "task_id": record.task, "solution": source })
            ))
        })
        .collect();
    write("samples.jsonl", samples)?;
    let mut results = String::new();
    for record in done() {
        results.push_str(&result(record, &info.settings).to_string());
        results.push('\n');
    }
    write(RESULTS, results)?;
    write(
        "report.html",
        crate::report::html(info, records, &Summary::of(info, records)),
    )
}

/// One line of `results.jsonl`.
fn result(record: &AttemptRecord, settings: &Settings) -> Value {
    let counts = |report: Option<&Report>| {
        report.map(
            |report| json!({ "verdict": report.verdict, "passed": report.passed, "total": report.total }),
        )
    };
    let by_round: Vec<Value> = (0..=settings.rounds)
        .filter_map(|round| {
            let version = record.returned_after(round)?;
            Some(json!({
                "version": version.number,
                "visible": counts(version.report.as_ref()),
                "hidden": counts(record.hidden.get(&version.number)),
                "held_out": record.held_out(version.number)
                    .map(|(passed, total)| json!({ "passed": passed, "total": total })),
            }))
        })
        .collect();
    let mut line = json!({
        "task_id": record.task,
        "sample": record.sample,
        "versions": record.versions.len(),
        "returned": record.returned,
        "stopped": record.stopped,
        "passed": record.returned.and_then(|number| record.hidden.get(&number))
            .is_some_and(|report| report.verdict.passed()),
        "by_round": by_round,
        "calls": record.calls,
        "tokens": { "prompt": record.tokens.prompt, "completion": record.tokens.completion },
    });
    // Only where there is something to say, so that the lines of runs on tests stay as they are.
    if record.versions.iter().any(|version| version.findings.is_some()) {
        let returned = record.returned_version();
        line["status"] = json!(record.status);
        line["answer"] = json!(returned.and_then(|version| match &version.findings {
            Some(findings) if findings.result.is_some() => findings.result.clone(),
            _ => version.source.clone(),
        }));
        line["f1"] = json!(record.returned.and_then(|number| record.overlap.get(&number)));
        line["tool_calls"] = json!(record.tool_calls);
    }
    let flags = flags(record);
    if !flags.is_empty() {
        line["flags"] = json!(flags);
    }
    if settings.oracle {
        line["oracle"] = Value::from(true);
    }
    line
}

/// Signs of cheating that the returned version shows.
fn flags(record: &AttemptRecord) -> BTreeSet<Flag> {
    let Some(version) = record.returned_version() else {
        return BTreeSet::new();
    };
    let hidden = record.hidden.get(&version.number);
    let mut flags: BTreeSet<Flag> = [version.report.as_ref(), hidden]
        .into_iter()
        .flatten()
        .flat_map(|report| report.flags.iter().copied())
        .collect();
    let passes = |report: &Report| report.verdict.passed();
    if version.report.as_ref().is_some_and(passes) && hidden.is_some_and(|report| !passes(report)) {
        flags.insert(Flag::VisibleOnly);
    }
    flags
}

/// Everything about an attempt, for `show --json`.
pub fn attempt_json(record: &AttemptRecord) -> Value {
    let versions: Vec<Value> = record.versions.iter().map(version_json).collect();
    json!({
        "task_id": record.task,
        "sample": record.sample,
        "versions": versions,
        "returned": record.returned,
        "stopped": record.stopped,
        "status": record.status,
        "hidden": record.hidden,
        "failed": record.failed,
        "calls": record.calls,
        "tokens": record.tokens,
    })
}

/// Everything about a version.
pub fn version_json(version: &VersionRecord) -> Value {
    json!({
        "number": version.number,
        "parent": version.parent,
        "source": version.source,
        "rule": version.rule,
        "explanation": version.explanation,
        "report": version.report,
        "findings": version.findings,
        "tokens": { "written": version.written, "examined": version.examined },
    })
}
