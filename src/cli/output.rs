//! The only place that prints: stdout for results, stderr for talk. A closed pipe is not an error.

use std::io::Write as _;

/// Writes a result to stdout, with a newline.
pub(crate) fn result(text: &str) {
    let _ = writeln!(anstream::stdout().lock(), "{text}");
}

/// Writes a line of talk to stderr.
pub(crate) fn talk(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Writes what a program wrote, byte for byte.
pub(crate) fn pass_through(stdout: &[u8], stderr: &[u8]) {
    let _ = std::io::stdout().lock().write_all(stdout);
    let _ = std::io::stdout().lock().flush();
    let _ = std::io::stderr().lock().write_all(stderr);
}
