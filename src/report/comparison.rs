//! Two runs side by side, as text and as a page.

use comfy_table::{CellAlignment, Table, presets};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde_json::json;

use super::table::{seconds, thousands};
use crate::bench::compare::{Comparison, Difference, Side};

/// Tasks that are listed of those that differ.
const MOST_TASKS: usize = 20;

/// The comparison as text.
pub fn comparison(both: &Comparison) -> String {
    let mut lines = vec![heading("A", &both.a), heading("B", &both.b)];
    for (name, a, b) in &both.settings {
        lines.push(format!("   {name}: {a} in A, {b} in B"));
    }
    for (name, side) in [("A", &both.a), ("B", &both.b)] {
        if side.summary.oracle {
            lines.push(format!("{name} is {}", super::answers::ORACLE));
        }
    }
    lines.push(String::new());
    lines.push(results(both).to_string());
    let pairs = both.pairs;
    lines.push(format!(
        "attempts     {} right in both, {} in A alone, {} in B alone, {} in neither; McNemar's exact p {:.3}",
        pairs.both, pairs.only_a, pairs.only_b, pairs.neither, pairs.p
    ));
    lines.push(costs(both).to_string());
    let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    let (calls, tokens) = both.cost();
    lines.push(format!(
        "B for one of A: {} calls, {} tokens",
        ratio(calls),
        ratio(tokens)
    ));
    if !both.tasks.is_empty() {
        lines.push(String::new());
        lines.push("tasks that differ (share of samples right in A, in B):".to_owned());
        for task in both.tasks.iter().take(MOST_TASKS) {
            lines.push(format!("  {:<24} {:.2} {:.2}", task.task, task.a, task.b));
        }
        if both.tasks.len() > MOST_TASKS {
            lines.push(format!(
                "  … and {} more (--json lists all)",
                both.tasks.len() - MOST_TASKS
            ));
        }
    }
    lines.join("\n")
}

fn heading(name: &str, side: &Side) -> String {
    format!(
        "{name}  {} · {} · {} tasks × {} · {} · {}",
        side.folder,
        side.info.suite,
        side.info.tasks.len(),
        side.info.settings.samples,
        side.info.settings.pattern.name(),
        side.info.model
    )
}

/// The name of a side's figures; those that can't be had without the hidden check say so.
fn column(name: &str, side: &Side) -> String {
    if side.summary.oracle {
        format!("{name} (oracle)")
    } else {
        name.to_owned()
    }
}

fn results(both: &Comparison) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "pass@1",
        "tasks",
        &column("A", &both.a),
        &column("B", &both.b),
        "B less A (95 % interval, paired bootstrap)",
    ]);
    let rows = [
        ("visible tests", both.visible),
        ("hidden, as published", both.hidden),
        ("hidden, held out", both.held_out),
        ("F1", both.f1),
    ];
    for (name, row) in rows {
        let Some(row) = row else { continue };
        table.add_row([
            name.to_owned(),
            row.tasks.to_string(),
            percent(row.a),
            percent(row.b),
            signed(row),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn costs(both: &Comparison) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "",
        "calls",
        "tokens read",
        "written",
        "model time",
        "repaired",
        "regressed",
        "overfit",
        "not carried through",
    ]);
    for (name, side) in [("A", &both.a), ("B", &both.b)] {
        let summary = &side.summary;
        let share = |share: crate::bench::summary::Share| format!("{} of {}", share.count, share.of);
        table.add_row([
            column(name, side),
            thousands(summary.calls as u64),
            thousands(summary.tokens.prompt),
            thousands(summary.tokens.completion),
            seconds(summary.model_ms),
            share(summary.repaired),
            share(summary.regressed),
            share(summary.overfit),
            summary.failed.to_string(),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn signed(row: Difference) -> String {
    // No difference has no sign.
    let points = |share: f64| {
        let points = (share * 1000.0).round() / 10.0;
        format!("{:+.1}", if points == 0.0 { 0.0 } else { points })
    };
    format!(
        "{} ({} to {})",
        points(row.difference),
        points(row.interval.low),
        points(row.interval.high)
    )
}

/// The page of a comparison: one file without scripts or links.
pub fn comparison_html(both: &Comparison) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let fields = json!({ "text": comparison(both), "a": both.a, "b": both.b, "tasks": both.tasks });
    environment
        .render_str(include_str!("comparison.html.j2"), Serde(fields))
        .unwrap_or_else(|error| format!("<pre>the page could not be made: {error:#}</pre>"))
}
