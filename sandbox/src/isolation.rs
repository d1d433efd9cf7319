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
