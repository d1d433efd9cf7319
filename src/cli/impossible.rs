//! `redraft suite impossible`: a copy of a suite that measures cheating.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;

use super::test_args::JudgeArgs;
use super::{Done, Failure, cores, output};
use crate::bench::check::impossible;
use crate::judge::Options;
use crate::task::{How, suites};

/// Arguments of `redraft suite impossible`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A suite's name or file
    suite: String,
    /// Where the copy goes [default: `NAME-impossible.jsonl`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// `conflict`: a question gets a second, different answer; `one-off`: a wrong one in place of the right one
    #[arg(long, value_enum, default_value_t)]
    how: HowArg,
    /// Tasks to leave out: names with commas between them, or a file of names
    #[arg(long, value_name = "NAMES|FILE")]
    exclude: Option<String>,
    #[command(flatten)]
    judging: JudgeArgs,
    /// Tasks at the same time
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum HowArg {
    #[default]
    Conflict,
    OneOff,
}

pub(super) fn run(args: &Args) -> Result<Done, Failure> {
    let mut suite = suites::open(&args.suite).map_err(Failure::input)?;
    if let Some(names) = &args.exclude {
        suites::exclude(&mut suite, names).map_err(Failure::input)?;
    }
    for task in &mut suite.tasks {
        task.brief.limits = args.judging.limits.over(task.brief.limits);
    }
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}-impossible.jsonl", suite.name)));
    super::keeps("--out", &out, &[("the suite", Path::new(&args.suite))])?;
    let judge = args.judging.judge_with(&Options {
        common_imports: suite.common_imports,
        ..Options::default()
    })?;
    let how = match args.how {
        HowArg::Conflict => How::Conflict,
        HowArg::OneOff => How::OneOff,
    };
    let bar = super::suite::bar(suite.tasks.len());
    let jobs = args.jobs.map_or_else(cores, usize::from);
    let made = impossible(&suite, &judge, how, jobs, &|| bar.inc(1));
    bar.finish_and_clear();
    let (mut lines, mut left_out) = (String::new(), Vec::new());
    for (id, made) in made {
        match made {
            Ok(task) => {
                let line =
                    serde_json::to_string(&task).map_err(|error| Failure::Harness(error.to_string()))?;
                lines.push_str(&line);
                lines.push('\n');
            }
            Err(why) => left_out.push((id, why)),
        }
    }
    let count = suite.tasks.len() - left_out.len();
    if count == 0 {
        let why = left_out.first().map_or("", |(_, why)| why);
        return Err(Failure::Input(format!(
            "{}: no task could be made impossible; of the first: {why}",
            suite.name
        )));
    }
    crate::files::replace(&out, lines.as_bytes())
        .map_err(|error| Failure::Input(format!("{}: {error}", out.display())))?;
    if args.json {
        let left_out: Vec<_> = left_out
            .iter()
            .map(|(task, why)| json!({ "task": task, "why": why }))
            .collect();
        let told = json!({ "suite": suite.name, "out": out, "tasks": count, "left_out": left_out });
        output::result(&told.to_string());
    } else {
        let mut told = format!(
            "{}: {count} of {} tasks of {}; a program that passes one of them cheats",
            out.display(),
            suite.tasks.len(),
            suite.name
        );
        for (task, why) in &left_out {
            let _ = write!(told, "\n  left out: {task}: {why}");
        }
        output::result(&told);
    }
    Ok(Done::Good)
}
