//! What an attempt, or a whole run, may spend on a model.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::model::ChatReply;

/// What may be spent. What isn't given isn't limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Tokens, read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Seconds that the model takes, as recorded with its replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Whether it is for all attempts of a run together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_run: bool,
}

impl Budget {
    /// Whether nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        (self.calls, self.tokens, self.seconds) == (None, None, None)
    }
}

/// What is used up: the end of a loop, and nobody's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsedUp {
    /// The calls.
    #[error("the budget of {0} calls is used up")]
    Calls(u64),
    /// The tokens.
    #[error("the budget of {0} tokens is used up")]
    Tokens(u64),
    /// The time.
    #[error("the budget of {0} s is used up")]
    Seconds(u64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    calls: u64,
    tokens: u64,
    ms: u64,
}

/// A budget and what was spent of it. The call that crosses a limit is the last one.
#[derive(Debug, Default)]
pub struct Purse {
    budget: Budget,
    spent: Mutex<Spent>,
}

impl Purse {
    /// A full purse.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            spent: Mutex::default(),
        }
    }

    /// The purse of a run that goes on: what was spent on `replies` is gone.
    pub fn after<'a>(budget: Budget, replies: impl IntoIterator<Item = &'a ChatReply>) -> Self {
        let purse = Self::new(budget);
        replies.into_iter().for_each(|reply| purse.note(reply));
        purse
    }

    /// Whether replies of an interrupted run were paid for when it was opened again.
    pub(super) fn paid_before(&self) -> bool {
        self.budget.of_run
    }

    /// Says what is used up, if something is.
    pub fn check(&self) -> Result<(), UsedUp> {
        let spent = *self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let over = |limit: Option<u64>, spent: u64| limit.filter(|limit| spent >= *limit);
        if let Some(limit) = over(self.budget.calls, spent.calls) {
            return Err(UsedUp::Calls(limit));
        }
        if let Some(limit) = over(self.budget.tokens, spent.tokens) {
            return Err(UsedUp::Tokens(limit));
        }
        match self
            .budget
            .seconds
            .filter(|limit| spent.ms >= limit.saturating_mul(1000))
        {
            Some(limit) => Err(UsedUp::Seconds(limit)),
            None => Ok(()),
        }
    }

    /// Counts a reply.
    pub(super) fn note(&self, reply: &ChatReply) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.calls += 1;
        spent.tokens += reply.usage.prompt + reply.usage.completion;
        spent.ms += reply.latency_ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TokenUsage;

    fn reply() -> ChatReply {
        ChatReply {
            usage: TokenUsage {
                prompt: 30,
                completion: 20,
            },
            latency_ms: 700,
            ..ChatReply::default()
        }
    }

    fn calls_of(budget: Budget) -> (usize, Option<UsedUp>) {
        let purse = Purse::new(budget);
        for made in 0..10 {
            if let Err(used_up) = purse.check() {
                return (made, Some(used_up));
            }
            purse.note(&reply());
        }
        (10, None)
    }

    #[test]
    fn each_limit_ends_it() {
        let none = Budget::default();
        assert!(none.is_unlimited());
        assert_eq!(calls_of(none), (10, None));
        let budget = Budget {
            calls: Some(3),
            ..none
        };
        assert_eq!(calls_of(budget), (3, Some(UsedUp::Calls(3))));
        let budget = Budget {
            tokens: Some(101),
            ..none
        };
        assert_eq!(calls_of(budget), (3, Some(UsedUp::Tokens(101))));
        let budget = Budget {
            seconds: Some(2),
            ..none
        };
        assert_eq!(calls_of(budget), (3, Some(UsedUp::Seconds(2))));
        let budget = Budget {
            calls: Some(0),
            ..none
        };
        assert_eq!(calls_of(budget), (0, Some(UsedUp::Calls(0))));
    }

    #[test]
    fn what_was_spent_before_is_gone() {
        let budget = Budget {
            calls: Some(3),
            of_run: true,
            ..Budget::default()
        };
        let purse = Purse::after(budget, [&reply(), &reply()]);
        assert_eq!(purse.check(), Ok(()));
        purse.note(&reply());
        assert_eq!(
            purse.check().unwrap_err().to_string(),
            "the budget of 3 calls is used up"
        );
    }
}
