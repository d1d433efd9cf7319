//! What a root will look like: the caller's paths laid out as on the host, and the few files that we make.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{CString, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::Error;
use crate::spec::{Entry, Kind};

/// Paths that are made inside and so can't be the host's, nor what is below them, but for /etc and scratch.
const OURS: [&str; 3] = ["/proc", "/dev", "/box"];
/// The longest chain of symbolic links to follow, as in the kernel.
const MOST_LINKS: usize = 40;

/// Where scratch is seen; see [`crate::SCRATCH`].
const SCRATCH: [&str; 3] = ["/box", "/tmp", "/dev/shm"];

/// The folders where the dynamic linker looks, and what tells it where.
pub(super) const LIBRARIES: [&str; 11] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/etc/alternatives",
];

const PASSWD: &str = "box:x:1000:1000:box:/box:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n";
const GROUP: &str = "box:x:1000:\nnogroup:x:65534:\n";
const HOSTS: &str = "127.0.0.1 localhost box\n::1 localhost\n";
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files\n";

/// The layout of a root.
#[derive(Debug)]
pub(super) struct Plan {
    /// By absolute path, so that parents come first.
    entries: BTreeMap<PathBuf, Kind>,
}

impl Plan {
    /// A root with nothing of the host in it.
    pub(super) fn new() -> Self {
        let mut plan = Self {
            entries: BTreeMap::new(),
        };
        for folder in ["/dev", "/etc", "/proc"] {
            plan.put(folder, Kind::Folder);
        }
        for folder in SCRATCH {
            plan.put(folder, Kind::Folder);
        }
        for device in [
            c"/dev/null",
            c"/dev/zero",
            c"/dev/full",
            c"/dev/random",
            c"/dev/urandom",
        ] {
            plan.put(&*device.to_string_lossy(), Kind::Device(device.to_owned()));
        }
        for (link, target) in [
            ("/dev/fd", c"/proc/self/fd"),
            ("/dev/stdin", c"/proc/self/fd/0"),
            ("/dev/stdout", c"/proc/self/fd/1"),
            ("/dev/stderr", c"/proc/self/fd/2"),
        ] {
            plan.put(link, Kind::Link(target.to_owned()));
        }
        for (file, content) in [
            ("/etc/passwd", PASSWD),
            ("/etc/group", GROUP),
            ("/etc/hosts", HOSTS),
            ("/etc/nsswitch.conf", NSSWITCH),
        ] {
            plan.put(file, Kind::File(content.as_bytes().to_vec()));
        }
        plan
    }

    /// Every folder with shared libraries that the host has.
    pub(super) fn libraries(&mut self) -> Result<(), Error> {
        LIBRARIES
            .iter()
            .map(Path::new)
            .filter(|path| fs::symlink_metadata(path).is_ok())
            .try_for_each(|path| self.readable(path))
    }

