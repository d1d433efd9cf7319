//! What a cell is made of: the steps that init does once, and what it keeps of them.

use std::ffi::CStr;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::libc;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;
use nix::sys::stat::Mode;
use nix::unistd::{Gid, Uid, getgroups, setgroups, sethostname, setresgid, setresuid, setsid};

use super::leftovers::Baseline;
use super::marks::Marks;
use super::program::Stack;
use super::scratch::Scratch;
use super::vault::Vault;
use super::{INIT_ID, INSIDE_ID, calls, landlock};
use crate::spec::CellSpec;

/// What the steps hand on to each other.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) spec: CellSpec,
    /// Whether init has an id of its own.
    pub(super) separate: bool,
    /// Detached mounts of the host's paths, one for each entry that has one.
    pub(super) trees: Vec<Option<OwnedFd>>,
    /// What the step was at when it failed.
    pub(super) about: String,
    pub(super) groups_dropped: bool,
    /// A `/proc` of the cell that can be written to, seen by nobody else.
    pub(super) own_proc: Option<OwnedFd>,
    pub(super) vault: Vault,
    /// What couldn't have files of its own, and why; empty when all have.
    pub(super) shared: String,
    /// Overlays of folders whose content may change from run to run.
    pub(super) changing: Vec<OwnedFd>,
}

impl Setup {
    pub(super) fn new(spec: CellSpec, separate: bool) -> Self {
        Self {
            spec,
            separate,
            trees: Vec::new(),
            about: String::new(),
            groups_dropped: false,
            own_proc: None,
            vault: Vault::default(),
            shared: String::new(),
            changing: Vec::new(),
        }
    }
}

/// A cell that is set up, as its init sees it.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) control: OwnedFd,
    pub(super) signals: SignalFd,
    /// Whether init has an id of its own, so that it must act as the program to make its files.
    pub(super) separate: bool,
    pub(super) scratch: Option<Scratch>,
    /// What programs may do with files; made for the scratch that is there.
    pub(super) rules: Option<landlock::Rules>,
    pub(super) vault: Vault,
    pub(super) baseline: Baseline,
    pub(super) stack: Stack,
    pub(super) own_proc: Option<OwnedFd>,
    /// A connection to the program's process for as long as it is still ours: its end, and ours.
    pub(super) teller: (OwnedFd, OwnedFd),
    /// Overlays of folders whose content may change from run to run.
    pub(super) changing: Vec<OwnedFd>,
    /// Where the next pid comes from, if the kernel lets us say.
    last_pid: Option<OwnedFd>,
    pub(super) marks: Marks,
    /// CPU time that init itself had used when the last program was over, in microseconds.
    pub(super) own_micros: u64,
}

impl Cell {
    pub(super) fn new(
        control: OwnedFd,
        signals: SignalFd,
        teller: (OwnedFd, OwnedFd),
        own_proc: Option<OwnedFd>,
        vault: Vault,
        separate: bool,
    ) -> nix::Result<Self> {
        let stack = Stack::new()?;
        let last_pid = own_proc.as_ref().and_then(|proc| {
            let flags = OFlag::O_WRONLY | OFlag::O_CLOEXEC;
            openat(proc, "sys/kernel/ns_last_pid", flags, Mode::empty()).ok()
        });
        let mut cell = Self {
            control,
            signals,
            separate,
            scratch: None,
            rules: None,
            vault,
            baseline: Baseline::default(),
            stack,
            own_proc,
            teller,
            changing: Vec::new(),
            last_pid,
            marks: Marks::default(),
            own_micros: 0,
        };
        cell.baseline = Baseline::look(cell.own_proc.as_ref().filter(|_| separate))?;
        Ok(cell)
    }

    /// A `/proc` of the cell in which nothing is hidden.
    pub(super) fn proc_for_the_harness(&self) -> nix::Result<OwnedFd> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        match &self.own_proc {
            Some(own) => openat(own, c".", flags, Mode::empty()),
            None => open_proc(),
        }
    }

    /// Has the next process be number 2 again: no program can tell from it how many there were before.
    pub(super) fn begin_pids_again(&self) {
        if let Some(file) = &self.last_pid {
            let _ = nix::sys::uio::pwrite(file, b"1", 0);
        }
    }
}

/// The `/proc` that the program sees.
pub(super) fn open_proc() -> nix::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    open(c"/proc", flags, Mode::empty())
}

/// From here on nothing is done as the host's root any more.
pub(super) fn change_user(setup: &mut Setup) -> nix::Result<()> {
    // As an ordinary user they can't be dropped; then they grant no more than the user has.
    setup.groups_dropped = setgroups(&[]).is_ok() || getgroups().is_ok_and(|groups| groups.is_empty());

    let id = if setup.separate { INIT_ID } else { INSIDE_ID };
    let gid = Gid::from_raw(id);
    setresgid(gid, gid, gid)?;

    let uid = Uid::from_raw(id);
    setresuid(uid, uid, uid)?;

    // A new user clears the death signal.
    prctl::set_pdeathsig(Signal::SIGKILL)?;

    // Its own session, so that nothing is shared with the launcher's.
    setsid().map(drop)
}

/// The group that it is in is the root of all that can be seen from here.
pub(super) fn hide_groups(_: &mut Setup) -> nix::Result<()> {
    unshare(CloneFlags::CLONE_NEWCGROUP)
}

pub(super) fn name_host(_: &mut Setup) -> nix::Result<()> {
    sethostname("box")
}

/// Init keeps those that it has, to mount scratch with; its children get none by `execve`.
pub(super) fn bound_capabilities(_: &mut Setup) -> nix::Result<()> {
    calls::bound_capabilities()
}

pub(super) fn forbid_new_privileges(_: &mut Setup) -> nix::Result<()> {
    prctl::set_no_new_privs()
}

/// A path in the cell's own `/proc` for writing, as whoever asks.
pub(super) fn write_own(proc: &OwnedFd, path: &CStr, text: &[u8]) -> nix::Result<()> {
    // SAFETY: the path outlives the call.
    let file = unsafe {
        let flags = libc::O_WRONLY | libc::O_CLOEXEC;
        libc::openat(proc.as_fd().as_raw_fd(), path.as_ptr(), flags)
    };
    let file = Errno::result(file)?;
    // SAFETY: the descriptor is open and the bytes outlive the call; it is nobody else's.
    unsafe {
        let written = Errno::result(libc::write(file, text.as_ptr().cast(), text.len()));
        libc::close(file);
        written.map(drop)
    }
}
