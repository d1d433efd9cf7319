//! Init: process 1 of a run. Sets up, starts the program, reaps, and ends all of them at the end.

use std::io::Read as _;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, kill, sigaction, sigprocmask,
};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::stat::Mode;
use nix::sys::statvfs::statvfs;
use nix::unistd::{Pid, Whence, lseek64};

use super::launcher::high_copy;
use super::start::{Stdio, start};
use super::steps::{ORDER, START, STEPS, Setup};
use super::{Order, calls};
use crate::message::{Ended, Message, Space};
use crate::spec::Spec;

/// Runs init; `go` brings the word of the launcher that the identity is there.
pub(super) fn run(order: &Order, go: &OwnedFd) -> ! {
    let Ok((order, go)) = keep_only(order, go) else {
        calls::end_process(1)
    };
    let _ = prctl::set_name(c"sandbox-init");
    if prctl::set_pdeathsig(Signal::SIGKILL).is_err() || nix::unistd::read(&go, &mut [0; 8]) != Ok(2) {
        calls::end_process(1);
    }
    drop(go);
    // Only now: the launcher could not have written the maps of a process that isn't dumpable.
    let _ = prctl::set_dumpable(false);

    let Order {
        spec,
        control,
        stdin,
        stdout,
        stderr,
        channel,
    } = order;
    let fail = |step: usize, errno: Errno, about: String| -> ! {
        let step = u8::try_from(step).unwrap_or(u8::MAX);
        Message::Failed {
            step,
            errno: errno as i32,
            about,
        }
        .send(control.as_fd(), &[]);
        calls::end_process(1)
    };
    let spec = match read_spec(spec) {
        Ok(spec) => spec,
        Err(errno) => fail(usize::from(ORDER), errno, String::new()),
    };
    let mut setup = Setup::new(spec);
    for (index, step) in STEPS.iter().enumerate() {
        if let Some(Err(errno)) = step.act.map(|act| act(&mut setup)) {
            fail(index, errno, setup.about);
        }
    }

    let begin = || -> nix::Result<(SignalFd, OwnedFd)> {
        let ended = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        // SAFETY: no function of ours is installed.
        unsafe { sigaction(Signal::SIGCHLD, &ended)? };
        let mut child_signal = SigSet::empty();
        child_signal.add(Signal::SIGCHLD);
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&child_signal), None)?;
        let signals = SignalFd::with_flags(&child_signal, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        let proc = open(
            c"/proc",
            OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC,
            Mode::empty(),
        )?;
        Ok((signals, proc))
    };
    let (signals, proc) = match begin() {
        Ok(both) => both,
        Err(errno) => fail(START, errno, String::new()),
    };
    let program = match start(
        &setup.spec,
        Stdio {
            stdin,
            stdout,
            stderr,
            channel,
        },
    ) {
        Ok(Ok(program)) => program,
        Ok(Err(errno)) => {
            Message::NotExecuted { errno: errno as i32 }.send(control.as_fd(), &[]);
            calls::end_process(1)
        }
        Err(errno) => fail(START, errno, String::new()),
    };
    let groups_dropped = setup.groups_dropped;
    Message::Started { groups_dropped }.send(control.as_fd(), &[proc.as_raw_fd()]);
    drop(proc);
    drop(setup);

    let mut tally = Tally::default();
    tally.ended.status = watch(program, control.as_fd(), &signals, &mut tally);
    Message::Ended(end_all(tally)).send(control.as_fd(), &[]);
    calls::end_process(0)
}

/// Above all that the launcher has open.
const FIRST_KEPT: libc::c_uint = 128;

/// Moves the order's descriptors out of the way and closes all others, whoever they belonged to.
fn keep_only(order: &Order, go: &OwnedFd) -> nix::Result<(Order, OwnedFd)> {
    let high_copy = |fd: &OwnedFd| high_copy(fd.as_fd(), FIRST_KEPT);
    let kept = (
        Order {
            spec: high_copy(&order.spec)?,
            control: high_copy(&order.control)?,
            stdin: high_copy(&order.stdin)?,
            stdout: high_copy(&order.stdout)?,
            stderr: high_copy(&order.stderr)?,
            channel: order.channel.as_ref().map(high_copy).transpose()?,
        },
        high_copy(go)?,
    );
    calls::close_range(3, FIRST_KEPT - 1)?;
    Ok(kept)
}

fn read_spec(file: OwnedFd) -> nix::Result<Spec> {
    lseek64(&file, 0, Whence::SeekSet)?;
    let mut bytes = Vec::new();
    let error = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO));
    std::fs::File::from(file).read_to_end(&mut bytes).map_err(error)?;
    Spec::decode(&bytes).ok_or(Errno::EBADMSG)
}

/// Reaps until the program is over (its wait status) or the harness says to end or is gone (`None`).
fn watch(
    program: Pid,
    control: BorrowedFd<'_>,
    signals: &SignalFd,
    tally: &mut Tally,
) -> Option<libc::c_int> {
    loop {
        let mut fds = [
            PollFd::new(control, PollFlags::POLLIN),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
        let told = fds[0].any().unwrap_or(true);
        while let Ok(Some(_)) = signals.read_signal() {}
        // Also when told to end: what ended by itself before that keeps its own end.
        while let Some((pid, status)) = tally.reap(libc::WNOHANG) {
            if pid == program {
                return Some(status);
            }
        }
        if told {
            return None;
        }
    }
}

/// What is added up of the processes that are reaped.
#[derive(Debug, Default)]
struct Tally {
    ended: Ended,
}

impl Tally {
    /// One process that is over, with its wait status as the kernel gave it.
    fn reap(&mut self, flags: libc::c_int) -> Option<(Pid, libc::c_int)> {
        let mut status = 0;
        // SAFETY: all zeros is a value of this plain structure.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        loop {
            // SAFETY: both places outlive the call.
            let pid = unsafe { libc::wait4(-1, &raw mut status, flags | libc::__WALL, &raw mut usage) };
            match Errno::result(pid) {
                Err(Errno::EINTR) => {}
                Ok(0) | Err(_) => return None,
                Ok(pid) => {
                    self.add(&usage);
                    return Some((Pid::from_raw(pid), status));
                }
            }
        }
    }

    fn add(&mut self, usage: &libc::rusage) {
        let whole = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
        let micros = |time: libc::timeval| whole(time.tv_sec) * 1_000_000 + whole(time.tv_usec);
        let ended = &mut self.ended;
        ended.user_micros += micros(usage.ru_utime);
        ended.system_micros += micros(usage.ru_stime);
        ended.peak_kib = ended.peak_kib.max(whole(usage.ru_maxrss));
        ended.voluntary += whole(usage.ru_nvcsw);
        ended.involuntary += whole(usage.ru_nivcsw);
    }
}

/// Kills and reaps whatever is left, and adds up. The kernel would do both, but would not count.
fn end_all(mut tally: Tally) -> Ended {
    // All but ourselves, and all at once: nobody can fork away from it.
    let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
    while tally.reap(0).is_some() {}

    let own = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.max_rss());
    tally.ended.floor_kib = u64::try_from(own).unwrap_or(0);
    tally.ended.scratch = space().unwrap_or_default();
    tally.ended
}

/// What is used of the file system that holds scratch.
fn space() -> nix::Result<Space> {
    let all = statvfs(crate::SCRATCH)?;
    let block = all.fragment_size();
    Ok(Space {
        bytes: (all.blocks() - all.blocks_free()) * block,
        most_bytes: all.blocks() * block,
        files: all.files() - all.files_free(),
        most_files: all.files(),
    })
}
