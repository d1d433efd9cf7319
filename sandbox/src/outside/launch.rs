//! From a request to a running program.

use std::os::fd::{AsFd as _, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::pipe2;

use super::diagnose::failed_step;
use super::launcher::send_order;
use super::streams::{Drain, Feed};
use super::tree::Tree;
use crate::isolation::standard_layers;
use crate::message::{self, Message};
use crate::spec::Spec;
use crate::{Error, Isolation, Limits};

/// Setting up takes milliseconds; on a machine that is drowning, seconds.
const LONGEST_SETUP: Duration = Duration::from_mins(1);

/// A run to be made.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) spec: Spec,
    pub(crate) stdin: Arc<[u8]>,
    pub(crate) limits: Limits,
    /// What the set-up itself puts where scratch is: bytes, and files and folders.
    pub(crate) put_in: (u64, u64),
}

/// A program that is running, with all that is needed to watch it.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) control: OwnedFd,
    pub(super) pidfd: OwnedFd,
    pub(super) tree: Arc<Tree>,
    pub(super) stdin: Feed,
    pub(super) stdout: Drain,
    pub(super) stderr: Drain,
    pub(super) limits: Limits,
    pub(super) started: Instant,
    pub(super) setup: Duration,
    pub(super) isolation: Isolation,
    /// What was in scratch before the program began: bytes, and files and folders.
    pub(super) put_in: (u64, u64),
}

/// Has it launched, and returns when the program's own code begins to run. With a channel when `channel`.
pub(super) fn launch(request: Request, channel: bool) -> Result<(Running, Option<UnixStream>), Error> {
    let begin = Instant::now();
    let program = request.spec.program.to_string_lossy().into_owned();
    let making = Error::io("making the pipes");

    let spec = memfd_create("redraft-order", MFdFlags::MFD_CLOEXEC).map_err(&making)?;
    let mut spec = std::fs::File::from(spec);
    std::io::Write::write_all(&mut spec, &request.spec.encode()).map_err(Error::io("writing the order"))?;
    let spec = OwnedFd::from(spec);

    let (control, their_control) = message::pair().map_err(&making)?;
    let (their_stdin, stdin) = pipe2(OFlag::O_CLOEXEC).map_err(&making)?;
    let (stdout, their_stdout) = pipe2(OFlag::O_CLOEXEC).map_err(&making)?;
    let (stderr, their_stderr) = pipe2(OFlag::O_CLOEXEC).map_err(&making)?;
    let (channel, their_channel) = if channel {
        let (ours, theirs) = UnixStream::pair().map_err(Error::io("making the channel"))?;
        (Some(ours), Some(OwnedFd::from(theirs)))
    } else {
        (None, None)
    };

    let theirs = [&spec, &their_control, &their_stdin, &their_stdout, &their_stderr];
    let fds: Vec<RawFd> = theirs
        .into_iter()
        .chain(&their_channel)
        .map(AsRawFd::as_raw_fd)
        .collect();
    send_order(&fds)?;
    drop((
        spec,
        their_control,
        their_stdin,
        their_stdout,
        their_stderr,
        their_channel,
    ));

    let deadline = begin + LONGEST_SETUP;
    let mut pidfd = None;
    loop {
        match next(&control, deadline)? {
            (Message::Launched, fds) => pidfd = fds.into_iter().next(),
            (Message::Failed { step, errno, about }, _) => return Err(failed_step(step, errno, &about)),
            (Message::NotExecuted { errno }, _) => {
                return Err(Error::Exec {
                    program,
                    source: std::io::Error::from_raw_os_error(errno),
                });
            }
            (Message::Started { groups_dropped }, fds) => {
                let (Some(pidfd), Some(proc)) = (pidfd, fds.into_iter().next()) else {
                    return Err(Error::io("a message of init came without its descriptors")(
                        Errno::EBADMSG,
                    ));
                };
                let now = Instant::now();
                let limits = request.limits;
                let running = Running {
                    control,
                    pidfd,
                    tree: Arc::new(Tree::new(proc, limits.memory)),
                    stdin: Feed::new(stdin, request.stdin).map_err(&making)?,
                    stdout: Drain::new(stdout, limits.output).map_err(&making)?,
                    stderr: Drain::new(stderr, limits.output).map_err(&making)?,
                    limits,
                    started: now,
                    setup: now - begin,
                    isolation: standard_layers(groups_dropped),
                    put_in: request.put_in,
                };
                return Ok((running, channel));
            }
            (Message::Ended(_), _) => {
                return Err(Error::io("init ended before the program began")(Errno::EBADMSG));
            }
        }
    }
}

/// The next message, which must come before the deadline.
fn next(control: &OwnedFd, deadline: Instant) -> Result<(Message, Vec<OwnedFd>), Error> {
    let waiting = Error::io("waiting for the sandbox to be set up");
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(control.as_fd(), PollFlags::POLLIN)], timeout) {
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(waiting(errno)),
            Ok(0) => return Err(waiting(Errno::ETIMEDOUT)),
            Ok(_) => {
                return Message::receive(control.as_fd())
                    .map_err(&waiting)?
                    .ok_or_else(|| {
                        Error::io("the sandbox's first process ended while it was being set up")(Errno::EPIPE)
                    });
            }
        }
    }
}
