//! The toolchains of this host, for who wants to know.

use std::path::PathBuf;

use super::toolchain::Missing;
use super::{Runner, registry};
use crate::task::Language;

/// A compiler or interpreter that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// Its version in digits.
    pub version: String,
    /// Where it was found.
    pub path: PathBuf,
}

/// Every known language with its toolchain, or with what to install. Asks each tool, so it takes a moment.
pub fn toolchains() -> Vec<(Language, Result<Toolchain, Missing>)> {
    let runner = Runner::default();
    let one = |language: Language| {
        let definition = registry::definition(language)?;
        let found = runner.found(language, &definition).map(|found| Toolchain {
            version: found.version.clone(),
            path: found.tool().to_owned(),
        });
        Some((language, found))
    };
    registry::all().into_iter().filter_map(one).collect()
}
