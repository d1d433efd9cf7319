//! What this host offers, found out once.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use nix::unistd::{Pid, getpid};
use serde::Serialize;

use super::folder::Folder;
use super::group::{Group, GroupLimits, Roles};
use super::meter::Meter;
use super::mounts::{Hierarchy, Version};
use super::place::{Place, of_version_one, of_version_two};
use super::sweep::sweep;
use crate::isolation::{Primitive, is_off};
use crate::owner::Owner;

/// How control groups are mounted on a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Not at all.
    None,
    /// One hierarchy for each controller.
    V1,
    /// One hierarchy for all.
    V2,
    /// Both at once.
    Hybrid,
}

impl std::fmt::Display for Mode {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::None => "none",
            Self::V1 => "version 1",
            Self::V2 => "version 2",
            Self::Hybrid => "versions 1 and 2 beside each other",
        })
    }
}

/// What can be had, and why the rest can't.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    mode: Mode,
    memory: Result<Place, String>,
    processes: Result<Place, String>,
    cpu: Result<Place, String>,
    unified: Result<Place, String>,
}

/// This host. The first call looks, tries, and removes what a harness that crashed has left.
pub(crate) fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        if is_off(Primitive::Cgroups) {
            return Host::detect("", "", &|_| false);
        }
        let (mounts, membership) = (read("/proc/self/mountinfo"), read("/proc/self/cgroup"));
        let host = Host::detect(&mounts, &membership, &move_aside);
        for place in host.places() {
            let removed = sweep(place.version, &place.path);
            if removed > 0 {
                tracing::info!("{removed} groups of a harness that is gone were removed");
            }
        }
        host.tried()
    })
}

impl Host {
    /// Looks at what is mounted. `move_aside` moves this process out of its group into one below, if it is alone there.
    fn detect(mountinfo: &str, membership: &str, move_aside: &dyn Fn(&Path) -> bool) -> Self {
        let hierarchies = Hierarchy::all(mountinfo);
        let with_controllers =
            |one: &Hierarchy| one.controllers.iter().any(|name| CONTROLLERS.contains(&&**name));
        let old = hierarchies.iter().any(with_controllers);
        let new = hierarchies.iter().any(|one| one.version == Version::Two);
        let mode = match (old, new) {
            (false, false) => Mode::None,
            (true, false) => Mode::V1,
            (false, true) => Mode::V2,
            (true, true) => Mode::Hybrid,
        };
        let of_one = |controller| of_version_one(&hierarchies, controller, membership);
        // What is mounted as version 1 isn't to be had in version 2.
        let (unified, mut states) =
            match of_version_two(&hierarchies, &CONTROLLERS[..2], membership, move_aside) {
                Ok((place, states)) => (Ok(place), states),
                Err(reason) => (Err(reason.clone()), vec![Err(reason); 2]),
            };
        let processes = states.pop().unwrap_or(Ok(()));
        let memory = states.pop().unwrap_or(Ok(()));
        let either = |controller, state: Result<(), String>| match state {
            Ok(()) => unified.clone(),
            Err(reason) => match of_one(controller) {
                Err(_) if !old => Err(reason),
                other => other,
            },
        };
        Self {
            mode,
            memory: either("memory", memory),
            processes: either("pids", processes),
            cpu: either("cpuacct", unified.as_ref().map(drop).map_err(Clone::clone)),
            unified,
        }
    }

    /// How groups are mounted.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether memory and processes can be limited.
    pub(crate) fn can_limit(&self) -> bool {
        self.memory.is_ok() && self.processes.is_ok()
    }

