//! Whether limits hold on time, whatever else happens: figures that depend on the machine, so no tests.
//!
//! `cargo run --release -p redraft-sandbox --example stress -- [overshoot] [rapid] [verdicts] [kills] [hostile FOLDER]`; see
//! `scripts/stress-sandbox`. The exit status is 1 when one of them is not as it should be on a quiet machine.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measuring tool for developers"
)]

mod hostile;
mod kills;
mod overshoot;
mod rapid;
mod traces;
mod verdicts;

use std::process::ExitCode;

use redraft_sandbox::{Command, Limits};

const PYTHON: &str = "/usr/bin/python3";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [first, marker] = &args[..]
        && first == kills::AS_HARNESS
    {
        kills::be_the_harness(marker);
    }
    redraft_sandbox::prepare().unwrap();
    let mut good = true;
    let mut args = args.into_iter();
    while let Some(part) = args.next() {
        good &= match part.as_str() {
            "overshoot" => overshoot::measure(),
            "rapid" => rapid::measure(),
            "verdicts" => verdicts::compare(),
            "kills" => kills::kill_fifty(),
            "hostile" => hostile::run_all(args.next().expect("a folder with programs").as_ref()),
            other => panic!("there is no {other}: overshoot, rapid, verdicts, kills, hostile FOLDER"),
        };
    }
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A confined Python that runs `code`.
fn python(code: &str, limits: Limits) -> Command {
    let mut command = Command::new(PYTHON);
    command
        .system_libraries()
        .readable(PYTHON)
        .arg("-c")
        .arg(code)
        .limits(limits);
    command
}

/// Tells one result, and whether it is as it should be.
fn told(good: bool, text: &str) -> bool {
    println!("{} {text}", if good { "good" } else { "BAD " });
    good
}
