//! What the kernel has counted for a group, in the words of either version.

use std::time::Duration;

use super::folder::Folder;
use super::mounts::Version;

/// What a tree has used and which limits it hit; `None` where the host doesn't count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// CPU time of all that are or were in the group, also of those that nobody waited for.
    pub(crate) cpu: Option<Duration>,
    /// The part of it in user mode.
    pub(crate) user: Option<Duration>,
    /// The part of it in the kernel.
    pub(crate) system: Option<Duration>,
    /// The most memory charged at once, in bytes: resident pages, tmpfs files, and what the kernel needed for them.
    pub(crate) memory_peak: Option<u64>,
    /// How often the memory limit was in the way.
    pub(crate) memory_limit_hits: Option<u64>,
    /// Processes killed because of it.
    pub(crate) oom_kills: Option<u64>,
    /// The most processes and threads at once.
    pub(crate) processes_peak: Option<u64>,
    /// Processes and threads that were refused.
    pub(crate) forks_denied: Option<u64>,
}

impl Counted {
    pub(super) fn add_cpu(&mut self, folder: &Folder) {
        let micros = |text: &str, key| value(text, key).map(Duration::from_micros);
        let nanos = |name| number(folder, name).map(Duration::from_nanos);
        match folder.version {
            Version::Two => {
                let text = folder.read("cpu.stat").unwrap_or_default();
                self.cpu = micros(&text, "usage_usec");
                self.user = micros(&text, "user_usec");
                self.system = micros(&text, "system_usec");
            }
            Version::One => {
                self.cpu = nanos("cpuacct.usage");
                self.user = nanos("cpuacct.usage_user");
                self.system = nanos("cpuacct.usage_sys");
            }
        }
    }

    pub(super) fn add_memory(&mut self, folder: &Folder) {
        match folder.version {
            Version::Two => {
                let text = folder.read("memory.events").unwrap_or_default();
                self.memory_peak = number(folder, "memory.peak");
                self.memory_limit_hits = value(&text, "max");
                self.oom_kills = value(&text, "oom_kill");
            }
            Version::One => {
                let text = folder.read("memory.oom_control").unwrap_or_default();
                self.memory_peak = number(folder, "memory.max_usage_in_bytes");
                self.oom_kills = value(&text, "oom_kill");
                // Memory with swap has a limit of its own, which is the same and may be hit first. There are kernels
                // where neither counts, and then the kills tell.
                let both = number(folder, "memory.memsw.failcnt").unwrap_or(0);
                let hits = number(folder, "memory.failcnt").map(|alone| alone + both);
                self.memory_limit_hits = hits.max(self.oom_kills);
            }
        }
    }

    /// Both versions have the same words for processes.
    pub(super) fn add_processes(&mut self, folder: &Folder) {
        self.processes_peak = number(folder, "pids.peak");
        let text = folder.read("pids.events").unwrap_or_default();
        self.forks_denied = value(&text, "max");
    }
}

fn number(folder: &Folder, name: &str) -> Option<u64> {
    folder.read(name).ok()?.trim().parse().ok()
}

/// The value of a key in lines of `key value`.
fn value(text: &str, key: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == key)?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(version: Version, files: &[(&str, &str)]) -> (tempfile::TempDir, Folder) {
        let temporary = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(temporary.path().join(name), text).unwrap();
        }
        let folder = Folder::open(version, temporary.path().to_owned()).unwrap();
        (temporary, folder)
    }

    fn all(folder: &Folder) -> Counted {
        let mut counted = Counted::default();
        counted.add_cpu(folder);
        counted.add_memory(folder);
        counted.add_processes(folder);
        counted
    }

    #[test]
    fn both_versions_tell_the_same() {
        let two = [
            (
                "cpu.stat",
                "usage_usec 9\nuser_usec 5\nsystem_usec 4\nnice_usec 0\ncore_sched.force_idle_usec 0\n",
            ),
            ("memory.peak", "4096\n"),
            (
                "memory.events",
                "low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 0\n",
            ),
            ("pids.peak", "7\n"),
            ("pids.events", "max 2\n"),
        ];
        let one = [
            ("cpuacct.usage", "9000\n"),
            ("cpuacct.usage_user", "5000\n"),
            ("cpuacct.usage_sys", "4000\n"),
            ("memory.max_usage_in_bytes", "4096\n"),
            ("memory.failcnt", "1\n"),
            ("memory.memsw.failcnt", "2\n"),
            (
                "memory.oom_control",
                "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
            ),
            ("pids.peak", "7\n"),
            ("pids.events", "max 2\n"),
        ];
        let want = Counted {
            cpu: Some(Duration::from_micros(9)),
            user: Some(Duration::from_micros(5)),
            system: Some(Duration::from_micros(4)),
            memory_peak: Some(4096),
            memory_limit_hits: Some(3),
            oom_kills: Some(1),
            processes_peak: Some(7),
            forks_denied: Some(2),
        };
        assert_eq!(all(&folder(Version::Two, &two).1), want);
        assert_eq!(all(&folder(Version::One, &one).1), want);
    }

    #[test]
    fn what_a_kernel_does_not_count_is_not_invented() {
        assert_eq!(all(&folder(Version::Two, &[]).1), Counted::default());
        let odd = [
            ("memory.events", "oom_kill\n"),
            ("pids.peak", "max\n"),
            ("cpu.stat", ""),
        ];
        assert_eq!(all(&folder(Version::Two, &odd).1), Counted::default());
    }
}
