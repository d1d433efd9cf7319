//! The suite that comes with the program: every file of `tasks/`, compiled in, so that the binary works anywhere.

use std::path::PathBuf;

use super::source::{Source, hash_of};
use super::{BUNDLED, SuiteError, toml};
use crate::task::Suite;

macro_rules! tasks {
    ($($id:literal),* $(,)?) => {
        &[$(($id, include_str!(concat!("../../../tasks/", $id, ".toml")))),*]
    };
}

/// Each task's id and file; a test keeps the list complete.
const FILES: &[(&str, &str)] = tasks![
    "balanced-ternary",
    "billing-dates",
    "broken-stairs",
    "build-order",
    "count-lakes",
    "csv-column",
    "diagonals",
    "dial-percent",
    "expiring-cache",
    "fair-ranking",
    "free-slots",
    "harvest-report",
    "headline",
    "heavy-batches",
    "interleave-bits",
    "joined-at",
    "lift-floors",
    "mean-grade",
    "mirror-steps",
    "page-ranges",
    "parcel-check",
    "parse-duration",
    "pocket-calculator",
    "robot-walk",
    "running-balance",
    "split-cents",
    "squeeze-runs",
    "stock-room",
    "text-table",
    "tile-maxima",
    "trip-meter",
    "undo-editor",
    "value-changes",
    "village-bank",
    "warmest-day",
    "words-by-length",
];

/// How many tasks there are: one a file.
pub(super) const COUNT: usize = FILES.len();

/// Reads the bundled suite.
pub(super) fn open() -> Result<Suite, SuiteError> {
    let mut tasks = Vec::new();
    for (id, text) in FILES {
        let source = Source {
            path: PathBuf::from(format!("tasks/{id}.toml")),
            text: (*text).to_owned(),
        };
        tasks.extend(toml::tasks(&source)?);
    }
    let hash = hash_of(FILES.iter().map(|(_, text)| *text));
    Ok(Suite {
        name: BUNDLED.to_owned(),
        hash,
        tasks,
        common_imports: false,
        impossible: false,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn every_file_of_the_folder_is_compiled_in() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks");
        let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
            .collect();
        let compiled: BTreeSet<String> = super::FILES.iter().map(|(id, _)| (*id).to_owned()).collect();
        assert_eq!(
            on_disk,
            compiled,
            "`FILES` in {} has to list the files of tasks/",
            file!()
        );
    }

    #[test]
    fn each_file_is_called_as_its_task() {
        for (task, (id, _)) in super::open().unwrap().tasks.iter().zip(super::FILES) {
            assert_eq!(task.id, *id);
        }
    }
}
