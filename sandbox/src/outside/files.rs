//! The files that a caller puts into scratch.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::plan::c_string;
use crate::Error;
use crate::spec::Put;

/// Files and the folders that they lie in, by relative path, so that parents come first.
#[derive(Debug, Default)]
pub(crate) struct Files {
    entries: BTreeMap<PathBuf, Put>,
    bytes: u64,
}

/// The size of a page; larger ones exist, and then a little is rounded wrong.
const PAGE: u64 = 4096;
/// The folders of scratch itself: its root, and what is seen as `/box`, `/tmp` and `/dev/shm`.
const OWN_FOLDERS: u64 = 4;

impl Files {
    /// Puts a file into the program's working directory.
    pub(crate) fn put(&mut self, path: &Path, content: &[u8]) -> Result<(), Error> {
        let names_only = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !names_only || path.as_os_str().is_empty() {
            let what = format!(
                "{} is not a relative path inside the scratch directory",
                path.display()
            );
            return Err(Error::Invalid { what });
        }
        for folder in path
            .ancestors()
            .skip(1)
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            self.entries.entry(folder.to_owned()).or_insert(Put::Folder);
        }
        // A tmpfs gives whole pages.
        self.bytes += (content.len() as u64).next_multiple_of(PAGE);
        self.entries.insert(path.to_owned(), Put::File(content.to_vec()));
        Ok(())
    }

    /// What is in scratch before the program begins: bytes, and files and folders.
    pub(crate) fn taken(&self) -> (u64, u64) {
        (self.bytes, self.entries.len() as u64 + OWN_FOLDERS)
    }

    pub(crate) fn into_entries(self) -> Result<Vec<(std::ffi::CString, Put)>, Error> {
        let entries = self.entries.into_iter();
        entries.map(|(path, put)| Ok((c_string(path)?, put))).collect()
    }
}
