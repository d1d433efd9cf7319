//! The layers one by one: what each does, and whether it holds.

use std::collections::BTreeMap;

use nix::errno::Errno;
use nix::unistd::geteuid;
use serde::Serialize;

use super::level::strongest;
use super::{Gap, Isolation, LayerState, Level};
use crate::inside::landlock;
use crate::{Error, cgroup, outside};

/// One layer of this host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layer {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub does: &'static str,
    /// Whether it can be had.
    pub state: LayerState,
}

/// The namespaces and what is built in them.
const OWN_WORLD: [(&str, &str); 10] = [
    ("user_ns", "no right of the host is known inside"),
    ("mount_ns", "what is mounted inside doesn't show outside"),
    (
        "pid_ns",
        "other processes aren't there, and all end with the first",
    ),
    ("net_ns", "there is no network"),
    ("ipc_ns", "no shared memory or queue of the host is there"),
    ("uts_ns", "the host's name isn't known"),
    ("cgroup_ns", "the host's groups aren't known"),
    (
        "root",
        "no file of the host is there but those that were given, and none can be written",
    ),
    (
        "proc",
        "/proc shows the own processes only, and no setting can be written",
    ),
    ("dev", "five devices that do no harm"),
];

/// What any process can do to itself.
const OWN_CHAINS: [(&str, &str); 3] = [
    ("capabilities", "none are left"),
    ("no_new_privs", "none can be gained, by no program"),
    (
        "rlimits",
        "processes, open files and the size of a file are limited, core dumps are off",
    ),
];

const OWN_FILES: &str =
    "locks, sockets and pipes of the host's folders aren't there, only what is in their files";
const SCRATCH: &str = "what is written goes to memory of a limited size, and is gone after the run";
const UID: &str = "the program is nobody on the host, or this user in a world of its own";
const GROUPS: &str = "the program is in no group of the host";
const SECCOMP: &str = "system calls that no program of a task needs are refused";

/// What Landlock does, in the order of [`landlock::PARTS`].
const LANDLOCK: [&str; 5] = [
    "files can be opened only where they were given, even if the root should leak",
    "files can be emptied only where they may be written",
    "no TCP port can be bound or connected to",
    "devices can be asked only where they were given",
    "no process and no abstract socket outside can be reached",
];

/// What control groups do, by the part's name.
const CGROUPS: [(&str, &str); 4] = [
    (
        "cgroup_memory",
        "the kernel limits the memory of all processes together",
    ),
    ("cgroup_pids", "the kernel limits the number of processes"),
    (
        "cgroup_cpu",
        "the kernel counts the CPU time of all processes, also of those that nobody waits for",
    ),
    ("cgroup_kill", "all processes are ended at once"),
];

/// What is known about a run, from which its receipt is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) level: Level,
    /// Whether no group of the host's user is left.
    pub(crate) groups_dropped: bool,
    /// Whether programs have a name of their own on the host, which isn't the user's.
    pub(crate) own_user: bool,
    /// Whether the run is in control groups.
    pub(crate) in_groups: bool,
    /// What of the host has no files of its own in the cell, and why; empty when all have.
    pub(crate) shared: &'a str,
}

/// The receipt of a run.
pub(crate) fn receipt(facts: Facts<'_>) -> Isolation {
    let mut layers = BTreeMap::new();
    for layer in all(facts) {
        layers.insert(layer.name.to_owned(), layer.state);
    }
    Isolation {
        level: facts.level,
        layers,
        // A cell that wasn't proven runs nothing.
        proven: true,
    }
}

/// Every layer at the strongest level of this host, as a sandbox has it that is made for this and proven.
pub fn survey() -> Result<Vec<Layer>, Error> {
    let isolation = outside::trial_cell(strongest()?.level)?;
    let facts = Facts {
        level: isolation.level,
        own_user: true,
        groups_dropped: true,
        in_groups: true,
        shared: "",
    };
    let with_state = |layer: Layer| Layer {
        state: isolation.layers.get(layer.name).cloned().unwrap_or(layer.state),
        ..layer
    };
    Ok(all(facts).into_iter().map(with_state).collect())
}

/// How control groups are mounted on this host.
pub fn cgroup_mode() -> cgroup::Mode {
    cgroup::host().mode()
}

/// The version of Landlock's interface that is used on this host, if there is any.
pub fn landlock_version() -> Option<u32> {
    landlock::version().ok()
}

