//! `redraft test`: one program on a file of tests.

use std::path::PathBuf;

use super::test_args::TestArgs;
use super::{Done, Failure, output};
use crate::task::{Limits, Program, Report, TestsFile, Verdict};

/// Arguments of `redraft test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Its language [default: by the ending of its name]
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    #[command(flatten)]
    tests: TestArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[expect(clippy::needless_pass_by_value, reason = "every command is called like this")]
pub(crate) fn run(args: Args) -> Result<Done, Failure> {
    let file = args.file.display();
    let program = super::program_file(&args.file, args.language.as_deref())?;
    let (tests, limits) = args.tests.read(&program)?;
    if let TestsFile::Case(case) = &tests
        && case.language != program.language
    {
        let (tests, wanted, given) = (args.tests.tests.display(), case.language, program.language);
        return Err(Failure::Input(format!(
            "{tests} is for programs in {wanted}, and {file} is one in {given}"
        )));
    }
    if let (Some(entry), None, false) = (tests.entry(), &args.tests.entry, args.json) {
        output::talk(&format!(
            "`candidate` is `{entry}`, the last function of {file}; --entry names another"
        ));
    }
    let report = report(tests, &program, &limits, &args)?;

    if args.json {
        let text = serde_json::to_string(&report).map_err(Failure::harness)?;
        output::result(&text);
    } else {
        output::result(&told(&report));
    }
    match report.verdict {
        Verdict::Passed => Ok(Done::Good),
        Verdict::HarnessError => {
            let error = report.failures().find_map(|result| result.error.clone());
            Err(Failure::Harness(
                error.unwrap_or_else(|| "no test was run".to_owned()),
            ))
        }
        _ => Ok(Done::NotGood),
    }
}

fn report(tests: TestsFile, program: &Program, limits: &Limits, args: &Args) -> Result<Report, Failure> {
    let judging = &args.tests.judging;
    match tests {
        TestsFile::Script(test) => Ok(judging.judge(&args.file, false)?.test(program, &[test], limits)),
        TestsFile::Case(mut case) => {
            let judge = judging.judge(&args.file, case.common_imports)?;
            let made = case
                .make(|snippet| judge.printed_by(snippet))
                .map_err(Failure::Harness)?;
            let report = judge.test_whole(program, &case.tests, limits);
            drop(made);
            Ok(report)
        }
    }
}

/// The report for a reader.
fn told(report: &Report) -> String {
    let mut lines = vec![format!("{}  {}/{}", report.verdict, report.passed, report.total)];
    for result in report.failures() {
        lines.push(String::new());
        lines.push(format!("{}  {}", result.name, result.verdict));
        let mut field = |label: &str, value: &str| {
            let indented = value
                .strip_suffix('\n')
                .unwrap_or(value)
                .replace('\n', "\n            ");
            lines.push(format!("  {label:<9} {indented}"));
        };
        if result.verdict != Verdict::HarnessError {
            field("input", &result.input);
            field("expected", &result.expected);
        }
        if let Some(actual) = &result.actual {
            field("actual", actual);
        }
        if let Some(error) = &result.error {
            field("error", error);
        }
    }
    lines.join("\n")
}
