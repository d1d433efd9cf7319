//! redraft: a model writes a draft, something that is not the model's opinion examines it, and the model
//! redrafts from the findings until they are satisfied or a budget runs out.
//!
//! Start at [`cycle`] for the loop, [`judge`] for "a program and tests in, a report out", and [`task`] for
//! the words that everything else is said in.

pub mod bench;
pub mod cli;
pub mod cycle;
pub mod doctor;
mod files;
pub mod journal;
pub mod judge;
pub mod language;
pub mod model;
pub mod patterns;
pub mod prompts;
pub mod report;
pub mod task;
pub mod tools;
pub mod verify;
