//! Measures what a confined run costs beyond a bare spawn, all interleaved in one run:
//! `cargo run --release -p redraft-sandbox --example overhead [ROUNDS]`.
//!
//! On a machine that does other things too, run it at real-time priority: `chrt -r 50 target/release/examples/overhead`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measuring tool for developers"
)]

use std::process::Stdio;
use std::time::{Duration, Instant};

use redraft_sandbox::{Command, Limits, Usage};

fn main() {
    redraft_sandbox::prepare().unwrap();
    let rounds: usize = std::env::args().nth(1).map_or(200, |text| text.parse().unwrap());
    for (program, args) in [
        ("/usr/bin/true", &[][..]),
        ("/usr/bin/python3", &["-c", "pass"][..]),
    ] {
        compare(program, args, rounds);
    }
    throughput(rounds * 2);
    wall_limits(rounds / 10);
}

fn confined(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.system_libraries().readable(program);
    for arg in args {
        command.arg(arg);
    }
    command
}

/// A bare spawn, a run in a warm cell and a run in a new cell, by turns.
fn compare(program: &str, args: &[&str], rounds: usize) {
    let warm = confined(program, args);
    let mut new = warm.clone();
    new.alone();
    let (mut bare, mut in_warm, mut in_new) = (Vec::new(), Vec::new(), Vec::new());
    let mut usages: Vec<Usage> = Vec::new();
    let mut steps: Vec<(&'static str, Vec<Duration>)> = Vec::new();
    for _ in 0..rounds {
        bare.push(timed(|| {
            let mut plain = std::process::Command::new(program);
            plain
                .args(args)
                .env_clear()
                .stdin(Stdio::null())
                .output()
                .unwrap();
        }));
        let begin = Instant::now();
        let outcome = warm.run().unwrap();
        in_warm.push(begin.elapsed());
        usages.push(outcome.usage);
        for (name, time) in outcome.steps {
            match steps.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => times.push(time),
                None => steps.push((name, vec![time])),
            }
        }
        if in_new.len() * 4 < bare.len() {
            in_new.push(timed(|| drop(new.run().unwrap())));
        }
    }
    let [bare, in_warm, in_new] = [bare, in_warm, in_new].map(Spread::of);
    println!("{program} {}", args.join(" "));
    println!("  bare spawn    {bare}");
    println!(
        "  warm cell     {in_warm}   × {:.2}",
        in_warm.median / bare.median
    );
    println!("  new cell      {in_new}   × {:.2}", in_new.median / bare.median);
    let part = |of: fn(&Usage) -> Duration| Spread::of(usages.iter().map(of).collect()).median;
    let (queue, setup, wall) = (
        part(|usage| usage.queue),
        part(|usage| usage.setup),
        part(|usage| usage.wall),
    );
    println!("  of the set-up of a warm cell, in microseconds:");
    for (name, times) in steps {
        println!("    {:6.1} {name}", Spread::of(times).median * 1000.0);
    }
    println!(
        "  of the warm cell: set-up {setup:.3}, waiting for init {queue:.3}, the program {wall:.3}, the rest {:.3} ms",
        in_warm.median - queue - setup - wall
    );
}

/// How many runs a second one thread and two threads get done.
fn throughput(rounds: usize) {
    let command = confined("/usr/bin/true", &[]);
    let work = |workers: usize| {
        let all = timed(|| {
            std::thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|| (0..rounds).for_each(|_| drop(command.run().unwrap())));
                }
            });
        });
        (workers * rounds) as f64 / all.as_secs_f64()
    };
    let _ = work(2);
    let (one, two) = (work(1), work(2));
    println!(
        "runs a second: one worker {one:.0}, two {two:.0}   × {:.2}",
        two / one
    );
}

/// By how much a wall limit is overshot.
fn wall_limits(rounds: usize) {
    let mut command = confined("/usr/bin/sleep", &["600"]);
    let wall = Duration::from_millis(50);
    command.limits(Limits {
        wall,
        ..Limits::default()
    });
    let over: Vec<Duration> = (0..rounds.max(1))
        .map(|_| command.run().unwrap().usage.wall.saturating_sub(wall))
        .collect();
    println!("a wall limit of 50 ms is overshot by {}", Spread::of(over));
}

fn timed(act: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    act();
    begin.elapsed()
}

/// In milliseconds.
struct Spread {
    median: f64,
    most: f64,
    worst: f64,
}

impl Spread {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |percent: usize| {
            let index = times.len() * percent / 100;
            times[index.min(times.len() - 1)].as_secs_f64() * 1000.0
        };
        Self {
            median: at(50),
            most: at(90),
            worst: at(100),
        }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { median, most, worst } = self;
        write!(f, "{median:.3} ms (90 %: {most:.3}, worst {worst:.3})")
    }
}
