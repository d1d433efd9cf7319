//! Counting what could pile up.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How much of everything there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Descriptors of this process.
    descriptors: usize,
    threads: usize,
    /// Processes that come from this one.
    processes: usize,
    /// Mounts of this process's namespace.
    mounts: usize,
    /// Control groups of ours.
    groups: usize,
    /// Network namespaces of the whole host, those without a process too, but for those that processes of others are in; zero where
    /// the kernel doesn't tell.
    namespaces: usize,
    files: usize,
    /// Resident memory in KiB: of this process, and of the launcher.
    memory: usize,
    launcher_memory: usize,
}

/// The kernel counts namespaces by whole pages of them, and others make some, too.
const OF_THE_HOST: usize = 64;

impl Count {
    pub(crate) fn now() -> Self {
        let children = children(std::process::id());
        let launcher = children
            .iter()
            .find(|pid| name(**pid).is_some_and(|name| name.trim() == "sandbox-launch"));
        Self {
            descriptors: entries("/proc/self/fd"),
            threads: entries("/proc/self/task"),
            processes: children.len(),
            mounts: lines("/proc/self/mountinfo"),
            groups: groups(),
            namespaces: network_namespaces().saturating_sub(of_others(&children)),
            files: entries(std::env::temp_dir()) + entries("/dev/shm"),
            memory: resident(std::process::id()),
            launcher_memory: launcher.map_or(0, |pid| resident(*pid)),
        }
    }

    /// The kernel takes some namespaces apart a while after their last process: waits until there is no more than before,
    /// but not for ever.
    pub(crate) fn settled(before: Option<&Self>) -> Self {
        let mut now = Self::now();
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(200));
            now = Self::now();
            if before.is_some_and(|before| now.beyond(before).is_empty()) {
                break;
            }
        }
        now
    }

    /// What there is more of now. The cells that wait for their next program are a few more or less, and allocators keep some
    /// memory.
    pub(crate) fn beyond(&self, before: &Self) -> String {
        let cells = std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get) * 2;
        let of_cells = |count: usize| count + cells.max(4) + 2;
        let limits = [
            (
                "descriptors",
                self.descriptors,
                before.descriptors + cells.max(4) * 16,
            ),
            ("threads", self.threads, before.threads),
            ("processes", self.processes, of_cells(before.processes)),
            ("mounts", self.mounts, before.mounts),
            ("control groups", self.groups, of_cells(before.groups) * 2),
            (
                "network namespaces",
                self.namespaces,
                of_cells(before.namespaces) + OF_THE_HOST,
            ),
            ("files", self.files, before.files),
            ("KiB", self.memory, before.memory + 4096),
            (
                "KiB of the launcher",
                self.launcher_memory,
                before.launcher_memory + 1024,
            ),
        ];
        let more = limits.into_iter().filter(|(_, now, most)| now > most);
        more.map(|(what, now, most)| format!("{now} {what}, not {most}"))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "fds {} threads {} processes {} mounts {} groups {} netns {} files {} rss {} KiB launcher {} KiB",
            self.descriptors,
            self.threads,
            self.processes,
            self.mounts,
            self.groups,
            self.namespaces,
            self.files,
            self.memory,
            self.launcher_memory
        )
    }
}

fn entries(folder: impl AsRef<Path>) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

fn lines(file: &str) -> usize {
    fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

fn name(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/comm")).ok()
}

fn resident(pid: u32) -> usize {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok())
        .unwrap_or(0)
}

/// All processes that come from one.
fn children(of: u32) -> Vec<u32> {
    let mut parents: Vec<(u32, u32)> = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let text = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = text.lines().find_map(|line| line.strip_prefix("PPid:"));
        if let Some(parent) = parent.and_then(|parent| parent.trim().parse().ok()) {
            parents.push((pid, parent));
        }
    }
    let mut found = vec![of];
    let mut seen = 0;
    while seen < found.len() {
        let parent = found[seen];
        found.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(pid, _)| *pid),
        );
        seen += 1;
    }
    found.split_off(1)
}

/// Folders of control groups that are named as ours and belong to processes that come from this one.
fn groups() -> usize {
    let ours = children(std::process::id());
    let is_ours = |name: &str| {
        let process = name
            .strip_prefix("redraft-")
            .and_then(|rest| rest.rsplit('-').nth(2));
        process
            .and_then(|process| process.parse().ok())
            .is_some_and(|process: u32| ours.contains(&process) || process == std::process::id())
    };
    let mut count = 0;
    let mut folders = vec![std::path::PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                count += usize::from(entry.file_name().to_str().is_some_and(is_ours));
                folders.push(entry.path());
            }
        }
    }
    count
}

/// How many network namespaces there are with a process that doesn't come from this one.
fn of_others(ours: &[u32]) -> usize {
    let mut seen = std::collections::BTreeSet::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if pid.is_some_and(|pid: u32| !ours.contains(&pid)) {
            seen.extend(fs::read_link(entry.path().join("ns/net")).ok());
        }
    }
    seen.len()
}

fn network_namespaces() -> usize {
    let text = fs::read_to_string("/proc/slabinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("net_namespace"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
