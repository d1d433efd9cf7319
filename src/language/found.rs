//! The toolchains of this host, for who wants to know.

use std::path::{Path, PathBuf};

use super::toolchain::{self, Missing, in_path};
use super::{Runner, registry};
use crate::task::Language;

/// A compiler or interpreter that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// Its version in digits.
    pub version: String,
    /// What is started: the program itself, whatever stands in for it.
    pub path: PathBuf,
    /// What stands in for it in `PATH` (of pyenv, rustup …). It isn't used, because it costs time at every start.
    pub shim: Option<PathBuf>,
}

/// Every known language with its toolchain, or with what to install. Asks each tool, so it takes a moment.
pub fn toolchains() -> Vec<(Language, Result<Toolchain, Missing>)> {
    let runner = Runner::default();
    let one = |language: Language| {
        let definition = registry::definition(language)?;
        let found = runner.found(language, &definition).map(|found| {
            let path = started(&found);
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let first = definition.toolchain.tool.iter().find_map(|name| in_path(name));
            Toolchain {
                version: found.version.clone(),
                shim: first.filter(|first| is_shim(first, &path, &real)),
                path,
            }
        });
        Some((language, found))
    };
    registry::all().into_iter().filter_map(one).collect()
}

/// The program that is really run: the compiler's, or the interpreter's.
fn started(found: &toolchain::Toolchain) -> PathBuf {
    let definition = &found.definition;
    let compiler = definition
        .compile
        .as_ref()
        .and_then(|compile| compile.steps.first());
    let command = compiler.unwrap_or(&definition.run.command);
    let program = command.first().map(|first| found.values.expand(first));
    let program = program.and_then(|words| words.into_iter().next());
    let program = program.filter(|program| program.starts_with('/'));
    program.map_or_else(|| found.tool().to_owned(), PathBuf::from)
}

/// Whether the first program of that name in `PATH` is another one than that which is run. A link to it is none.
fn is_shim(first: &Path, run: &Path, real: &impl Fn(&Path) -> PathBuf) -> bool {
    real(first) != real(run) && first.file_name() == run.file_name()
}
