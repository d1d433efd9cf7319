//! How each language is compiled and run, and how a program is found in a model's reply.

pub mod python;
mod reply;
mod source;

pub use reply::{Extract, Found, Rule, find_program};
pub use source::called_definition;
