//! The folder of a run that the user names.

use std::path::Path;

use super::Failure;
use crate::bench::RunInfo;
use crate::journal::FILE as JOURNAL;

/// Makes the folder if it isn't there. Says whether this very run was begun in it; another run there is an error.
pub(crate) fn named_folder(folder: &Path, info: &RunInfo) -> Result<bool, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Input(format!("--out {}: {error}", folder.display())))?;
    if !folder.join(RunInfo::FILE).exists() {
        // One that is empty was left by a run that was killed before it began.
        if std::fs::metadata(folder.join(JOURNAL)).is_ok_and(|journal| journal.len() > 0) {
            return Err(Failure::Input(format!(
                "--out {}: a journal without its {}; name another folder",
                folder.display(),
                RunInfo::FILE
            )));
        }
        return Ok(false);
    }
    let there = RunInfo::read(folder).map_err(Failure::input)?;
    match there.difference(info) {
        None => Ok(true),
        Some(difference) => Err(Failure::Input(format!(
            "--out {}: holds another run: {difference}; name another folder",
            folder.display()
        ))),
    }
}
