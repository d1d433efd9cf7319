//! `report.html`: one file without scripts or links, to be opened or sent as it is.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde_json::json;

use super::{attempt_line, story, table};
use crate::bench::RunInfo;
use crate::bench::summary::Summary;
use crate::journal::AttemptRecord;

/// The page of a run.
pub fn html(info: &RunInfo, records: &[AttemptRecord], summary: &Summary) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let attempts: Vec<_> = records
        .iter()
        .map(|record| {
            let passed = record
                .returned
                .and_then(|number| record.hidden.get(&number))
                .map(|report| {
                    if report.verdict.passed() {
                        "passed"
                    } else {
                        "failed"
                    }
                });
            json!({ "line": attempt_line(record), "story": story(record), "class": passed.unwrap_or("open") })
        })
        .collect();
    let fields = json!({ "info": info, "table": table(info, summary), "attempts": attempts });
    environment
        .render_str(include_str!("report.html.j2"), Serde(fields))
        .unwrap_or_else(|error| format!("<pre>the page could not be made: {error:#}</pre>"))
}
