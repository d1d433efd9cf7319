//! The harness itself in odd states, starved, hurried or killed: what a program's run comes to must not depend on it,
//! and what can't be done is an error and never the program's.

mod limits;
mod odd_states;
mod restricted_hosts;
mod sudden_ends;
mod tasks;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use redraft_sandbox::Limits;

const PYTHON: &str = "/usr/bin/python3";

/// A confined Python that runs `code`.
fn python(code: &str) -> redraft_sandbox::Command {
    let mut command = redraft_sandbox::Command::new(PYTHON);
    command
        .system_libraries()
        .readable(PYTHON)
        .arg("-I")
        .arg("-S")
        .arg("-c")
        .arg(code)
        .limits(crate::suite::AMPLE);
    command
}

/// A confined program that does nothing.
fn nothing() -> redraft_sandbox::Command {
    let mut command = redraft_sandbox::Command::new("/usr/bin/true");
    command.system_libraries().readable("/usr/bin/true");
    command
}

fn with(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = crate::suite::AMPLE;
    change(&mut limits);
    limits
}

/// This test program again, to do one of the [`tasks`] as a harness of its own; `before` goes before its command line.
fn another_harness(before: &[&str], task: &str) -> Command {
    let program = std::env::current_exe().unwrap();
    let mut line: Vec<String> = before.iter().map(|word| (*word).to_owned()).collect();
    line.push(program.to_string_lossy().into_owned());
    let mut command = Command::new(&line[0]);
    command
        .args(&line[1..])
        .args(["--exact", "harness::tasks::the_task_of_another_harness"])
        .args(["--nocapture", "--test-threads=1"])
        .env("REDRAFT_TEST_TASK", task)
        .stdin(Stdio::null());
    command
}

/// Has another harness do a task and asserts that it went well.
fn does(task: &str) {
    let output = another_harness(&[], task).output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
}

fn told(output: &Output) -> String {
    format!(
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Waits until `holds` does, for as long as any machine may need.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "{what} doesn't come to hold"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}
