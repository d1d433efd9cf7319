//! How strong a sandbox is as a whole: choosing a level, and what a host can give.

use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use super::Gap;
use super::layers;
use crate::Error;
use crate::inside::landlock;
use crate::{cgroup, outside};

/// How strongly a program is confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Without namespaces, by Landlock, the filter of system calls and resource limits. The program has the user's own
    /// name and sees which files there are, but can open none that weren't given to it.
    Minimal,
    /// In namespaces of its own, as any user can make them, with a root of its own.
    #[default]
    Standard,
    /// In control groups as well, so that the kernel itself counts and limits memory and processes of the whole tree. As
    /// root, or with groups that were handed over to the user.
    Strict,
}

impl Level {
    /// All of them, the strongest first.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Standard, Self::Minimal];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    /// Whether this host can give it.
    pub fn check(self) -> Result<(), Error> {
        let gap = match self {
            Self::Strict => outside::namespaces()?.and_then(|()| groups()),
            Self::Standard => outside::namespaces()?,
            Self::Minimal => bare(),
        };
        gap.map_err(|gap| Error::Unsupported {
            what: format!(
                "this host can't give the isolation level `{}`: {}",
                self.name(),
                gap.reason
            ),
            remedy: gap.remedy.unwrap_or_else(|| "another level is needed".to_owned()),
        })
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let level = Self::ALL.into_iter().find(|level| level.name() == name);
        level.ok_or_else(|| format!("`{name}` is none of strict, standard and minimal"))
    }
}

/// The strongest level of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strongest {
    /// The level.
    pub level: Level,
    /// One line for the user where it is below [`Level::Standard`]: what is missing and how to get it.
    pub note: Option<String>,
}

/// The strongest level that this host can give, which is what runs get that name none. An error when it can
/// give none at all: nothing runs unconfined.
pub fn strongest() -> Result<Strongest, Error> {
    static KNOWN: OnceLock<Strongest> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return Ok(known.clone());
    }
    let namespaces = outside::namespaces()?;
    let (level, note) = match namespaces {
        Ok(()) if groups().is_ok() => (Level::Strict, None),
        Ok(()) => (Level::Standard, None),
        Err(gap) => {
            bare().map_err(|other| Error::Unsupported {
                what: format!(
                    "no program can be confined here: {}, and {}",
                    gap.reason, other.reason
                ),
                remedy: gap
                    .remedy
                    .clone()
                    .or(other.remedy)
                    .unwrap_or_else(|| "another host is needed".to_owned()),
            })?;
            (
                Level::Minimal,
                Some(format!("isolation is only `minimal`, because {gap}")),
            )
        }
    };
    Ok(KNOWN.get_or_init(|| Strongest { level, note }).clone())
}

/// The level that runs of this process get when they name none; the strongest where nobody has chosen.
static CHOSEN: Mutex<Option<Level>> = Mutex::new(None);

/// Chooses the level of all runs of this process that name none themselves. An error when the host can't give it.
pub fn set_isolation(level: Level) -> Result<(), Error> {
    level.check()?;
    *CHOSEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    Ok(())
}

/// The level for a run.
pub(crate) fn chosen(named: Option<Level>) -> Result<Level, Error> {
    if let Some(level) = named {
        level.check()?;
        return Ok(level);
    }
    let chosen = *CHOSEN.lock().unwrap_or_else(PoisonError::into_inner);
    chosen.map_or_else(|| strongest().map(|strongest| strongest.level), Ok)
}

/// Whether memory and processes of a tree can be limited by groups.
fn groups() -> Result<(), Gap> {
    let host = cgroup::host();
    if host.can_limit() {
        return Ok(());
    }
    let missing = layers::group_layers(host)
        .into_iter()
        .find_map(|(_, gap)| gap.err());
    Err(missing.unwrap_or_default())
}

/// Whether a program can be confined without namespaces.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn bare() -> Result<(), Gap> {
    if !crate::inside::bare::is_harmless() {
        return Err(Gap::new(
            "without namespaces a program would be root here",
            "run redraft as an ordinary user",
        ));
    }
    landlock::version().map(drop).map_err(layers::no_landlock)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn bare() -> Result<(), Gap> {
    Err(Gap::for_good(
        "the filter of system calls is not written for this processor",
    ))
}
