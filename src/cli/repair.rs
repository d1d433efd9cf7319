//! `redraft repair`: mend one failing program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use similar::TextDiff;

use super::budget::BudgetArgs;
use super::model_args::ModelArgs;
use super::one::{self, One};
use super::repair_check::{self, CheckArgs};
use super::test_args::{JudgeArgs, read_tests};
use super::text_arg::TextArg;
use super::{Done, Failure, output};
use crate::bench::{PatternName, Settings};
use crate::cycle::Outcome;
use crate::files;
use crate::journal::Event;
use crate::judge::Judge;
use crate::language::called_definition;
use crate::patterns::{SelfDebug, failures, self_debug};
use crate::prompts::Prompts;
use crate::task::{Brief, Test, TestKind, TestsFile};

/// Arguments of `redraft repair`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program.
    pub(super) file: PathBuf,
    /// Its language [default: by the ending of its name]
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// Tests: a .py with assertions or a `check(candidate)`, or a case.json
    #[arg(
        long,
        value_name = "TESTS",
        required_unless_present = "check",
        conflicts_with = "check"
    )]
    tests: Option<PathBuf>,
    /// The function that `candidate` is [default: the last one at the top level of FILE]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    #[command(flatten)]
    pub(super) check: CheckArgs,
    #[command(flatten)]
    pub(super) judging: JudgeArgs,
    #[command(flatten)]
    pub(super) budget: BudgetArgs,
    /// What the program shall do, for the model: a text, or `@FILE`. Without it the program and its tests are
    /// all that the model is told.
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(super) task: Option<TextArg>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Debugging rounds at most.
    #[arg(long, default_value_t = 3)]
    pub(super) rounds: usize,
    /// Fix without having the model explain the failures first.
    #[arg(long)]
    no_explain: bool,
    /// Write the mended program back into FILE, if it passes more tests than it did.
    #[arg(long)]
    pub(super) write: bool,
    /// Write the returned program here.
    #[arg(long, value_name = "FILE")]
    pub(super) to: Option<PathBuf>,
    /// Keep everything that happens in this folder; what was interrupted there goes on.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// A folder of prompts that replace the bundled ones of the same name.
    #[arg(long, value_name = "DIR")]
    pub(super) prompts: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    let Some(tests) = &args.tests else {
        return repair_check::run(args);
    };
    if let Some(flag) = args.check.without_check() {
        return Err(Failure::Input(format!(
            "{flag} is for --check; with --tests the tests are what is watched"
        )));
    }
    can_be_written(args)?;
    let program = super::program_file(&args.file, args.language.as_deref())?;
    let (read, limits) = read_tests(tests, args.entry.as_deref(), &args.judging.limits, &program)?;
    let prompts = Arc::new(Prompts::load(args.prompts.as_deref()).map_err(Failure::input)?);
    let common_imports = matches!(&read, TestsFile::Case(case) if case.common_imports);
    let judge = Arc::new(args.judging.judge(&args.file, common_imports)?);
    judge.check(program.language).map_err(Failure::harness)?;
    let entry = read.entry().map(str::to_owned);
    // What was made for the tests stays until the end.
    let (tests, _made) = tests_of(read, &judge)?;
    let entry = entry.or_else(|| entry_of(&program.source, &tests));
    let statement = args.task.as_deref().map_or_else(
        || {
            format!(
                "Mend the program so that it passes these tests:\n\n{}",
                failures::visible_tests(&tests)
            )
        },
        str::to_owned,
    );
    let brief = Arc::new(Brief {
        language: program.language,
        statement,
        entry_point: entry,
        starter_code: String::new(),
        visible: tests,
        limits,
    });
    let runtime = super::runtime()?;
    let model = runtime.block_on(args.model.open(None))?;
    let one = One {
        out: args.out.as_deref(),
        budget: args.budget.budget(),
        tell,
        name: "repair",
        texts: &[
            &program.source,
            &brief.statement,
            &failures::visible_tests(&brief.visible),
        ],
        settings: Settings {
            explain: !args.no_explain,
            common_imports: judge.options().common_imports,
            limits: args.judging.limits.given(),
            ..args.model.settings_of(PatternName::SelfDebug, args.rounds)
        },
        prompts: &prompts,
        model,
        sampling: args.model.sampling(),
        examiner: None,
    };
    let settings = SelfDebug {
        rounds: args.rounds,
        explain: !args.no_explain,
    };
    let pattern = self_debug(
        settings,
        Arc::clone(&brief),
        Some(program.clone()),
        judge,
        Arc::clone(&prompts),
    );
    let outcome = one::run(&one, pattern, &runtime)?.outcome;

    let chosen = &outcome.versions[outcome.chosen];
    let source = chosen.draft.source().unwrap_or("");
    let better = chosen.findings.score > outcome.versions[0].findings.score;
    let written = write(args, source, better)?;
    if args.json {
        output::result(&as_json(&outcome, source, written));
    } else {
        if better {
            let (before, after) = (
                args.file.display().to_string(),
                format!("{} (mended)", args.file.display()),
            );
            let diff = TextDiff::from_lines(program.source.as_str(), source);
            output::result(diff.unified_diff().header(&before, &after).to_string().trim_end());
        }
        conclude(&outcome, args, written);
    }
    Ok(if chosen.findings.satisfied {
        Done::Good
    } else {
        Done::NotGood
    })
}

