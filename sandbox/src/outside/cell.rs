//! A cell as the harness holds it, and its making.

use std::ffi::CString;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::unistd::{Pid, getpid};

use super::diagnose::failed_step;
use super::launcher::send_order;
use super::shape::Shape;
use crate::cgroup::{self, Meter};
use crate::isolation::{Facts, receipt};
use crate::message::{self, CellMark, HostIds, Message};
use crate::spec::CellSpec;
use crate::{Error, Isolation, Level};

/// Setting up takes milliseconds; on a machine that is drowning, seconds.
pub(super) const LONGEST_SETUP: Duration = Duration::from_mins(1);

/// A cell that is set up. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) shape: Arc<Shape>,
    pub(super) control: OwnedFd,
    pub(super) pidfd: OwnedFd,
    /// The `/proc` of its processes.
    pub(super) proc: Arc<File>,
    /// Who its programs are on the host.
    pub(super) ids: HostIds,
    /// Without namespaces: the process that keeps its programs, by its number.
    pub(super) keeper: Option<u32>,
    pub(super) isolation: Arc<Isolation>,
    /// Its control group, if it has one.
    pub(super) meter: Option<Arc<Meter>>,
    /// How many programs have run in it.
    pub(super) runs: u32,
    /// The process that had it made; a fork of that must not touch it.
    owner: Pid,
}

/// Room in a scratch: bytes, and files and folders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) bytes: u64,
    pub(super) files: u64,
}

impl Cell {
    /// Has the launcher make one.
    pub(super) fn make(shape: &Arc<Shape>, level: Level, room: Room) -> Result<Self, Error> {
        let making = Error::io("making a cell");
        let bare = level == Level::Minimal;
        let base = folder_for_scratch(bare)?;
        let spec = CellSpec::encode(&shape.entries, room.bytes, room.files, &base);
        let spec = in_a_file(&spec)?;
        let (control, theirs) = message::pair().map_err(&making)?;
        let mark = CellMark {
            in_groups: level == Level::Strict,
            bare,
        };
        send_order(&mark.encode(), &[spec.as_raw_fd(), theirs.as_raw_fd()])?;
        drop((spec, theirs));

        let deadline = Instant::now() + LONGEST_SETUP;
        let mut launched = None;
        loop {
            match next(control.as_fd(), deadline)? {
                Some((Message::Launched { ids, group }, fds)) => {
                    launched = fds.into_iter().next().map(|pidfd| (ids, pidfd, group));
                }
                Some((Message::Failed { step, errno, about }, _)) => {
                    return Err(failed_step(step, errno, &about));
                }
                Some((
                    Message::Ready {
                        groups_dropped,
                        shared,
                    },
                    fds,
                )) => {
                    let (Some((ids, pidfd, group)), Some(proc)) = (launched, fds.into_iter().next()) else {
                        return Err(making(Errno::EBADMSG));
                    };
                    let meter = if level == Level::Strict {
                        Some(Arc::new(meter(&group)?))
                    } else {
                        None
                    };
                    let keeper = bare.then(|| pid_of(&pidfd)).transpose().map_err(&making)?;
                    return Ok(Self {
                        shape: Arc::clone(shape),
                        control,
                        pidfd,
                        proc: Arc::new(File::from(proc)),
                        ids,
                        keeper,
                        isolation: Arc::new(receipt(Facts {
                            level,
                            groups_dropped,
                            own_user: ids.separate,
                            in_groups: meter.is_some(),
                            shared: &shared,
                        })),
                        meter,
                        runs: 0,
                        owner: getpid(),
                    });
                }
                Some(_) => return Err(making(Errno::EBADMSG)),
                None => {
                    return Err(
                        Error::io("the first process of a cell ended while it was set up")(Errno::EPIPE),
                    );
                }
            }
        }
    }

    /// The next message about a run that is being set up; `None` when the cell is gone.
    pub(super) fn next(&self) -> Result<Option<Message>, Error> {
        let next = next(self.control.as_fd(), Instant::now() + LONGEST_SETUP)?;
        Ok(next.map(|(message, _)| message))
    }

