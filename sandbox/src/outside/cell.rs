//! A cell as the harness holds it, and its making.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::{Pid, getpid};

use super::diagnose::failed_step;
use super::launcher::send_order;
use super::shape::Shape;
use crate::isolation::{Facts, receipt};
use crate::message::{self, HostIds, Message};
use crate::spec::CellSpec;
use crate::{Error, Isolation, Level};

/// Setting up takes milliseconds; on a machine that is drowning, seconds.
const LONGEST_SETUP: Duration = Duration::from_mins(1);

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
    pub(super) isolation: Arc<Isolation>,
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
        let spec = CellSpec::encode(&shape.entries, room.bytes, room.files);
        let spec = in_a_file(&spec)?;
        let (control, theirs) = message::pair().map_err(&making)?;
        send_order(&[spec.as_raw_fd(), theirs.as_raw_fd()])?;
        drop((spec, theirs));

        let deadline = Instant::now() + LONGEST_SETUP;
        let mut launched = None;
        loop {
            match next(control.as_fd(), deadline)? {
                Some((Message::Launched(ids), fds)) => {
                    launched = fds.into_iter().next().map(|pidfd| (ids, pidfd));
                }
                Some((Message::Failed { step, errno, about }, _)) => {
                    return Err(failed_step(step, errno, &about));
                }
                Some((Message::Ready { groups_dropped }, fds)) => {
                    let (Some((ids, pidfd)), Some(proc)) = (launched, fds.into_iter().next()) else {
                        return Err(making(Errno::EBADMSG));
                    };
                    return Ok(Self {
                        shape: Arc::clone(shape),
                        control,
                        pidfd,
                        proc: Arc::new(File::from(proc)),
                        ids,
                        isolation: Arc::new(receipt(Facts {
                            level,
                            groups_dropped,
                            in_groups: false,
                            proven: false,
                        })),
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

    /// Ends its first process, and with it all others.
    pub(super) fn kill(&self) {
        kill(self.pidfd.as_fd());
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        if self.is_ours() {
            self.kill();
        }
    }
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

/// Bytes in a file without a name.
pub(super) fn in_a_file(bytes: &[u8]) -> Result<OwnedFd, Error> {
    let failed = "writing an order";
    let file = memfd_create("redraft-order", MFdFlags::MFD_CLOEXEC).map_err(Error::io(failed))?;
    let mut file = File::from(file);
    file.write_all(bytes).map_err(Error::io(failed))?;
    Ok(OwnedFd::from(file))
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
