//! Very many runs in one process, some of them hostile, and whether anything piles up:
//! `cargo run --release -p redraft-sandbox --example soak [RUNS] [HOSTILE]`; see `scripts/soak`.
//!
//! The exit status is 1 when a run ended otherwise than it must, or when anything is left at the end that wasn't there
//! after the first hundredth of the runs.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measuring tool for developers"
)]

#[path = "soak/count.rs"]
mod count;
#[path = "soak/hostile.rs"]
mod hostile;

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use count::Count;
use redraft_sandbox::{Command, End, Limits};

fn main() -> ExitCode {
    redraft_sandbox::prepare().unwrap();
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().unwrap());
    let runs: usize = numbers.next().unwrap_or(100_000);
    let hostile: usize = numbers.next().unwrap_or(runs / 50);
    let every = (runs / hostile.max(1)).max(1);
    let began = Instant::now();
    let mut wrong = soak(runs / 100, every);
    let before = Count::settled(None);
    println!(
        "{:>8} runs {:>5} s  {before}",
        runs / 100,
        began.elapsed().as_secs()
    );
    for part in 1..=10 {
        wrong += soak(runs / 10, every);
        println!(
            "{:>8} runs {:>5} s  {}",
            runs / 100 + runs / 10 * part,
            began.elapsed().as_secs(),
            Count::now()
        );
    }
    let after = Count::settled(Some(&before));
    let more = after.beyond(&before);
    println!(
        "wrong ends: {wrong}; left: {}",
        if more.is_empty() { "nothing" } else { &more }
    );
    if wrong == 0 && more.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Two threads work off so many runs, of which one in `every` is hostile. How many ended otherwise than they must.
fn soak(runs: usize, every: usize) -> usize {
    let (next, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut harmless = Command::new("/usr/bin/true");
    harmless.system_libraries().readable("/usr/bin/true");
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= runs {
            return;
        }
        let (name, good, told) = if number % every == every - 1 {
            let (name, command) = hostile::command(number / every);
            let began = Instant::now();
            let outcome = command.run().unwrap();
            let in_time = began.elapsed() < LATEST;
            (
                name,
                in_time && outcome.end != End::SandboxFailed,
                format!("{:?} after {:?}", outcome.end, began.elapsed()),
            )
        } else {
            let outcome = harmless.run().unwrap();
            let nothing = outcome.stdout.total == 0 && outcome.stderr.total == 0;
            (
                "true",
                outcome.end == End::Exited(0) && nothing,
                format!("{:?}", outcome.end),
            )
        };
        if !good {
            println!("{name} ended otherwise than it must: {told}");
            wrong.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    wrong.into_inner()
}

/// However busy the machine is, a run that is hostile is over by then.
const LATEST: Duration = Duration::from_secs(30);

/// The limits of what is hostile.
fn tight() -> Limits {
    Limits {
        cpu: Duration::from_millis(100),
        wall: hostile::WALL,
        memory: 64 << 20,
        processes: 24,
        output: 1 << 20,
        scratch: 4 << 20,
    }
}
