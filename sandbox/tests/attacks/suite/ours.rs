//! This crate as the sandbox.

use std::io::Read as _;
use std::time::Instant;

use redraft_sandbox::{Child, Command, End, Level};

use super::sandbox::{Ending, Job, Running, Sandbox, Seen};

/// This crate at its strongest level, or at the one that `REDRAFT_ATTACKS_LEVEL` names.
#[derive(Debug)]
pub(crate) struct Ours;

/// The job as a command of this crate.
pub(crate) fn command(job: &Job) -> Command {
    let mut command = Command::new(&job.program);
    command
        .system_libraries()
        .stdin(job.stdin.clone())
        .limits(job.limits);
    if let Some(level) = level() {
        command.isolation(level);
    }
    if job.program.exists() {
        command.readable(&job.program);
    }
    for arg in &job.args {
        command.arg(arg);
    }
    for path in &job.readable {
        command.readable(path);
    }
    for (path, content) in &job.files {
        command.file(path, content.clone());
    }
    command
}

fn level() -> Option<Level> {
    let name = std::env::var("REDRAFT_ATTACKS_LEVEL").ok()?;
    Some(name.parse().expect("REDRAFT_ATTACKS_LEVEL names a level"))
}

fn ending(end: &End) -> Ending {
    match end {
        End::Exited(status) => Ending::Exited(*status),
        End::Signalled { signal, .. } => Ending::Signalled(*signal),
        End::CpuTimeout(_) => Ending::CpuTimeout,
        End::WallTimeout(_) => Ending::WallTimeout,
        End::MemoryLimit(_) => Ending::MemoryLimit,
        End::OutputLimit(_) => Ending::OutputLimit,
        End::ProcessLimit(_) => Ending::ProcessLimit,
        End::ScratchFull(_) => Ending::ScratchFull,
        End::Killed | End::SandboxFailed => Ending::Unexplained(end.name().to_owned()),
    }
}

impl Sandbox for Ours {
    fn name(&self) -> &'static str {
        "redraft"
    }

    fn how(&self) -> String {
        match Command::new("/usr/bin/true")
            .system_libraries()
            .readable("/usr/bin/true")
            .run()
        {
            Err(error) => error.to_string(),
            Ok(outcome) => {
                let layers = outcome.isolation.layers;
                let missing = layers
                    .iter()
                    .filter(|(_, state)| **state != redraft_sandbox::LayerState::InForce)
                    .map(|(name, _)| name.as_str());
                let missing: Vec<&str> = missing.collect();
                let missing = if missing.is_empty() {
                    "all in force".to_owned()
                } else {
                    format!("not in force: {}", missing.join(", "))
                };
                format!(
                    "{:?}: {} layers, {missing}",
                    outcome.isolation.level,
                    layers.len()
                )
            }
        }
    }

    fn run(&self, job: &Job) -> Seen {
        let begin = Instant::now();
        let outcome = command(job).run();
        let took = begin.elapsed();
        match outcome {
            Ok(outcome) => Seen {
                ending: ending(&outcome.end),
                stdout: outcome.stdout.bytes,
                stderr: outcome.stderr.bytes,
                took,
                isolation: Some(outcome.isolation),
            },
            Err(error) => Seen {
                ending: Ending::NotRun(error.to_string()),
                stdout: Vec::new(),
                stderr: Vec::new(),
                took,
                isolation: None,
            },
        }
    }

    fn start(&self, job: &Job) -> Box<dyn Running> {
        Box::new(command(job).spawn().expect("the first run starts"))
    }

    fn ready_descriptor(&self) -> i32 {
        3
    }
}

impl Running for Child {
    fn is_ready(&mut self) -> bool {
        let mut word = [0; 6];
        self.channel().read_exact(&mut word).is_ok() && &word == b"READY\n"
    }
}
