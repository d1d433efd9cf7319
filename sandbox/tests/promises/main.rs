//! What the sandbox promises, one file per promise. Each act that must fail inside is shown to work outside.
#![expect(clippy::unwrap_used, reason = "a test that can't go on says where")]

mod as_ordinary_user;
mod cells;
mod channel;
mod ends;
mod ends_for_sure;
mod evidence;
mod files;
mod hostile_programs;
mod isolation;
mod levels;
mod limits;
mod minimal;
mod ordinary_programs;
mod output;
mod support;
mod threats;
