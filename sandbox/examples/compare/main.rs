//! Other sandboxes beside this one: how many attacks each holds, and what each costs.
//!
//! `cargo run --release -p redraft-sandbox --example compare -- [--rounds N] [--failed] [attacks] [overhead]`; see
//! `scripts/compare-sandboxes`. Nothing is installed: what isn't on the path is named as missing.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measuring tool for developers"
)]

mod overhead;
mod score;
#[path = "../../tests/attacks/suite/mod.rs"]
#[expect(dead_code, reason = "controls are the tests' matter")]
mod suite;
mod table;

use suite::adapters;
use suite::ours::Ours;
use suite::sandbox::{Ending, Job, Sandbox};

fn main() {
    redraft_sandbox::prepare().unwrap();
    let mut rounds = 200;
    let mut show_failed = false;
    let mut parts = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rounds" => {
                rounds = args
                    .next()
                    .and_then(|text| text.parse().ok())
                    .expect("--rounds takes a number");
            }
            "--failed" => show_failed = true,
            part => parts.push(part.to_owned()),
        }
    }
    let wants = |part: &str| parts.is_empty() || parts.iter().any(|name| name == part);

    let ours: &dyn Sandbox = &Ours;
    let mut sandboxes = vec![ours];
    let mut missing = Vec::new();
    for tool in adapters::ALL {
        if !tool.is_there(&Job::nothing()) {
            missing.push(tool.name());
            continue;
        }
        match tool.run(&Job::nothing()).ending {
            Ending::Exited(0) => sandboxes.push(tool),
            other => println!("{} is there and runs nothing: {other:?}", tool.name()),
        }
    }
    for sandbox in &sandboxes {
        println!("{:<12} {}", sandbox.name(), sandbox.how());
    }
    if !missing.is_empty() {
        println!("not on the path: {}", missing.join(", "));
    }
    if wants("overhead") {
        println!("\n{}", overhead::table(&sandboxes, rounds));
    }
    if wants("attacks") {
        println!("\n{}", score::table(&sandboxes, show_failed));
    }
}
