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
    owned(unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) })
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

/// Takes every capability out of the bounding set, so that none can be had by `execve`.
pub(crate) fn bound_capabilities() -> nix::Result<()> {
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
    Errno::result(done).map(drop)
}

/// Gives up the capabilities that are held.
pub(crate) fn drop_capabilities() -> nix::Result<()> {
    // Version 3 of the header: two words for each of the sets effective, permitted and inheritable.
    let header: [u32; 2] = [0x2008_0522, 0];
    let sets = [0_u32; 6];
    // SAFETY: the arrays have the layout of the kernel's structures and outlive the call.
    let done = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) };
    Errno::result(done).map(drop)
}

/// Whether this process has all of these capabilities, of which there are 64 at most.
pub(crate) fn has_capabilities(wanted: u64) -> bool {
    // Version 3 of the header; two words for each of the sets effective, permitted and inheritable.
    let header: [u32; 2] = [0x2008_0522, 0];
    let mut sets = [0_u32; 6];
    // SAFETY: the arrays have the layout of the kernel's structures and outlive the call.
    let done = unsafe { libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) };
    let effective = u64::from(sets[0]) | u64::from(sets[3]) << 32;
    done == 0 && effective & wanted == wanted
}

/// One child that is over, with its wait status as the kernel gave it and what it used.
pub(crate) fn reap(flags: libc::c_int) -> Option<(libc::pid_t, libc::c_int, libc::rusage)> {
    let mut status = 0;
    // SAFETY: all zeros is a value of this plain structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both places outlive the call.
        let pid = unsafe { libc::wait4(-1, &raw mut status, flags | libc::__WALL, &raw mut usage) };
        match Errno::result(pid) {
            Err(Errno::EINTR) => {}
            Ok(0) | Err(_) => return None,
            Ok(pid) => return Some((pid, status, usage)),
        }
    }
}

/// Whether this process has any child, dead or alive.
pub(crate) fn has_children() -> bool {
    // SAFETY: with WNOWAIT and no place for the answer nothing is written and nobody is reaped.
    let done = unsafe {
        let nobody = std::ptr::null_mut::<libc::siginfo_t>();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        libc::syscall(libc::SYS_waitid, libc::P_ALL, 0, nobody, flags, 0_usize)
    };
    Errno::result(done) != Err(Errno::ECHILD)
}

/// A file system that is mounted nowhere yet, with these options.
pub(crate) fn new_mount(kind: &CStr, options: &[(&CStr, &CStr)], attributes: u64) -> nix::Result<OwnedFd> {
    // SAFETY: the name outlives the call.
    let context = unsafe { libc::syscall(libc::SYS_fsopen, kind.as_ptr(), FSOPEN_CLOEXEC) };
    let context = owned(context)?;
    for (key, value) in options {
        // SAFETY: both strings outlive the call.
        let done = unsafe {
            libc::syscall(
                libc::SYS_fsconfig,
                context.as_raw_fd(),
                FSCONFIG_SET_STRING,
                key.as_ptr(),
                value.as_ptr(),
                0,
            )
        };
        Errno::result(done)?;
    }
    let nothing = std::ptr::null::<libc::c_char>();
    // SAFETY: this command takes neither key nor value.
    let done = unsafe {
        libc::syscall(
            libc::SYS_fsconfig,
            context.as_raw_fd(),
            FSCONFIG_CMD_CREATE,
            nothing,
            nothing,
            0,
        )
    };
    Errno::result(done)?;
    // SAFETY: takes a descriptor that is open and plain numbers.
    let mount = unsafe {
        libc::syscall(
            libc::SYS_fsmount,
            context.as_raw_fd(),
            FSMOUNT_CLOEXEC,
            attributes,
        )
    };
    owned(mount)
}

/// Has a file system of ours look its names up anew, for what is below it may have changed.
pub(crate) fn forget_names(mount: BorrowedFd<'_>) -> nix::Result<()> {
    // SAFETY: the string outlives the call.
    let context = unsafe {
        libc::syscall(
            libc::SYS_fspick,
            mount.as_raw_fd(),
            c"".as_ptr(),
            FSPICK_CLOEXEC | FSPICK_EMPTY_PATH,
        )
    };
    let context = owned(context)?;
    let nothing = std::ptr::null::<libc::c_char>();
    // SAFETY: this command takes neither key nor value.
    let done = unsafe {
        libc::syscall(
            libc::SYS_fsconfig,
            context.as_raw_fd(),
            FSCONFIG_CMD_RECONFIGURE,
            nothing,
            nothing,
            0,
        )
    };
    Errno::result(done).map(drop)
}

const FSPICK_CLOEXEC: libc::c_uint = 1;
const FSPICK_EMPTY_PATH: libc::c_uint = 8;
const FSCONFIG_CMD_RECONFIGURE: libc::c_uint = 7;
const FSOPEN_CLOEXEC: libc::c_uint = 1;
const FSMOUNT_CLOEXEC: libc::c_uint = 1;
const FSCONFIG_SET_STRING: libc::c_uint = 1;
const FSCONFIG_CMD_CREATE: libc::c_uint = 6;

/// A descriptor that a system call has just made.
fn owned(fd: libc::c_long) -> nix::Result<OwnedFd> {
    let fd = RawFd::try_from(Errno::result(fd)?).map_err(|_| Errno::EOVERFLOW)?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// All that `statx` tells without looking into the file.
pub(crate) fn look_at(file: BorrowedFd<'_>) -> nix::Result<libc::statx> {
    // SAFETY: all zeros is a value of this plain structure.
    let mut seen: libc::statx = unsafe { std::mem::zeroed() };
    let mask = libc::STATX_BASIC_STATS;
    // SAFETY: the string and the structure outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_statx,
            file.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            mask,
            &raw mut seen,
        )
    };
    Errno::result(done).map(|_| seen)
}

/// Whether a file has extended attributes, of which access lists are a kind. Not being able to have any is to have none.
pub(crate) fn has_named_attributes(file: BorrowedFd<'_>) -> bool {
    // SAFETY: with a size of zero nothing is written.
    unsafe { libc::flistxattr(file.as_raw_fd(), std::ptr::null_mut(), 0) > 0 }
}

/// Becomes somebody else for the file system only.
pub(crate) fn act_as(id: u32) {
    // SAFETY: take plain numbers; they give the old id and no error.
    unsafe {
        libc::setfsgid(id);
        libc::setfsuid(id);
    }
}

/// Nanoseconds of the clock that nobody can set, the same in all processes.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let part = |number: i64| u64::try_from(number).unwrap_or(0);
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

/// Ends this process without running anything of the process that it was forked from.
pub(crate) fn end_process(status: libc::c_int) -> ! {
    // SAFETY: never returns and touches no memory.
    unsafe { libc::_exit(status) }
}
