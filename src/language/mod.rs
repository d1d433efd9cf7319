//! How each language is compiled and run, and how a program is found in a model's reply.
//!
//! What is to know about a language is data: one TOML file in `table/`, which `definition` describes and `registry`
//! holds together with those that the user adds. `toolchain` finds compilers and interpreters on this host, and
//! `runner` makes a program ready to run: it compiles it (`compile`), once for the same content (`cache`).

mod cache;
mod calls;
mod compile;
mod definition;
mod expand;
mod found;
mod lexer;
mod libraries;
mod memo;
mod naming;
mod prepared;
pub mod python;
mod registry;
mod reply;
mod runner;
mod source;
mod sources;
mod together;
mod toolchain;

pub(crate) use calls::driven;
pub use found::{Toolchain, toolchains};
pub use prepared::Prepared;
pub use registry::{LanguageError, add, add_configured, all, comment, endings, named, of_file};
pub use reply::{Extract, Found, Rule, find_program, last_block};
pub use runner::{Runner, Unprepared};
pub use source::called_definition;
pub(crate) use sources::Sources;
pub(crate) use together::together;
pub use toolchain::Missing;
