//! `redraft run`: one program, confined, and what became of it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use redraft_sandbox::{Captured, End, Limits, Outcome};
use serde_json::json;

use super::limits::LimitArgs;
use super::{Done, Failure, output, units};
use crate::judge::whole_error;
use crate::language::{Runner, Unprepared};
use crate::task;

/// Arguments of `redraft run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Its language [default: by the ending of its name]
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// What the program can read from stdin.
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object instead of what the program prints.
    #[arg(long)]
    json: bool,
    /// Arguments for the program.
    #[arg(last = true, value_name = "ARGS")]
    passed_on: Vec<OsString>,
}

pub(crate) fn run(args: Args) -> Result<Done, Failure> {
    let wanted = args.limits.over(task::Limits::default());
    let limits = Limits {
        cpu: Duration::from_millis(wanted.cpu_ms),
        wall: Duration::from_millis(wanted.wall_ms),
        memory: wanted.memory_bytes,
        processes: wanted.processes,
        output: wanted.output_bytes,
        scratch: wanted.scratch_bytes,
    };
    let language = super::language_of(&args.file, args.language.as_deref())?;
    let name = file_name(&args.file)?;
    let source = read("the program", &args.file)?;
    let stdin = args
        .stdin
        .as_deref()
        .map(|path| read("the file for stdin", path))
        .transpose()?;

    let prepared = match Runner::default().prepare_file(language, &name, &source) {
        Ok(prepared) => prepared,
        Err(Unprepared::Harness(why)) => return Err(Failure::Harness(why)),
        Err(Unprepared::Refused(diagnostics)) => {
            if args.json {
                output::result(&json!({ "end": "compile_error", "error": diagnostics }).to_string());
            } else {
                output::talk(&diagnostics);
                output::talk("it can't be compiled");
            }
            return Ok(Done::NotGood);
        }
    };
    let mut command = prepared.command(&limits);
    command.stdin(stdin.unwrap_or_default());
    for arg in args.passed_on {
        command.arg(arg);
    }
    let outcome = command
        .run()
        .map_err(|error| Failure::Harness(whole_error(&error)))?;
    if args.json {
        output::result(&as_json(&outcome).to_string());
    } else {
        output::pass_through(&outcome.stdout.bytes, &outcome.stderr.bytes);
        output::talk(&summary(&outcome, &limits));
    }
    Ok(if outcome.end == End::Exited(0) {
        Done::Good
    } else {
        Done::NotGood
    })
}

fn read(what: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::Input(format!("{what}, {}, can't be read: {error}", path.display())))
}

/// The name that the program has inside.
fn file_name(path: &Path) -> Result<String, Failure> {
    path.file_name()
        .and_then(|name| name.to_str())
        .map(str::to_owned)
        .ok_or_else(|| Failure::Input(format!("{} is not the name of a file", path.display())))
}

/// How it ended, in a word and in a sentence.
fn described(end: &End, limits: &Limits) -> (&'static str, String) {
    match end {
        End::Exited(status) => ("exited", format!("exit status {status}")),
        End::Signalled(signal) => (
            "signalled",
            format!("ended by signal {signal}{}", signal_name(*signal)),
        ),
        End::CpuTimeout => (
            "cpu_timeout",
            format!("CPU time used up (limit {})", units::show_duration(limits.cpu)),
        ),
        End::WallTimeout => (
            "wall_timeout",
            format!("wall time used up (limit {})", units::show_duration(limits.wall)),
        ),
        End::MemoryLimit => (
            "memory_limit",
            format!("too much memory used (limit {})", units::show_size(limits.memory)),
        ),
        End::OutputLimit => (
            "output_limit",
            format!(
                "too much output written (limit {})",
                units::show_size(limits.output)
            ),
        ),
        End::Killed => ("killed", "killed".to_owned()),
    }
}

fn signal_name(number: i32) -> String {
    nix::sys::signal::Signal::try_from(number).map_or_else(|_| String::new(), |signal| format!(" ({signal})"))
}

fn summary(outcome: &Outcome, limits: &Limits) -> String {
    let (_, end) = described(&outcome.end, limits);
    let usage = outcome.usage;
    let mut line = format!(
        "{end}; CPU {}, wall {}, memory {}",
        units::show_duration(usage.cpu),
        units::show_duration(usage.wall),
        units::show_size(usage.peak_memory),
    );
    for (name, stream) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        if stream.dropped > 0 {
            let kept = units::show_size(stream.bytes.len() as u64);
            let _ = write!(line, "; {name} cut after {kept}");
        }
    }
    line
}

fn as_json(outcome: &Outcome) -> serde_json::Value {
    let (end, _) = described(&outcome.end, &Limits::default());
    let (exit_code, signal) = match outcome.end {
        End::Exited(status) => (Some(status), None),
        End::Signalled(signal) => (None, Some(signal)),
        _ => (None, None),
    };
    let millis = |duration: Duration| (duration.as_secs_f64() * 1e6).round() / 1e3;
    let stream = |stream: &Captured| json!({ "text": stream.text(), "dropped_bytes": stream.dropped });
    json!({
        "end": end,
        "exit_code": exit_code,
        "signal": signal,
        "usage": {
            "cpu_ms": millis(outcome.usage.cpu),
            "wall_ms": millis(outcome.usage.wall),
            "setup_ms": millis(outcome.usage.setup),
            "memory_bytes": outcome.usage.peak_memory,
        },
        "stdout": stream(&outcome.stdout),
        "stderr": stream(&outcome.stderr),
        "isolation": outcome.isolation,
    })
}
