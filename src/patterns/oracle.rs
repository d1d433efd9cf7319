//! The oracle mode (CRITIC*): corrects only what the hidden check calls wrong.
//!
//! It tells what a loop could gain at most if it knew when to leave a draft alone. No loop knows: every number made so is
//! labelled, and none is mixed with those that can be had.

use std::sync::Arc;

use async_trait::async_trait;

use crate::cycle::{CycleError, Desk, Draft, Examiner, Findings, Pattern, Version};

/// Says whether a draft is right, by the hidden check. Its error is the harness' own.
pub type HiddenCheck = Arc<dyn Fn(&Draft, &Findings) -> Result<bool, String> + Send + Sync>;

/// What stands in the findings of a version that the hidden check calls right.
pub const ORACLE: &str = "oracle: the hidden check calls this version right";

/// The same pattern, which is over as soon as the hidden check calls a version right.
#[must_use]
pub fn with_oracle(pattern: Pattern, check: HiddenCheck) -> Pattern {
    Pattern {
        examiner: Box::new(Oracle {
            inner: pattern.examiner,
            check,
        }),
        ..pattern
    }
}

struct Oracle {
    inner: Box<dyn Examiner>,
    check: HiddenCheck,
}

#[async_trait]
impl Examiner for Oracle {
    async fn examine(
        &mut self,
        desk: &Desk<'_>,
        draft: &Draft,
        earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        // An examiner that asks no model comes first: the check may need what it finds.
        let known = if self.inner.is_repeatable() {
            Some(self.inner.examine(desk, draft, earlier).await?)
        } else {
            None
        };
        let (check, draft_then) = (Arc::clone(&self.check), draft.clone());
        let found = known.clone().unwrap_or_default();
        let right = tokio::task::spawn_blocking(move || check(&draft_then, &found))
            .await
            .map_err(|error| CycleError::Examiner(error.to_string()))?
            .map_err(CycleError::Examiner)?;
        match (right, known) {
            (true, known) => Ok(Findings {
                satisfied: true,
                unexamined: false,
                critique: None,
                note: Some(ORACLE.to_owned()),
                ..known.unwrap_or_default()
            }),
            (false, Some(findings)) => Ok(findings),
            (false, None) => self.inner.examine(desk, draft, earlier).await,
        }
    }

    fn is_repeatable(&self) -> bool {
        self.inner.is_repeatable()
    }
}
