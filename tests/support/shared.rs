//! Data that isn't part of the project: published suites and records, and hard cases.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses the part that it needs"
)]
#![allow(clippy::print_stderr, reason = "what is skipped is said")]

use std::path::PathBuf;

/// A file or folder of the shared data, or `None`, said on stderr, where it isn't there. With `REDRAFT_NO_SKIP` set, as in
/// CI, a missing one fails the test.
pub fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("REDRAFT_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("REDRAFT_NO_SKIP").is_none(),
        "{} isn't there",
        path.display()
    );
    eprintln!(
        "skipped: {} isn't there; name the folder of shared data in REDRAFT_SHARED",
        path.display()
    );
    None
}

/// Says on stderr that something isn't tested, and why; where nothing may be skipped, that fails the test.
pub fn skip(why: &str) {
    assert!(std::env::var_os("REDRAFT_NO_SKIP").is_none(), "{why}");
    eprintln!("skipped: {why}");
}
