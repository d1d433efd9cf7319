//! Which version a loop returns.

use super::Version;

/// How the returned version is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choose {
    /// The highest score, the earliest on a tie: a later version never replaces one that is as good.
    Best,
    /// The last.
    Last,
    /// The last one that came to a result when it was carried out; the last of all where none did.
    LastResult,
}

impl Choose {
    /// Index of the chosen version; `versions` is not empty.
    pub fn of(self, versions: &[Version]) -> usize {
        let last = versions.len().saturating_sub(1);
        match self {
            Self::Last => last,
            Self::LastResult => versions
                .iter()
                .rposition(|version| version.findings.result.is_some())
                .unwrap_or(last),
            Self::Best => {
                let score = |at: &usize| versions[*at].findings.score;
                // Backwards, because of equal ones the last is taken.
                (0..versions.len())
                    .rev()
                    .max_by(|a, b| score(a).total_cmp(&score(b)))
                    .unwrap_or(0)
            }
        }
    }
}
