//! Hidden tests are sealed: authors, examiners and prompts can carry them but not read them.

use super::{AnswerRule, Test, TestKind};
use crate::judge::SealKey;

/// Tests that must not reach the model. Only [`crate::judge`] can open them.
///
/// It has no `Serialize`, its `Debug` shows only a count, and [`HiddenTests::open`] asks for a key that only
/// the judge can make, so that no prompt, event or log can hold a hidden test by accident.
#[derive(Clone, Default)]
pub struct HiddenTests(Vec<Test>);

impl HiddenTests {
    /// Seals `tests`.
    pub fn new(tests: Vec<Test>) -> Self {
        Self(tests)
    }

    /// Number of tests inside; a script counts as one until it has run.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing to check the returned version on.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether what is asked for is the answer to a question, and no program to be tested.
    pub fn want_answer(&self) -> bool {
        self.0
            .iter()
            .any(|test| matches!(test.kind, TestKind::Answer { .. }))
    }

    /// Whether that answer is a number.
    pub fn want_number(&self) -> bool {
        let number = |test: &Test| {
            matches!(
                test.kind,
                TestKind::Answer {
                    rule: AnswerRule::Number,
                    ..
                }
            )
        };
        self.0.iter().any(number)
    }

    /// The tests themselves, for the holder of the judge's key.
    pub fn open(&self, _key: &SealKey) -> &[Test] {
        &self.0
    }
}

impl std::fmt::Debug for HiddenTests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HiddenTests({} sealed)", self.0.len())
    }
}
