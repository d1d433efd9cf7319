//! The proof that the layers hold without namespaces: what each of them must stop is tried, as the program that it will
//! stop would.

use std::ffi::CString;

use nix::errno::Errno;
use nix::libc::{self, c_int, c_long};

use crate::inside::prove::{
    Proof as Shared, call, connect, fails, has_core_dumps, has_no_capabilities, has_no_new_privileges, open,
    opens,
};
use crate::message::HostIds;

/// What the layers are told to be.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    /// The version of Landlock that is in force.
    pub(super) landlock: u32,
    pub(super) ids: HostIds,
    /// A path outside of scratch, in a folder that may be written to as far as the file system goes.
    pub(super) outside: CString,
    /// The keeper.
    pub(super) keeper: libc::pid_t,
}

/// As [`Shared`], on other ground.
type Proof = Shared<Ground>;

const fn proof(layer: &'static str, fear: &'static str, holds: fn(&Ground) -> bool) -> Proof {
    Proof { layer, fear, holds }
}

/// Everything that is tried, in its order.
pub(crate) const PROOFS: &[Proof] = &[
    // That something works first: where everything fails, nothing is proven.
    proof("scratch", "files can't be written to scratch", |_| {
        let made = opens(c"proof", libc::O_CREAT | libc::O_EXCL | libc::O_RDWR);
        // SAFETY: the path outlives the call.
        made && unsafe { libc::unlink(c"proof".as_ptr()) == 0 } && opens(c"/dev/null", libc::O_RDWR)
    }),
    proof("landlock", "folders of the host can be read", |_| {
        fails(open(c"/", libc::O_RDONLY), &[Errno::EACCES])
            && fails(open(c"/proc/1", libc::O_RDONLY), &[Errno::EACCES, Errno::ENOENT])
    }),
    proof("landlock", "files can be made outside of scratch", |ground| {
        // SAFETY: the path outlives the call.
        let made = c_long::from(unsafe { libc::mkdir(ground.outside.as_ptr(), 0o700) });
        fails(made, &[Errno::EACCES])
            && fails(
                open(&ground.outside, libc::O_CREAT | libc::O_WRONLY),
                &[Errno::EACCES],
            )
    }),
    proof("landlock_scopes", "the keeper can be sent signals", |ground| {
        // SAFETY: takes plain numbers; signal 0 only asks.
        ground.landlock < 6
            || fails(
                c_long::from(unsafe { libc::kill(ground.keeper, 0) }),
                &[Errno::EPERM],
            )
    }),
    proof("uid", "the program isn't who it must be", |ground| {
        if !ground.ids.separate {
            return true;
        }
        // SAFETY: take plain numbers.
        let (own, root) = unsafe {
            (
                libc::syscall(libc::SYS_getuid),
                libc::syscall(libc::SYS_setresuid, 0, 0, 0),
            )
        };
        own == c_long::from(ground.ids.uid) && root == -1
    }),
    proof("capabilities", "capabilities are left", |_| {
        has_no_capabilities(false)
    }),
    proof("no_new_privs", "rights can be gained", |_| {
        has_no_new_privileges()
    }),
    proof("rlimits", "core dumps can be made", |_| !has_core_dumps()),
    proof("seccomp", "the network can be reached", |_| {
        let sockets = [
            libc::AF_INET,
            libc::AF_INET6,
            libc::AF_UNIX,
            libc::AF_NETLINK,
            libc::AF_VSOCK,
        ];
        let refused = |family: &c_int| {
            fails(
                call(libc::SYS_socket, *family, libc::SOCK_STREAM),
                &[Errno::EACCES],
            )
        };
        sockets.iter().all(refused) && fails(connect(libc::SOCK_STREAM, 0x7F00_0001), &[Errno::EACCES])
    }),
    proof("seccomp", "a new namespace can be made", |_| {
        fails(call(libc::SYS_unshare, libc::CLONE_NEWUSER, 0), &[Errno::EPERM])
    }),
    proof("seccomp", "keyrings can be used", |_| {
        fails(call(libc::SYS_keyctl, 0, -1), &[Errno::ENOSYS])
    }),
    proof("seccomp", "other processes can be taken over", |_| {
        fails(call(libc::SYS_ptrace, 9999, 0), &[Errno::EPERM])
    }),
    proof("seccomp", "rights of files can be changed", |_| {
        fails(call(libc::SYS_fchmod, 0, 0o600), &[Errno::EPERM])
    }),
];

/// Tries everything. Gives the index of the first that doesn't hold.
pub(super) fn prove(ground: &Ground) -> Result<(), usize> {
    match PROOFS.iter().position(|proof| !(proof.holds)(ground)) {
        None => Ok(()),
        Some(index) => Err(index),
    }
}
