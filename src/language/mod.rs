//! How each language is compiled and run, and how a program is found in a model's reply.
//!
//! What is to know about a language is data: one TOML file in `table/`, which `definition` describes and `registry`
//! holds together with those that the user adds. `toolchain` finds compilers and interpreters on this host, and
//! `runner` makes a program ready to run: it compiles it (`compile`), once for the same content (`cache`).

mod any_reply;
mod cache;
mod compile;
mod definition;
mod expand;
mod found;
mod naming;
pub mod python;
mod registry;
mod reply;
mod runner;
mod source;
mod toolchain;

pub use any_reply::last_block;
pub use found::{Toolchain, toolchains};
pub use registry::{LanguageError, add, add_configured, all, comment, endings, named, of_file};
pub use reply::{Found, Rule, find_program};
pub(crate) use runner::Sources;
pub use runner::{Prepared, Runner, Unprepared};
pub use source::called_definition;
pub use toolchain::Missing;
