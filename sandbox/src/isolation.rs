//! Which layers confine a program: the receipt that every outcome carries.

use std::collections::BTreeMap;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::inside::landlock;

/// How strongly a program is confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Without namespaces.
    Minimal,
    /// As an ordinary user, with user namespaces.
    #[default]
    Standard,
    /// As root or with delegated cgroups.
    Strict,
}

/// Whether one layer holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerState {
    /// `"in force"`.
    #[serde(rename = "in force")]
    InForce,
    /// Not there, with the reason.
    Missing(String),
}

/// The level reached and the state of each layer, by the layer's name (`user_ns`, `seccomp` …).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// The level.
    pub level: Level,
    /// Every layer by name.
    pub layers: BTreeMap<String, LayerState>,
}

/// The layers of a run in namespaces. Each of them is a step that fails the run when it can't be had, so all
/// are in force once the program runs; only the groups of an ordinary user may have to stay.
pub(crate) fn standard_layers(groups_dropped: bool) -> Isolation {
    let in_force = [
        "user_ns",
        "mount_ns",
        "pid_ns",
        "net_ns",
        "ipc_ns",
        "uts_ns",
        "cgroup_ns",
        "root",
        "proc",
        "dev",
        "scratch",
        "uid",
        "capabilities",
        "no_new_privs",
        "rlimits",
    ];
    let mut layers: BTreeMap<String, LayerState> = in_force
        .into_iter()
        .map(|name| (name.to_owned(), LayerState::InForce))
        .collect();
    let groups = if groups_dropped {
        LayerState::InForce
    } else {
        LayerState::Missing("an ordinary user can't give up its supplementary groups".to_owned())
    };
    layers.insert("groups".to_owned(), groups);
    let seccomp = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        LayerState::InForce
    } else {
        LayerState::Missing("the filter is not written for this processor yet".to_owned())
    };
    layers.insert("seccomp".to_owned(), seccomp);
    layers.extend(landlock_layers(landlock::version()));
    let level = if nix::unistd::geteuid().is_root() {
        Level::Strict
    } else {
        Level::Standard
    };
    Isolation { level, layers }
}

/// What Landlock does with this version of its interface, or why it does nothing.
fn landlock_layers(version: nix::Result<u32>) -> impl Iterator<Item = (String, LayerState)> {
    landlock::PARTS.into_iter().map(move |(since, name, kernel)| {
        let state = match version {
            Ok(version) if version >= since => LayerState::InForce,
            Ok(_) => LayerState::Missing(format!("{kernel} or newer is needed")),
            Err(Errno::EOPNOTSUPP) => LayerState::Missing(
                "the kernel has Landlock, but it isn't among the `lsm=` of its command line".to_owned(),
            ),
            Err(Errno::ENOSYS) => LayerState::Missing(format!(
                "the kernel has no Landlock, or a container refuses it; {kernel} or newer is needed"
            )),
            Err(errno) => LayerState::Missing(format!("the kernel refuses Landlock: {errno}")),
        };
        (name.to_owned(), state)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_landlock_is_told_with_the_kernel_that_has_it() {
        let old: BTreeMap<_, _> = landlock_layers(Ok(3)).collect();
        assert_eq!(old["landlock"], LayerState::InForce);
        assert_eq!(old["landlock_truncate"], LayerState::InForce);
        assert_eq!(
            old["landlock_tcp"],
            LayerState::Missing("Linux 6.7 or newer is needed".to_owned())
        );
        assert!(landlock_layers(Ok(7)).all(|(_, state)| state == LayerState::InForce));
        for errno in [Errno::ENOSYS, Errno::EOPNOTSUPP, Errno::EPERM] {
            assert!(landlock_layers(Err(errno)).all(|(_, state)| state != LayerState::InForce));
        }
    }
}