    /// The parts by name, and why those that can't be had can't.
    pub(crate) fn parts(&self) -> [(&'static str, Result<(), &str>); 4] {
        let parts = [
            ("cgroup_memory", &self.memory),
            ("cgroup_pids", &self.processes),
            ("cgroup_cpu", &self.cpu),
            ("cgroup_kill", &self.unified),
        ];
        parts.map(|(name, place)| (name, place.as_ref().map(drop).map_err(String::as_str)))
    }

    /// Opens the files of a group of this name that another process has made.
    pub(crate) fn meter(&self, name: &str) -> io::Result<Meter> {
        let (places, roles) = self.layout();
        let open = |place: &&Place| Folder::open(place.version, place.path.join(name));
        let folders = places.iter().map(open).collect::<io::Result<Vec<_>>>()?;
        Meter::open(&folders, roles)
    }

    /// The places where groups are made, each once, and which of them has which part.
    fn layout(&self) -> (Vec<&Place>, Roles) {
        let parts = [&self.memory, &self.processes, &self.cpu, &self.unified];
        let mut places: Vec<&Place> = Vec::new();
        for place in parts.into_iter().flatten() {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let index = |part: &Result<Place, String>| {
            let part = part.as_ref().ok()?;
            places.iter().position(|place| *place == part)
        };
        let roles = Roles {
            memory: index(&self.memory),
            processes: index(&self.processes),
            cpu: index(&self.cpu),
            unified: index(&self.unified),
        };
        (places, roles)
    }

    /// Makes a group with these limits; those that the host can't keep are left out. `None` when there are no
    /// groups at all.
    pub(crate) fn group(&self, limits: GroupLimits) -> io::Result<Option<Group>> {
        let (places, roles) = self.layout();
        if places.is_empty() {
            return Ok(None);
        }
        let group = Group::make(&places, &owner().new_name(), roles)?;
        group.limit(limits)?;
        Ok(Some(group))
    }

    /// Each place, once.
    fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for place in [&self.memory, &self.processes, &self.cpu, &self.unified]
            .into_iter()
            .flatten()
        {
            if !places.contains(place) {
                places.push(place.clone());
            }
        }
        places
    }

    /// Without what doesn't work when it is tried: whether a folder can be written to is one thing, whether the kernel
    /// takes and keeps a limit another.
    fn tried(mut self) -> Self {
        try_part(&mut self.memory, Group::try_memory);
        try_part(&mut self.processes, Group::try_processes);
        try_part(&mut self.cpu, Group::try_cpu);
        try_part(&mut self.unified, Group::try_kill);
        self
    }
}

fn try_part(part: &mut Result<Place, String>, act: fn(&Folder) -> io::Result<()>) {
    let Ok(place) = part else { return };
    let tried = Folder::make(place.version, &place.path, &owner().new_name()).and_then(|folder| {
        let done = act(&folder);
        folder.remove().and(done)
    });
    if let Err(error) = tried {
        *part = Err(error.to_string());
    }
}

const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpuacct"];

/// This process, which may be a fork of the one that asked before.
fn owner() -> Owner {
    static OWNER: Mutex<Option<(Pid, Owner)>> = Mutex::new(None);
    let mut known = OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let own = getpid();
    match known.as_ref() {
        Some((pid, owner)) if *pid == own => owner.clone(),
        _ => {
            let owner = Owner::current();
            *known = Some((own, owner.clone()));
            owner
        }
    }
}

/// Moves all processes of a group into a new one below it, when all of them are this one or come from it.
fn move_aside(group: &Path) -> bool {
    let procs = group.join("cgroup.procs");
    let text = fs::read_to_string(&procs).unwrap_or_default();
    let pids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    if pids.is_empty() || !pids.iter().all(|&pid| is_ours(pid)) {
        return false;
    }
    let Ok(aside) = Folder::make(Version::Two, group, &owner().new_name()) else {
        return false;
    };
    pids.iter()
        .all(|pid| aside.write("cgroup.procs", &pid.to_string()).is_ok())
}

/// Whether a process is this one or comes from it.
fn is_ours(mut pid: u32) -> bool {
    for _ in 0..64 {
        if pid == getpid().as_raw().unsigned_abs() {
            return true;
        }
        let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let parent = text
            .lines()
            .find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        match parent {
            Some(parent) if parent > 1 => pid = parent,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests;
