//! The launcher: waits for orders, clones an init for each cell, tells it who it is, and clears away after it.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::stat::{Mode, umask};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout, getppid, read, setsid};

use super::cells::Cells;
use super::spare::Spare;
use super::{CellOrder, calls};
use crate::message::{self, CellMark, Message};

/// Serves orders until the harness is gone.
pub(crate) fn serve(orders: &OwnedFd, harness: nix::unistd::Pid) -> ! {
    let Ok((orders, signals)) = become_a_launcher(orders) else {
        calls::end_process(1)
    };
    if getppid() != harness {
        // It died before the death signal was set up.
        calls::end_process(0);
    }
    let mut cells = Cells::default();
    let mut spare = None;
    loop {
        let mut fds = [
            PollFd::new(orders.as_fd(), PollFlags::POLLIN),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        let told = match poll(&mut fds, cells.patience()) {
            Ok(_) => (fds[0].any().unwrap_or(true), fds[1].any().unwrap_or(true)),
            Err(Errno::EINTR) => continue,
            Err(_) => (true, true),
        };
        let (ordered, signalled) = told;
        if signalled && is_over(&signals) {
            cells.end_all();
            calls::end_process(0);
        }
        cells.clear_away();
        if !ordered {
            continue;
        }
        match message::receive(orders.as_fd()) {
            Ok((bytes, fds)) if !bytes.is_empty() => {
                if let (Some(mark), Some(order)) = (CellMark::decode(&bytes), CellOrder::from_fds(fds)) {
                    if mark.bare {
                        launch_bare(&order, &mut cells);
                    } else {
                        launch(mark, &order, &mut spare, &mut cells);
                        drop(order);
                        make_ahead(mark, &orders, &mut spare, &mut cells);
                    }
                }
            }
            _ => {
                cells.end_all();
                calls::end_process(0)
            }
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

/// Whether the harness has ended.
fn is_over(signals: &SignalFd) -> bool {
    let mut over = false;
    while let Ok(Some(signal)) = signals.read_signal() {
        over |= signal.ssi_signo == libc::SIGTERM.unsigned_abs();
    }
    over
}

/// What is limited for each program anew, if it is to be limited at all.
const LIMITS_OF_ITS_OWN: [Resource; 6] = [
    Resource::RLIMIT_AS,
    Resource::RLIMIT_CPU,
    Resource::RLIMIT_DATA,
    Resource::RLIMIT_FSIZE,
    Resource::RLIMIT_NOFILE,
    Resource::RLIMIT_NPROC,
];

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

    // What the harness may not do must not hold for a cell, whose programs have their own limits.
    umask(Mode::from_bits_truncate(0o022));
    for resource in LIMITS_OF_ITS_OWN {
        let (_, most) = getrlimit(resource)?;
        setrlimit(resource, most, most)?;
    }

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

/// Gives a cell's order to an init. What goes wrong is told to the harness.
fn launch(mark: CellMark, order: &CellOrder, spare: &mut Option<Spare>, cells: &mut Cells) {
    if let Some(spare) = spare.take_if(|spare| spare.fits(mark.in_groups))
        && spare.take(order)
    {
        return;
    }
    match Spare::make(mark.in_groups, cells) {
        Ok(made) => {
            made.take(order);
        }
        Err((step, errno)) => {
            let (errno, about) = (errno as i32, String::new());
            Message::Failed { step, errno, about }.send(order.control.as_fd(), &[]);
        }
    }
}

/// Makes the next one ahead, unless somebody is waiting already.
fn make_ahead(mark: CellMark, orders: &OwnedFd, spare: &mut Option<Spare>, cells: &mut Cells) {
    let mut fds = [PollFd::new(orders.as_fd(), PollFlags::POLLIN)];
    let is_there = spare.as_ref().is_some_and(|spare| spare.fits(mark.in_groups));
    if !is_there && poll(&mut fds, PollTimeout::ZERO) == Ok(0) {
        *spare = Spare::make(mark.in_groups, cells).ok();
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn launch_bare(order: &CellOrder, cells: &mut Cells) {
    super::bare::launch(order, cells);
}

/// Without a filter for the processor there is no such cell, and the harness asks for none.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn launch_bare(_: &CellOrder, _: &mut Cells) {}