    /// Whether this process is the one that had it made.
    pub(super) fn is_ours(&self) -> bool {
        self.owner == getpid()
    }

    /// Ends its first process, and with it all others. Without namespaces nothing ends with the keeper, so it stays until
    /// it has ended them; it goes when the connection to it does.
    pub(super) fn kill(&self) {
        match self.keeper {
            None => kill(self.pidfd.as_fd()),
            Some(keeper) => kill_below(keeper),
        }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        if self.is_ours() {
            self.kill();
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn kill_below(keeper: u32) {
    crate::inside::bare::kill_below(keeper);
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn kill_below(_: u32) {}

/// Where scratch is made without namespaces; what earlier runs have left there is removed once.
fn folder_for_scratch(bare: bool) -> Result<CString, Error> {
    static SWEPT: Once = Once::new();
    let base = std::env::temp_dir();
    if bare && !(base.is_absolute() && base.is_dir()) {
        let what = format!(
            "the folder for temporary files, {}, isn't there; TMPDIR names it",
            base.display()
        );
        return Err(Error::Invalid { what });
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if bare {
        SWEPT.call_once(|| crate::inside::bare::sweep(&base));
    }
    super::c_string(base)
}

/// The process of a pidfd.
fn pid_of(pidfd: &OwnedFd) -> Result<u32, Errno> {
    let text = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd()))
        .map_err(|_| Errno::ESRCH)?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pid:"));
    line.and_then(|pid| pid.trim().parse().ok()).ok_or(Errno::ESRCH)
}

fn kill(pidfd: BorrowedFd<'_>) {
    // SAFETY: takes a descriptor that is open and plain numbers.
    unsafe {
        let no_info = std::ptr::null::<libc::siginfo_t>();
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            libc::SIGKILL,
            no_info,
            0_usize,
        )
    };
}

/// The files of a cell's group, from what the launcher said about it.
fn meter(group: &str) -> Result<Meter, Error> {
    let failed = |source| {
        let step = "control group";
        Error::Setup { step, source }
    };
    if let Some(reason) = group.strip_prefix(':') {
        return Err(failed(std::io::Error::other(reason.to_owned())));
    }
    cgroup::host().meter(group).map_err(failed)
}

/// Bytes in a file without a name.
pub(super) fn in_a_file(bytes: &[u8]) -> Result<OwnedFd, Error> {
    let failed = "writing an order";
    let file = memfd_create("redraft-order", MFdFlags::MFD_CLOEXEC).map_err(Error::io(failed))?;
    let mut file = File::from(file);
    without_the_signal(|| file.write_all(bytes)).map_err(Error::io(failed))?;
    Ok(OwnedFd::from(file))
}

/// A harness that may write only so much to a file gets an error, and not the signal that would end it.
fn without_the_signal<T>(write: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let mut too_large = SigSet::empty();
    too_large.add(Signal::SIGXFSZ);
    let before = too_large.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let written = write();
    if written.is_err() {
        let now = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: all that is pointed to outlives the call, which takes the signal if it is there and doesn't wait.
        unsafe { libc::sigtimedwait(too_large.as_ref(), std::ptr::null_mut(), &raw const now) };
    }
    before.thread_set_mask()?;
    written
}

/// The next message, which must come before the deadline; `None` when the other side is gone.
fn next(control: BorrowedFd<'_>, deadline: Instant) -> Result<Option<(Message, Vec<OwnedFd>)>, Error> {
    let waiting = Error::io("waiting for the sandbox to be set up");
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(control, PollFlags::POLLIN)], timeout) {
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(waiting(errno)),
            Ok(0) => return Err(waiting(Errno::ETIMEDOUT)),
            Ok(_) => {
                return match Message::receive(control) {
                    Err(Errno::ECONNRESET) => Ok(None),
                    other => other.map_err(&waiting),
                };
            }
        }
    }
}
