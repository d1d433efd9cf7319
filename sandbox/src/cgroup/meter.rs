//! Reading and limiting a group that another process keeps, run after run: its files stay open.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::sys::uio::{pread, pwrite};

use super::folder::Folder;
use super::group::{GroupLimits, Roles};
use super::mounts::Version;

/// What is open of a group.
#[derive(Debug)]
pub(crate) struct Meter {
    cpu: Option<OwnedFd>,
    memory: Option<Memory>,
    processes: Option<Processes>,
    run: Mutex<Run>,
}

/// What belongs to the run that is under way.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    limits: Option<GroupLimits>,
    /// What was counted before it.
    before: Counts,
}

#[derive(Debug)]
struct Memory {
    version: Version,
    limit: OwnedFd,
    /// Memory and swap together, which version 1 limits by a number of its own.
    limit_with_swap: Option<OwnedFd>,
    now: OwnedFd,
    peak: Option<OwnedFd>,
    /// `memory.events`, or what version 1 has instead.
    events: OwnedFd,
}

#[derive(Debug)]
struct Processes {
    limit: OwnedFd,
    events: OwnedFd,
    /// Since Linux 6.1.
    peak: Option<OwnedFd>,
}

/// What a group has counted since it was made.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    cpu: Option<u64>,
    memory: Option<u64>,
    peak: Option<u64>,
    oom_kills: Option<u64>,
    processes: Option<u64>,
    forks_denied: Option<u64>,
}

/// What a group has counted since a run began; `None` where the host doesn't count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metered {
    pub(crate) cpu: Option<Duration>,
    /// The most memory charged at once beyond what was charged before.
    pub(crate) memory_peak: Option<u64>,
    /// Processes that were killed because the group was at its limit.
    pub(crate) oom_kills: Option<u64>,
    /// Processes that were killed because the host had no memory left.
    pub(crate) host_oom_kills: u64,
    /// The most processes and threads at once, where it was more than ever before.
    pub(crate) processes_peak: Option<u64>,
    pub(crate) forks_denied: Option<u64>,
}

impl Meter {
    pub(super) fn open(folders: &[Folder], roles: Roles) -> io::Result<Self> {
        let folder = |role: Option<usize>| folders.get(role?);
        let cpu = folder(roles.cpu).map(Self::open_cpu);
        let processes = folder(roles.processes).map(|folder| -> io::Result<_> {
            Ok(Processes {
                limit: open(folder, "pids.max", OFlag::O_WRONLY)?,
                events: open(folder, "pids.events", OFlag::O_RDONLY)?,
                peak: open(folder, "pids.peak", OFlag::O_RDONLY).ok(),
            })
        });
        Ok(Self {
            cpu: cpu.transpose()?,
            memory: folder(roles.memory).map(Memory::open).transpose()?,
            processes: processes.transpose()?,
            run: Mutex::default(),
        })
    }

    /// The file that tells the CPU time of a group.
    pub(super) fn open_cpu(folder: &Folder) -> io::Result<OwnedFd> {
        match folder.version {
            Version::One => open(folder, "cpuacct.usage", OFlag::O_RDONLY),
            Version::Two => open(folder, "cpu.stat", OFlag::O_RDONLY),
        }
    }

    /// Whether processes that are refused are counted.
    pub(crate) fn counts_processes(&self) -> bool {
        self.processes.is_some()
    }

    /// Sets the limits for the next run and begins to count from zero.
    pub(crate) fn begin(&self, limits: GroupLimits) -> io::Result<()> {
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        if run.limits != Some(limits) {
            run.limits = None;
            if let Some(memory) = &self.memory {
                memory.limit(limits.memory)?;
            }
            if let Some(processes) = &self.processes {
                write(
                    &processes.limit,
                    limits.processes.filter(|&limit| limit <= 1 << 22),
                )?;
            }
            run.limits = Some(limits);
        }
        if let Some(peak) = self.memory.as_ref().and_then(|memory| memory.peak.as_ref()) {
            // Kernels before 6.12 don't take it for version 2; then only a new peak is known to be this run's.
            let _ = pwrite(peak, b"0", 0);
        }
        run.before = self.counts();
        Ok(())
    }

    fn before(&self) -> Counts {
        self.run.lock().unwrap_or_else(PoisonError::into_inner).before
    }

