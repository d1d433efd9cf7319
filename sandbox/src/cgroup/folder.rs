//! The folder of one group in one hierarchy.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, open, openat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{UnlinkatFlags, read, unlinkat, write};

use super::mounts::Version;

/// How often removal is tried before it is given up; with the waits between, about a second.
const TRIES: u32 = 12;
const FIRST_WAIT: Duration = Duration::from_micros(200);
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// A group that exists, or did when it was opened.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) version: Version,
    path: PathBuf,
    dir: OwnedFd,
}

impl Folder {
    /// Makes a group below `parent`.
    pub(super) fn make(version: Version, parent: &Path, name: &str) -> io::Result<Self> {
        let path = parent.join(name);
        mkdirat(AT_FDCWD, &path, Mode::from_bits_truncate(0o755)).map_err(|errno| about(&path, errno))?;
        Self::open(version, path)
    }

    /// A group that is there.
    pub(super) fn open(version: Version, path: PathBuf) -> io::Result<Self> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let dir = open(&path, flags, Mode::empty()).map_err(|errno| about(&path, errno))?;
        Ok(Self { version, path, dir })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// One of its files, for writing.
    pub(super) fn open_file(&self, name: &str) -> io::Result<OwnedFd> {
        let flags = OFlag::O_WRONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        openat(&self.dir, name, flags, Mode::empty()).map_err(|errno| about(&self.path.join(name), errno))
    }

    /// Writes one of its files, all at once as the kernel wants it.
    pub(super) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let file = self.open_file(name)?;
        write(&file, text.as_bytes())
            .map(drop)
            .map_err(|errno| about(&self.path.join(name), errno))
    }

    /// Reads one of its files, whose text is short.
    pub(super) fn read(&self, name: &str) -> io::Result<String> {
        let fault = |errno| about(&self.path.join(name), errno);
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = openat(&self.dir, name, flags, Mode::empty()).map_err(fault)?;
        let mut buffer = [0; 4096];
        let length = read(&file, &mut buffer).map_err(fault)?;
        String::from_utf8(buffer[..length].to_vec()).map_err(|_| fault(Errno::EBADMSG))
    }

    /// Whether it has such a file; older kernels lack some.
    pub(super) fn has(&self, name: &str) -> bool {
        nix::sys::stat::fstatat(&self.dir, name, nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW).is_ok()
    }

    /// Removes it. Processes that are just ending keep it busy for a moment, so several tries are made.
    pub(super) fn remove(&self) -> io::Result<()> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match self.try_remove() {
                Err(Errno::EBUSY) => {}
                done => return done.map_err(|errno| about(&self.path, errno)),
            }
            std::thread::sleep(wait);
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        self.try_remove().map_err(|errno| about(&self.path, errno))
    }

    /// Removes it if nobody is in it; one that is gone already is fine.
    pub(super) fn try_remove(&self) -> nix::Result<()> {
        match unlinkat(AT_FDCWD, &self.path, UnlinkatFlags::RemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => Ok(()),
            Err(errno) => Err(errno),
        }
    }
}

/// What the kernel said, with the path that it said it about.
fn about(path: &Path, errno: Errno) -> io::Error {
    let error = io::Error::from(errno);
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