/// The tests of the file, and files that were made for them.
fn tests_of(read: TestsFile, judge: &Judge) -> Result<(Vec<Test>, Vec<tempfile::NamedTempFile>), Failure> {
    match read {
        TestsFile::Script(test) => Ok((vec![test], Vec::new())),
        TestsFile::Case(mut case) => {
            let made = case
                .make(|snippet| judge.printed_by(snippet))
                .map_err(Failure::Harness)?;
            Ok((case.tests, made))
        }
    }
}

/// What the tests call, so that it can be told from other code in a reply; `None` for programs that read stdin.
fn entry_of(source: &str, tests: &[Test]) -> Option<String> {
    tests.iter().find_map(|test| match &test.kind {
        TestKind::Call { entry, .. } => Some(entry.clone()),
        TestKind::Script { code, entry, .. } => entry.clone().or_else(|| called_definition(source, code)),
        TestKind::Stdin { .. }
        | TestKind::Checked { .. }
        | TestKind::Interactive { .. }
        | TestKind::Files { .. }
        | TestKind::Answer { .. } => None,
    })
}

/// Says what happens while it happens.
fn tell(event: &Event) {
    match event {
        Event::Exchange { role, reply, .. } => {
            output::talk(&format!(
                "  {role}: {} tokens in {:.1} s",
                reply.usage.completion,
                reply.latency_ms as f64 / 1000.0
            ));
        }
        Event::Report {
            number,
            report: Some(report),
            ..
        } => {
            let name = if *number == 0 {
                "as given".to_owned()
            } else {
                format!("round {number}")
            };
            output::talk(&format!(
                "{name}: {} of {} tests pass",
                report.passed, report.total
            ));
            if let Some(failure) = report.failures().next() {
                let text = failures::one_failure(failure);
                output::talk(
                    &text
                        .trim_end()
                        .lines()
                        .map(|line| format!("    {line}"))
                        .collect::<Vec<_>>()
                        .join("\n"),
                );
            }
        }
        _ => {}
    }
}

fn conclude(outcome: &Outcome, args: &Args, written: bool) {
    let chosen = &outcome.versions[outcome.chosen];
    let file = args.file.display();
    let sentence = match (chosen.findings.satisfied, outcome.chosen) {
        (true, 0) => format!("{file} passes its tests as it is."),
        (true, round) => format!("{file} is mended after round {round}: all its tests pass."),
        (false, 0) => format!(
            "{file} is not mended: {}, and no version passes more tests.",
            outcome.stopped.words()
        ),
        (false, round) => format!(
            "{file} is not mended: {}; the version of round {round} passes the most tests.",
            outcome.stopped.words()
        ),
    };
    output::talk(&sentence);
    if written {
        output::talk(&format!("Written to {file}."));
    } else if outcome.chosen > 0 && !args.write && args.to.is_none() {
        output::talk("--write puts it into the file.");
    }
}

fn as_json(outcome: &Outcome, source: &str, written: bool) -> String {
    let versions: Vec<_> = outcome
        .versions
        .iter()
        .map(|version| {
            json!({
                "number": version.number,
                "source": version.draft.source(),
                "explanation": version.draft.explanation,
                "report": version.findings.report,
            })
        })
        .collect();
    let chosen = &outcome.versions[outcome.chosen];
    json!({
        "repaired": chosen.findings.satisfied,
        "stopped": outcome.stopped,
        "returned": outcome.chosen,
        "program": source,
        "written": written,
        "versions": versions,
    })
    .to_string()
}

/// Refuses before any model is asked what could not be written in the end.
pub(super) fn can_be_written(args: &Args) -> Result<(), Failure> {
    for (flag, path) in places(args) {
        files::Replacement::begin(path)
            .map_err(|error| Failure::Input(format!("{flag}: {}: {error}", path.display())))?;
    }
    Ok(())
}

/// Writes the returned program where it is asked for: back into its file only if it is `better`. Says whether that was done.
pub(super) fn write(args: &Args, source: &str, better: bool) -> Result<bool, Failure> {
    for (flag, path) in places(args) {
        if flag == WRITE && !better {
            continue;
        }
        files::replace(path, source.as_bytes())
            .map_err(|error| Failure::Input(format!("{flag}: {}: {error}", path.display())))?;
    }
    Ok(args.write && better)
}

const WRITE: &str = "--write";

fn places(args: &Args) -> impl Iterator<Item = (&'static str, &Path)> {
    let back = args.write.then_some((WRITE, args.file.as_path()));
    let to = args.to.as_deref().map(|path| ("--to", path));
    back.into_iter().chain(to)
}
