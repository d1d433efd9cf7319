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

use super::cell::{Cell, Setup};
use super::launcher::high_copy;
use super::leftovers::FIRST_DESCRIPTOR;
use super::program::Failure;
use super::prove::Ground;
use super::run::{prove, run as run_order};
use super::scratch::Room;
use super::spare::{SAME, SEPARATE};
use super::steps::{Act, ORDER, PROOF, START, STEPS};
use super::{CellOrder, calls};
use crate::message::{self, END_IT, Message};
use crate::spec::CellSpec;

/// A cell that nobody has used for so long ends. Somewhat longer than the harness keeps it.
pub(super) const LONGEST_IDLE: Duration = Duration::from_secs(crate::IDLE_SECONDS + 5);

/// Runs init. `go` brings the order, and the word of the launcher that the identity is there; `teller` is a connection from
/// the start of a program to init.
pub(super) fn run(go: &OwnedFd, teller: &(OwnedFd, OwnedFd)) -> ! {
    let Ok([go, one, other]) = keep([go, &teller.0, &teller.1]) else {
        calls::end_process(1)
    };
    let teller = (one, other);
    let _ = prctl::set_name(c"sandbox-init");
    if prctl::set_pdeathsig(Signal::SIGKILL).is_err() {
        calls::end_process(1);
    }
    // Without an order, the launcher has let go of us.
    let Ok((word, fds)) = message::receive(go.as_fd()) else {
        calls::end_process(1)
    };
    let Some(order) = CellOrder::from_fds(fds) else {
        calls::end_process(0)
    };
    let separate = match &word[..] {
        SEPARATE => true,
        SAME => false,
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
    match prepared(&control, teller, &mut setup) {
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
            let shared = std::mem::take(&mut setup.shared);
            match tell(&cell, setup.groups_dropped, shared) {
                Ok(()) => serve(cell),
                Err(errno) => fail(usize::from(START), errno, String::new()),
            }
        }
        Err(errno) => fail(usize::from(START), errno, String::new()),
    }
}

/// Tells the harness that the cell is ready.
fn tell(cell: &Cell, groups_dropped: bool, shared: String) -> nix::Result<()> {
    let proc = cell.proc_for_the_harness()?;
    let ready = Message::Ready {
        groups_dropped,
        shared,
    };
    ready.send(cell.control.as_fd(), &[proc.as_raw_fd()]);
    Ok(())
}

/// The cell, with everything that is made once.
fn prepared(control: &OwnedFd, teller: (OwnedFd, OwnedFd), setup: &mut Setup) -> nix::Result<Cell> {
    // Nothing else may be blocked: signals from inside that are neither blocked nor waited for don't reach process 1.
    let mut child_signal = SigSet::empty();
    child_signal.add(Signal::SIGCHLD);
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&child_signal), None)?;
    let signals = SignalFd::with_flags(&child_signal, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    // So that every process of a program finds it ready.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        super::filter::compiled(super::filter::Uncovered::default());
        super::filter::compiled_telling();
    }
    let own_proc = setup.own_proc.take();
    let control = control.try_clone().map_err(|_| Errno::EMFILE)?;
    let vault = std::mem::take(&mut setup.vault);
    let changing = std::mem::take(&mut setup.changing);
    let mut cell = Cell::new(control, signals, teller, own_proc, vault, setup.separate)?;
    cell.changing = changing;
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

/// Keeps the order's descriptors and closes all others.
pub(super) fn keep_only(order: &CellOrder) -> nix::Result<CellOrder> {
    keep([&order.spec, &order.control]).map(|[spec, control]| CellOrder { spec, control })
}

/// Copies of these descriptors; all others are closed, whoever they belonged to. Those below four are the program's places
/// and stay taken, so that nothing else gets there.
fn keep<const N: usize>(wanted: [&OwnedFd; N]) -> nix::Result<[OwnedFd; N]> {
    let copies = |fds: [&OwnedFd; N], least| -> nix::Result<[OwnedFd; N]> {
        let all = fds.into_iter().map(|fd| high_copy(fd.as_fd(), least));
        let all: Vec<OwnedFd> = all.collect::<nix::Result<_>>()?;
        all.try_into().map_err(|_| Errno::EBADF)
    };
    let high = copies(wanted, OUT_OF_THE_WAY)?;
    let mut kept: Vec<libc::c_uint> = high.iter().map(|fd| fd.as_raw_fd().unsigned_abs()).collect();
    kept.sort_unstable();
    let mut next = 3;
    for fd in kept {
        if next < fd {
            calls::close_range(next, fd - 1)?;
        }
        next = fd + 1;
    }
    calls::close_range(next, libc::c_uint::MAX)?;

    let flags = OFlag::O_RDWR | OFlag::O_CLOEXEC;
    let placeholder = open(c"/dev/null", flags, Mode::empty())?;
    // It has the lowest number that is free, which is three, and keeps it.
    std::mem::forget(placeholder);
    copies(high.each_ref(), FIRST_DESCRIPTOR.unsigned_abs())
}

/// A number that is hardly taken.
const OUT_OF_THE_WAY: libc::c_uint = 128;

pub(super) fn read_spec(file: OwnedFd) -> nix::Result<CellSpec> {
    lseek64(&file, 0, Whence::SeekSet)?;
    let mut bytes = Vec::new();
    let error = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO));
    std::fs::File::from(file).read_to_end(&mut bytes).map_err(error)?;
    CellSpec::decode(&bytes).ok_or(Errno::EBADMSG)
}
