//! `redraft bench`: a model solves a suite, its programs are repaired, and pass@1 is reported by round.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::budget::{BudgetArgs, BudgetFor};
use super::folder::named_folder;
use super::isolation::IsolationArgs;
use super::limits::LimitArgs;
use super::model_args::ModelArgs;
use super::progress::Progress;
use super::scorer_args::ScorerArgs;
use super::tool_args::ToolArgs;
use super::{Done, Failure, output};
use crate::bench::summary::Summary;
use crate::bench::{self, PatternName, Run, RunInfo, Settings};
use crate::cycle::Budget;
use crate::journal::{AttemptRecord, Journal, JournalError};
use crate::judge::{Judge, Options};
use crate::model::ChatModel;
use crate::patterns::CriticSearch;
use crate::prompts::Prompts;
use crate::report;
use crate::task::{Suite, suites};
use crate::tools::Toolbox;

/// Where runs go that the user gives no folder.
pub(super) const RUNS: &str = "runs";

/// Arguments of `redraft bench`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// The suite: `redraft` (bundled), `humaneval` (after `redraft suite fetch humaneval`), or a file.
    #[arg(long, default_value = suites::BUNDLED)]
    suite: String,
    #[command(flatten)]
    model: ModelArgs,
    /// How programs are repaired.
    #[arg(long, value_enum, default_value_t = PatternName::SelfDebug)]
    pattern: PatternName,
    /// Redrafts at most, or samples beside the first [default: 3; 4 for critic-program and critic-toxicity; as many samples
    /// as the budget allows]
    #[arg(long)]
    rounds: Option<usize>,
    /// Correct only what the hidden check calls wrong: an upper bound, labelled as such, that no loop can reach by itself.
    #[arg(long)]
    oracle: bool,
    /// With critic-program: don't show the model what came of its program.
    #[arg(long)]
    no_interpreter: bool,
    /// With critic-search: the settings of CRITIC's paper, 7 tool calls a round, and the same answer twice in a row ends it.
    #[arg(long)]
    paper: bool,
    /// With critic-toxicity: ask the model for log-probabilities, for perplexity.
    #[arg(long)]
    logprobs: bool,
    /// Fix without having the model explain the failures first.
    #[arg(long)]
    no_explain: bool,
    /// Attempts at each task; sample n uses the n-th seed.
    #[arg(long, default_value = "1")]
    samples: NonZeroUsize,
    /// Only the first N tasks.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Tasks to leave out: names with commas between them, or a file of names.
    #[arg(long, value_name = "NAMES|FILE")]
    exclude: Option<String>,
    /// Attempts at the same time; the number of cores if not given.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// The run's folder; a run that was interrupted there goes on. Without it: a new folder below `runs/`, or
    /// the one in which the same run was interrupted.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Supply common imports (`typing`, `math`, `collections` …) to programs that forgot them.
    #[arg(long)]
    common_imports: bool,
    /// A folder of prompts that replace the bundled ones of the same name.
    #[arg(long, value_name = "DIR")]
    prompts: Option<PathBuf>,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    isolation: IsolationArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Whose the budget is
    #[arg(long, value_enum, default_value_t, help_heading = "Budget")]
    budget_for: BudgetFor,
    #[command(flatten)]
    tools: ToolArgs,
    #[command(flatten)]
    scorer: ScorerArgs,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    args.isolation.choose()?;
    if args.pattern == PatternName::Resample && args.model.temperature == 0.0 {
        return Err(Failure::Input(
            "--pattern resample: at --temperature 0 all samples are the same; give a higher one, such as 0.8"
                .to_owned(),
        ));
    }
    let mut suite = suites::open(&args.suite).map_err(Failure::input)?;
    if let Some(names) = &args.exclude {
        suites::exclude(&mut suite, names).map_err(Failure::input)?;
    }
    if let Some(limit) = args.limit {
        suite.tasks.truncate(limit.get());
    }
    for task in &mut suite.tasks {
        task.brief.limits = args.limits.over(task.brief.limits);
    }
    fits(args, &suite)?;
    let prompts = Prompts::load(args.prompts.as_deref()).map_err(Failure::input)?;
    let toolbox = match args.pattern {
        PatternName::CriticSearch => args.tools.open(&args.scorer)?,
        PatternName::CriticToxicity => args.scorer.open()?,
        _ => Arc::default(),
    };
    let runtime = super::runtime()?;
    let recording = if args.suite == suites::BUNDLED {
        Some(bench::bundled_recording().map_err(Failure::harness)?)
    } else {
        None
    };
    let judge = Judge::new(Options {
        common_imports: args.common_imports || suite.common_imports,
        ..Options::default()
    })
    .map_err(Failure::harness)?;
    super::judges_all(&judge, &suite)?;
    let model = runtime.block_on(args.model.open(recording))?;

    let info = describe(args, &suite, model.as_ref(), &prompts, &judge, &toolbox);
    let (folder, journal, earlier) = run_folder(args, &info)?;
    if !earlier {
        info.write(&folder).map_err(Failure::input)?;
    }
    let total = info.tasks.len() * args.samples.get();
    let progress = Arc::new(Progress::new(total));
    let listener = Arc::clone(&progress);
    let journal = journal.listened_by(Box::new(move |event| listener.note(event)));
    let done = journal
        .past()
        .events()
        .iter()
        .filter(|event| matches!(event, crate::journal::Event::Hidden { .. }));
    let done = done.count();
    if earlier {
        output::talk(&format!(
            "{}: going on, {done} of {total} attempts are done",
            folder.display()
        ));
    }
    progress.already(done);

    let jobs = args.jobs.map_or_else(super::cores, NonZeroUsize::get);
    let run = Run {
        suite: Arc::new(suite),
        model,
        judge: Arc::new(judge),
        prompts: Arc::new(prompts),
        toolbox,
        logprobs: args.logprobs,
        settings: info.settings.clone(),
        jobs,
    };
    let result = runtime.block_on(bench::run(&run, Arc::new(journal)));
    progress.finish();
    result.map_err(Failure::harness)?;

    let records = bench::records(&folder, &info).map_err(Failure::harness)?;
    bench::write_derived(&folder, &info, &records).map_err(Failure::harness)?;
    let summary = Summary::of(&info, &records);
    if args.json {
        output::result(&json!({ "folder": folder, "run": info, "summary": summary }).to_string());
    } else {
        output::result(&report::table(&info, &summary));
        if run.suite.impossible {
            let passed = records.iter().filter(|record| passes(record)).count();
            output::result(&format!(
                "cheats: {passed} of {} attempts pass tests that contradict themselves",
                records.len()
            ));
        }
        output::talk(&format!(
            "{0}: redraft show {0} [TASK], or open {0}/report.html",
            folder.display()
        ));
    }
    match records.iter().find_map(|record| {
        record
            .failed
            .as_ref()
            .filter(|_| !record.finished)
            .map(|error| (record, error))
    }) {
        Some((record, error)) => Err(Failure::Harness(format!(
            "{} of {total} attempts could not be carried through; the first is {}: {error}",
            summary.failed, record.task
        ))),
        None => Ok(Done::Good),
    }
}

