//! What runs may leave on a host: processes, mounts, control groups, files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All that could be left, but for processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traces {
    mounts: BTreeSet<String>,
    groups: BTreeSet<PathBuf>,
    files: BTreeSet<PathBuf>,
}

impl Traces {
    pub(crate) fn look() -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let mut groups = BTreeSet::new();
        for line in mounts.lines() {
            let Some((mount, kind)) = line.split_once(" - ") else {
                continue;
            };
            if kind.starts_with("cgroup") {
                collect_groups(Path::new(mount.split(' ').nth(4).unwrap()), &mut groups);
            }
        }
        let folders = [std::env::temp_dir(), "/dev/shm".into()];
        let files = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
            .flatten();
        Self {
            mounts: mounts.lines().map(str::to_owned).collect(),
            groups,
            files: files.map(|entry| entry.path()).collect(),
        }
    }

    /// What is there now and wasn't before.
    pub(crate) fn since(&self, before: &Self) -> Vec<String> {
        let mounts = self
            .mounts
            .difference(&before.mounts)
            .map(|line| format!("mount {line}"));
        let groups = self
            .groups
            .difference(&before.groups)
            .map(|path| format!("group {}", path.display()));
        let files = self
            .files
            .difference(&before.files)
            .map(|path| format!("file {}", path.display()));
        mounts.chain(groups).chain(files).collect()
    }
}

fn collect_groups(folder: &Path, into: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect_groups(&entry.path(), into);
            if entry.file_name().to_str().is_some_and(is_of_a_gone_harness) {
                into.insert(entry.path());
            }
        }
    }
}

/// Groups are named `redraft-BOOT-NAMESPACE-PROCESS-START-COUNT`; those of harnesses that live are their own matter.
fn is_of_a_gone_harness(name: &str) -> bool {
    let process = name
        .strip_prefix("redraft-")
        .and_then(|rest| rest.rsplit('-').nth(2));
    process.is_some_and(|process| !Path::new("/proc").join(process).exists())
}

/// The processes of the host that have this text in their arguments.
pub(crate) fn processes_with(text: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| line.windows(text.len()).any(|window| window == text.as_bytes()))
        .count()
}
