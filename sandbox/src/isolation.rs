//! Which layers confine a program: the receipt that every outcome carries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
    let level = if nix::unistd::geteuid().is_root() {
        Level::Strict
    } else {
        Level::Standard
    };
    Isolation { level, layers }
}
