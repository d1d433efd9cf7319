//! One attempt told as text: its versions, diffs, failing tests, and why it stopped.

use std::fmt::Write as _;

use similar::TextDiff;

use super::found;

use crate::journal::{AttemptRecord, VersionRecord};
use crate::patterns::failures;
use crate::task::{Report, Verdict};

/// One line about an attempt, for the list of a run.
pub fn attempt_line(record: &AttemptRecord) -> String {
    let id = if record.sample == 0 {
        record.task.clone()
    } else {
        format!("{} #{}", record.task, record.sample)
    };
    let state = match (&record.failed, record.finished) {
        (Some(error), false) => format!("not carried through: {error}"),
        (_, false) => "not finished".to_owned(),
        (None, true) if !is_by_tests(record) => {
            let status = record
                .status
                .map_or("not examined", crate::journal::Status::words);
            let answer = record
                .returned
                .and_then(|number| record.hidden.get(&number))
                .map_or("", |report| {
                    if report.verdict.passed() {
                        "right  "
                    } else {
                        "wrong  "
                    }
                });
            let versions = match record.versions.len() {
                1 => "1 version".to_owned(),
                count => format!("{count} versions"),
            };
            format!(
                "{answer}{status:<22}  {versions}, returned version {}",
                record.returned.unwrap_or_default()
            )
        }
        _ => {
            let visible: Vec<String> = record
                .versions
                .iter()
                .map(|version| counts(version.report.as_ref()))
                .collect();
            let hidden = record.returned.and_then(|number| record.hidden.get(&number));
            let hidden = match (hidden, record.returned_version()) {
                (Some(report), _) => verdict_words(report.verdict).to_owned(),
                (None, Some(version)) if version.source.is_none() => "no program".to_owned(),
                _ => "no hidden tests".to_owned(),
            };
            format!(
                "{hidden:<14}  visible {}  returned version {}",
                visible.join(" → "),
                record.returned.unwrap_or_default()
            )
        }
    };
    format!("{id:<24} {state}")
}

/// Whether tests alone were the examination.
fn is_by_tests(record: &AttemptRecord) -> bool {
    record.versions.iter().all(|version| version.findings.is_none())
}

/// A verdict in words for people.
fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::WrongAnswer => "wrong answer",
        Verdict::RuntimeError => "runtime error",
        Verdict::TimedOut => "timed out",
        Verdict::MemoryLimit => "memory limit",
        Verdict::OutputLimit => "output limit",
        Verdict::CompileError => "compile error",
        Verdict::HarnessError => "harness error",
    }
}

fn counts(report: Option<&Report>) -> String {
    report.map_or_else(
        || "-".to_owned(),
        |report| format!("{}/{}", report.passed, report.total),
    )
}

/// The whole story of an attempt.
pub fn story(record: &AttemptRecord) -> String {
    let mut text = String::new();
    let mut previous: Option<&VersionRecord> = None;
    for version in &record.versions {
        tell_version(
            &mut text,
            version,
            previous,
            Some(version.number) == record.returned,
        );
        previous = Some(version);
    }
    if let Some(stopped) = record.stopped {
        let words = if is_by_tests(record) {
            stopped.words()
        } else {
            stopped.plain_words()
        };
        line(&mut text, &format!("Stopped: {words}."));
        if let Some(status) = record.status.filter(|_| !is_by_tests(record)) {
            line(&mut text, &format!("Status: {}.", status.words()));
        }
    }
    if let Some(error) = record.failed.as_ref().filter(|_| !record.finished) {
        line(&mut text, &format!("Not carried through: {error}"));
    }
    for (number, report) in &record.hidden {
        line(
            &mut text,
            &format!(
                "Hidden tests, version {number}: {} ({} of {})",
                verdict_words(report.verdict),
                report.passed,
                report.total
            ),
        );
        if Some(*number) == record.returned {
            for failure in report.failures() {
                line(&mut text, &indent(&failures::one_failure(failure)));
            }
        }
    }
    line(
        &mut text,
        &format!(
            "{} model calls, {} tokens read, {} written.",
            record.calls, record.tokens.prompt, record.tokens.completion
        ),
    );
    text
}

fn tell_version(
    text: &mut String,
    version: &VersionRecord,
    previous: Option<&VersionRecord>,
    returned: bool,
) {
    let mark = if returned { " (returned)" } else { "" };
    let found = match &version.findings {
        Some(findings) => found::verdict(findings),
        None => format!("visible tests {}", counts(version.report.as_ref())),
    };
    line(text, &format!("Version {}{mark}: {found}", version.number));
    if let Some(explanation) = &version.explanation {
        line(text, "  The model's explanation of the version before:");
        line(text, &indent(&indent(explanation.trim())));
    }
    match (
        &version.source,
        previous.and_then(|previous| previous.source.as_ref()),
    ) {
        (None, _) => line(text, "  (no program was found in the reply)"),
        (Some(source), None) => line(text, &indent(source.trim_end())),
        (Some(source), Some(before)) if source == before => line(text, "  (unchanged)"),
        (Some(source), Some(before)) => {
            let diff = TextDiff::from_lines(before.as_str(), source.as_str());
            line(
                text,
                &indent(
                    diff.unified_diff()
                        .context_radius(3)
                        .missing_newline_hint(false)
                        .to_string()
                        .trim_end(),
                ),
            );
        }
    }
    for detail in found::details(version) {
        line(text, &indent(&detail));
    }
    for failure in version.report.iter().flat_map(Report::failures) {
        line(
            text,
            &indent(&format!(
                "fails {}\n{}",
                failure.name,
                indent(&failures::one_failure(failure))
            )),
        );
    }
    text.push('\n');
}

fn line(text: &mut String, line: &str) {
    let result = writeln!(text, "{line}");
    debug_assert!(result.is_ok(), "writing to a string can't fail");
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("  {line}")
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}