    /// CPU time since the run began, with what init uses.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let now = read_cpu(self.cpu.as_ref()?)?;
        Some(Duration::from_micros(now.saturating_sub(self.before().cpu?)))
    }

    /// Memory that is charged now, with what was charged before.
    pub(crate) fn memory(&self) -> Option<u64> {
        number(&self.memory.as_ref()?.now)
    }

    /// Processes that were killed since the run began because the group was at its limit.
    pub(crate) fn oom_kills(&self) -> Option<u64> {
        let memory = self.memory.as_ref()?;
        let kills = value(&memory.events, "oom_kill")?.saturating_sub(self.before().oom_kills?);
        let peak = || number(memory.peak.as_ref()?);
        Some(if kills > 0 && self.is_far_below_its_limit(peak()) {
            0
        } else {
            kills
        })
    }

    /// Whether the group has certainly not been at its limit. What it is refused at once is far less than an eighth of it.
    fn is_far_below_its_limit(&self, peak: Option<u64>) -> bool {
        let limits = self.run.lock().unwrap_or_else(PoisonError::into_inner).limits;
        let limit = limits.and_then(|limits| limits.memory);
        matches!((peak, limit), (Some(peak), Some(limit)) if peak < limit / 8 * 7)
    }

    /// All that was counted since the run began.
    pub(crate) fn end(&self) -> Metered {
        let (now, before) = (self.counts(), self.before());
        let since = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
        let charged = before.memory.unwrap_or(0);
        let kills = since(now.oom_kills, before.oom_kills);
        // The kernel counts those that it kills for the host's sake, too.
        let of_the_host = self.is_far_below_its_limit(now.peak);
        let is_new = now.peak > before.peak || before.peak.is_some_and(|peak| peak <= charged);
        Metered {
            cpu: since(now.cpu, before.cpu).map(Duration::from_micros),
            memory_peak: now
                .peak
                .filter(|_| is_new)
                .map(|peak| peak.saturating_sub(charged)),
            oom_kills: kills.map(|kills| if of_the_host { 0 } else { kills }),
            host_oom_kills: kills.filter(|_| of_the_host).unwrap_or(0),
            processes_peak: now.processes.filter(|_| now.processes > before.processes),
            forks_denied: since(now.forks_denied, before.forks_denied),
        }
    }

    fn counts(&self) -> Counts {
        let (memory, processes) = (self.memory.as_ref(), self.processes.as_ref());
        Counts {
            cpu: self.cpu.as_ref().and_then(read_cpu),
            memory: memory.and_then(|memory| number(&memory.now)),
            peak: memory.and_then(|memory| number(memory.peak.as_ref()?)),
            oom_kills: memory.and_then(|memory| value(&memory.events, "oom_kill")),
            processes: processes.and_then(|processes| number(processes.peak.as_ref()?)),
            forks_denied: processes.and_then(|processes| value(&processes.events, "max")),
        }
    }
}

impl Memory {
    fn open(folder: &Folder) -> io::Result<Self> {
        let reading = |name| open(folder, name, OFlag::O_RDONLY);
        Ok(match folder.version {
            Version::One => Self {
                version: Version::One,
                limit: open(folder, "memory.limit_in_bytes", OFlag::O_WRONLY)?,
                limit_with_swap: open(folder, "memory.memsw.limit_in_bytes", OFlag::O_WRONLY).ok(),
                now: reading("memory.usage_in_bytes")?,
                peak: open(folder, "memory.max_usage_in_bytes", OFlag::O_RDWR).ok(),
                events: reading("memory.oom_control")?,
            },
            Version::Two => Self {
                version: Version::Two,
                limit: open(folder, "memory.max", OFlag::O_WRONLY)?,
                limit_with_swap: None,
                now: reading("memory.current")?,
                peak: open(folder, "memory.peak", OFlag::O_RDWR)
                    .or_else(|_| reading("memory.peak"))
                    .ok(),
                events: reading("memory.events")?,
            },
        })
    }

    fn limit(&self, limit: Option<u64>) -> io::Result<()> {
        match self.version {
            Version::Two => write(&self.limit, limit),
            Version::One => {
                let text = limit.map_or_else(|| "-1".to_owned(), |limit| limit.to_string());
                // It can't be less than memory alone, so it goes out of the way first.
                if let Some(both) = &self.limit_with_swap {
                    pwrite(both, b"-1", 0)?;
                }
                pwrite(&self.limit, text.as_bytes(), 0)?;
                if let Some(both) = &self.limit_with_swap {
                    pwrite(both, text.as_bytes(), 0)?;
                }
                Ok(())
            }
        }
    }
}

fn open(folder: &Folder, name: &str, flags: OFlag) -> io::Result<OwnedFd> {
    let flags = flags | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(folder.descriptor(), name, flags, Mode::empty()).map_err(|errno| {
        let error = io::Error::from(errno);
        io::Error::new(
            error.kind(),
            format!("{}: {error}", folder.path().join(name).display()),
        )
    })
}

fn write(file: &OwnedFd, limit: Option<u64>) -> io::Result<()> {
    let text = limit.map_or_else(|| "max".to_owned(), |limit| limit.to_string());
    pwrite(file, text.as_bytes(), 0)
        .map(drop)
        .map_err(io::Error::from)
}

fn text(file: &OwnedFd, buffer: &mut [u8; 1024]) -> Result<usize, Errno> {
    pread(file, buffer, 0)
}

