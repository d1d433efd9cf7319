//! What was compiled, kept on disk by content: the same program with the same toolchain is compiled once.
//!
//! An entry is a folder: `files/` and a manifest with the size and the hash of each. It is made beside its place and
//! renamed into it, and checked when it is taken out, so a torn one is never used. Who uses an entry holds a shared
//! lock on its manifest; only what nobody uses is removed when there is too much.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Changes with the form of the entries, so that those of another version are left alone.
const FORM: &str = "1";
/// Names the folder, instead of the one below the user's cache directory.
const FOLDER: &str = "REDRAFT_COMPILED";
/// Beyond that, what was not used for the longest time is removed.
const MOST_BYTES: u64 = 2 << 30;
/// How many entries are added between two looks at how much there is.
const BETWEEN_LOOKS: usize = 50;
/// What was begun and not finished for so long never will be.
const ABANDONED: Duration = Duration::from_hours(1);

/// The files that a compilation left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Artefact {
    /// Relative to the folder of what is kept.
    pub(crate) path: PathBuf,
    pub(crate) content: Vec<u8>,
    pub(crate) executable: bool,
}

/// What came of compiling.
#[derive(Debug)]
pub(crate) enum Kept {
    /// The folder with the files. It stays as long as this lives.
    Files { folder: PathBuf, _lock: File },
    /// The compiler's diagnostics.
    Refused(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    /// The diagnostics of a program that can't be compiled.
    refused: Option<String>,
    files: Vec<Listed>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    path: PathBuf,
    sha256: String,
}

/// A folder of compiled programs, used by any number of processes at once.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    most_bytes: u64,
    added: AtomicUsize,
    /// Holds the folder where the user's can't be used.
    temporary: Option<tempfile::TempDir>,
}

