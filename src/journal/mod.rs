//! The run folder: an append-only journal of events, read back to resume a run or to tell what happened.

mod attempt;
mod event;
mod past;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub use attempt::{AttemptRecord, VersionRecord, attempts};
pub use event::{Event, HiddenReport, Status, Stopped};
pub use past::Past;

/// The journal's file name in a run folder.
pub const FILE: &str = "journal.jsonl";

/// A journal that can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process has it open for writing.
    #[error("{}: another redraft is at work there; wait until it is done, or name another folder", folder.display())]
    Busy {
        /// The run folder.
        folder: PathBuf,
    },
    /// A line that isn't an event, and isn't the torn last one.
    #[error(
        "{}:{line}: not an event of a redraft run ({source}); without that line the run can go on, and what it \
         held is done again",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// Called with each event after it is safely in the file.
pub type Listener = Box<dyn Fn(&Event) + Send + Sync>;

/// An open journal: what happened before, and where to write what happens next.
pub struct Journal {
    path: PathBuf,
    file: Mutex<Option<File>>,
    past: Past,
    listener: Option<Listener>,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Journal {
    /// Opens the journal of a run folder, or begins one, for nobody else to write to as long as it is open. A torn
    /// last line is cut off: whoever wrote it was killed before anybody acted upon it.
    pub fn open(folder: &Path) -> Result<Self, JournalError> {
        let path = folder.join(FILE);
        let fail = |source| JournalError::Io {
            path: path.clone(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let folder = folder.to_owned();
                return Err(JournalError::Busy { folder });
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(fail)?;
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(fail)?;
        }
        file.seek(SeekFrom::Start(whole as u64)).map_err(fail)?;
        let past = Past::new(parse(&path, &text[..whole])?);
        Ok(Self {
            path,
            file: Mutex::new(Some(file)),
            past,
            listener: None,
        })
    }

    /// A journal that is kept in no file, for a single repair.
    pub fn in_memory() -> Self {
        Self {
            path: PathBuf::new(),
            file: Mutex::new(None),
            past: Past::default(),
            listener: None,
        }
    }

    /// Has `listener` called with each new event.
    #[must_use]
    pub fn listened_by(mut self, listener: Listener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// What happened before this journal was opened.
    pub fn past(&self) -> &Past {
        &self.past
    }

    /// Appends an event and hands it to the kernel; a model's or tool's reply, which may have cost money, to the disk.
    pub fn append(&self, event: &Event) -> Result<(), JournalError> {
        let fail = |source| JournalError::Io {
            path: self.path.clone(),
            source,
        };
        let mut line = serde_json::to_vec(event).map_err(|error| fail(error.into()))?;
        line.push(b'\n');
        {
            let mut file = self
                .file
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some(file) = file.as_mut() {
                file.write_all(&line).map_err(fail)?;
                if matches!(event, Event::Exchange { .. } | Event::Tool { .. }) {
                    file.sync_data().map_err(fail)?;
                }
            }
        }
        if let Some(listener) = &self.listener {
            listener(event);
        }
        Ok(())
    }
}

/// Reads the events of a run folder without opening it for writing.
pub fn read(folder: &Path) -> Result<Vec<Event>, JournalError> {
    let path = folder.join(FILE);
    let text = std::fs::read(&path).map_err(|source| JournalError::Io {
        path: path.clone(),
        source,
    })?;
    let whole = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    parse(&path, &text[..whole])
}

fn parse(path: &Path, text: &[u8]) -> Result<Vec<Event>, JournalError> {
    let lines = text
        .split(|&byte| byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.is_empty());
    lines
        .map(|(index, line)| {
            serde_json::from_slice(line).map_err(|source| JournalError::Line {
                path: path.to_owned(),
                line: index + 1,
                source,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: usize) -> Event {
        Event::Choice {
            task: "t".into(),
            sample: 0,
            number,
            stopped: Stopped::Rounds,
            by_round: Vec::new(),
            status: None,
        }
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path()).unwrap();
        journal.append(&event(1)).unwrap();
        let path = folder.path().join(FILE);
        let mut text = std::fs::read(&path).unwrap();
        text.extend_from_slice(b"{\"event\":\"choice\",\"ta");
        std::fs::write(&path, &text).unwrap();

        assert_eq!(read(folder.path()).unwrap(), [event(1)]);
        drop(journal);
        Journal::open(folder.path()).unwrap().append(&event(2)).unwrap();
        assert_eq!(read(folder.path()).unwrap(), [event(1), event(2)]);
    }

    #[test]
    fn a_journal_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path()).unwrap();
        journal.append(&event(1)).unwrap();
        let error = Journal::open(folder.path()).unwrap_err();
        assert!(matches!(error, JournalError::Busy { .. }), "{error}");
        assert_eq!(read(folder.path()).unwrap(), [event(1)]);
        drop(journal);
        Journal::open(folder.path()).unwrap();
    }

    #[test]
    fn a_broken_line_in_the_middle_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{\"event\":\"choice\"}\n{}\n").unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("journal.jsonl:1: not an event"), "{error}");
    }
}
