//! How each language is compiled and run.
