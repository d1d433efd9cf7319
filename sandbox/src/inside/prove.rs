//! The proof that the layers hold: what each of them must stop is tried, as the program that it will stop would.
//!
//! All of it runs in a process that shares init's memory, so it makes system calls only and allocates nothing.

use std::ffi::CStr;
use std::ptr;

use nix::errno::Errno;
use nix::libc::{self, c_int, c_long};

use super::{INSIDE_ID, landlock};
use crate::spec::Entry;

/// Something to try.
#[derive(Debug)]
pub(crate) struct Proof<G> {
    /// The layer that it proves.
    pub(crate) layer: &'static str,
    /// What a program could do if it didn't hold.
    pub(crate) fear: &'static str,
    /// Whether it holds.
    pub(crate) holds: fn(&G) -> bool,
}

/// What the layers are told to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    /// The version of Landlock that is in force; 0 for none.
    pub(super) landlock: u32,
    pub(super) groups_dropped: bool,
    /// A folder that every host has and that isn't among those to be shown.
    pub(super) absent: Option<&'static CStr>,
}

impl Ground {
    pub(super) fn new(groups_dropped: bool, entries: &[Entry]) -> Self {
        let is_shown = |path: &&CStr| {
            let path = &path.to_bytes()[1..];
            entries
                .iter()
                .any(|entry| entry.path.as_bytes().starts_with(path))
        };
        Self {
            landlock: landlock::version().unwrap_or(0),
            groups_dropped,
            absent: [c"/sys", c"/root", c"/var"]
                .into_iter()
                .find(|path| !is_shown(path)),
        }
    }
}

const fn proof(layer: &'static str, fear: &'static str, holds: fn(&Ground) -> bool) -> Proof<Ground> {
    Proof { layer, fear, holds }
}

/// Everything that is tried, in its order.
pub(crate) const PROOFS: &[Proof<Ground>] = &[
    // That something works first: where everything fails, nothing is proven.
    proof("scratch", "files can't be written to scratch", |_| {
        opens(c"/box", libc::O_TMPFILE | libc::O_RDWR) && opens(c"/dev/null", libc::O_RDWR)
    }),
    proof("root", "a file can be made in the root", |_| {
        fails(
            open(c"/proof", libc::O_CREAT | libc::O_WRONLY),
            &[Errno::EROFS, Errno::EACCES],
        )
    }),
    proof("root", "a file of the root can be changed", |_| {
        fails(
            open(c"/etc/passwd", libc::O_WRONLY),
            &[Errno::EROFS, Errno::EACCES],
        )
    }),
    proof("mount_ns", "folders of the host are there", |ground| {
        ground
            .absent
            .is_none_or(|path| fails(open(path, libc::O_RDONLY), &[Errno::ENOENT]))
    }),
    proof("dev", "devices of the host are there", |_| {
        fails(open(c"/dev/mem", libc::O_RDWR), &[Errno::ENOENT])
            && fails(open(c"/dev/tty", libc::O_RDWR), &[Errno::ENOENT])
    }),
    proof("proc", "a kernel setting can be written", |_| {
        let path = c"/proc/sys/kernel/core_pattern";
        fails(open(path, libc::O_WRONLY), &[Errno::EROFS, Errno::EACCES])
    }),
    // Not its memory: whoever proves this still shares it.
    proof("proc", "the root of the first process can be reached", |_| {
        fails(
            open(c"/proc/1/root", libc::O_RDONLY | libc::O_DIRECTORY),
            &[Errno::EACCES, Errno::EPERM, Errno::ENOENT],
        )
    }),
    proof("pid_ns", "the first process isn't the sandbox's", |_| {
        // SAFETY: takes nothing.
        unsafe { libc::getppid() == 1 }
    }),
    proof("uts_ns", "the host's name is known", |_| {
        let mut name = [0_u8; 65];
        // SAFETY: the array outlives the call and is as long as said.
        unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) };
        name.starts_with(b"box\0")
    }),
    proof("net_ns", "the network can be reached", |_| {
        // Nothing is sent when a socket of this kind is connected; it only shows whether there is a way.
        let refused = [Errno::ENETUNREACH, Errno::EACCES];
        fails(connect(libc::SOCK_DGRAM, 0xC000_0201), &refused)
            && fails(connect(libc::SOCK_STREAM, 0x7F00_0001), &refused)
    }),
    proof("landlock_tcp", "a port can be opened", |ground| {
        ground.landlock < 4 || fails(bind(), &[Errno::EACCES])
    }),
    proof(
        "landlock_scopes",
        "the first process can be sent signals",
        |ground| {
            // SAFETY: takes plain numbers; signal 0 only asks.
            ground.landlock < 6 || fails(c_long::from(unsafe { libc::kill(1, 0) }), &[Errno::EPERM])
        },
    ),
    proof("uid", "the program isn't who it must be", |_| {
        // SAFETY: take plain numbers.
        let (own, root) = unsafe {
            (
                libc::syscall(libc::SYS_getuid),
                libc::syscall(libc::SYS_setresuid, 0, 0, 0),
            )
        };
        own == c_long::from(INSIDE_ID) && root == -1
    }),
    proof("groups", "groups of the host are left", |ground| {
        // SAFETY: asks for the number only.
        !ground.groups_dropped || unsafe { libc::getgroups(0, ptr::null_mut()) } == 0
    }),
    proof("capabilities", "capabilities are left", |_| {
        has_no_capabilities(true)
    }),
    proof("no_new_privs", "rights can be gained", |_| {
        has_no_new_privileges()
    }),
    proof("rlimits", "core dumps can be made", |_| !has_core_dumps()),
    proof(
        "seccomp",
        "the machine that this one runs in can be spoken to",
        |_| {
            has_no_filter()
                || fails(
                    call(libc::SYS_socket, libc::AF_VSOCK, libc::SOCK_STREAM),
                    &[Errno::EAFNOSUPPORT],
                )
        },
    ),
    proof("seccomp", "a new namespace can be made", |_| {
        has_no_filter() || fails(call(libc::SYS_unshare, libc::CLONE_NEWUSER, 0), &[Errno::EPERM])
    }),
    proof("seccomp", "keyrings can be used", |_| {
        // KEYCTL_GET_KEYRING_ID of the thread's own, which makes none.
        has_no_filter() || fails(call(libc::SYS_keyctl, 0, -1), &[Errno::ENOSYS])
    }),
    proof("seccomp", "mounts can be changed", |_| {
        has_no_filter() || fails(call(libc::SYS_umount2, 0, 0), &[Errno::EPERM])
    }),
];

