//! Init: process 1 of a cell. Sets it up once, then runs one program after another.

use std::io::Read as _;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::stat::Mode;
use nix::unistd::{Whence, lseek64};

use super::cell::{Cell, Setup, open_proc};
use super::launcher::{SAME, SEPARATE, high_copy};
use super::program::Failure;
use super::prove::Ground;
use super::run::{prove, run as run_order};
use super::scratch::Room;
use super::steps::{Act, ORDER, PROOF, START, STEPS};
use super::{CellOrder, calls};
use crate::message::{self, END_IT, Message};
use crate::spec::CellSpec;

/// A cell that nobody has used for so long ends. Somewhat longer than the harness keeps it.
pub(super) const LONGEST_IDLE: Duration = Duration::from_secs(crate::IDLE_SECONDS + 5);

/// Runs init; `go` brings the word of the launcher that the identity is there.
pub(super) fn run(order: &CellOrder, go: &OwnedFd) -> ! {
    let kept = high_copy(go.as_fd(), FIRST_KEPT).and_then(|go| Ok((keep_only(order)?, go)));
    let Ok((order, go)) = kept else {
        calls::end_process(1)
    };
    let _ = prctl::set_name(c"sandbox-init");
    if prctl::set_pdeathsig(Signal::SIGKILL).is_err() {
        calls::end_process(1);
    }
    let mut word = [0; 8];
    let separate = match nix::unistd::read(&go, &mut word) {
        Ok(length) if &word[..length] == SEPARATE => true,
        Ok(length) if &word[..length] == SAME => false,
        _ => calls::end_process(1),
    };
    drop(go);
    // Only now: the launcher could not have written the maps of a process that isn't dumpable.
    let _ = prctl::set_dumpable(false);

    let CellOrder { spec, control } = order;
    let fail = |step: usize, errno: Errno, about: String| -> ! {
        let step = u8::try_from(step).unwrap_or(u8::MAX);
        let errno = errno as i32;
        Message::Failed { step, errno, about }.send(control.as_fd(), &[]);
        calls::end_process(1)
    };
    let spec = match read_spec(spec) {
        Ok(spec) => spec,
        Err(errno) => fail(usize::from(ORDER), errno, String::new()),
    };
    let mut setup = Setup::new(spec, separate);
    for (index, step) in STEPS.iter().enumerate() {
        if let Act::OfCell(act) = step.act
            && let Err(errno) = act(&mut setup)
        {
            fail(index, errno, setup.about);
        }
    }
    match prepared(&control, &mut setup) {
        Ok(cell) => {
            match prove(&cell, &Ground::new(setup.groups_dropped, &setup.spec.entries)) {
                Ok(()) => {}
                Err(Failure::Step(index, errno)) => fail(index, errno, String::new()),
                Err(Failure::Execution(errno)) => fail(usize::from(START), errno, String::new()),
                Err(Failure::Proof(index)) => {
                    // The harness has the same list.
                    fail(usize::from(PROOF), Errno::from_raw(0), index.to_string())
                }
            }
            match tell(&cell, setup.groups_dropped) {
                Ok(()) => serve(cell),
                Err(errno) => fail(usize::from(START), errno, String::new()),
            }
        }
        Err(errno) => fail(usize::from(START), errno, String::new()),
    }
}

/// Tells the harness that the cell is ready.
fn tell(cell: &Cell, groups_dropped: bool) -> nix::Result<()> {
    let proc = open_proc()?;
    Message::Ready { groups_dropped }.send(cell.control.as_fd(), &[proc.as_raw_fd()]);
    Ok(())
}

/// The cell, with everything that is made once.
fn prepared(control: &OwnedFd, setup: &mut Setup) -> nix::Result<Cell> {
    // Nothing else may be blocked: signals from inside that are neither blocked nor waited for don't reach process 1.
    let mut child_signal = SigSet::empty();
    child_signal.add(Signal::SIGCHLD);
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&child_signal), None)?;
    let signals = SignalFd::with_flags(&child_signal, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    // So that every process of a program finds it ready.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    super::filter::compiled(super::filter::Uncovered::default());
    let own_proc = setup.own_proc.take();
    let control = control.try_clone().map_err(|_| Errno::EMFILE)?;
    let vault = std::mem::take(&mut setup.vault);
    let mut cell = Cell::new(control, signals, own_proc, vault, setup.separate)?;
    cell.mount_scratch(Room {
        bytes: setup.spec.disk_bytes,
        files: setup.spec.disk_inodes,
    })?;
    cell.baseline.note_descriptors();
    Ok(cell)
}

/// Carries out orders until the harness lets go of the cell, or the cell is not as it was any more.
fn serve(mut cell: Cell) -> ! {
    let mut buffer = vec![0; message::LONGEST_ORDER];
    let idle = PollTimeout::try_from(LONGEST_IDLE).unwrap_or(PollTimeout::MAX);
    loop {
        match poll(&mut [PollFd::new(cell.control.as_fd(), PollFlags::POLLIN)], idle) {
            Err(Errno::EINTR) => continue,
            Ok(0) | Err(_) => calls::end_process(0),
            Ok(_) => {}
        }
        let Ok((length, fds)) = message::receive_into(cell.control.as_fd(), &mut buffer) else {
            calls::end_process(1)
        };
        match &buffer[..length] {
            [] => calls::end_process(0),
            // For a run that was over when it was sent.
            order if order == END_IT => {}
            order => {
                if let Err(difference) = run_order(&mut cell, order, fds) {
                    let about = difference.to_owned();
                    Message::Spent { about }.send(cell.control.as_fd(), &[]);
                    calls::end_process(1);
                }
            }
        }
    }
}

/// Above all that the launcher has open.
const FIRST_KEPT: libc::c_uint = 128;

/// Moves the order's descriptors out of the way and closes all others, whoever they belonged to. Those below four are the
/// program's places and stay taken, so that nothing else gets there.
pub(super) fn keep_only(order: &CellOrder) -> nix::Result<CellOrder> {
    let kept = CellOrder {
        spec: high_copy(order.spec.as_fd(), FIRST_KEPT)?,
        control: high_copy(order.control.as_fd(), FIRST_KEPT)?,
    };
    calls::close_range(3, FIRST_KEPT - 1)?;
    let flags = OFlag::O_RDWR | OFlag::O_CLOEXEC;
    let placeholder = open(c"/dev/null", flags, Mode::empty())?;
    // It has the lowest number that is free, which is three, and keeps it.
    std::mem::forget(placeholder);
    Ok(kept)
}

pub(super) fn read_spec(file: OwnedFd) -> nix::Result<CellSpec> {
    lseek64(&file, 0, Whence::SeekSet)?;
    let mut bytes = Vec::new();
    let error = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO));
    std::fs::File::from(file).read_to_end(&mut bytes).map_err(error)?;
    CellSpec::decode(&bytes).ok_or(Errno::EBADMSG)
}
