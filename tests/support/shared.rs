//! Data that isn't part of the project: published suites and records, and hard cases.

#![allow(dead_code, reason = "each test file uses the part that it needs")]

use std::path::PathBuf;

/// The folder `name` of the shared data, or `None`, said on stderr, where it isn't there. With `REDRAFT_NO_SKIP`
/// set, as in CI, a missing folder fails the test.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("REDRAFT_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("REDRAFT_NO_SKIP").is_none(),
        "{} is not there",
        folder.display()
    );
    eprintln!(
        "skipped: {} is not there (set REDRAFT_SHARED to the folder of shared data)",
        folder.display()
    );
    None
}
