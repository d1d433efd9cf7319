//! What a cell shows of the host, and whether the host still is as it was when that was planned.

use std::ffi::{CString, OsStr};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::plan::{LIBRARIES, Plan};
use crate::Error;
use crate::spec::{Entry, Kind};

/// The paths that a caller wants to be readable. Cells are made for one such list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) libraries: bool,
    pub(crate) readable: Vec<PathBuf>,
    /// Paths of the host, and where they are to be inside.
    pub(crate) readable_as: Vec<(PathBuf, PathBuf)>,
}

/// What a cell shows of the host.
#[derive(Debug)]
pub(crate) struct Shape {
    wish: Wish,
    pub(super) entries: Vec<Entry>,
    /// How to tell that the host's paths are the same still.
    witnesses: Vec<(PathBuf, Witness)>,
}

/// What a path of the host was.
#[derive(Debug, PartialEq, Eq)]
enum Witness {
    /// A file or folder, by device and number. A cell holds on to what it shows, so the number isn't given to another.
    There(u64, u64),
    Link(PathBuf),
    /// What it leads to through all links.
    LeadsTo(PathBuf),
    Missing,
}

/// Shapes that were planned, the latest last.
static KNOWN: Mutex<Vec<Arc<Shape>>> = Mutex::new(Vec::new());
/// More different lists than that are hardly in use at the same time.
const MOST_KNOWN: usize = 32;

impl Shape {
    /// The shape for a wish: the same one for as long as the host doesn't change.
    pub(crate) fn of(wish: &Wish) -> Result<Arc<Self>, Error> {
        let known = {
            let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            known
                .iter()
                .rev()
                .find(|shape| shape.wish == *wish)
                .map(Arc::clone)
        };
        if let Some(shape) = known.filter(|shape| shape.holds()) {
            return Ok(shape);
        }
        let shape = Arc::new(Self::plan(wish)?);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|known| known.wish != *wish);
        if known.len() >= MOST_KNOWN {
            known.remove(0);
        }
        known.push(Arc::clone(&shape));
        Ok(shape)
    }

    fn plan(wish: &Wish) -> Result<Self, Error> {
        let mut plan = Plan::new();
        let mut witnesses = Vec::new();
        if wish.libraries {
            plan.libraries()?;
            let missing = |path: &&Path| fs::symlink_metadata(path).is_err();
            let libraries = LIBRARIES.iter().map(Path::new).filter(missing);
            witnesses.extend(libraries.map(|path| (path.to_owned(), Witness::Missing)));
        }
        for path in &wish.readable {
            plan.readable(path)?;
        }
        for (path, inside) in &wish.readable_as {
            plan.readable_as(path, inside)?;
            let whole = path.canonicalize().map_or(Witness::Missing, Witness::LeadsTo);
            witnesses.push((path.clone(), whole));
        }
        let entries = plan.into_entries()?;
        for entry in &entries {
            let path = match &entry.kind {
                Kind::HostFile(source) | Kind::HostFolder(source) => path_of(source),
                Kind::Link(_) => Path::new("/").join(path_of(&entry.path)),
                Kind::Folder | Kind::Device(_) | Kind::File(_) => continue,
            };
            // The links in /dev are ours.
            if !path.starts_with("/dev") {
                witnesses.push((path.clone(), Witness::look(&path)));
            }
        }
        Ok(Self {
            wish: wish.clone(),
            entries,
            witnesses,
        })
    }

    /// How many of its entries lie in scratch.
    pub(crate) fn in_scratch(&self) -> u64 {
        let inside = |entry: &&Entry| entry.path.as_bytes().starts_with(b"tmp/");
        self.entries.iter().filter(inside).count() as u64
    }

    fn holds(&self) -> bool {
        self.witnesses.iter().all(|(path, witness)| match witness {
            Witness::LeadsTo(whole) => path.canonicalize().is_ok_and(|now| now == *whole),
            other => Witness::look(path) == *other,
        })
    }
}

fn path_of(path: &CString) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(path.as_bytes()))
}

impl Witness {
    fn look(path: &Path) -> Self {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => fs::read_link(path).map_or(Self::Missing, Self::Link),
            Ok(metadata) => Self::There(metadata.dev(), metadata.ino()),
            Err(_) => Self::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(path: &Path) -> Wish {
        Wish {
            libraries: true,
            readable: vec![path.to_owned()],
            readable_as: Vec::new(),
        }
    }

    #[test]
    fn a_shape_is_planned_once() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let one = Shape::of(&wish(folder.path())).unwrap();
        assert!(Arc::ptr_eq(&one, &Shape::of(&wish(folder.path())).unwrap()));
    }

    #[test]
    fn a_changed_host_is_noticed() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "one").unwrap();
        let one = Shape::of(&wish(&path)).unwrap();
        fs::write(folder.path().join("new"), "two").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        let other = Shape::of(&wish(&path)).unwrap();
        assert!(!Arc::ptr_eq(&one, &other));

        let link = folder.path().join("link");
        std::os::unix::fs::symlink("x", &link).unwrap();
        let one = Shape::of(&wish(&link)).unwrap();
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("../x", &link).unwrap();
        assert!(!one.holds());
        fs::remove_file(&link).unwrap();
        assert!(Shape::of(&wish(&link)).is_err());
    }
}
