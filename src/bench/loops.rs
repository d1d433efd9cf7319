//! How a loop went, round by round; all of it from events.

use std::collections::BTreeMap;

use serde::Serialize;

use super::summary::{Share, hidden_passed, visible_passed};
use crate::journal::{AttemptRecord, VersionRecord};

/// What one round of redrafts did. Only attempts that made a redraft in this round are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LoopRound {
    /// From 1.
    pub round: usize,
    /// Redrafts made.
    pub redrafts: usize,
    /// Repair success `q_t` on the visible tests: of the attempts that didn't pass them before this round, those whose
    /// redraft does. A discrete hazard rate (Kaplan and Meier 1958): what one more round is worth to who still needs it.
    pub repaired_visible: Share,
    /// The same on the hidden tests, for what would be returned.
    pub repaired: Share,
    /// Of the attempts whose version to be returned was right before this round, those where it no longer is.
    pub regressed: Share,
    /// Redrafts that are the version that they were made from.
    pub unchanged: Share,
    /// Redrafts that are some earlier version.
    pub repeated: Share,
}

/// How a loop went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Loops {
    /// One row a round.
    pub rounds: Vec<LoopRound>,
    /// Redrafts that are the version that they were made from.
    pub unchanged: Share,
    /// Redrafts that are some earlier version, the one before it left out.
    pub repeated: Share,
    /// Tokens that went to tasks which no attempt solved, of all.
    pub never_solved_tokens: TokenShare,
}

/// Tokens of a kind among all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TokenShare {
    /// How many.
    pub count: u64,
    /// Out of how many.
    pub of: u64,
}

impl Share {
    fn note(&mut self, counts: bool) {
        self.of += 1;
        self.count += usize::from(counts);
    }
}

impl Loops {
    /// How the loops of these attempts went.
    pub fn of(records: &[&AttemptRecord]) -> Self {
        let longest = records
            .iter()
            .map(|record| record.versions.len())
            .max()
            .unwrap_or(0);
        let rounds: Vec<LoopRound> = (1..longest).map(|round| one(records, round)).collect();
        let sum = |share: fn(&LoopRound) -> Share| {
            rounds
                .iter()
                .map(share)
                .fold(Share::default(), |sum, share| Share {
                    count: sum.count + share.count,
                    of: sum.of + share.of,
                })
        };
        Self {
            unchanged: sum(|round| round.unchanged),
            repeated: sum(|round| round.repeated),
            never_solved_tokens: never_solved(records),
            rounds,
        }
    }
}

fn one(records: &[&AttemptRecord], round: usize) -> LoopRound {
    let mut row = LoopRound {
        round,
        redrafts: 0,
        repaired_visible: Share::default(),
        repaired: Share::default(),
        regressed: Share::default(),
        unchanged: Share::default(),
        repeated: Share::default(),
    };
    for record in records {
        let Some(version) = record.versions.get(round) else {
            continue;
        };
        row.redrafts += 1;
        let passes = |version: &VersionRecord| Some(version.report.as_ref()?.verdict.passed());
        if let (Some(false), Some(now)) = (visible_passed(record, round - 1), passes(version)) {
            row.repaired_visible.note(now);
        }
        match (hidden_passed(record, round - 1), hidden_passed(record, round)) {
            (Some(false), Some(now)) => row.repaired.note(now),
            (Some(true), Some(now)) => row.regressed.note(!now),
            _ => {}
        }
        let parent = version.parent.unwrap_or(round - 1);
        let same = |other: &VersionRecord| other.source.is_some() && other.source == version.source;
        let unchanged = record
            .versions
            .iter()
            .any(|other| other.number == parent && same(other));
        row.unchanged.note(unchanged);
        row.repeated
            .note(!unchanged && record.versions[..round].iter().any(same));
    }
    row
}

/// An attempt is right by the hidden tests, or by the visible ones where there are no others.
pub(super) fn is_right(record: &AttemptRecord) -> bool {
    let last = record.versions.len().saturating_sub(1);
    hidden_passed(record, last)
        .or_else(|| visible_passed(record, last))
        .unwrap_or(false)
}

fn never_solved(records: &[&AttemptRecord]) -> TokenShare {
    let mut tasks: BTreeMap<&str, (bool, u64)> = BTreeMap::new();
    for record in records {
        let (solved, tokens) = tasks.entry(&record.task).or_default();
        *solved |= is_right(record);
        *tokens += record.tokens.prompt + record.tokens.completion;
    }
    TokenShare {
        count: tasks
            .values()
            .filter(|(solved, _)| !solved)
            .map(|(_, tokens)| tokens)
            .sum(),
        of: tasks.values().map(|(_, tokens)| tokens).sum(),
    }
}
