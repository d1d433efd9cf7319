//! `redraft repair FILE --check 'CMD {file}'`: a command examines the program, guards watch what it must not lose.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum as _;
use serde_json::json;
use similar::TextDiff;

use super::one::{self, One};
use super::repair::{Args, can_be_written, write};
use super::{Done, Failure, output};
use crate::bench::{PatternName, Settings};
use crate::cycle::{Outcome, Version};
use crate::journal::Event;
use crate::patterns::{Verifier, verifier};
use crate::prompts::Prompts;
use crate::task::{CheckReport, Guarded};
use crate::verify::guard::{Guard, PresetName};
use crate::verify::{Check, CheckError, result};

/// Files that may be put beside the program.
const MOST_COMPANIONS: usize = 1_000;
/// Bytes that they may have together.
const MOST_BYTES: u64 = 64 << 20;

/// What examines a program in the place of tests.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Check")]
pub(crate) struct CheckArgs {
    /// A command that examines the program, `{file}` in it; run confined by a shell. Exit status 0 is good: a compiler, a
    /// linter, a test runner, a prover.
    #[arg(long, value_name = "CMD")]
    pub(super) check: Option<String>,
    /// What a redraft must not weaken: a language (python, rust, verus, dafny, c, cpp, javascript, typescript), or `none`
    /// [default: by the ending of FILE]
    #[arg(long, value_name = "PRESET", value_parser = guard_choice)]
    guard: Option<GuardChoice>,
    /// What may change all the same: signatures, specifications, invariants, termination, assertions, tests, escapes
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = guarded)]
    may_change: Vec<Guarded>,
    /// A file or folder that the command can read, beside /usr, /lib, /opt and where its tools are installed
    #[arg(long, value_name = "PATH")]
    readable: Vec<PathBuf>,
    /// A file or folder that is put beside the program, such as its tests
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
}

