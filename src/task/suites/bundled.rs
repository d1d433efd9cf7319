//! The suite that comes with the program.

/// The files of `tasks/`, by name.
pub(super) const FILES: [(&str, &str); 0] = [];
