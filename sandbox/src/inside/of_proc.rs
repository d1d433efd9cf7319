//! What init asks the kernel about the program's processes. It must ask its own `/proc`: that of the program hides from init those that it
//! may not trace.

use std::ffi::CString;
use std::io::Read as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use nix::libc;

/// A file of a process, whole.
pub(super) fn read(own: Option<&OwnedFd>, path: &str) -> Option<String> {
    let (folder, path) = place(own, path)?;
    // SAFETY: the path outlives the call; the descriptor is nobody else's.
    let mut file = unsafe {
        let fd = libc::openat(folder, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        (fd >= 0).then(|| std::fs::File::from_raw_fd(fd))?
    };
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

/// Whether there is such a path.
pub(super) fn exists(own: Option<&OwnedFd>, path: &str) -> bool {
    place(own, path).is_some_and(|(folder, path)| {
        // SAFETY: the path outlives the call.
        unsafe { libc::faccessat(folder, path.as_ptr(), libc::F_OK, 0) == 0 }
    })
}

fn place(own: Option<&OwnedFd>, path: &str) -> Option<(libc::c_int, CString)> {
    let (folder, path) = match own {
        Some(own) => (own.as_raw_fd(), path.to_owned()),
        None => (libc::AT_FDCWD, format!("/proc/{path}")),
    };
    Some((folder, CString::new(path).ok()?))
}
