//! Which version a loop returns.

use super::Version;

/// How the returned version is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choose {
    /// The highest score, the earliest on a tie: a later version never replaces one that is as good.
    Best,
    /// The last.
    Last,
}

impl Choose {
    /// Index of the chosen version; `versions` is not empty.
    pub fn of(self, versions: &[Version]) -> usize {
        match self {
            Self::Last => versions.len().saturating_sub(1),
            Self::Best => {
                let best = versions.iter().map(|version| version.findings.score).max();
                versions
                    .iter()
                    .position(|version| Some(version.findings.score) == best)
                    .unwrap_or(0)
            }
        }
    }
}
