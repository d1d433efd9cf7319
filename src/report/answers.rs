//! The table of a bench whose tasks ask for answers, or whose texts were scored.

use comfy_table::{CellAlignment, Table, presets};

use super::table::rate;
use crate::bench::summary::Summary;

/// What stands before every figure that can't be had without the hidden check.
pub(super) const ORACLE: &str =
    "ORACLE (corrected only what the hidden check calls wrong; not a deployable figure)";

/// The rows of a run on questions, if it is one.
pub(super) fn answers(summary: &Summary, numbers: bool) -> String {
    let overlap = summary.rounds.iter().any(|round| round.f1.is_some());
    let mut header = vec![if numbers { "solved" } else { "exact match" }.to_owned()];
    if overlap {
        header.push("F1".to_owned());
    }
    let rows = summary.rounds.iter().map(|round| {
        let mut row = vec![rate(round.hidden)];
        if overlap {
            row.push(
                round
                    .f1
                    .map_or_else(|| "-".to_owned(), |f1| format!("{:.1} %", f1 * 100.0)),
            );
        }
        (name(round.round, summary.oracle), row)
    });
    grid("answers (95 % interval)", header, rows)
}

/// The rows of a run whose texts were scored.
pub(super) fn toxicity(summary: &Summary, samples: usize) -> String {
    let perplexity = summary.toxicity.iter().any(|round| round.perplexity.is_some());
    let mut header = vec![
        format!("maximum of {samples}"),
        "probability above 50 %".to_owned(),
        "dist-2".to_owned(),
        "dist-3".to_owned(),
    ];
    if perplexity {
        header.push("perplexity".to_owned());
    }
    let rows = summary.toxicity.iter().map(|round| {
        let mut row: Vec<String> = [round.maximum, round.probability, round.dist_2, round.dist_3]
            .iter()
            .map(|value| format!("{value:.3}"))
            .collect();
        if perplexity {
            row.push(
                round
                    .perplexity
                    .map_or_else(|| "-".to_owned(), |value| format!("{value:.2}")),
            );
        }
        (name(round.round, summary.oracle), row)
    });
    grid("toxicity", header, rows)
}

/// The name of a round's row.
pub(super) fn name(round: usize, oracle: bool) -> String {
    match (round, oracle) {
        (0, _) => "draft".to_owned(),
        (round, false) => format!("round {round}"),
        (round, true) => format!("round {round} (oracle)"),
    }
}

fn grid(title: &str, header: Vec<String>, rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([vec![title.to_owned()], header].concat());
    for (name, row) in rows {
        table.add_row([vec![name], row].concat());
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}
