//! Landlock: the kernel's own list of what a process may do with files, whatever it finds and whoever it becomes.
//!
//! A second wall behind the root that was built: should a program reach a file outside of it, it still may not
//! open it. Where there are no namespaces it is the first wall.

use std::ffi::CStr;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::sys::stat::{Mode, SFlag, fstat};

use crate::isolation::{Primitive, is_off, newest_landlock};

/// Asks for the version of the interface instead of making anything.
const ASK_VERSION: libc::c_uint = 1;
/// A rule about a path and what is below it.
const PATH_BENEATH: libc::c_uint = 1;

/// What may be done below a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// Reading files and folders, running programs.
    Read,
    /// All but making device files.
    Scratch,
    /// Reading, writing and asking device files.
    Devices,
}

/// The newest interface that is known here; a newer kernel has more, which isn't asked for.
const NEWEST: u32 = 7;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_FOLDER: u64 = 1 << 3;
const MAKE_CHARACTER_DEVICE: u64 = 1 << 6;
const MAKE_BLOCK_DEVICE: u64 = 1 << 11;
const TRUNCATE: u64 = 1 << 14;
const CONTROL_DEVICE: u64 = 1 << 15;
/// What can be granted on a file that is no folder.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | CONTROL_DEVICE;

/// Binding and connecting TCP sockets.
const TCP: u64 = 0b11;
/// Abstract sockets and signals of processes that aren't restricted alike.
const SCOPES: u64 = 0b11;
/// Neither what it tries nor what restrictions of its own refuse fills the host's log.
const NO_LOG: libc::c_uint = 0b101;

/// What each version of the interface added: the version, the layer by name, and the kernel that has it.
pub(crate) const PARTS: [(u32, &str, &str); 5] = [
    (1, "landlock", "Linux 5.13"),
    (3, "landlock_truncate", "Linux 6.2"),
    (4, "landlock_tcp", "Linux 6.7"),
    (5, "landlock_ioctl", "Linux 6.10"),
    (6, "landlock_scopes", "Linux 6.12"),
];

/// All rights on files that a version knows.
fn known_rights(abi: u32) -> u64 {
    let count = match abi {
        0 => 0,
        1 => 13,
        2 => 14,
        3 | 4 => 15,
        _ => 16,
    };
    (1 << count) - 1
}

impl Grant {
    fn rights(self) -> u64 {
        match self {
            Self::Read => EXECUTE | READ_FILE | READ_FOLDER,
            Self::Scratch => {
                known_rights(NEWEST) & !(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE | CONTROL_DEVICE)
            }
            Self::Devices => READ_FILE | READ_FOLDER | WRITE_FILE | CONTROL_DEVICE,
        }
    }
}

/// The kernel's `struct landlock_ruleset_attr`. Older kernels know its beginning only.
#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
    scopes: u64,
}

/// The kernel's `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct Below {
    allowed: u64,
    path: RawFd,
}

/// The version of the interface that the kernel has and we know; why not, if there is none.
pub(crate) fn version() -> nix::Result<u32> {
    if is_off(Primitive::Landlock) {
        return Err(Errno::ENOSYS);
    }
    let none = std::ptr::null::<Ruleset>();
    // SAFETY: asked like this, the kernel reads no memory.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, ASK_VERSION) };
    let version = u32::try_from(Errno::result(version)?).map_err(|_| Errno::EINVAL)?;
    Ok(version.min(NEWEST).min(newest_landlock()))
}

/// A set of rules that isn't in force yet.
#[derive(Debug)]
pub(crate) struct Rules {
    version: u32,
    set: OwnedFd,
}

impl Rules {
    /// Rules that allow nothing but what is granted. They can be made ahead and put in force by many processes.
    pub(crate) fn new(version: u32) -> nix::Result<Self> {
        let attributes = Ruleset {
            files: known_rights(version),
            network: if version >= 4 { TCP } else { 0 },
            scopes: if version >= 6 { SCOPES } else { 0 },
        };
        let size: usize = match version {
            0..=3 => 8,
            4 | 5 => 16,
            _ => 24,
        };
        // SAFETY: the structure outlives the call and is at least as long as said.
        let set = unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                &raw const attributes,
                size,
                0_u32,
            )
        };
        let set = RawFd::try_from(Errno::result(set)?).map_err(|_| Errno::EOVERFLOW)?;
        // SAFETY: the kernel has just made it for us. It is closed by `execve`.
        let set = unsafe { OwnedFd::from_raw_fd(set) };
        Ok(Self { version, set })
    }

    /// Grants something below a path. `false` when the path isn't there: then it needs no rule, and the others stay.
    pub(crate) fn grant(&self, path: &CStr, grant: Grant) -> nix::Result<bool> {
        let opened = match open(path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()) {
            Err(Errno::ENOENT | Errno::ENOTDIR | Errno::EACCES) => return Ok(false),
            other => other?,
        };
        let is_folder = fstat(&opened)?.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFDIR.bits();
        let possible = if is_folder { u64::MAX } else { OF_FILES };
        let below = Below {
            allowed: grant.rights() & known_rights(self.version) & possible,
            path: opened.as_raw_fd(),
        };
        let set = self.set.as_raw_fd();
        // SAFETY: the structure outlives the call.
        let done = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                set,
                PATH_BENEATH,
                &raw const below,
                0_u32,
            )
        };
        Errno::result(done).map(|_| true)
    }

    /// Puts the rules in force for this process and all that come from it. Needs `no_new_privs`.
    pub(crate) fn restrict(&self) -> nix::Result<()> {
        if is_off(Primitive::LandlockUnnoticed) {
            return Ok(());
        }
        let flags = if self.version >= 7 { NO_LOG } else { 0 };
        // SAFETY: takes a descriptor and plain numbers.
        let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.set.as_raw_fd(), flags) };
        Errno::result(done).map(drop)
    }
}

/// What is granted in a root of our own: all that is in it was put there to be read.
pub(crate) const IN_OWN_ROOT: [(&CStr, Grant); 5] = [
    (c"/", Grant::Read),
    (c"/dev", Grant::Devices),
    (c"/box", Grant::Scratch),
    (c"/tmp", Grant::Scratch),
    (c"/dev/shm", Grant::Scratch),
];

#[cfg(test)]
mod tests;