fn all(facts: Facts<'_>) -> Vec<Layer> {
    let layer = |name, does, state: Result<(), Gap>| Layer {
        name,
        does,
        state: state.map_or_else(LayerState::Missing, |()| LayerState::InForce),
    };
    let own_world = if facts.level == Level::Minimal {
        Err(no_namespaces())
    } else {
        Ok(())
    };
    let mut all = Vec::new();
    for (name, does) in OWN_WORLD {
        all.push(layer(name, does, own_world.clone()));
    }
    let files = own_world.clone().and_then(|()| {
        if facts.shared.is_empty() {
            Ok(())
        } else {
            let reason = format!(
                "what this shows is the host's own, and locks and sockets in it are shared: {}",
                facts.shared
            );
            Err(Gap::new(
                reason,
                "a kernel since Linux 5.11 with overlayfs; no other file system may be mounted in the folder",
            ))
        }
    });
    all.push(layer("own_files", OWN_FILES, files));
    let scratch = own_world.clone().map_err(|gap| Gap {
        reason: format!(
            "{}; scratch is a folder of the host, whose size is looked at from time to time",
            gap.reason
        ),
        ..gap
    });
    all.push(layer("scratch", SCRATCH, scratch));
    let uid = own_world.or_else(|gap| {
        let reason = format!("the program has this user's own name: {}", gap.reason);
        if facts.own_user {
            Ok(())
        } else {
            Err(Gap { reason, ..gap })
        }
    });
    all.push(layer("uid", UID, uid));
    let groups = if facts.groups_dropped {
        Ok(())
    } else {
        Err(Gap::for_good(
            "an ordinary user can't give up its supplementary groups",
        ))
    };
    all.push(layer("groups", GROUPS, groups));
    for (name, does) in OWN_CHAINS {
        all.push(layer(name, does, Ok(())));
    }
    let seccomp = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        Ok(())
    } else {
        Err(Gap::for_good("the filter is not written for this processor yet"))
    };
    all.push(layer("seccomp", SECCOMP, seccomp));
    for ((name, state), does) in landlock_layers(landlock::version()).zip(LANDLOCK) {
        all.push(layer(name, does, state));
    }
    let host = cgroup::host();
    for ((name, does), (_, state)) in CGROUPS.into_iter().zip(group_layers(host)) {
        let state = state.and_then(|()| {
            if facts.in_groups {
                Ok(())
            } else {
                Err(Gap::for_good(format!("the level `{}` does without", facts.level)))
            }
        });
        all.push(layer(name, does, state));
    }
    all
}

fn no_namespaces() -> Gap {
    match outside::namespaces() {
        Ok(Err(gap)) => gap,
        _ => Gap::for_good("the level `minimal` does without namespaces"),
    }
}

/// The parts of control groups, and what to do about those that can't be had.
pub(super) fn group_layers(host: &cgroup::Host) -> [(&'static str, Result<(), Gap>); 4] {
    host.parts().map(|(name, state)| {
        let gap = |reason: &str| {
            let remedy = match host.mode() {
                cgroup::Mode::None => "mount the cgroup file system at /sys/fs/cgroup",
                _ if reason.contains("read-only") => {
                    "in a container, mount it writable: docker run --cgroupns=private -v /sys/fs/cgroup:/sys/fs/cgroup:rw"
                }
                // Only version 2 can be handed over to a user.
                cgroup::Mode::V1 | cgroup::Mode::Hybrid if !geteuid().is_root() => {
                    "run as root, or have the host use version 2 alone: systemd.unified_cgroup_hierarchy=1 on the kernel's command line"
                }
                cgroup::Mode::V1 => "mount it writable",
                _ if geteuid().is_root() => "move the other processes of this group into one below it, or start from a group of one's own: systemd-run --scope -p Delegate=yes redraft …",
                _ => "start with a group of one's own: systemd-run --user --scope -p Delegate=yes redraft …, or run as root",
            };
            Gap::new(reason, remedy)
        };
        (name, state.map_err(gap))
    })
}

/// What Landlock does with this version of its interface, or why it does nothing.
fn landlock_layers(version: nix::Result<u32>) -> impl Iterator<Item = (&'static str, Result<(), Gap>)> {
    landlock::PARTS.into_iter().map(move |(since, name, kernel)| {
        let state = match version {
            Ok(version) if version >= since => Ok(()),
            Ok(_) => Err(Gap::new(
                "the kernel is too old",
                format!("{kernel} or newer is needed"),
            )),
            Err(errno) => Err(no_landlock(errno)),
        };
        (name, state)
    })
}

/// Why there is no Landlock at all.
pub(super) fn no_landlock(errno: Errno) -> Gap {
    match errno {
        Errno::EOPNOTSUPP => Gap::new(
            "Landlock is switched off",
            "add `landlock` to `lsm=` on the kernel's command line",
        ),
        Errno::ENOSYS => Gap::new(
            "the kernel has no Landlock",
            "Linux 5.13 or newer, built with it, is needed",
        ),
        Errno::EPERM => Gap::new(
            "a container refuses Landlock",
            "start it with a newer container runtime or with --security-opt seccomp=unconfined",
        ),
        other => Gap::for_good(format!("the kernel refuses Landlock: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_landlock_is_told_with_the_kernel_that_has_it() {
        let old: BTreeMap<_, _> = landlock_layers(Ok(3)).collect();
        assert_eq!(old["landlock"], Ok(()));
        assert_eq!(old["landlock_truncate"], Ok(()));
        let gap = old["landlock_tcp"].clone().unwrap_err();
        assert_eq!(
            gap.to_string(),
            "the kernel is too old; Linux 6.7 or newer is needed"
        );
        assert!(landlock_layers(Ok(7)).all(|(_, state)| state.is_ok()));
        for errno in [Errno::ENOSYS, Errno::EOPNOTSUPP, Errno::EPERM] {
            let mut states = landlock_layers(Err(errno));
            assert!(states.all(|(_, state)| state.is_err_and(|gap| gap.remedy.is_some())));
        }
    }

    #[test]
    fn every_layer_has_a_name_of_its_own_and_says_what_it_does() {
        let facts = |level| Facts {
            level,
            own_user: true,
            groups_dropped: true,
            in_groups: level == Level::Strict,
            shared: "",
        };
        for level in Level::ALL {
            let layers = all(facts(level));
            let names: std::collections::BTreeSet<_> = layers.iter().map(|layer| layer.name).collect();
            assert_eq!(names.len(), layers.len());
            assert!(layers.iter().all(|layer| layer.does.len() > 10));
            let state = |name| &layers.iter().find(|layer| layer.name == name).unwrap().state;
            assert_eq!(*state("user_ns") == LayerState::InForce, level != Level::Minimal);
            assert_eq!(*state("seccomp"), LayerState::InForce);
        }
    }
}