/// Tries everything. Gives the index of the first that doesn't hold.
pub(super) fn prove(ground: &Ground) -> Result<(), usize> {
    match PROOFS.iter().position(|proof| !(proof.holds)(ground)) {
        None => Ok(()),
        Some(index) => Err(index),
    }
}

/// Where the filter isn't written for the processor, the receipt says so.
fn has_no_filter() -> bool {
    !cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
}

/// Whether a call that has just been made failed with one of these.
pub(super) fn fails(answer: c_long, errors: &[Errno]) -> bool {
    answer == -1 && errors.contains(&Errno::last())
}

pub(super) fn open(path: &CStr, flags: c_int) -> c_long {
    // SAFETY: the path outlives the call.
    c_long::from(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0o600) })
}

pub(super) fn opens(path: &CStr, flags: c_int) -> bool {
    open(path, flags) >= 0
}

pub(super) fn call(number: c_long, first: c_int, second: c_int) -> c_long {
    // SAFETY: none of the calls that are tried gets an address.
    unsafe { libc::syscall(number, c_long::from(first), c_long::from(second), 0, 0, 0) }
}

fn address(address: u32, port: u16) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::sa_family_t::try_from(libc::AF_INET).unwrap_or(0),
        sin_port: port.to_be(),
        sin_addr: libc::in_addr {
            s_addr: address.to_be(),
        },
        sin_zero: [0; 8],
    }
}

const LENGTH: libc::socklen_t = 16;

pub(super) fn connect(kind: c_int, to: u32) -> c_long {
    let address = address(to, 9);
    // SAFETY: the address outlives the calls and is as long as said.
    unsafe {
        let socket = libc::socket(libc::AF_INET, kind | libc::SOCK_CLOEXEC, 0);
        c_long::from(libc::connect(socket, (&raw const address).cast(), LENGTH))
    }
}

fn bind() -> c_long {
    let address = address(0x7F00_0001, 0);
    // SAFETY: the address outlives the calls and is as long as said.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
        c_long::from(libc::bind(socket, (&raw const address).cast(), LENGTH))
    }
}

/// `CAP_SYS_ADMIN`, which is the one that matters most.
const SYS_ADMIN: c_int = 21;

/// Whether none are left; with `bound`, none can be had by `execve` either.
pub(super) fn has_no_capabilities(bound: bool) -> bool {
    // Version 3 of the header; two words for each of the sets effective, permitted and inheritable.
    let header: [u32; 2] = [0x2008_0522, 0];
    let mut sets = [u32::MAX; 6];
    // SAFETY: the arrays have the layout of the kernel's structures and outlive the call.
    let done = unsafe { libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) };
    // SAFETY: takes plain numbers.
    let admin = unsafe { libc::prctl(libc::PR_CAPBSET_READ, SYS_ADMIN, 0, 0, 0) };
    done == 0 && sets == [0; 6] && (!bound || admin == 0)
}

pub(super) fn has_no_new_privileges() -> bool {
    // SAFETY: takes plain numbers.
    unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 }
}

pub(super) fn has_core_dumps() -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure outlives the call.
    unsafe {
        libc::getrlimit(libc::RLIMIT_CORE, &raw mut limit) != 0 || limit.rlim_max > super::program::NO_CORE
    }
}
