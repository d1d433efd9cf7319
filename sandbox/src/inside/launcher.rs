//! The launcher: waits for orders, clones an init for each cell, tells it who it is, and clears away after it.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::stat::Mode;
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout, getppid, read, setsid, write};

use super::calls::{self, Cloned};
use super::{CLONE, CellOrder, MAP, ids, init};
use crate::message::{self, Message};

/// A new one of each kind that the kernel has, but for time.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Serves orders until the harness is gone.
pub(crate) fn serve(orders: &OwnedFd, harness: nix::unistd::Pid) -> ! {
    let Ok((orders, signals)) = become_a_launcher(orders) else {
        calls::end_process(1)
    };
    if getppid() != harness {
        // It died before the death signal was set up.
        calls::end_process(0);
    }
    let mut cells: u32 = 0;
    loop {
        let mut fds = [
            PollFd::new(orders.as_fd(), PollFlags::POLLIN),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => calls::end_process(1),
        }
        let (ordered, signalled) = (fds[0].any().unwrap_or(true), fds[1].any().unwrap_or(true));
        if signalled && is_over(&signals) {
            calls::end_process(0);
        }
        if !ordered {
            continue;
        }
        match message::receive(orders.as_fd()) {
            Ok((bytes, fds)) if !bytes.is_empty() => {
                if let Some(order) = CellOrder::from_fds(fds) {
                    cells = cells.wrapping_add(1);
                    launch(&order, cells);
                }
            }
            _ => calls::end_process(0),
        }
    }
}

/// The signals that the launcher waits for: an init has ended, the harness has.
fn watched() -> SigSet {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGCHLD);
    signals.add(Signal::SIGTERM);
    signals
}

/// Reaps inits that have ended. Whether the harness has, too; then those that are left end with the launcher.
fn is_over(signals: &SignalFd) -> bool {
    let mut over = false;
    while let Ok(Some(signal)) = signals.read_signal() {
        over |= signal.ssi_signo == libc::SIGTERM.unsigned_abs();
    }
    while calls::reap(libc::WNOHANG).is_some() {}
    over
}

/// Lets go of everything that belongs to the harness.
fn become_a_launcher(orders: &OwnedFd) -> nix::Result<(OwnedFd, SignalFd)> {
    // Not the deadly one: there is something to clear away.
    prctl::set_pdeathsig(Signal::SIGTERM)?;
    let _ = prctl::set_name(c"sandbox-launch");

    // Out of reach for the keys of the harness's terminal.
    setsid()?;

    for signal in Signal::iterator() {
        if !matches!(signal, Signal::SIGKILL | Signal::SIGSTOP) {
            set_handler(signal, SigHandler::SigDfl)?;
        }
    }
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&watched()), None)?;

    let null = open("/dev/null", OFlag::O_RDWR | OFlag::O_CLOEXEC, Mode::empty())?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    drop(null);

    wipe_arguments()?;

    let orders = high_copy(orders.as_fd(), 64)?;
    let own = orders.as_raw_fd().unsigned_abs();
    calls::close_range(3, own - 1)?;
    calls::close_range(own + 1, libc::c_uint::MAX)?;
    let signals = SignalFd::with_flags(&watched(), SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    Ok((orders, signals))
}

/// Overwrites our copy of the harness's arguments and environment: every program can read the arguments of its
/// init, and there may be keys among them.
fn wipe_arguments() -> nix::Result<()> {
    let file = open(
        "/proc/self/stat",
        OFlag::O_RDONLY | OFlag::O_CLOEXEC,
        Mode::empty(),
    )?;
    let mut text = [0; 1024];
    let length = read(&file, &mut text)?;
    // The name of the process is in brackets; field 3 follows.
    let after_name = text[..length]
        .iter()
        .rposition(|&byte| byte == b')')
        .ok_or(Errno::EBADMSG)?;
    let fields = text[after_name..length].split(|&byte| byte == b' ');
    let addresses: Vec<usize> = fields
        .skip(48 - 2)
        .take(4)
        .filter_map(|field| std::str::from_utf8(field).ok()?.parse().ok())
        .collect();
    // Fields 48 to 51: where the arguments begin and end, where the environment begins and ends.
    let [arguments, arguments_end, environment, environment_end] = addresses[..] else {
        return Err(Errno::EBADMSG);
    };
    for (begin, end) in [(arguments, arguments_end), (environment, environment_end)] {
        // SAFETY: the kernel says that this is where it put those bytes when it started the program, on a stack
        // that stays for as long as the process. Nothing here reads them.
        unsafe { std::ptr::write_bytes(begin as *mut u8, 0, end.saturating_sub(begin)) };
    }
    Ok(())
}

fn set_handler(signal: Signal, handler: SigHandler) -> nix::Result<()> {
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: no function of ours is installed.
    unsafe { sigaction(signal, &action) }.map(drop)
}

/// A copy out of the way of the numbers that the program's own descriptors get.
pub(super) fn high_copy(fd: BorrowedFd<'_>, least: libc::c_uint) -> nix::Result<OwnedFd> {
    let copy = fcntl(fd, FcntlArg::F_DUPFD_CLOEXEC(least.cast_signed()))?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Clones an init and gives it an identity. What goes wrong is told to the harness.
fn launch(order: &CellOrder, cell: u32) {
    let control = order.control.as_fd();
    let fail = |step: u8, errno: Errno| {
        Message::Failed {
            step,
            errno: errno as i32,
            about: String::new(),
        }
        .send(control, &[]);
    };
    let (go, told) = match message::pair() {
        Ok(pair) => pair,
        Err(errno) => return fail(CLONE, errno),
    };
    // SAFETY: the launcher has one thread.
    let (pid, pidfd) = match unsafe { calls::clone(NAMESPACES) } {
        Err(errno) => return fail(CLONE, errno),
        Ok(Cloned::Child) => init::run(order, &go),
        Ok(Cloned::Parent { pid, pidfd }) => (pid, pidfd),
    };
    match ids::map(pid, cell) {
        // Closing `told` without a word ends the init.
        Err(errno) => fail(MAP, errno),
        Ok(ids) => {
            Message::Launched(ids).send(control, &[pidfd.as_raw_fd()]);
            let word = if ids.separate { SEPARATE } else { SAME };
            let _ = write(&told, word);
        }
    }
}

/// What the launcher says to an init that has two ids.
pub(super) const SEPARATE: &[u8] = b"go";
/// What it says to one that has the program's.
pub(super) const SAME: &[u8] = b"g";
