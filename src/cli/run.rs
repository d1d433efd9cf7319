//! `redraft run`: one program, confined, and what became of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use redraft_sandbox::{Captured, Command, End, Limits, Outcome, SCRATCH};
use serde_json::json;

use super::{Done, Failure, output, units};

/// Arguments of `redraft run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The program; its language goes by the ending of its name (.py).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What the program can read from stdin.
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// CPU time of all its processes together.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration)]
    cpu: Duration,
    /// Wall time; the backstop for a program that sleeps or blocks.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    wall: Duration,
    /// Resident memory of all its processes together.
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = units::some_size)]
    memory: u64,
    /// Processes and threads alive at the same time.
    #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u32).range(1..))]
    processes: u32,
    /// Bytes on stdout, and as many on stderr.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = units::size)]
    output: u64,
    /// Bytes of files that it can write.
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = units::size)]
    scratch: u64,
    /// Print one JSON object instead of what the program prints.
    #[arg(long)]
    json: bool,
    /// Arguments for the program.
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

pub(crate) fn run(args: Args) -> Result<Done, Failure> {
    let limits = Limits {
        cpu: args.cpu,
        wall: args.wall,
        memory: args.memory,
        processes: args.processes,
        output: args.output,
        scratch: args.scratch,
    };
    let name = file_name(&args.file)?;
    let source = read("the program", &args.file)?;
    let stdin = args
        .stdin
        .as_deref()
        .map(|path| read("the file for stdin", path))
        .transpose()?;

    let mut command = interpreter()?;
    command
        .limits(limits)
        .file(&name, source)
        .stdin(stdin.unwrap_or_default());
    command.arg(Path::new(SCRATCH).join(&name));
    for arg in args.args {
        command.arg(arg);
    }
    let outcome = command.run().map_err(|error| Failure::Harness(whole(&error)))?;
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

/// The name that the program has inside; says which language it is.
fn file_name(path: &Path) -> Result<PathBuf, Failure> {
    let name = path
        .file_name()
        .ok_or_else(|| Failure::Input(format!("{} is not the name of a file", path.display())))?;
    if path.extension().is_some_and(|ending| ending == "py") {
        return Ok(PathBuf::from(name));
    }
    let message = format!(
        "the language of {} can't be told by its ending; known is .py (Python)",
        path.display()
    );
    Err(Failure::Input(message))
}

/// A command that runs Python with fixed surroundings.
fn interpreter() -> Result<Command, Failure> {
    const PYTHON: &str = "/usr/bin/python3";
    if !Path::new(PYTHON).exists() {
        return Err(Failure::Harness(format!(
            "no Python interpreter at {PYTHON}; install python3"
        )));
    }
    let mut command = Command::new(PYTHON);
    command.system_libraries().readable(PYTHON);
    for (name, value) in [
        ("HOME", SCRATCH),
        ("LANG", "C.UTF-8"),
        ("PATH", "/usr/bin:/bin"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONHASHSEED", "0"),
        ("TZ", "UTC"),
    ] {
        command.env(name, value);
    }
    Ok(command)
}

/// An error with all that led to it.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
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
            line += &format!(
                "; {name} cut after {}",
                units::show_size(stream.bytes.len() as u64)
            );
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
