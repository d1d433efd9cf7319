//! Which layers confine a program, how strong they are together, and the receipt that every outcome carries.

mod layers;
mod level;
mod switch;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use layers::{Layer, cgroup_mode, landlock_version, survey};
pub use level::{Level, Strongest, set_isolation, strongest};
pub use switch::{Primitive, landlock_at_most, switch_off};

pub(crate) use layers::{Facts, receipt};
pub(crate) use level::chosen;
pub(crate) use switch::{is_off, newest_landlock};

/// Whether one layer holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerState {
    /// `"in force"`.
    #[serde(rename = "in force")]
    InForce,
    /// Not there, with the reason.
    Missing(Gap),
}

/// Why a layer isn't there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The reason.
    pub reason: String,
    /// What would help, if anything does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Gap {
    pub(crate) fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            remedy: Some(remedy.into()),
        }
    }

    /// A gap that nothing can be done about.
    pub(crate) fn for_good(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            remedy: None,
        }
    }
}

impl std::fmt::Display for Gap {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.reason)?;
        match &self.remedy {
            Some(remedy) => write!(out, "; {remedy}"),
            None => Ok(()),
        }
    }
}

/// The level reached and the state of each layer, by the layer's name (`user_ns`, `seccomp` …).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// The level.
    pub level: Level,
    /// Every layer by name.
    pub layers: BTreeMap<String, LayerState>,
    /// Whether each layer that is in force was proven so before the first program ran: acts that it must stop were tried from
    /// inside and failed.
    #[serde(default)]
    pub proven: bool,
}
