//! Libraries that aren't part of a toolchain and that a program uses.

use std::path::Path;

use super::definition::Library;
use super::expand::Values;
use super::runner::Unprepared;
use super::sources::Sources;
use super::toolchain::{Toolchain, remedy};

/// A library that a program uses and that is there.
#[derive(Clone, Debug)]
pub(super) struct Installed {
    pub(super) library: Library,
    pub(super) path: String,
}

impl Installed {
    /// What has to be readable for it: a folder is itself, a file comes with its neighbours.
    pub(super) fn folder(&self) -> &Path {
        let path = Path::new(&self.path);
        if path.is_dir() {
            path
        } else {
            path.parent().unwrap_or(path)
        }
    }

    /// Changes when it does.
    pub(super) fn stamp(&self) -> String {
        let modified = std::fs::metadata(&self.path).and_then(|metadata| metadata.modified());
        format!("{} {modified:?}", self.path)
    }
}

/// The libraries that the program uses; one that isn't there is no fault of the program.
pub(super) fn libraries(
    toolchain: &Toolchain,
    values: &Values,
    sources: &Sources,
) -> Result<Vec<Installed>, Unprepared> {
    let mut used = Vec::new();
    for library in &toolchain.definition.library {
        let uses = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            library.words.iter().any(|word| text.contains(word.as_str()))
        };
        let more = uses(sources.more.as_bytes());
        if !more && !sources.files.iter().any(|(_, text)| uses(text)) {
            continue;
        }
        let paths = values.expand_all(&library.paths);
        let Some(path) = paths.into_iter().find(|path| Path::new(path).exists()) else {
            let name = &library.name;
            return Err(Unprepared::Harness(format!(
                "the {} library {name} isn't installed: {}",
                toolchain.definition.title,
                remedy(&library.packages)
            )));
        };
        used.push(Installed {
            library: library.clone(),
            path,
        });
    }
    Ok(used)
}
