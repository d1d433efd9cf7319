//! The keeper: sets a cell without namespaces up once, then runs one program after another.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, AsRawFd as _};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{getgroups, setsid};

use super::cell::Cell;
use super::names::Names;
use super::tell_failure;
use crate::inside::cell::open_proc;
use crate::inside::init::{LONGEST_IDLE, keep_only, read_spec};
use crate::inside::landlock::{self, Grant};
use crate::inside::program::Failure;
use crate::inside::steps::{BARE_PROOF, KEEPER, ORDER, UNREACHABLE};
use crate::inside::{CellOrder, calls, filter};
use crate::message::{self, END_IT, HostIds, Message};
use crate::spec::{CellSpec, Kind};

/// What of the host's `/proc` every program may read.
const OF_PROC: [&CStr; 7] = [
    c"/proc/cpuinfo",
    c"/proc/filesystems",
    c"/proc/loadavg",
    c"/proc/meminfo",
    c"/proc/stat",
    c"/proc/uptime",
    c"/proc/version",
];

/// Runs the keeper.
pub(super) fn run(order: &CellOrder, ids: HostIds) -> ! {
    let Ok(order) = keep_only(order) else {
        calls::end_process(1)
    };
    let fail = |step: u8, errno: Errno| -> ! {
        tell_failure(&order, usize::from(step), errno);
        calls::end_process(1)
    };
    let spec = match order
        .spec
        .try_clone()
        .map_err(|_| Errno::EMFILE)
        .and_then(read_spec)
    {
        Ok(spec) => spec,
        Err(errno) => fail(ORDER, errno),
    };
    let cell = match prepared(&order, &spec, ids) {
        Ok(cell) => cell,
        Err(errno) => fail(KEEPER, errno),
    };
    if let Some(path) = cell.unreachable() {
        let about = path.to_string_lossy().into_owned();
        let (step, errno) = (UNREACHABLE, Errno::EACCES as i32);
        Message::Failed { step, errno, about }.send(order.control.as_fd(), &[]);
        calls::end_process(1)
    }
    match cell.prove() {
        Ok(()) => {}
        Err(Failure::Proof(index)) => {
            let about = index.to_string();
            let (step, errno) = (BARE_PROOF, 0);
            Message::Failed { step, errno, about }.send(cell.control.as_fd(), &[]);
            calls::end_process(1)
        }
        Err(Failure::Step(index, errno)) => {
            tell_failure(&order, index, errno);
            calls::end_process(1)
        }
        Err(Failure::Execution(errno)) => fail(KEEPER, errno),
    }
    let groups_dropped = ids.separate || getgroups().is_ok_and(|groups| groups.is_empty());
    match open_proc() {
        Ok(proc) => {
            let shared = String::new();
            let ready = Message::Ready {
                groups_dropped,
                shared,
            };
            ready.send(cell.control.as_fd(), &[proc.as_raw_fd()]);
        }
        Err(errno) => fail(KEEPER, errno),
    }
    drop(order);
    serve(cell)
}

fn prepared(order: &CellOrder, spec: &CellSpec, ids: HostIds) -> nix::Result<Cell> {
    let _ = prctl::set_name(c"sandbox-keeper");
    prctl::set_dumpable(false)?;
    setsid()?;

    // Those whose parents are gone become its children, and stay findable.
    prctl::set_child_subreaper(true)?;

    // It ends when the harness lets go of it, and must not before: nobody else would end what it keeps.
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), None)?;
    let mut child_signal = SigSet::empty();
    child_signal.add(Signal::SIGCHLD);
    let signals = SignalFd::with_flags(&child_signal, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;

    let mut grants: Vec<(CString, Grant)> = OF_PROC.map(|path| (path.to_owned(), Grant::Read)).into();
    for entry in &spec.entries {
        match &entry.kind {
            Kind::HostFolder(source) | Kind::HostFile(source) => grants.push((source.clone(), Grant::Read)),
            Kind::Device(source) => grants.push((source.clone(), Grant::Devices)),
            Kind::Folder | Kind::Link(_) | Kind::File(_) => {}
        }
    }
    let version = landlock::version()?;
    let cell = Cell {
        control: order.control.try_clone().map_err(|_| Errno::EMFILE)?,
        signals,
        ids,
        base: spec.base.clone(),
        names: Names::of(spec),
        grants,
        version,
        kept: None,
    };
    filter::compiled(cell.uncovered());
    Ok(cell)
}

/// Carries out orders until the harness lets go of the cell.
fn serve(mut cell: Cell) -> ! {
    let mut buffer = vec![0; message::LONGEST_ORDER];
    let idle = PollTimeout::try_from(LONGEST_IDLE).unwrap_or(PollTimeout::MAX);
    loop {
        match poll(&mut [PollFd::new(cell.control.as_fd(), PollFlags::POLLIN)], idle) {
            Err(Errno::EINTR) => continue,
            Ok(0) | Err(_) => cell.end(0),
            Ok(_) => {}
        }
        let Ok((length, fds)) = message::receive_into(cell.control.as_fd(), &mut buffer) else {
            cell.end(1)
        };
        match &buffer[..length] {
            [] => cell.end(0),
            // The harness has read what it wants; or it is for a run that was over when it was sent.
            order if order == END_IT => cell.let_go(),
            order => {
                cell.let_go();
                if let Err(difference) = cell.run(order, fds) {
                    let about = difference.to_owned();
                    Message::Spent { about }.send(cell.control.as_fd(), &[]);
                    cell.end(1);
                }
            }
        }
    }
}
