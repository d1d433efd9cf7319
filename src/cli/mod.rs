//! The command line: one file per subcommand, no logic that a library user would miss.

mod answer;
mod bench;
mod budget;
mod compare;
mod detox;
mod doctor;
mod eval;
mod folder;
mod impossible;
mod isolation;
mod limits;
mod model_args;
mod one;
mod output;
mod progress;
mod repair;
mod repair_check;
mod run;
mod scorer_args;
mod show;
mod solve;
mod suite;
mod tell;
mod test;
mod test_args;
mod text_arg;
mod tool_args;
mod units;
mod write;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::files;
use crate::judge::Judge;
use crate::language;
use crate::task::{Language, Program, Suite};

/// Why a command stops: becomes one sentence on stderr and an exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong usage or input; exit code 2.
    Input(String),
    /// The harness failed; exit code 3.
    Harness(String),
}

impl Failure {
    /// Wrong usage or input, from anything that can be said.
    pub(crate) fn input(error: impl std::fmt::Display) -> Self {
        Self::Input(error.to_string())
    }

    /// A failure of the harness, from anything that can be said.
    pub(crate) fn harness(error: impl std::fmt::Display) -> Self {
        Self::Harness(error.to_string())
    }
}

/// What a command ends with: exit code 0 for good, 1 for done and not good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// Exit code 0.
    Good,
    /// Exit code 1.
    NotGood,
}

/// The runtime that model calls run on.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Harness(format!("no thread can be started: {error}")))
}

/// How many programs run at the same time where the user doesn't say.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

/// Refuses to write where something is that the command reads: `flag` names `out`, each input has a name.
fn keeps(flag: &str, out: &Path, inputs: &[(&str, &Path)]) -> Result<(), Failure> {
    match inputs.iter().find(|(_, input)| files::is_same(out, input)) {
        None => Ok(()),
        Some((what, _)) => Err(Failure::Input(format!(
            "{flag} {}: that is {what}, which would be written over; name another file",
            out.display()
        ))),
    }
}

/// Reads the program that a command is about. Its language is the one that the user names, else its ending's.
fn program_file(path: &Path, language: Option<&str>) -> Result<Program, Failure> {
    let file = path.display();
    let source = files::read(path).map_err(|error| Failure::Input(format!("{file}: {error}")))?;
    let language = language_of(path, language)?;
    let title = language.title();
    String::from_utf8(source)
        .map(|source| Program::new(language, source))
        .map_err(|_| {
            Failure::Input(format!(
                "{file} isn't UTF-8 text, as a program in {title} should be"
            ))
        })
}

/// The language of a file: the one that the user names, else its ending's.
fn language_of(path: &Path, named: Option<&str>) -> Result<Language, Failure> {
    if let Some(name) = named {
        return language::named(name).ok_or_else(|| {
            let known: Vec<&str> = language::all().into_iter().map(Language::name).collect();
            Failure::Input(format!(
                "--language {name}: no such language; known are {}",
                known.join(", ")
            ))
        });
    }
    language::of_file(path).ok_or_else(|| {
        Failure::Input(format!(
            "the language of {} can't be told by its ending (known are {}); --language names one",
            path.display(),
            language::endings().join(", ")
        ))
    })
}

/// Checks that programs in all languages of a suite can be judged here, before anything is spent on them.
fn judges_all(judge: &Judge, suite: &Suite) -> Result<(), Failure> {
    let mut known = Vec::new();
    for task in &suite.tasks {
        let language = task.brief.language;
        if !known.contains(&language) {
            judge.check(language).map_err(Failure::harness)?;
            known.push(language);
        }
    }
    Ok(())
}

/// A sandboxed code-repair harness: a model drafts, tests examine, the model redrafts.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    /// More languages: a TOML file as docs/languages.md describes it, or a folder of such files.
    #[arg(long, global = true, value_name = "PATH")]
    languages: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Let a model solve a suite, repair its programs, and report pass@1 by round.
    Bench(bench::Args),
    /// Compare two runs: the difference with its interval, and what each solved.
    Compare(compare::Args),
    /// Tell what this host is fit for: how programs are confined, which languages can be run, what to do about gaps.
    Doctor(doctor::Args),
    /// Answer a question, check the answer's claims with tools, and revise it from the evidence.
    Answer(answer::Args),
    /// Solve a word problem with a program that is run, criticised and corrected until its result stands.
    Solve(solve::Args),
    /// Write a text for a task until an evaluator passes it.
    Write(write::Args),
    /// Continue a text, and rewrite the continuation until it is hardly toxic.
    Detox(detox::Args),
    /// Judge samples that somebody else generated on hidden tests.
    Eval(eval::Args),
    /// Mend a failing program.
    Repair(repair::Args),
    /// Run a program on tests.
    Test(test::Args),
    /// Run a program confined.
    Run(run::Args),
    /// Show a run: versions, diffs, failing tests, why it stopped.
    Show(show::Args),
    /// List, show, fetch or check suites of tasks.
    Suite(suite::Args),
}

/// What `REDRAFT_LOG` asks for (`debug`, `redraft=debug` …) goes to stderr; without it nothing does.
fn log() {
    let Ok(wanted) = std::env::var("REDRAFT_LOG") else {
        return;
    };
    match tracing_subscriber::EnvFilter::try_new(&wanted) {
        Ok(filter) => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .init(),
        Err(error) => output::talk(&format!(
            "REDRAFT_LOG={wanted} is not understood ({error}); nothing is logged"
        )),
    }
}

/// Parses the command line, runs the command, and makes the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    log();
    // While the process is small, so that starting programs is cheap and their memory figures are honest.
    // What goes wrong here goes wrong again, and is told, where a program is to run.
    let _ = redraft_sandbox::prepare();
    let added = language::add_configured()
        .and_then(|_| cli.languages.as_deref().map_or(Ok(Vec::new()), language::add));
    if let Err(error) = added {
        output::talk(&format!("error: {error}"));
        return ExitCode::from(2);
    }
    let result = match cli.command {
        Command::Bench(args) => bench::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Answer(args) => answer::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Write(args) => write::run(&args),
        Command::Detox(args) => detox::run(&args),
        Command::Eval(args) => eval::run(args),
        Command::Repair(args) => repair::run(&args),
        Command::Test(args) => test::run(args),
        Command::Run(args) => run::run(args),
        Command::Show(args) => show::run(&args),
        Command::Suite(args) => suite::run(args),
    };
    let result = result.and_then(|done| match output::lost() {
        None => Ok(done),
        Some(why) => Err(Failure::Harness(format!(
            "the result can't be written to stdout: {why}"
        ))),
    });
    match result {
        Ok(Done::Good) => ExitCode::SUCCESS,
        Ok(Done::NotGood) => ExitCode::from(1),
        Err(Failure::Input(message)) => {
            output::talk(&format!("error: {message}"));
            ExitCode::from(2)
        }
        Err(Failure::Harness(message)) => {
            output::talk(&format!("error: {message}"));
            ExitCode::from(3)
        }
    }
}
