//! What hostile programs try, one test each. Everything that must fail inside is shown to work outside.
#![expect(clippy::unwrap_used, reason = "a test that can't go on says where")]

mod as_ordinary_user;
mod suite;