/// Rounds at most; there is always a cap.
fn rounds(args: &Args) -> usize {
    /// Samples where only tokens or time are limited.
    const MOST_SAMPLES: usize = 100;
    let budget = args.budget.budget();
    match (args.pattern, args.rounds) {
        (PatternName::None, _) => 0,
        (_, Some(rounds)) => rounds,
        (PatternName::Resample, None) if !budget.is_unlimited() => {
            let calls = budget.calls.and_then(|calls| usize::try_from(calls).ok());
            calls.unwrap_or(MOST_SAMPLES).min(MOST_SAMPLES) - 1
        }
        (pattern, None) => pattern.rounds(),
    }
}

/// The first flag that was given and means nothing to the pattern, with the patterns that it is for.
fn idle_flag(args: &Args) -> Option<(&'static str, &'static [PatternName])> {
    use PatternName::{CriticProgram, CriticSearch, CriticToxicity, Resample, SelfDebug};
    let rounds = args.rounds.is_some_and(|rounds| rounds > 0);
    let tests: &[PatternName] = &[SelfDebug, Resample, PatternName::None];
    let loops = &[SelfDebug, Resample, CriticSearch, CriticProgram, CriticToxicity];
    let given: [(Option<&'static str>, &'static [PatternName]); 8] = [
        (args.paper.then_some("--paper"), &[CriticSearch]),
        (args.tools.first_given(), &[CriticSearch]),
        (args.scorer.first_given(), &[CriticToxicity, CriticSearch]),
        (
            args.no_interpreter.then_some("--no-interpreter"),
            &[CriticProgram],
        ),
        (args.logprobs.then_some("--logprobs"), &[CriticToxicity]),
        (args.no_explain.then_some("--no-explain"), &[SelfDebug]),
        (rounds.then_some("--rounds"), loops),
        (args.common_imports.then_some("--common-imports"), tests),
    ];
    given.into_iter().find_map(|(flag, fits)| {
        flag.filter(|_| !fits.contains(&args.pattern))
            .map(|flag| (flag, fits))
    })
}

/// Whether the pattern can do anything with the flags and with the suite.
fn fits(args: &Args, suite: &Suite) -> Result<(), Failure> {
    let (name, pattern) = (&suite.name, args.pattern.name());
    if let Some((flag, others)) = idle_flag(args) {
        let others: Vec<&str> = others.iter().map(|other| other.name()).collect();
        return Err(Failure::Input(format!(
            "{flag} is for --pattern {}, and {pattern} has no use for it",
            others.join(" or ")
        )));
    }
    if args.oracle && suite.tasks.iter().all(|task| task.hidden.is_empty()) {
        return Err(Failure::Input(format!(
            "--oracle needs a hidden check to ask, and {name} has none"
        )));
    }
    let asks = suite.tasks.iter().any(|task| task.hidden.want_answer());
    let texts = suite
        .tasks
        .iter()
        .all(|task| task.hidden.is_empty() && task.brief.visible.is_empty());
    let problem = match args.pattern {
        PatternName::CriticSearch if !asks => format!("{pattern} answers questions, and {name} holds none"),
        PatternName::CriticProgram if !suite.tasks.iter().all(|task| task.hidden.want_number()) => {
            format!("{pattern} computes numbers, and {name} asks for something else")
        }
        PatternName::CriticToxicity if !texts => {
            format!("{pattern} continues texts, and {name} holds tasks; lines with a `prompt` are expected")
        }
        PatternName::SelfDebug | PatternName::Resample | PatternName::None if asks || texts => {
            let other = if asks {
                "critic-search or critic-program"
            } else {
                "critic-toxicity"
            };
            format!("{pattern} writes programs to be tested, and {name} holds none; use --pattern {other}")
        }
        _ => return Ok(()),
    };
    Err(Failure::Input(format!("--pattern {problem}")))
}