    /// Makes a path of the host readable, with each symbolic link on the way to it as it is on the host.
    pub(super) fn readable(&mut self, path: &Path) -> Result<(), Error> {
        let invalid = |what: String| Err(Error::Invalid { what });
        if !path.is_absolute() {
            return invalid(format!("readable path {} is not absolute", path.display()));
        }
        let mut rest: VecDeque<OsString> = parts(path);
        let mut at = PathBuf::from("/");
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            if part == ".." {
                at.pop();
                continue;
            }
            let next = at.join(part);
            if OURS.iter().any(|ours| next.starts_with(ours)) {
                return invalid(format!(
                    "readable path {} can't be of the host: it is made inside",
                    path.display()
                ));
            }
            let covered = self.is_covered(&next);
            let metadata = match fs::symlink_metadata(&next) {
                Ok(metadata) => metadata,
                Err(error) => return invalid(format!("readable path {}: {error}", path.display())),
            };
            if metadata.is_symlink() {
                links += 1;
                let target = match fs::read_link(&next) {
                    Ok(target) if links <= MOST_LINKS => target,
                    Ok(_) => {
                        return invalid(format!(
                            "readable path {}: too many symbolic links",
                            path.display()
                        ));
                    }
                    Err(error) => return invalid(format!("readable path {}: {error}", path.display())),
                };
                if !covered {
                    self.entries.insert(next, Kind::Link(c_string(&target)?));
                }
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    rest.push_front(part);
                }
                continue;
            }
            if rest.is_empty() {
                return if covered {
                    Ok(())
                } else {
                    self.bind(next, metadata.is_dir())
                };
            }
            if !covered {
                self.entries.entry(next.clone()).or_insert(Kind::Folder);
            }
            at = next;
        }
        invalid(format!(
            "readable path {} would show the whole host",
            path.display()
        ))
    }

    /// Makes a path of the host readable at a path of its own, where nothing else of the host is.
    pub(super) fn readable_as(&mut self, path: &Path, inside: &Path) -> Result<(), Error> {
        let invalid = |what: String| Err(Error::Invalid { what });
        let names_only = inside.is_absolute()
            && inside.parent().is_some()
            && inside
                .components()
                .skip(1)
                .all(|part| matches!(part, Component::Normal(_)));
        let taken = self.is_covered(inside) || self.entries.contains_key(inside);
        if !names_only || taken || OURS.iter().any(|ours| inside.starts_with(ours)) {
            return invalid(format!(
                "nothing of the host can be shown at {}",
                inside.display()
            ));
        }
        let known = path
            .canonicalize()
            .and_then(|path| Ok((fs::metadata(&path)?.is_dir(), path)));
        let (is_folder, source) = match known {
            Ok(known) => known,
            Err(error) => return invalid(format!("readable path {}: {error}", path.display())),
        };
        for folder in inside
            .ancestors()
            .skip(1)
            .filter(|folder| folder.parent().is_some())
        {
            self.entries.entry(folder.to_owned()).or_insert(Kind::Folder);
        }
        let source = c_string(&source)?;
        let kind = if is_folder {
            Kind::HostFolder(source)
        } else {
            Kind::HostFile(source)
        };
        self.entries.insert(inside.to_owned(), kind);
        Ok(())
    }

    fn bind(&mut self, path: PathBuf, is_folder: bool) -> Result<(), Error> {
        if SCRATCH.iter().any(|scratch| path == Path::new(scratch)) {
            let what = format!(
                "readable path {} can't be of the host: it is made inside",
                path.display()
            );
            return Err(Error::Invalid { what });
        }
        if path == Path::new("/etc") {
            let what = "readable path /etc would show the host's secrets; name the files in it".to_owned();
            return Err(Error::Invalid { what });
        }
        let source = c_string(&path)?;
        if is_folder {
            // It brings along what was planned below it.
            self.entries.retain(|known, _| !known.starts_with(&path));
            self.entries.insert(path, Kind::HostFolder(source));
        } else {
            self.entries.insert(path, Kind::HostFile(source));
        }
        Ok(())
    }

    /// Whether a folder of the host above the path, or the path itself, is in the plan.
    fn is_covered(&self, path: &Path) -> bool {
        path.ancestors()
            .any(|above| matches!(self.entries.get(above), Some(Kind::HostFolder(_))))
    }

    fn put(&mut self, path: impl Into<PathBuf>, kind: Kind) {
        self.entries.insert(path.into(), kind);
    }

    /// Parents before what is in them, relative to the root.
    pub(super) fn into_entries(self) -> Result<Vec<Entry>, Error> {
        let entry = |(path, kind): (PathBuf, Kind)| {
            let path = c_string(path.strip_prefix("/").unwrap_or(&path))?;
            Ok(Entry { path, kind })
        };
        self.entries.into_iter().map(entry).collect()
    }
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

/// For paths, arguments and variables alike: the kernel takes no zero byte in them.
pub(crate) fn c_string(text: impl AsRef<std::ffi::OsStr>) -> Result<CString, Error> {
    let text = text.as_ref();
    CString::new(text.as_bytes()).map_err(|_| Error::Invalid {
        what: format!("{} has a zero byte in it", text.display()),
    })
}