impl Cache {
    /// The user's, or one for this process alone where that can't be written.
    pub(crate) fn open() -> io::Result<Self> {
        let folder = std::env::var_os(FOLDER)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| crate::task::suites::cache_dir().with_file_name("compiled"));
        match Self::at(&folder.join(FORM), MOST_BYTES) {
            Ok(cache) => Ok(cache),
            Err(error) => {
                tracing::warn!(
                    "compiled programs are kept for this run only: {}: {error}",
                    folder.display()
                );
                let temporary = tempfile::Builder::new().prefix("redraft-compiled").tempdir()?;
                let mut cache = Self::at(temporary.path(), MOST_BYTES)?;
                cache.temporary = Some(temporary);
                Ok(cache)
            }
        }
    }

    fn at(folder: &Path, most_bytes: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        // Whether it can be written shows only when it is.
        tempfile::Builder::new()
            .prefix("new-")
            .tempdir_in(folder)?
            .close()?;
        Ok(Self {
            folder: folder.to_owned(),
            most_bytes,
            added: AtomicUsize::new(0),
            temporary: None,
        })
    }

    /// What is kept under a key, if it is whole.
    pub(crate) fn get(&self, key: &str) -> Option<Kept> {
        let entry = self.folder.join(key);
        let mut manifest = File::open(entry.join("manifest.json")).ok()?;
        manifest.lock_shared().ok()?;
        let mut text = String::new();
        manifest.read_to_string(&mut text).ok()?;
        // One that was removed and made anew while we waited for the lock isn't the one that we hold.
        let inode = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|metadata| metadata.ino());
        let ours = inode(manifest.metadata()) == inode(fs::metadata(entry.join("manifest.json")));
        let read = serde_json::from_str(&text).ok().filter(|_| ours);
        let whole = read.filter(|read: &Manifest| is_whole(&entry, read));
        let Some(read) = whole else {
            // Torn, or removed while we waited for the lock: out of the way, and made anew.
            drop(manifest);
            self.remove(&entry);
            return None;
        };
        // So that what is used stays; how long it stays is no matter of life and death.
        let _ = manifest.set_modified(SystemTime::now());
        Some(match read.refused {
            Some(diagnostics) => Kept::Refused(diagnostics),
            None => Kept::Files {
                folder: entry.join("files"),
                _lock: manifest,
            },
        })
    }

    /// Keeps files under a key. If another process was faster, what it keeps is taken.
    pub(crate) fn put(&self, key: &str, files: &[Artefact]) -> io::Result<Kept> {
        self.add(key, files, None)
    }

    /// Keeps that a program can't be compiled.
    pub(crate) fn put_refused(&self, key: &str, diagnostics: &str) -> io::Result<Kept> {
        self.add(key, &[], Some(diagnostics))
    }

    fn add(&self, key: &str, files: &[Artefact], refused: Option<&str>) -> io::Result<Kept> {
        let new = tempfile::Builder::new().prefix("new-").tempdir_in(&self.folder)?;
        let kept = new.path().join("files");
        open_folder(new.path())?;
        fs::create_dir(&kept)?;
        open_folder(&kept)?;
        let mut listed = Vec::new();
        for artefact in files {
            let path = kept.join(&artefact.path);
            if let Some(parent) = artefact.path.parent() {
                make_folders(&kept, parent)?;
            }
            let mut file = File::create_new(&path)?;
            file.write_all(&artefact.content)?;
            let mode = if artefact.executable { 0o755 } else { 0o644 };
            file.set_permissions(fs::Permissions::from_mode(mode))?;
            listed.push(Listed {
                path: artefact.path.clone(),
                sha256: format!("{:x}", Sha256::digest(&artefact.content)),
            });
        }
        let manifest = Manifest {
            refused: refused.map(str::to_owned),
            files: listed,
        };
        fs::write(new.path().join("manifest.json"), serde_json::to_vec(&manifest)?)?;
        let place = self.folder.join(key);
        // Fails when it is there already, which is as good.
        let _ = fs::rename(new.path(), &place);
        drop(new);
        if self
            .added
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(BETWEEN_LOOKS)
        {
            self.make_room();
        }
        self.get(key)
            .ok_or_else(|| io::Error::other(format!("{} can't be read back", place.display())))
    }

    /// Removes an entry, unless somebody uses it. Whether it is gone.
    fn remove(&self, entry: &Path) -> bool {
        let manifest = File::open(entry.join("manifest.json"));
        if let Ok(manifest) = &manifest
            && matches!(manifest.try_lock(), Err(TryLockError::WouldBlock))
        {
            return false;
        }
        // Away from its place in one step: nobody finds half of it.
        let gone = tempfile::Builder::new()
            .prefix("new-gone-")
            .tempdir_in(&self.folder);
        let removed = gone.is_ok_and(|gone| fs::rename(entry, gone.path()).is_ok());
        drop(manifest);
        removed
    }

    /// Removes what was not used for the longest time until the rest is small enough.
    fn make_room(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut known = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with("new-") {
                let age = entry
                    .metadata()
                    .and_then(|metadata| metadata.modified())
                    .map(|time| time.elapsed());
                if matches!(age, Ok(Ok(age)) if age > ABANDONED) {
                    let _ = fs::remove_dir_all(path);
                }
                continue;
            }
            let used = fs::metadata(path.join("manifest.json")).and_then(|metadata| metadata.modified());
            known.push((used.unwrap_or(SystemTime::UNIX_EPOCH), bytes_below(&path), path));
        }
        let mut bytes: u64 = known.iter().map(|(_, bytes, _)| bytes).sum();
        known.sort();
        for (_, size, path) in known {
            if bytes <= self.most_bytes {
                break;
            }
            if self.remove(&path) {
                bytes -= size;
            }
        }
    }
}

