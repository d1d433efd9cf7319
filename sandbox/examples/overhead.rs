//! Measures what a confined run costs beyond a bare spawn, interleaved: `cargo run --release --example overhead`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measuring tool for developers"
)]

use std::process::Stdio;
use std::time::{Duration, Instant};

use redraft_sandbox::Command;

fn main() {
    redraft_sandbox::prepare().unwrap();
    let rounds: usize = std::env::args().nth(1).map_or(100, |text| text.parse().unwrap());
    for (program, args) in [
        ("/usr/bin/true", &[][..]),
        ("/usr/bin/python3", &["-c", "pass"][..]),
    ] {
        let mut bare = Vec::new();
        let mut confined = Vec::new();
        let mut setup = Vec::new();
        let mut command = Command::new(program);
        command.system_libraries().readable(program);
        for arg in args {
            command.arg(arg);
        }
        for _ in 0..rounds {
            let begin = Instant::now();
            let mut plain = std::process::Command::new(program);
            plain.args(args).stdin(Stdio::null()).output().unwrap();
            bare.push(begin.elapsed());
            let begin = Instant::now();
            let outcome = command.run().unwrap();
            confined.push(begin.elapsed());
            setup.push(outcome.usage.setup);
        }
        println!(
            "{program} {args:?}: bare {:.2} ms, confined {:.2} ms, of which set-up {:.2} ms (medians of {rounds})",
            median(&mut bare),
            median(&mut confined),
            median(&mut setup),
        );
    }
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}
