//! Removing what a harness that crashed has left behind.

use std::fs;
use std::path::Path;

use super::folder::Folder;
use super::group::kill_all;
use super::mounts::Version;
use crate::owner::{Life, Owner};

/// Ends and removes every group below `parent` whose owner is dead. Tells how many.
pub(super) fn sweep(version: Version, parent: &Path) -> usize {
    let Ok(entries) = fs::read_dir(parent) else {
        return 0;
    };
    let mut removed = 0;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(Owner::of);
        if !owner.is_some_and(|owner| owner.life() == Life::Dead) {
            continue;
        }
        let Ok(folder) = Folder::open(version, entry.path()) else {
            continue;
        };
        kill_all(&folder);
        match folder.remove() {
            Ok(()) => removed += 1,
            Err(error) => tracing::debug!("a group that was left behind stays: {error}"),
        }
    }
    removed
}