/// For the confined user, who is another one, to read.
fn open_folder(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

fn make_folders(base: &Path, below: &Path) -> io::Result<()> {
    let mut path = base.to_owned();
    for part in below.components() {
        path.push(part);
        match fs::create_dir(&path) {
            Ok(()) => open_folder(&path)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_whole(entry: &Path, manifest: &Manifest) -> bool {
    manifest.files.iter().all(|listed| {
        let hash = || -> io::Result<String> {
            let mut hasher = Sha256::new();
            io::copy(
                &mut File::open(entry.join("files").join(&listed.path))?,
                &mut hasher,
            )?;
            Ok(format!("{:x}", hasher.finalize()))
        };
        hash().is_ok_and(|hash| hash == listed.sha256)
    })
}

fn bytes_below(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
        _ => entry.metadata().map_or(0, |metadata| metadata.len()),
    };
    entries.flatten().map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artefact(path: &str, content: &[u8]) -> Artefact {
        Artefact {
            path: PathBuf::from(path),
            content: content.to_vec(),
            executable: path == "main",
        }
    }

    fn folder_of(kept: Option<Kept>) -> Option<PathBuf> {
        match kept? {
            Kept::Files { folder, .. } => Some(folder),
            Kept::Refused(_) => None,
        }
    }

    #[test]
    fn what_is_put_in_is_got_out() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path(), MOST_BYTES).unwrap();
        assert!(cache.get("a").is_none());
        cache
            .put("a", &[artefact("main", b"x"), artefact("lib/deep/y", b"yy")])
            .unwrap();
        let files = folder_of(cache.get("a")).unwrap();
        assert_eq!(fs::read(files.join("lib/deep/y")).unwrap(), b"yy");
        assert_eq!(
            fs::metadata(files.join("main")).unwrap().permissions().mode() & 0o777,
            0o755
        );
        cache.put_refused("b", "no such name").unwrap();
        assert!(matches!(cache.get("b"), Some(Kept::Refused(text)) if text == "no such name"));
    }

    #[test]
    fn torn_entries_are_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path(), MOST_BYTES).unwrap();
        for (name, content) in [
            ("files/main", &b"x"[..]),
            ("files/main", b""),
            ("manifest.json", b"{\"refu"),
        ] {
            drop(cache.put("a", &[artefact("main", b"whole")]).unwrap());
            fs::write(folder.path().join("a").join(name), content).unwrap();
            assert!(cache.get("a").is_none(), "{name}");
        }
        drop(cache.put("a", &[artefact("main", b"whole")]).unwrap());
        fs::remove_file(folder.path().join("a/files/main")).unwrap();
        assert!(cache.get("a").is_none());
    }

    #[test]
    fn what_was_used_last_stays_and_what_is_in_use_too() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path(), 25_000).unwrap();
        let long_ago = SystemTime::now() - Duration::from_hours(5);
        let mut held = None;
        for (at, key) in ["used", "old", "newer", "newest"].into_iter().enumerate() {
            let kept = cache.put(key, &[artefact("main", &[0; 10_000])]).unwrap();
            let manifest = File::options()
                .write(true)
                .open(folder.path().join(key).join("manifest.json"))
                .unwrap();
            manifest
                .set_modified(long_ago + Duration::from_mins(at as u64))
                .unwrap();
            if key == "used" {
                held = Some(kept);
            }
        }
        fs::create_dir(folder.path().join("new-torn")).unwrap();
        File::open(folder.path().join("new-torn"))
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        cache.make_room();
        drop(held);
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["newest", "used"]);
    }

    #[test]
    fn many_at_once_agree() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = Cache::at(folder.path(), 1).unwrap();
                    for round in 0..20 {
                        let key = format!("k{}", round % 3);
                        if cache.get(&key).is_none() {
                            // Another may remove it at once, for there is room for nothing.
                            let _ = cache.put(&key, &[artefact("main", key.as_bytes())]);
                        }
                        if let Some(Kept::Files { folder, _lock }) = cache.get(&key) {
                            assert_eq!(fs::read(folder.join("main")).unwrap(), key.as_bytes());
                        }
                    }
                });
            }
        });
    }
}