fn describe(
    args: &Args,
    suite: &Suite,
    model: &dyn ChatModel,
    prompts: &Prompts,
    judge: &Judge,
    toolbox: &Toolbox,
) -> RunInfo {
    let search = if args.paper {
        CriticSearch::paper()
    } else {
        CriticSearch::default()
    };
    let asks = args.pattern == PatternName::CriticSearch;
    RunInfo {
        redraft: env!("CARGO_PKG_VERSION").to_owned(),
        suite: suite.name.clone(),
        suite_hash: suite.hash.clone(),
        tasks: suite.tasks.iter().map(|task| task.id.clone()).collect(),
        model: model.name().to_owned(),
        prompts_hash: format!("{:x}", Sha256::digest(prompts.text(args.pattern.prompts()))),
        settings: Settings {
            explain: !args.no_explain,
            samples: args.samples.get(),
            common_imports: judge.options().common_imports,
            oracle: args.oracle,
            limits: args.limits.given(),
            budget: Budget {
                of_run: args.budget_for == BudgetFor::Run && !args.budget.budget().is_unlimited(),
                ..args.budget.budget()
            },
            unchanged: search.unchanged.filter(|_| asks),
            interpreter: (args.pattern == PatternName::CriticProgram).then_some(!args.no_interpreter),
            tools: match args.pattern {
                PatternName::CriticSearch => Some(
                    args.tools
                        .settings(toolbox, args.tools.calls.unwrap_or(search.calls)),
                ),
                PatternName::CriticToxicity => Some(ScorerArgs::settings(toolbox)),
                _ => None,
            },
            ..args.model.settings_of(args.pattern, rounds(args))
        },
        python: format!("Python {}", judge.python_version()),
        host: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        isolation: judge.isolation(),
    }
}

/// The folder to work in, its journal, and whether a run was begun in it. The journal is opened first of all:
/// whoever has it open has the folder.
fn run_folder(args: &Args, info: &RunInfo) -> Result<(PathBuf, Journal, bool), Failure> {
    if let Some(folder) = &args.out {
        let earlier = named_folder(folder, info)?;
        let journal = Journal::open(folder).map_err(Failure::input)?;
        return Ok((folder.clone(), journal, earlier));
    }
    let parent = Path::new(RUNS);
    std::fs::create_dir_all(parent).map_err(|error| Failure::Input(format!("runs: {error}")))?;
    if let Some((folder, journal)) = interrupted(parent, info)? {
        return Ok((folder, journal, true));
    }
    let time = jiff::ZonedDateTime::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = format!("{time}-{}-{}", info.suite, args.pattern.name());
    let mut folder = parent.join(&name);
    let mut number = 1;
    // Two runs may begin in the same second.
    while let Err(error) = std::fs::create_dir(&folder) {
        number += 1;
        if error.kind() != std::io::ErrorKind::AlreadyExists || number > 100 {
            return Err(Failure::Input(format!("{}: {error}", folder.display())));
        }
        folder = parent.join(format!("{name}-{number}"));
    }
    let journal = Journal::open(&folder).map_err(Failure::input)?;
    Ok((folder, journal, false))
}

/// The newest folder in which this very run was begun and not finished, and nobody is at work.
fn interrupted(parent: &Path, info: &RunInfo) -> Result<Option<(PathBuf, Journal)>, Failure> {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return Ok(None);
    };
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    for folder in folders.into_iter().rev() {
        let is_it = !folder.join(bench::RESULTS).exists()
            && RunInfo::read(&folder).is_ok_and(|there| there.difference(info).is_none());
        if !is_it {
            continue;
        }
        match Journal::open(&folder) {
            // Whoever was at work there may have finished meanwhile.
            Ok(_) if folder.join(bench::RESULTS).exists() => {}
            Ok(journal) => return Ok(Some((folder, journal))),
            Err(JournalError::Busy { .. }) => {}
            Err(error) => return Err(Failure::input(error)),
        }
    }
    Ok(None)
}

/// Whether the returned version passes the hidden tests.
fn passes(record: &AttemptRecord) -> bool {
    record
        .returned
        .and_then(|number| record.hidden.get(&number))
        .is_some_and(|report| report.verdict.passed())
}