impl CheckArgs {
    /// The first flag that was given and means nothing without a check.
    pub(super) fn without_check(&self) -> Option<&'static str> {
        let given = [
            ("--guard", self.guard.is_some()),
            ("--may-change", !self.may_change.is_empty()),
            ("--readable", !self.readable.is_empty()),
            ("--with", !self.with.is_empty()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GuardChoice {
    Preset(PresetName),
    None,
}

fn guard_choice(value: &str) -> Result<GuardChoice, String> {
    if value == "none" {
        return Ok(GuardChoice::None);
    }
    PresetName::from_str(value, true)
        .map(GuardChoice::Preset)
        .map_err(|_| {
            let names: Vec<&str> = PresetName::ALL.iter().map(|name| name.name()).collect();
            format!("expected one of {}, or none", names.join(", "))
        })
}

const GUARDED: [(&str, Guarded); 7] = [
    ("signatures", Guarded::Signatures),
    ("specifications", Guarded::Specifications),
    ("invariants", Guarded::Invariants),
    ("termination", Guarded::Termination),
    ("assertions", Guarded::Assertions),
    ("tests", Guarded::Tests),
    ("escapes", Guarded::Escapes),
];

fn guarded(value: &str) -> Result<Guarded, String> {
    let found = GUARDED.iter().find(|(name, _)| *name == value);
    found.map(|(_, guarded)| *guarded).ok_or_else(|| {
        let names: Vec<&str> = GUARDED.iter().map(|(name, _)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Command(message) => Self::Input(message),
            CheckError::Sandbox(error) => Self::Harness(crate::judge::whole_error(&error)),
        }
    }
}

pub(super) fn run(args: &Args) -> Result<Done, Failure> {
    let Some(command) = &args.check.check else {
        return Err(Failure::Input(
            "--tests or --check is missing: what examines the program?".to_owned(),
        ));
    };
    args.judging.isolation.choose()?;
    let file = args.file.display();
    let source =
        crate::files::read(&args.file).map_err(|error| Failure::Input(format!("{file}: {error}")))?;
    let source = String::from_utf8(source)
        .map_err(|_| Failure::Input(format!("{file} isn't UTF-8 text, as a program should be")))?;
    let name = args
        .file
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or_else(|| Failure::Input(format!("{file} is not the name of a file")))?;
    let companions = companions(&args.check.with)?;
    let limits = args.judging.limits.over(crate::verify::limits());
    let check = Arc::new(Check::new(
        command,
        name,
        &args.check.readable,
        companions,
        limits,
    )?);
    let guard = guard(args, &source);
    can_be_written(args)?;
    let prompts = Arc::new(Prompts::load(args.prompts.as_deref()).map_err(Failure::input)?);
    // Before any model is asked: a command that can't be run is told now.
    check.examine(&source)?;
    match &guard {
        Some(guard) => output::talk(&format!("guard: {}", guard.preset.name())),
        None => output::talk("guard: none; whatever the command accepts is accepted"),
    }

    let runtime = super::runtime()?;
    let model = runtime.block_on(args.model.open(None))?;
    let guarded = format!("{guard:?}");
    let task = args.task.as_deref().unwrap_or_default();
    let one = One {
        out: args.out.as_deref(),
        budget: args.budget.budget(),
        tell,
        name: "repair",
        texts: &[&source, task, command, &guarded],
        settings: Settings {
            limits: args.judging.limits.given(),
            ..args.model.settings_of(PatternName::Verifier, args.rounds)
        },
        prompts: &prompts,
        model,
        sampling: args.model.sampling(),
        examiner: None,
    };
    let settings = Verifier {
        check: Arc::clone(&check),
        guard: guard.clone(),
        task: task.to_owned(),
        rounds: args.rounds,
    };
    let pattern = verifier(settings, source.clone(), Arc::clone(&prompts));
    let outcome = one::run(&one, pattern, &runtime)?.outcome;

    let chosen = &outcome.versions[outcome.chosen];
    let returned = chosen.draft.source().unwrap_or_default();
    let better = chosen.findings.score > outcome.versions[0].findings.score;
    let written = write(args, returned, better)?;
    if args.json {
        output::result(&as_json(&outcome, &check, guard.as_ref(), written));
    } else if better {
        let diff = TextDiff::from_lines(source.as_str(), returned);
        let (before, after) = (file.to_string(), format!("{file} (mended)"));
        let diff = diff.unified_diff().header(&before, &after).to_string();
        output::result(diff.trim_end());
    }
    conclude(&outcome, args, written);
    Ok(if chosen.findings.satisfied {
        Done::Good
    } else {
        Done::NotGood
    })
}

fn guard(args: &Args, source: &str) -> Option<Guard> {
    let preset = match args.check.guard {
        Some(GuardChoice::None) => None,
        Some(GuardChoice::Preset(preset)) => Some(preset),
        None => PresetName::of(&args.file, source),
    }?;
    Some(Guard {
        preset,
        free: args.check.may_change.iter().copied().collect::<BTreeSet<_>>(),
    })
}

/// The files that are put beside the program, under the names that they were given by.
fn companions(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let mut all = Vec::new();
    let mut bytes = 0;
    for path in paths {
        let fail = |error: String| Failure::Input(format!("--with {}: {error}", path.display()));
        let inside = path.components().all(|part| {
            matches!(
                part,
                std::path::Component::Normal(_) | std::path::Component::CurDir
            )
        });
        let name = if inside {
            path.components()
                .filter(|part| *part != std::path::Component::CurDir)
                .collect()
        } else {
            PathBuf::from(path.file_name().ok_or_else(|| fail("has no name".to_owned()))?)
        };
        collect(path, &name, &mut all, &mut bytes).map_err(fail)?;
    }
    Ok(all)
}

fn collect(
    path: &Path,
    name: &Path,
    all: &mut Vec<(PathBuf, Vec<u8>)>,
    bytes: &mut u64,
) -> Result<(), String> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
            .map_err(|error| error.to_string())?;
        entries.sort();
        for entry in entries {
            let Some(last) = entry.file_name() else { continue };
            collect(&entry, &name.join(last), all, bytes)?;
        }
        return Ok(());
    }
    let content = crate::files::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    *bytes += content.len() as u64;
    if all.len() >= MOST_COMPANIONS || *bytes > MOST_BYTES {
        return Err(format!(
            "more than {MOST_COMPANIONS} files or {} MiB; name only what the check needs",
            MOST_BYTES >> 20
        ));
    }
    all.push((name.to_owned(), content));
    Ok(())
}

/// Says what happens while it happens.
fn tell(event: &Event) {
    match event {
        Event::Exchange { role, reply, .. } => {
            let seconds = reply.latency_ms as f64 / 1000.0;
            output::talk(&format!(
                "  {role}: {} tokens in {seconds:.1} s",
                reply.usage.completion
            ));
        }
        Event::Findings { number, findings, .. } => {
            let name = if *number == 0 {
                "as given".to_owned()
            } else {
                format!("round {number}")
            };
            let said = match &findings.check {
                None => "no program was found in the reply".to_owned(),
                Some(report) => in_short(report),
            };
            output::talk(&format!("{name}: {said}"));
        }
        _ => {}
    }
}

/// One line for the result, and one for each finding.
fn in_short(report: &CheckReport) -> String {
    const MOST: usize = 5;
    if report.accepted() {
        return "accepted".to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    if report.breaches.is_empty() {
        let count = report.errors().count();
        let findings = if count == 1 { "finding" } else { "findings" };
        lines.push(format!("{}, {count} {findings}", result(report)));
        lines.extend(report.errors().take(MOST).map(|error| format!("    {error}")));
        if count > MOST {
            lines.push(format!("    … and {} more", count - MOST));
        }
    } else {
        lines.push("rejected".to_owned());
        lines.extend(
            report
                .breaches
                .iter()
                .map(|breach| format!("    {}", breach.message)),
        );
    }
    lines.join("\n")
}

fn conclude(outcome: &Outcome, args: &Args, written: bool) {
    let chosen = &outcome.versions[outcome.chosen];
    let file = args.file.display();
    let sentence = match (chosen.findings.satisfied, outcome.chosen) {
        (true, 0) => format!("{file} is accepted as it is."),
        (true, round) => {
            format!("{file} is mended after round {round}: the command accepts it, and nothing was weakened.")
        }
        (false, 0) => format!(
            "{file} is not mended: {}, and no version has fewer findings.",
            outcome.stopped.plain_words()
        ),
        (false, round) => format!(
            "{file} is not mended: {}; the version of round {round} has the fewest findings.",
            outcome.stopped.plain_words()
        ),
    };
    output::talk(&sentence);
    for trusted in trusted(chosen) {
        let within = if trusted.within.is_empty() {
            String::new()
        } else {
            format!(" in {}", trusted.within)
        };
        output::talk(&format!(
            "taken for granted: {} (line {}{within}): {}",
            trusted.what, trusted.line, trusted.code
        ));
    }
    if written {
        output::talk(&format!("Written to {file}."));
    } else if outcome.chosen > 0 && !args.write && args.to.is_none() {
        output::talk("--write puts it into the file.");
    }
}

fn trusted(version: &Version) -> &[crate::task::Trusted] {
    version
        .findings
        .check
        .as_ref()
        .map_or(&[], |report| &report.trusted)
}

fn as_json(outcome: &Outcome, check: &Check, guard: Option<&Guard>, written: bool) -> String {
    let versions: Vec<_> = outcome
        .versions
        .iter()
        .map(|version| {
            json!({
                "number": version.number,
                "parent": version.parent,
                "source": version.draft.source(),
                "accepted": version.findings.satisfied,
                "check": version.findings.check,
            })
        })
        .collect();
    let chosen = &outcome.versions[outcome.chosen];
    json!({
        "repaired": chosen.findings.satisfied,
        "status": outcome.status,
        "stopped": outcome.stopped,
        "returned": outcome.chosen,
        "program": chosen.draft.source(),
        "command": check.command(),
        "version": check.version(),
        "guard": guard.map(|guard| guard.preset.name()),
        "trusted": trusted(chosen),
        "written": written,
        "versions": versions,
    })
    .to_string()
}
