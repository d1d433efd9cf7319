//! The only place that prints: stdout for results, stderr for talk. A closed pipe is not an error.

use std::io::{self, ErrorKind, Write as _};
use std::sync::OnceLock;

/// Why a result could not be written, if one couldn't.
static LOST: OnceLock<String> = OnceLock::new();

/// Writes a result to stdout, with a newline.
pub(crate) fn result(text: &str) {
    let mut stdout = anstream::stdout().lock();
    note(writeln!(stdout, "{text}").and_then(|()| stdout.flush()));
}

/// Why something that belongs on stdout isn't there: a full disk, say. Whoever closes the pipe has seen enough.
pub(crate) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

fn note(written: io::Result<()>) {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = LOST.set(error.to_string());
        }
        _ => {}
    }
}

/// Writes a line of talk to stderr.
pub(crate) fn talk(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Writes what a program wrote, byte for byte.
pub(crate) fn pass_through(stdout: &[u8], stderr: &[u8]) {
    let mut out = io::stdout().lock();
    note(out.write_all(stdout).and_then(|()| out.flush()));
    let _ = io::stderr().lock().write_all(stderr);
}
