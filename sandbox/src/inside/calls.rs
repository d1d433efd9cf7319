//! System calls that `nix` doesn't have.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc;

use crate::isolation::{Primitive, is_off};

/// Who one is after [`clone`].
pub(crate) enum Cloned {
    Child,
    Parent { pid: libc::pid_t, pidfd: OwnedFd },
}

/// Makes a copy of this process in the new namespaces that `flags` name.
///
/// The plain `clone` and not `clone3`: container runtimes filter the latter away.
///
/// # Safety
/// This process must have one thread only.
pub(crate) unsafe fn clone(flags: libc::c_int) -> nix::Result<Cloned> {
    if flags & libc::CLONE_NEWUSER != 0 && is_off(Primitive::Namespaces) {
        return Err(Errno::EPERM);
    }
    let mut pidfd: RawFd = -1;
    let flags = libc::c_long::from(flags | libc::CLONE_PIDFD | libc::SIGCHLD);
    let zero: libc::c_long = 0;
    // SAFETY: without CLONE_VM and with no stack given it acts like fork; `pidfd` outlives the call.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, zero, &raw mut pidfd, zero, zero) };
    match Errno::result(pid)? {
        0 => Ok(Cloned::Child),
        pid => Ok(Cloned::Parent {
            pid: libc::pid_t::try_from(pid).map_err(|_| Errno::EOVERFLOW)?,
            // SAFETY: the kernel has just made it for us.
            pidfd: unsafe { OwnedFd::from_raw_fd(pidfd) },
        }),
    }
}

/// A detached copy of the mount at `path` with everything mounted below it.
pub(crate) fn open_tree(path: &CStr) -> nix::Result<OwnedFd> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE as libc::c_uint;
    // SAFETY: `path` is a C string that outlives the call.
    let fd = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) };
    let fd = RawFd::try_from(Errno::result(fd)?).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Attaches a detached mount at `path`.
pub(crate) fn move_mount(tree: BorrowedFd<'_>, path: &CStr) -> nix::Result<()> {
    // SAFETY: both strings outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    Errno::result(done).map(drop)
}

/// Adds attributes (`MOUNT_ATTR_…`) to a detached mount and all below it. Those that it has stay.
pub(crate) fn add_mount_attributes(tree: BorrowedFd<'_>, attributes: u64) -> nix::Result<()> {
    let attr = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    // SAFETY: the string and the structure, whose size is given, outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attr,
            size_of::<libc::mount_attr>(),
        )
    };
    Errno::result(done).map(drop)
}

/// Closes every descriptor from `first` to `last`.
pub(crate) fn close_range(first: libc::c_uint, last: libc::c_uint) -> nix::Result<()> {
    // SAFETY: the callers own no descriptor in the range that they still use.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    Errno::result(done).map(drop)
}

/// Marks every descriptor from `first` on to be closed by `execve`.
pub(crate) fn close_on_exec_from(first: libc::c_uint) -> nix::Result<()> {
    // SAFETY: only sets a flag.
    let done = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    Errno::result(done).map(drop)
}

/// Takes every capability out of the bounding set, then out of all other sets.
pub(crate) fn drop_capabilities() -> nix::Result<()> {
    for capability in 0..64 {
        // SAFETY: takes plain numbers.
        let done = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
        match Errno::result(done) {
            Ok(_) => {}
            // Beyond the last one that this kernel knows.
            Err(Errno::EINVAL) => break,
            Err(errno) => return Err(errno),
        }
    }

    // SAFETY: takes plain numbers.
    let done = unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) };
    Errno::result(done)?;

    // Version 3 of the header: two words for each of the sets effective, permitted and inheritable.
    let header: [u32; 2] = [0x2008_0522, 0];
    let sets = [0_u32; 6];
    // SAFETY: the arrays have the layout of the kernel's structures and outlive the call.
    let done = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) };
    Errno::result(done).map(drop)
}

/// Ends this process without running anything of the process that it was forked from.
pub(crate) fn end_process(status: libc::c_int) -> ! {
    // SAFETY: never returns and touches no memory.
    unsafe { libc::_exit(status) }
}
