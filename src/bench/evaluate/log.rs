//! The verdicts of an evaluation, on disk as soon as they are known.
//!
//! One line for each different program. What is kept in memory is where each line begins, 16 bytes a program; so
//! an evaluation that is killed loses nothing, and one of millions of samples stays small. The file goes when the
//! evaluation is complete.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Judged;

/// How long a verdict may wait until it is safe from a loss of power, too. From a kill it is safe at once.
const SYNC: Duration = Duration::from_secs(1);

/// What a verdict is of: a program, its tests, and how it was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u8; 16]);

impl Key {
    pub(super) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize()[..16]);
        Self(key)
    }

    fn short(self) -> u64 {
        let mut short = [0; 8];
        short.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(short)
    }

    fn hex(self) -> String {
        self.0
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .concat()
    }
}

/// One line.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    key: String,
    #[serde(flatten)]
    judged: Judged,
}

/// The verdicts so far.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    length: u64,
    /// Where the line of a key begins. A key's first half finds it, the line itself holds all of it.
    places: HashMap<u64, u64, BuildHasherDefault<AsItIs>>,
    synced: Instant,
}

impl Log {
    /// Opens the log of the results that go to `results`, with what an interrupted evaluation has left there.
    pub(super) fn open(results: &Path) -> std::io::Result<Self> {
        let mut path = results.as_os_str().to_owned();
        path.push(".unfinished");
        let path = PathBuf::from(path);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)?;
        if file.try_lock().is_err() {
            let problem = format!("{}: another evaluation writes there", path.display());
            return Err(std::io::Error::other(problem));
        }
        let mut log = Self {
            path,
            file,
            length: 0,
            places: HashMap::default(),
            synced: Instant::now(),
        };
        log.load()?;
        Ok(log)
    }

    /// How many verdicts are there.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    fn load(&mut self) -> std::io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 16, &self.file);
        let mut line = Vec::new();
        let mut places = HashMap::default();
        let mut at = 0;
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)? as u64;
            // A line that was cut off, or isn't ours, and everything behind it is of no use.
            let Some(short) = line
                .strip_suffix(b"\n")
                .and_then(|line| serde_json::from_slice::<Line>(line).ok())
                .and_then(|line| short_of(&line.key))
            else {
                break;
            };
            places.insert(short, at);
            at += read;
        }
        self.places = places;
        self.length = at;
        self.file.set_len(at)?;
        self.file.seek(SeekFrom::Start(at))?;
        Ok(())
    }

    /// The verdict that `key` has, if it has one.
    pub(super) fn get(&self, key: Key) -> std::io::Result<Option<Judged>> {
        let Some(&place) = self.places.get(&key.short()) else {
            return Ok(None);
        };
        let mut text = Vec::new();
        let mut chunk = [0; 2048];
        while !text.contains(&b'\n') {
            let read = self.file.read_at(&mut chunk, place + text.len() as u64)?;
            if read == 0 {
                break;
            }
            text.extend_from_slice(&chunk[..read]);
        }
        let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
        let line: Line = serde_json::from_slice(&text[..end]).map_err(std::io::Error::other)?;
        Ok((line.key == key.hex()).then_some(line.judged))
    }

    /// Keeps a verdict.
    pub(super) fn append(&mut self, key: Key, judged: &Judged) -> std::io::Result<()> {
        let line = Line {
            key: key.hex(),
            judged: judged.clone(),
        };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.places.insert(key.short(), self.length);
        self.length += text.len() as u64;
        if self.synced.elapsed() >= SYNC {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Removes the file: the results hold everything.
    pub(super) fn remove(self) -> std::io::Result<()> {
        std::fs::remove_file(&self.path)
    }

    /// Leaves the file for the next time.
    pub(super) fn keep(&self) -> std::io::Result<()> {
        self.file.sync_data()
    }
}

fn short_of(hex: &str) -> Option<u64> {
    if hex.len() != 32 {
        return None;
    }
    let mut bytes = [0; 8];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(u64::from_le_bytes(bytes))
}

/// Keys are hashes already.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Verdict;

    fn judged(result: &str) -> Judged {
        Judged {
            verdict: Verdict::WrongAnswer,
            result: result.to_owned(),
            tests: None,
            flags: std::collections::BTreeSet::new(),
            parts: Vec::new(),
        }
    }

    fn key(name: &str) -> Key {
        Key::of([name.as_bytes()])
    }

    #[test]
    fn what_was_kept_is_there_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("r.jsonl");
        let long = "x".repeat(5000);
        let mut log = Log::open(&results).unwrap();
        assert!(
            Log::open(&results)
                .unwrap_err()
                .to_string()
                .contains("another evaluation")
        );
        log.append(key("a"), &judged(&long)).unwrap();
        log.append(key("b"), &judged("b")).unwrap();
        assert_eq!(log.get(key("a")).unwrap(), Some(judged(&long)));
        drop(log);
        // Cut anywhere, the lines before are there.
        let path = folder.path().join("r.jsonl.unfinished");
        let whole = std::fs::read(&path).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for end in [0, 1, first - 1, first, first + 1, whole.len() - 1, whole.len()] {
            std::fs::write(&path, &whole[..end]).unwrap();
            let mut log = Log::open(&results).unwrap();
            let there = usize::from(end >= first) + usize::from(end == whole.len());
            assert_eq!(log.len(), there, "cut at {end}");
            log.append(key("c"), &judged("c")).unwrap();
            drop(log);
            let log = Log::open(&results).unwrap();
            assert_eq!(log.get(key("c")).unwrap(), Some(judged("c")));
            assert_eq!(log.get(key("b")).unwrap().is_some(), end == whole.len());
        }
    }
}
