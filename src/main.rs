//! The `redraft` command: parse, dispatch, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    redraft::cli::main()
}
