//! Scratch as a folder of the host: made for one run, looked at while it goes, and removed with whatever is in it.

use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{FchmodatFlags, Mode, SFlag, fchmodat, fstatat, mkdirat};
use nix::unistd::{Gid, Uid, UnlinkatFlags, fchown, unlinkat};

use crate::message::{HostIds, Space};
use crate::owner::{Life, Owner};

/// Deeper than this nothing is counted; the depth itself is bounded by the number of files.
const DEEPEST: usize = 100;

/// A folder with the two folders that a program has for scratch.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    base: OwnedFd,
    name: CString,
    home: OwnedFd,
}

impl Folder {
    /// Makes one below `base`, which others may write to as well.
    pub(super) fn make(base: &CStr, ids: HostIds) -> nix::Result<Self> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let path = Path::new(std::ffi::OsStr::from_bytes(base.to_bytes()));
        let base = openat(AT_FDCWD, base, flags, Mode::empty())?;
        let name = Owner::current().new_name();
        let path = path.join(&name);
        let name = CString::new(name).map_err(|_| Errno::EINVAL)?;
        mkdirat(&base, name.as_c_str(), Mode::S_IRWXU)?;
        let folder = openat(&base, name.as_c_str(), flags | OFlag::O_NOFOLLOW, Mode::empty())?;
        for part in [c"box", c"tmp"] {
            mkdirat(&folder, part, Mode::S_IRWXU)?;
            if ids.separate {
                let part = openat(&folder, part, flags | OFlag::O_NOFOLLOW, Mode::empty())?;
                give(&part, ids)?;
            }
        }
        if ids.separate {
            give(&folder, ids)?;
        }
        let home = openat(&folder, c"box", flags, Mode::empty())?;
        Ok(Self {
            path,
            base,
            name,
            home,
        })
    }

    pub(super) fn home(&self) -> &OwnedFd {
        &self.home
    }

    /// Where a part of it is on the host.
    pub(super) fn part(&self, name: &str) -> nix::Result<CString> {
        CString::new(self.path.join(name).as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)
    }

    /// A path next to it, where nothing is.
    pub(super) fn beside(&self) -> nix::Result<CString> {
        let path = self.path.with_extension("proof");
        CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL)
    }

    /// What is in it.
    pub(super) fn space(&self, most: Space) -> Space {
        let mut space = Space {
            bytes: 0,
            files: 0,
            ..most
        };
        count(&self.path, &mut space, 0);
        space
    }

    /// Removes it with all that is in it.
    pub(super) fn remove(self) -> nix::Result<()> {
        remove_all(self.base.as_fd(), &self.name)
    }
}

fn give(folder: &OwnedFd, ids: HostIds) -> nix::Result<()> {
    fchown(folder, Some(Uid::from_raw(ids.uid)), Some(Gid::from_raw(ids.gid)))
}

fn count(folder: &Path, space: &mut Space, depth: usize) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        space.files += 1;
        let Ok(metadata) = entry.metadata() else { continue };
        space.bytes += metadata.blocks() * 512;
        if metadata.is_dir() && depth < DEEPEST {
            count(&entry.path(), space, depth + 1);
        }
    }
}

/// Removes a folder and all in it, whatever rights it has been given and however deep it is. No link is followed.
fn remove_all(base: BorrowedFd<'_>, name: &CStr) -> nix::Result<()> {
    let top = open_to_empty(base, name)?;
    let mut count = 0_u64;
    loop {
        let names = names_in(&top)?;
        if names.is_empty() {
            break;
        }
        for name in names {
            if !is_folder(top.as_fd(), &name)? {
                unlinkat(&top, name.as_c_str(), UnlinkatFlags::NoRemoveDir)?;
                continue;
            }
            // Its folders are brought up to the top first, so that no depth is too great.
            let folder = open_to_empty(top.as_fd(), &name)?;
            for inner in names_in(&folder)? {
                if is_folder(folder.as_fd(), &inner)? {
                    // One without rights can't be moved.
                    drop(open_to_empty(folder.as_fd(), &inner)?);
                    let new = loop {
                        count += 1;
                        let new = CString::new(format!("folder-{count}")).map_err(|_| Errno::EINVAL)?;
                        if fstatat(&top, new.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW) == Err(Errno::ENOENT) {
                            break new;
                        }
                    };
                    renameat(&folder, inner.as_c_str(), &top, new.as_c_str())?;
                } else {
                    unlinkat(&folder, inner.as_c_str(), UnlinkatFlags::NoRemoveDir)?;
                }
            }
            unlinkat(&top, name.as_c_str(), UnlinkatFlags::RemoveDir)?;
        }
    }
    unlinkat(base, name, UnlinkatFlags::RemoveDir)
}

fn is_folder(base: BorrowedFd<'_>, name: &CStr) -> nix::Result<bool> {
    let mode = fstatat(base, name, AtFlags::AT_SYMLINK_NOFOLLOW)?.st_mode;
    Ok(mode & SFlag::S_IFMT.bits() == SFlag::S_IFDIR.bits())
}

