//! What a run costs, interleaved so that a busy moment hits all alike.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::suite::adapters;
use crate::suite::ours;
use crate::suite::sandbox::{Job, Sandbox};
use crate::table::aligned;

/// A program that does next to nothing.
struct Program {
    shown: &'static str,
    path: &'static str,
    args: &'static [&'static str],
}

const PROGRAMS: [Program; 2] = [
    Program {
        shown: "/bin/true",
        path: "/usr/bin/true",
        args: &[],
    },
    Program {
        shown: "python3 -c pass",
        path: "/usr/bin/python3",
        args: &["-c", "pass"],
    },
];

/// Medians, ratios to the bare spawn and throughput of each sandbox.
pub(crate) fn table(sandboxes: &[&dyn Sandbox], rounds: usize) -> String {
    let mut tables = Vec::new();
    for program in PROGRAMS {
        let runs: Vec<Box<dyn Fn() + Sync>> =
            sandboxes.iter().map(|sandbox| run(*sandbox, &program)).collect();
        let mut times = vec![Vec::new(); runs.len()];
        for run in &runs {
            run();
        }
        for _ in 0..rounds {
            for (run, times) in runs.iter().zip(&mut times) {
                let begin = Instant::now();
                run();
                times.push(begin.elapsed());
            }
        }
        let floor = sandboxes.iter().position(|sandbox| !sandbox.confines()).unwrap();
        let (floor, _) = middle(&mut times[floor]);
        let head = ["", "median ms", "p90 ms", "× bare", "runs/s", "2 workers", "×"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows[0][0] = format!("{} ({rounds} rounds)", program.shown);
        for ((sandbox, run), times) in sandboxes.iter().zip(&runs).zip(&mut times) {
            let (median, p90) = middle(times);
            let (one, two) = throughput(run.as_ref(), rounds);
            rows.push(vec![
                sandbox.name().to_owned(),
                format!("{:.2}", median * 1000.0),
                format!("{:.2}", p90 * 1000.0),
                format!("{:.2}", median / floor),
                format!("{one:.0}"),
                format!("{two:.0}"),
                format!("{:.2}", two / one),
            ]);
        }
        tables.push(aligned(&rows));
    }
    tables.join("\n\n")
}

/// A run from its start to its end with its output in hand.
fn run<'a>(sandbox: &'a dyn Sandbox, program: &Program) -> Box<dyn Fn() + Sync + 'a> {
    let job = Job {
        program: program.path.into(),
        args: program.args.iter().map(|arg| (*arg).to_owned()).collect(),
        ..Job::nothing()
    };
    match adapters::ALL.iter().find(|tool| tool.name() == sandbox.name()) {
        None => {
            let command = ours::command(&job);
            Box::new(move || {
                command.run().unwrap();
            })
        }
        Some(tool) => {
            let mut line = (tool.line)(&job);
            line.push(program.path.to_owned());
            line.extend(job.args);
            Box::new(move || {
                let mut command = Command::new(&line[0]);
                command.args(&line[1..]).stdin(Stdio::null()).output().unwrap();
            })
        }
    }
}

/// Median and 90th percentile in seconds.
fn middle(times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    (
        times[times.len() / 2].as_secs_f64(),
        times[times.len() * 9 / 10].as_secs_f64(),
    )
}

/// Runs a second by one worker and by two.
fn throughput(run: &(dyn Fn() + Sync), rounds: usize) -> (f64, f64) {
    let by = |workers: usize| {
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| (0..rounds).for_each(|_| run()));
            }
        });
        (workers * rounds) as f64 / begin.elapsed().as_secs_f64()
    };
    (by(1), by(2))
}
