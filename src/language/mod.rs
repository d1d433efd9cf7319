//! How each language is compiled and run.

pub mod python;
