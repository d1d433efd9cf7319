//! The start of the program itself.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
use nix::sys::stat::{Mode, umask};
use nix::unistd::{ForkResult, Pid, chdir, dup2_raw, execve, fork, pipe2, read, setsid, write};

use super::calls;
use crate::spec::Spec;

/// What the program finds at descriptors 0, 1, 2 and, if there is one, 3.
#[derive(Debug)]
pub(super) struct Stdio {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    pub(super) channel: Option<OwnedFd>,
}

/// Starts the program. The outer error is ours, the inner one tells why the file can't be executed.
pub(super) fn start(spec: &Spec, stdio: Stdio) -> nix::Result<Result<Pid, Errno>> {
    // Closed by a successful `execve`; before that it carries what went wrong.
    let (failure, tell) = pipe2(OFlag::O_CLOEXEC)?;
    // SAFETY: init has one thread.
    match unsafe { fork() }? {
        ForkResult::Child => {
            let (stage, errno) = match prepare(&stdio) {
                Err(errno) => (b'p', errno),
                Ok(()) => (b'x', execute(spec)),
            };
            let mut report = [stage, 0, 0, 0, 0];
            report[1..].copy_from_slice(&(errno as i32).to_le_bytes());
            let _ = write(&tell, &report);
            calls::end_process(127)
        }
        ForkResult::Parent { child } => {
            drop(tell);
            // The program alone holds its ends: who reads them sees when it closes them.
            drop(stdio);
            let mut report = [0; 5];
            loop {
                match read(&failure, &mut report) {
                    Err(Errno::EINTR) => {}
                    Err(errno) => return Err(errno),
                    Ok(0) => return Ok(Ok(child)),
                    Ok(_) => {
                        let [stage, errno @ ..] = report;
                        let errno = Errno::from_raw(i32::from_le_bytes(errno));
                        return if stage == b'x' { Ok(Err(errno)) } else { Err(errno) };
                    }
                }
            }
        }
    }
}

fn prepare(stdio: &Stdio) -> nix::Result<()> {
    setsid()?;

    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;

    umask(Mode::from_bits_truncate(0o022));

    let channel = stdio.channel.as_ref();
    let places = [
        Some(&stdio.stdin),
        Some(&stdio.stdout),
        Some(&stdio.stderr),
        channel,
    ];
    let mut first_free = 0;
    for (number, fd) in (0..).zip(places) {
        if let Some(fd) = fd {
            // SAFETY: nothing here owns the low numbers; they are the program's.
            let copy = unsafe { dup2_raw(fd, number) }?;
            // They stay open across `execve`.
            let _ = std::os::fd::IntoRawFd::into_raw_fd(copy);
            first_free = number.unsigned_abs() + 1;
        }
    }

    calls::close_on_exec_from(first_free)?;

    chdir(crate::SCRATCH)
}

/// Becomes the program; comes back only with the reason why not.
fn execute(spec: &Spec) -> Errno {
    let strings = |all: &[CString]| all.to_vec();
    match execve(&spec.program, &strings(&spec.args), &strings(&spec.env)) {
        Err(errno) => errno,
    }
}
