//! `redraft doctor`: what this host is fit for, and what to do about each gap.

use redraft_sandbox::{LayerState, Level};

use super::{Done, Failure, output};
use crate::doctor::{Findings, State, Toolchain};
use crate::language;
use crate::task::Language;

/// Arguments of `redraft doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    let findings = Findings::look();
    if args.json {
        output::result(&serde_json::to_string(&findings).map_err(Failure::harness)?);
    } else {
        output::result(&told(&findings));
    }
    Ok(if findings.is_good() {
        Done::Good
    } else {
        Done::NotGood
    })
}

/// The findings for a reader.
fn told(findings: &Findings) -> String {
    let isolation = &findings.isolation;
    let mut text = Text::default();
    text.line(&format!(
        "redraft {}, {} on {}, {} processors",
        findings.redraft, findings.kernel, findings.processor, findings.processors
    ));
    let landlock = isolation
        .landlock
        .map_or_else(|| "none".to_owned(), |version| version.to_string());
    text.line(&format!(
        "control groups: {}; Landlock: {landlock}",
        isolation.cgroups
    ));

    text.heading("isolation");
    for level in Level::ALL {
        let default = if isolation.level == Some(level) {
            ", the default"
        } else {
            ""
        };
        match &isolation.levels[level.name()] {
            State::Available => text.row(true, level.name(), &format!("available{default}")),
            State::Missing(gap) => text.gap(level.name(), &gap.reason, gap.remedy.as_deref()),
        }
    }
    if let Some(problem) = &isolation.problem {
        text.row(false, "problem", problem);
    }

    if let Some(level) = isolation.level {
        text.heading(&format!("layers at {level}"));
    }
    for layer in &isolation.layers {
        match &layer.state {
            LayerState::InForce => text.row(true, layer.name, layer.does),
            LayerState::Missing(gap) => text.gap(layer.name, &gap.reason, gap.remedy.as_deref()),
        }
    }

    text.heading("languages");
    for (name, toolchain) in &findings.languages {
        let title = language::named(name).map_or(*name, Language::title);
        match toolchain {
            Toolchain::Found { version, path, shim } => {
                let shim = shim
                    .as_ref()
                    .map(|shim| format!(" (behind {}, which isn't used)", shim.display()));
                text.row(
                    true,
                    title,
                    &format!("{version}  {}{}", path.display(), shim.unwrap_or_default()),
                );
            }
            Toolchain::Missing(gap) => text.gap(title, &gap.reason, gap.remedy.as_deref()),
        }
    }
    text.0
}

/// Lines in columns.
#[derive(Debug, Default)]
struct Text(String);

impl Text {
    fn line(&mut self, text: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(text);
    }

    fn heading(&mut self, text: &str) {
        self.line("");
        self.line(text);
    }

    fn row(&mut self, good: bool, name: &str, text: &str) {
        let mark = if good { "+" } else { "-" };
        self.line(&format!("  {mark} {name:<18}{text}"));
    }

    fn gap(&mut self, name: &str, reason: &str, remedy: Option<&str>) {
        self.row(false, name, reason);
        if let Some(remedy) = remedy {
            self.line(&format!("    {:<18}to get it: {remedy}", ""));
        }
    }
}
