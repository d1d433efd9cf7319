//! What must be the same after a run as before the first one. A cell in which something differs is never used again.

use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open, openat};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;
use nix::sys::uio::pread;

use super::calls;

/// How everything was when the cell was new.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    /// The mounts; the kernel tells through it whether any have changed since it was last asked.
    mounts: Option<OwnedFd>,
    /// Keys of the cell's users, where those are nobody else's.
    keys: Option<(OwnedFd, Vec<u8>)>,
    /// How many sockets there are in the cell's network: those on their way from one process to another may outlive both.
    sockets: Option<(OwnedFd, Option<u64>)>,
    /// The cell's message queues.
    queues: Option<(OwnedFd, u64)>,
    own: Own,
    next_descriptor: libc::c_int,
}

/// What a process of the same user could do to init.
#[derive(Debug, Default, PartialEq, Eq)]
struct Own {
    limits: [(u64, u64); LIMITS],
    niceness: libc::c_int,
    policy: libc::c_int,
    io_priority: libc::c_long,
    processors: Vec<u64>,
}

/// How many kinds of limits there are.
const LIMITS: usize = 16;

/// From here on descriptors are free for new ones; below are those of a program.
pub(super) const FIRST_DESCRIPTOR: libc::c_int = 4;

impl Baseline {
    /// Looks at a cell in which no program has run yet. `keys_proc` is a `/proc` where the cell's users are its own.
    pub(super) fn look(keys_proc: Option<&OwnedFd>) -> nix::Result<Self> {
        let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC;
        let mounts = open(c"/proc/self/mountinfo", flags, Mode::empty())?;
        // The first question is always answered with yes.
        has_changed(&mounts);
        let keys = keys_proc
            .and_then(|proc| openat(proc, "key-users", flags, Mode::empty()).ok())
            .and_then(|file| key_users(&file).map(|text| (file, text)));
        let queues = calls::new_mount(c"mqueue", &[], 0).ok().and_then(|mount| {
            calls::look_at(mount.as_fd())
                .ok()
                .map(|seen| (mount, seen.stx_size))
        });
        let sockets = open(c"/proc/self/net/sockstat", flags, Mode::empty()).ok();
        Ok(Self {
            mounts: Some(mounts),
            keys,
            sockets: sockets.map(|file| {
                let used = sockets_used(&file);
                (file, used)
            }),
            queues,
            own: Own::look(),
            next_descriptor: 0,
        })
    }

    /// To be called once init has opened all that it will have open between two runs.
    pub(super) fn note_descriptors(&mut self) {
        self.next_descriptor = next_descriptor();
    }

    /// To be called when init itself has changed mounts.
    pub(super) fn note_mounts(&self) {
        if let Some(mounts) = &self.mounts {
            has_changed(mounts);
        }
    }

    /// What differs, now that no process but init is left.
    pub(super) fn difference(&self) -> Option<&'static str> {
        if self.mounts.as_ref().is_none_or(has_changed) {
            return Some("mounts");
        }
        if ipc_objects() > 0 {
            return Some("IPC objects");
        }
        if let Some((queues, size)) = &self.queues
            && !calls::look_at(queues.as_fd()).is_ok_and(|seen| seen.stx_size == *size)
        {
            return Some("message queues");
        }
        if let Some((file, text)) = &self.keys
            && key_users(file).as_ref() != Some(text)
        {
            return Some("keyrings");
        }
        if let Some((file, used)) = &self.sockets
            && sockets_used(file) != *used
        {
            return Some("sockets");
        }
        if Own::look() != self.own {
            return Some("limits or priority of init");
        }
        if next_descriptor() != self.next_descriptor {
            return Some("descriptors of init");
        }
        None
    }
}

/// Whether mounts have changed since this was last asked; true as well when the kernel can't tell.
fn has_changed(mounts: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(mounts.as_fd(), PollFlags::POLLPRI)];
    poll(&mut fds, PollTimeout::ZERO) != Ok(0)
}

/// System V objects of all kinds in the cell.
fn ipc_objects() -> libc::c_int {
    const MSG_INFO: libc::c_int = 12;
    const SHM_INFO: libc::c_int = 14;
    const SEM_INFO: libc::c_int = 19;
    // Longer than any of the structures. Each has the number of objects in one of its first words.
    let mut info = [0_i32; 64];
    let place = info.as_mut_ptr();
    let zero: libc::c_int = 0;
    let mut objects = 0;
    // SAFETY: the array outlives the calls and is long enough.
    unsafe {
        if libc::syscall(libc::SYS_msgctl, zero, MSG_INFO, place) >= 0 {
            objects += info[0];
        }
        if libc::syscall(libc::SYS_shmctl, zero, SHM_INFO, place) >= 0 {
            objects += info[0];
        }
        if libc::syscall(libc::SYS_semctl, zero, zero, SEM_INFO, place) >= 0 {
            objects += info[7];
        }
    }
    objects
}

/// How many keys each of the cell's users has. The count of who is using the keyrings right now is left out.
fn key_users(file: &OwnedFd) -> Option<Vec<u8>> {
    let mut text = [0; 1024];
    let length = pread(file, &mut text, 0).ok()?;
    let fields = text[..length].split(|&byte| byte == b'\n').flat_map(|line| {
        let line = line
            .iter()
            .position(|&byte| byte == b'/')
            .map(|slash| &line[slash..]);
        line.unwrap_or_default().iter().copied()
    });
    Some(fields.collect())
}

/// The number in `sockets: used 3`.
fn sockets_used(file: &OwnedFd) -> Option<u64> {
    let mut text = [0; 64];
    let length = pread(file, &mut text, 0).ok()?;
    let line = text[..length].split(|&byte| byte == b'\n').next()?;
    std::str::from_utf8(line).ok()?.rsplit(' ').next()?.parse().ok()
}

fn next_descriptor() -> libc::c_int {
    // SAFETY: what is standard input may be copied, and nobody else has the copy.
    let copy = unsafe {
        let stdin = std::os::fd::BorrowedFd::borrow_raw(0);
        fcntl(stdin, FcntlArg::F_DUPFD_CLOEXEC(FIRST_DESCRIPTOR)).map(|fd| OwnedFd::from_raw_fd(fd))
    };
    copy.map_or(-1, |copy| copy.as_raw_fd())
}

impl Own {
    fn look() -> Self {
        let mut own = Self::default();
        for (resource, place) in (0..).zip(&mut own.limits) {
            let mut limit = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            // SAFETY: the structure outlives the call.
            if unsafe { libc::getrlimit(resource, &raw mut limit) } == 0 {
                *place = (limit.rlim_cur, limit.rlim_max);
            }
        }
        let mut processors = [0_u64; 16];
        // SAFETY: take plain numbers and an array with its size.
        unsafe {
            own.niceness = libc::getpriority(libc::PRIO_PROCESS, 0);
            own.policy = libc::sched_getscheduler(0);
            own.io_priority = libc::syscall(libc::SYS_ioprio_get, 1, 0);
            let (size, place) = (size_of_val(&processors), processors.as_mut_ptr());
            let read = libc::syscall(libc::SYS_sched_getaffinity, 0, size, place);
            let words = usize::try_from(read).unwrap_or(0) / size_of::<u64>();
            own.processors = processors[..words].to_vec();
        }
        Errno::clear();
        own
    }
}
