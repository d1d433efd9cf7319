//! The group of one run, in as many hierarchies as it takes.

use std::io;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::folder::Folder;
use super::meter::Meter;
use super::mounts::Version;
use super::place::Place;

/// What a group may use; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupLimits {
    /// Memory in bytes, with what the kernel needs for it. Swap is never given on top.
    pub(crate) memory: Option<u64>,
    /// Processes and threads alive at the same time.
    pub(crate) processes: Option<u64>,
}

/// A group that exists for as long as this does.
///
/// Dropping it kills who is in it and tries to remove it; [`Self::remove`] tells whether that worked.
#[derive(Debug)]
pub(crate) struct Group {
    /// No two of them are the same folder.
    folders: Vec<Folder>,
    /// Which of the folders has which part.
    roles: Roles,
}

/// Indices into the folders of a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Roles {
    pub(super) memory: Option<usize>,
    pub(super) processes: Option<usize>,
    pub(super) cpu: Option<usize>,
    pub(super) unified: Option<usize>,
}

impl Group {
    /// Makes one with this name at each of the places.
    pub(super) fn make(places: &[&Place], name: &str, roles: Roles) -> io::Result<Self> {
        // From the first folder on, so that a failure removes those that were made.
        let mut group = Self {
            folders: Vec::new(),
            roles,
        };
        for place in places {
            let folder = Folder::make(place.version, &place.path, name)?;
            group.folders.push(folder);
        }
        Ok(group)
    }

    pub(super) fn try_memory(folder: &Folder) -> io::Result<()> {
        let limit = Some(64 << 20);
        limit_memory(folder, limit)?;
        let name = match folder.version {
            Version::One => "memory.limit_in_bytes",
            Version::Two => "memory.max",
        };
        is_kept(folder, name, limit)
    }

    pub(super) fn try_processes(folder: &Folder) -> io::Result<()> {
        let limit = Some(8);
        folder.write("pids.max", &process_limit(limit))?;
        is_kept(folder, "pids.max", limit)
    }

    pub(super) fn try_cpu(folder: &Folder) -> io::Result<()> {
        let cpu = Meter::open_cpu(folder)?;
        let seen = super::meter::read_cpu(&cpu).map(drop);
        seen.ok_or_else(|| io::Error::other("the kernel doesn't count CPU time for groups"))
    }

    pub(super) fn try_kill(folder: &Folder) -> io::Result<()> {
        folder.write("cgroup.kill", "1")
    }

    fn folder(&self, role: Option<usize>) -> Option<&Folder> {
        self.folders.get(role?)
    }

    /// Its name, the same in all hierarchies.
    pub(crate) fn name(&self) -> Option<&str> {
        self.folders.first()?.path().file_name()?.to_str()
    }

    /// Removes it if nobody is in it any more.
    pub(crate) fn try_remove(&self) -> bool {
        self.folders.iter().all(|folder| folder.try_remove().is_ok())
    }

    /// Sets the limits, also of a group that has others. They are in force at once.
    pub(crate) fn limit(&self, limits: GroupLimits) -> io::Result<()> {
        if let Some(folder) = self.folder(self.roles.memory) {
            limit_memory(folder, limits.memory)?;
        }
        if let Some(folder) = self.folder(self.roles.processes) {
            folder.write("pids.max", &process_limit(limits.processes))?;
        }
        Ok(())
    }

    /// Puts a running process into the group.
    pub(crate) fn add(&self, pid: u32) -> io::Result<()> {
        let pid = pid.to_string();
        self.folders
            .iter()
            .try_for_each(|folder| folder.write("cgroup.procs", &pid))
    }

    /// Kills all who are in it; nobody can fork away from it.
    pub(crate) fn kill(&self) {
        // Where forks are refused, killing one by one comes to an end.
        if let Some(folder) = self.folder(self.roles.processes) {
            let _ = folder.write("pids.max", "0");
        }
        if let Some(folder) = self.folder(self.roles.unified) {
            kill_all(folder);
        } else {
            self.folders.iter().for_each(kill_all);
        }
    }

    /// Removes it. Nobody may be in it any more but those who are just ending.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        let folders = std::mem::take(&mut self.folders);
        folders.iter().map(Folder::remove).fold(Ok(()), io::Result::and)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.folders.iter().all(|folder| folder.try_remove().is_ok()) {
            return;
        }
        self.kill();
        for error in self.folders.iter().filter_map(|folder| folder.remove().err()) {
            tracing::warn!("a group stays behind until the next start: {error}");
        }
    }
}

/// Whether a limit can be read back.
fn is_kept(folder: &Folder, name: &str, limit: Option<u64>) -> io::Result<()> {
    let kept = folder.read(name)?;
    if kept.trim() == or_max(limit) {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "{} doesn't keep what is written",
        folder.path().join(name).display()
    )))
}

fn or_max(limit: Option<u64>) -> String {
    limit.map_or_else(|| "max".to_owned(), |limit| limit.to_string())
}

/// The kernel takes no number above that of the pids that there can be.
fn process_limit(limit: Option<u64>) -> String {
    or_max(limit.filter(|&limit| limit <= 1 << 22))
}

fn limit_memory(folder: &Folder, limit: Option<u64>) -> io::Result<()> {
    match folder.version {
        Version::Two => {
            folder.write("memory.max", &or_max(limit))?;
            if folder.has("memory.swap.max") {
                folder.write("memory.swap.max", "0")?;
            }
        }
        Version::One => {
            let text = limit.map_or_else(|| "-1".to_owned(), |limit| limit.to_string());
            // Memory with swap, which hosts without accounting of swap don't have. It can't be less than memory alone,
            // so it goes out of the way first.
            let both = "memory.memsw.limit_in_bytes";
            let counts_swap = folder.has(both);
            if counts_swap {
                folder.write(both, "-1")?;
            }
            folder.write("memory.limit_in_bytes", &text)?;
            if counts_swap {
                folder.write(both, &text)?;
            } else if folder.has("memory.swappiness") {
                folder.write("memory.swappiness", if limit.is_some() { "0" } else { "60" })?;
            }
        }
    }
    Ok(())
}

/// How often those who are left are killed, when the kernel can't kill a group at once.
const ROUNDS: u32 = 200;

/// Kills all who are in a group.
pub(super) fn kill_all(folder: &Folder) {
    if folder.version == Version::Two && folder.write("cgroup.kill", "1").is_ok() {
        return;
    }
    for _ in 0..ROUNDS {
        let text = folder.read("cgroup.procs").unwrap_or_default();
        let pids = text.lines().filter_map(|line| line.parse().ok());
        // Zero stands for those in another pid namespace, which have no number here.
        let mut left = pids.filter(|&pid: &i32| pid > 0).peekable();
        if left.peek().is_none() {
            return;
        }
        for pid in left {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