/// Opens a folder after giving its owner all rights.
fn open_to_empty(base: BorrowedFd<'_>, name: &CStr) -> nix::Result<OwnedFd> {
    if is_folder(base, name)? {
        fchmodat(base, name, Mode::S_IRWXU, FchmodatFlags::FollowSymlink)?;
    }
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(base, name, flags, Mode::empty())
}

fn names_in(folder: &OwnedFd) -> nix::Result<Vec<CString>> {
    let fault = |error: std::io::Error| error.raw_os_error().map_or(Errno::EIO, Errno::from_raw);
    // The folder that is open, wherever it is by now.
    let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(fault)? {
        let name = entry.map_err(fault)?.file_name();
        names.push(CString::new(name.as_bytes()).map_err(|_| Errno::EINVAL)?);
    }
    Ok(names)
}

/// Removes what keepers that are gone have left below `base`. Only what is this user's own, and root's runs'.
pub(crate) fn sweep(base: &Path) {
    let own = nix::unistd::geteuid();
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let Ok(opened) = openat(AT_FDCWD, base, flags, Mode::empty()) else {
        return;
    };
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_dead = name
            .to_str()
            .and_then(Owner::of)
            .is_some_and(|owner| owner.life() == Life::Dead);
        let is_ours = entry
            .metadata()
            .is_ok_and(|metadata| metadata.is_dir() && (own.is_root() || metadata.uid() == own.as_raw()));
        if let (true, true, Ok(name)) = (is_dead, is_ours, CString::new(name.as_bytes()))
            && let Err(errno) = remove_all(opened.as_fd(), &name)
        {
            tracing::debug!("{} of a run that is gone stays: {errno}", entry.path().display());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn new(base: &Path) -> Folder {
        let base = CString::new(base.as_os_str().as_bytes()).unwrap();
        Folder::make(&base, HostIds::default()).unwrap()
    }

    #[test]
    fn anything_can_be_removed_and_nothing_else_is() {
        let base = tempfile::tempdir().unwrap();
        let kept = base.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("x"), "y").unwrap();
        let folder = new(base.path());
        let home = folder.path.join("box");
        std::os::unix::fs::symlink(&kept, home.join("link")).unwrap();
        fs::create_dir(home.join("a\nb")).unwrap();
        fs::create_dir(home.join("folder-1")).unwrap();
        fs::hard_link(kept.join("x"), home.join("hard")).unwrap();
        nix::unistd::mkfifo(&home.join("fifo"), Mode::S_IRWXU).unwrap();
        std::os::unix::net::UnixListener::bind(home.join("socket")).unwrap();
        fs::create_dir_all(home.join("locked/inner")).unwrap();
        fs::write(home.join("locked/inner/x"), "y").unwrap();
        fs::set_permissions(home.join("locked/inner"), fs::Permissions::from_mode(0o0)).unwrap();
        fs::set_permissions(home.join("locked"), fs::Permissions::from_mode(0o0)).unwrap();
        fs::set_permissions(&home, fs::Permissions::from_mode(0o0)).unwrap();
        folder.remove().unwrap();
        let left: Vec<_> = fs::read_dir(base.path())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(left, ["kept"]);
        assert_eq!(fs::read_to_string(kept.join("x")).unwrap(), "y");
    }

    #[test]
    fn no_depth_is_too_great() {
        let base = tempfile::tempdir().unwrap();
        let folder = new(base.path());
        let mut at = folder.home().try_clone().unwrap();
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        for _ in 0..5000 {
            mkdirat(&at, c"deeper", Mode::S_IRWXU).unwrap();
            at = openat(&at, c"deeper", flags, Mode::empty()).unwrap();
        }
        folder.remove().unwrap();
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_in_it_is_counted() {
        let base = tempfile::tempdir().unwrap();
        let folder = new(base.path());
        let most = Space {
            most_bytes: 7,
            most_files: 8,
            ..Space::default()
        };
        let empty = folder.space(most);
        fs::write(folder.path.join("tmp/x"), vec![1; 100_000]).unwrap();
        let full = folder.space(most);
        assert!(full.bytes >= empty.bytes + 100_000, "{full:?}");
        assert_eq!((full.files, full.most_bytes, full.most_files), (3, 7, 8));
        folder.remove().unwrap();
    }

    #[test]
    fn only_what_the_dead_have_left_is_swept() {
        let base = tempfile::tempdir().unwrap();
        let living = new(base.path());
        let mut child = std::process::Command::new("/bin/sleep")
            .arg("600")
            .spawn()
            .unwrap();
        let dead = base
            .path()
            .join(Owner::of_process(child.id()).unwrap().new_name());
        fs::create_dir_all(dead.join("box/x")).unwrap();
        let other = base.path().join("other");
        fs::create_dir(&other).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        sweep(base.path());
        assert!(living.path.is_dir() && other.is_dir() && !dead.exists());
        living.remove().unwrap();
    }
}
