//! Runs a program that nobody trusts, and says what became of it.
#![expect(clippy::print_stdout, reason = "that is what it is for")]
use redraft_sandbox::{Command, End, Error};

fn main() -> Result<(), Error> {
    let mut command = Command::new("/usr/bin/python3");
    command.system_libraries().readable("/usr/bin/python3");
    let outcome = command.arg("-c").arg("print(sum(range(101)))").run()?;
    match outcome.end {
        End::Exited(0) => print!("{}", outcome.stdout.text()),
        other => println!("{}: {}", other.name(), outcome.stderr.text()),
    }
    println!("{} bytes of memory at most", outcome.usage.peak_memory);
    Ok(())
}
