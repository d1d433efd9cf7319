//! What hostile programs try, one test each. Everything that must fail inside is shown to work outside.
#![expect(clippy::unwrap_used, reason = "a test that can't go on says where")]
#![expect(clippy::print_stdout, reason = "a test that can't run says why")]

mod as_ordinary_user;
mod harness;
mod suite;