fn number(file: &OwnedFd) -> Option<u64> {
    let mut buffer = [0; 1024];
    let length = text(file, &mut buffer).ok()?;
    std::str::from_utf8(&buffer[..length]).ok()?.trim().parse().ok()
}

/// The value of a key in lines of `key value`.
fn value(file: &OwnedFd, key: &str) -> Option<u64> {
    let mut buffer = [0; 1024];
    let length = text(file, &mut buffer).ok()?;
    let mut lines = std::str::from_utf8(&buffer[..length]).ok()?.lines();
    lines
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))?
        .trim()
        .parse()
        .ok()
}

/// Microseconds, in the words of either version.
pub(super) fn read_cpu(file: &OwnedFd) -> Option<u64> {
    value(file, "usage_usec").or_else(|| number(file).map(|nanos| nanos / 1000))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder that looks like a group with everything in it, and what changes during a run.
    fn metered(version: Version, before: &[(&str, &str)], after: &[(&str, &str)]) -> Metered {
        let temporary = tempfile::tempdir().unwrap();
        let put = |files: &[(&str, &str)]| {
            for (name, text) in files {
                fs::write(temporary.path().join(name), text).unwrap();
            }
        };
        put(before);
        let folder = Folder::open(version, temporary.path().to_owned()).unwrap();
        let roles = Roles {
            memory: Some(0),
            processes: Some(0),
            cpu: Some(0),
            unified: None,
        };
        let meter = Meter::open(&[folder], roles).unwrap();
        let limits = GroupLimits {
            memory: Some(8192),
            processes: Some(7),
        };
        meter.begin(limits).unwrap();
        assert_eq!(
            fs::read_to_string(temporary.path().join("pids.max")).unwrap(),
            "7"
        );
        put(after);
        meter.end()
    }

    #[test]
    fn both_versions_tell_the_same() {
        let two = metered(
            Version::Two,
            &[
                ("cpu.stat", "usage_usec 100\nuser_usec 50\nsystem_usec 50\n"),
                ("memory.max", ""),
                ("memory.current", "1000\n"),
                ("memory.peak", "1000\n"),
                (
                    "memory.events",
                    "low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 0\n",
                ),
                ("pids.max", ""),
                ("pids.peak", "2\n"),
                ("pids.events", "max 2\n"),
            ],
            &[
                ("cpu.stat", "usage_usec 900\nuser_usec 50\nsystem_usec 850\n"),
                ("memory.peak", "9192\n"),
                (
                    "memory.events",
                    "low 0\nhigh 0\nmax 9\noom 4\noom_kill 3\noom_group_kill 0\n",
                ),
                ("pids.peak", "5\n"),
                ("pids.events", "max 4\n"),
            ],
        );
        let one = metered(
            Version::One,
            &[
                ("cpuacct.usage", "100000\n"),
                ("memory.limit_in_bytes", ""),
                ("memory.memsw.limit_in_bytes", ""),
                ("memory.usage_in_bytes", "1000\n"),
                ("memory.max_usage_in_bytes", "1000\n"),
                (
                    "memory.oom_control",
                    "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
                ),
                ("pids.max", ""),
                ("pids.peak", "2\n"),
                ("pids.events", "max 2\n"),
            ],
            &[
                ("cpuacct.usage", "900000\n"),
                ("memory.max_usage_in_bytes", "9192\n"),
                (
                    "memory.oom_control",
                    "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
                ),
                ("pids.peak", "5\n"),
                ("pids.events", "max 4\n"),
            ],
        );
        let want = Metered {
            cpu: Some(Duration::from_micros(800)),
            memory_peak: Some(8192),
            oom_kills: Some(2),
            host_oom_kills: 0,
            processes_peak: Some(5),
            forks_denied: Some(2),
        };
        assert_eq!(two, want);
        assert_eq!(one, want);
    }

    #[test]
    fn who_is_killed_for_the_hosts_sake_has_not_used_up_its_memory() {
        let before = [
            ("memory.max", ""),
            ("memory.current", "1000\n"),
            ("memory.peak", "1000\n"),
            ("memory.events", "max 3\noom 2\noom_kill 1\n"),
            ("cpu.stat", "usage_usec 100\n"),
            ("pids.max", ""),
            ("pids.events", "max 0\n"),
        ];
        let after = |peak| {
            [
                ("memory.events", "max 3\noom 2\noom_kill 2\n"),
                ("memory.peak", peak),
            ]
        };
        let counted = metered(Version::Two, &before, &after("2000\n"));
        assert_eq!((counted.oom_kills, counted.host_oom_kills), (Some(0), 1));
        let counted = metered(Version::Two, &before, &after("8100\n"));
        assert_eq!((counted.oom_kills, counted.host_oom_kills), (Some(1), 0));
    }
}
