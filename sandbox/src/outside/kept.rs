//! Files that a program left in its scratch directory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2};
use nix::sys::stat::{SFlag, fstat};

/// Those of the wanted files that are there, each up to `most` bytes.
pub(super) fn kept(wanted: &[PathBuf], home: Option<OwnedFd>, most: u64) -> BTreeMap<PathBuf, Vec<u8>> {
    let Some(home) = home else {
        return BTreeMap::new();
    };
    let found = |path: &PathBuf| Some((path.clone(), read(&home, path, most)?));
    wanted.iter().filter_map(found).collect()
}

/// Whatever the program made of the path: nothing outside the scratch directory is opened, and no pipe is waited for.
fn read(home: &OwnedFd, path: &Path, most: u64) -> Option<Vec<u8>> {
    let how = OpenHow::new()
        .flags(OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC)
        .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_MAGICLINKS);
    let file = openat2(home, path, how).ok()?;
    let kind = SFlag::from_bits_truncate(fstat(&file).ok()?.st_mode) & SFlag::S_IFMT;
    if kind != SFlag::S_IFREG {
        return None;
    }
    let mut content = Vec::new();
    File::from(file).take(most).read_to_end(&mut content).ok()?;
    Some(content)
}
