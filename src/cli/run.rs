//! `redraft run`: one program, confined, and what became of it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use redraft_sandbox::{Captured, End, Exit, Limits, Outcome, Sender};
use serde_json::json;

use super::isolation::IsolationArgs;
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
    #[command(flatten)]
    isolation: IsolationArgs,
    /// Print one JSON object instead of what the program prints.
    #[arg(long)]
    json: bool,
    /// Arguments for the program.
    #[arg(last = true, value_name = "ARGS")]
    passed_on: Vec<OsString>,
}

pub(crate) fn run(args: Args) -> Result<Done, Failure> {
    args.isolation.choose()?;
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
    crate::files::read(path)
        .map_err(|error| Failure::Input(format!("{what}, {}, can't be read: {error}", path.display())))
}

/// The name that the program has inside.
fn file_name(path: &Path) -> Result<String, Failure> {
    path.file_name()
        .and_then(|name| name.to_str())
        .map(str::to_owned)
        .ok_or_else(|| Failure::Input(format!("{} is not the name of a file", path.display())))
}

/// How it ended, in a sentence.
fn described(outcome: &Outcome, limits: &Limits) -> String {
    match outcome.end {
        End::Exited(status) => format!("exit status {status}"),
        End::Signalled { signal, sender } => {
            format!("ended by signal {signal}{}{}", signal_name(signal), from(sender))
        }
        End::CpuTimeout(_) => format!("CPU time used up (limit {})", units::show_duration(limits.cpu)),
        End::WallTimeout(_) => format!("wall time used up (limit {})", units::show_duration(limits.wall)),
        End::MemoryLimit(_) => format!("too much memory used (limit {})", units::show_size(limits.memory)),
        End::OutputLimit(_) => format!(
            "too much output written (limit {})",
            units::show_size(limits.output)
        ),
        End::ProcessLimit(_) => format!(
            "{} after it was refused more processes (limit {})",
            described_exit(outcome.exit),
            limits.processes
        ),
        End::ScratchFull(_) => format!(
            "{} with its scratch space full (limit {})",
            described_exit(outcome.exit),
            units::show_size(limits.scratch)
        ),
        End::Killed => "killed".to_owned(),
        End::SandboxFailed => {
            "the sandbox was ended from outside; this says nothing about the program".to_owned()
        }
    }
}

fn described_exit(exit: Option<Exit>) -> String {
    match exit {
        Some(Exit::Status(status)) => format!("exit status {status}"),
        Some(Exit::Signal(signal)) => format!("ended by signal {signal}{}", signal_name(signal)),
        None => "ended".to_owned(),
    }
}

/// Who sent the signal, where that is worth a word.
fn from(sender: Sender) -> &'static str {
    match sender {
        Sender::Another => ", sent by another of its processes",
        Sender::Outside => ", sent from outside the sandbox",
        Sender::Itself | Sender::Kernel | Sender::Unknown => "",
    }
}

fn signal_name(number: i32) -> String {
    nix::sys::signal::Signal::try_from(number).map_or_else(|_| String::new(), |signal| format!(" ({signal})"))
}

fn summary(outcome: &Outcome, limits: &Limits) -> String {
    let end = described(outcome, limits);
    let usage = outcome.usage;
    let mut line = format!(
        "{end}; CPU {}, wall {}, memory {}",
        units::show_duration(usage.cpu),
        units::show_duration(usage.wall),
        units::show_size(usage.peak_memory),
    );
    for (name, stream) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        if stream.is_cut() {
            let kept = units::show_size(stream.bytes.len() as u64);
            let _ = write!(line, "; {name} cut after {kept}");
        }
    }
    line
}

fn as_json(outcome: &Outcome) -> serde_json::Value {
    let (exit_code, signal) = match outcome.exit {
        Some(Exit::Status(status)) => (Some(status), None),
        Some(Exit::Signal(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    let sender = match outcome.end {
        End::Signalled { sender, .. } => Some(sender),
        _ => None,
    };
    let millis = |duration: Duration| (duration.as_secs_f64() * 1e6).round() / 1e3;
    let stream = |stream: &Captured| {
        json!({
            "text": stream.text(),
            "tail": String::from_utf8_lossy(&stream.tail),
            "dropped_bytes": stream.dropped,
            "total_bytes": stream.total,
            "sha256": stream.sha256_hex(),
        })
    };
    let usage = &outcome.usage;
    json!({
        "end": outcome.end.name(),
        "evidence": outcome.end.evidence(),
        "exit_code": exit_code,
        "signal": signal,
        "sender": sender,
        "usage": {
            "cpu_ms": millis(usage.cpu),
            "cpu_user_ms": millis(usage.cpu_user),
            "cpu_system_ms": millis(usage.cpu_system),
            "wall_ms": millis(usage.wall),
            "setup_ms": millis(usage.setup),
            "queue_ms": millis(usage.queue),
            "memory_bytes": usage.peak_memory,
            "memory_source": usage.peak_source,
            "processes": usage.processes,
            "switches_voluntary": usage.switches_voluntary,
            "switches_involuntary": usage.switches_involuntary,
            "bytes_in": usage.bytes_in,
            "bytes_out": usage.bytes_out,
            "forks_denied": usage.forks_denied,
            "oom_kills": usage.oom_kills,
            "scratch_bytes": usage.scratch_bytes,
            "scratch_files": usage.scratch_files,
        },
        "contended": outcome.contended,
        "stdout": stream(&outcome.stdout),
        "stderr": stream(&outcome.stderr),
        "isolation": outcome.isolation,
    })
}
