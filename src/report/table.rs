//! The table at the end of a bench.

use comfy_table::{CellAlignment, Table, presets};

use super::answers;
use crate::bench::loops::Loops;
use crate::bench::summary::{Rate, Share, Summary};
use crate::bench::{PatternName, RunInfo};

/// The summary as text.
pub fn table(info: &RunInfo, summary: &Summary) -> String {
    let settings = &info.settings;
    let asks = matches!(
        settings.pattern,
        PatternName::CriticSearch | PatternName::CriticProgram
    );
    let mut lines = vec![title(info)];
    if summary.oracle {
        lines.push(answers::ORACLE.to_owned());
    }
    if !summary.toxicity.is_empty() {
        lines.push(answers::toxicity(summary, settings.samples));
    } else if asks && !info.is_single() {
        lines.push(answers::answers(
            summary,
            settings.pattern == PatternName::CriticProgram,
        ));
        lines.push(line(
            "repaired",
            summary.repaired,
            "wrong drafts whose returned answer is right",
        ));
        lines.push(line(
            "regressed",
            summary.regressed,
            "right drafts whose returned answer is wrong",
        ));
        lines.push(loops(&summary.loops, false));
    } else if !info.is_single() {
        lines.push(programs(summary));
        lines.push(line(
            "repaired",
            summary.repaired,
            "drafts that failed the hidden tests and pass them now",
        ));
        lines.push(line(
            "regressed",
            summary.regressed,
            "drafts that passed the hidden tests and fail them now",
        ));
        lines.push(line(
            "overfit",
            summary.overfit,
            "returned programs that pass the visible and fail the hidden tests",
        ));
        lines.push(loops(&summary.loops, true));
    }
    lines.push(format!(
        "model        {} calls, {} tokens read, {} written, {}",
        thousands(summary.calls as u64),
        thousands(summary.tokens.prompt),
        thousands(summary.tokens.completion),
        seconds(summary.model_ms)
    ));
    if summary.failed > 0 {
        lines.push(format!(
            "not counted  {} attempts that could not be carried through; the same command tries them again",
            summary.failed
        ));
    }
    if summary.unfinished > 0 {
        lines.push(format!("not over     {} attempts", summary.unfinished));
    }
    lines.join("\n")
}

fn title(info: &RunInfo) -> String {
    let settings = &info.settings;
    let variant = if settings.interpreter == Some(false) {
        " without the interpreter"
    } else {
        ""
    };
    format!(
        "{} · {} tasks × {} · {}{variant} · {}",
        info.suite,
        info.tasks.len(),
        settings.samples,
        settings.pattern.name(),
        info.model
    )
}

fn line(name: &str, part: Share, what: &str) -> String {
    format!("{name:<12} {}  {what}", share(part))
}

/// The rows of a run on programs.
fn programs(summary: &Summary) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "pass@1 (95 % interval)",
        "visible tests",
        "hidden, as published",
        "hidden, held out",
    ]);
    for round in &summary.rounds {
        table.add_row([
            answers::name(round.round, summary.oracle),
            rate(round.visible),
            rate(round.hidden),
            rate(round.held_out),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// How the loops went: repair success of each round, and what came back.
fn loops(loops: &Loops, tested: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for round in &loops.rounds {
        let name = if round.round == 1 { "repair" } else { "" };
        lines.push(if tested {
            format!(
                "{name:<12} {}  redrafts of round {} pass the visible tests; hidden: {} wrong ones become right, {} right ones wrong",
                share(round.repaired_visible),
                round.round,
                plain(round.repaired),
                plain(round.regressed)
            )
        } else {
            format!(
                "{name:<12} {}  wrong answers become right in round {}; {} right ones wrong",
                share(round.repaired),
                round.round,
                plain(round.regressed)
            )
        });
    }
    if !loops.rounds.is_empty() {
        lines.push(format!(
            "unchanged    {}  redrafts that are what they were made from; {} some earlier version",
            share(loops.unchanged),
            plain(loops.repeated)
        ));
    }
    let tokens = loops.never_solved_tokens;
    lines.push(format!(
        "unsolved     {} of {} tokens went to tasks that no attempt solved",
        thousands(tokens.count),
        thousands(tokens.of)
    ));
    lines.join("\n")
}

fn plain(share: Share) -> String {
    format!("{} of {}", share.count, share.of)
}

pub(super) fn rate(rate: Option<Rate>) -> String {
    match rate {
        None => "-".to_owned(),
        Some(rate) => format!(
            "{:.1} % ({:.1}-{:.1})  {}/{}",
            rate.pass_at_1 * 100.0,
            rate.interval.low * 100.0,
            rate.interval.high * 100.0,
            rate.passed,
            rate.attempts
        ),
    }
}

fn share(share: Share) -> String {
    format!("{:>9}", format!("{} of {}", share.count, share.of))
}

/// A number with thin groups of three digits.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Milliseconds as seconds, minutes or hours.
pub(super) fn seconds(ms: u64) -> String {
    match ms / 1000 {
        0..=119 => format!("{:.1} s", ms as f64 / 1000.0),
        seconds @ 120..=7199 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [
                thousands(0),
                thousands(999),
                thousands(1000),
                thousands(1_234_567)
            ],
            ["0", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn times_have_a_fitting_unit() {
        assert_eq!(
            [
                seconds(1500),
                seconds(119_900),
                seconds(600_000),
                seconds(9_000_000)
            ],
            ["1.5 s", "119.9 s", "10 min", "2.5 h"]
        );
    }
}
