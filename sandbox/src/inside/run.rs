//! One run in a cell: the order, the program, its end, and the cell made as new again.

use std::ffi::CStr;
use std::io::Read as _;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{Whence, lseek64};

use super::cell::Cell;
use super::ending::end;
use super::program::{self, Failure, Pointers, Program};
use super::prove::Ground;
use super::root::write_new_file;
use super::scratch::{Room, Scratch};
use super::senders::take_over;
use super::steps::{Act, RUN_ORDER, START, STEPS};
use super::tally;
use super::{INIT_ID, INSIDE_ID, calls, landlock};
use crate::message::{Message, RunOrder};
use crate::spec::{Put, RunSpec};

/// What the steps of a run work on.
#[derive(Debug)]
pub(super) struct Run<'a> {
    cell: &'a mut Cell,
    spec: RunSpec,
    /// What the step was at when it failed.
    about: String,
}

/// Runs what the order says and tells the harness what becomes of it. Whether the cell can be used again.
pub(super) fn run(cell: &mut Cell, order: &[u8], fds: Vec<OwnedFd>) -> Result<(), &'static str> {
    let taken = calls::now();
    let (order, spec, streams) = match read_order(order, fds) {
        Ok(all) => all,
        Err(errno) => return Err(failed(cell, usize::from(RUN_ORDER), errno, String::new())),
    };
    let mut run = Run {
        cell,
        spec,
        about: String::new(),
    };
    for (index, step) in STEPS.iter().enumerate() {
        let Act::OfRun(act) = step.act else { continue };
        run.cell.marks.begins(index);
        if let Err(errno) = act(&mut run) {
            let about = std::mem::take(&mut run.about);
            return Err(failed(run.cell, index, errno, about));
        }
    }
    let Run { cell, spec, .. } = run;

    let before = tally::usage(libc::RUSAGE_CHILDREN);
    cell.marks.begins(usize::from(START));
    cell.begin_pids_again();
    let begun = begin(cell, order, &spec, &streams);
    // Also of one that didn't come to be, so that it isn't taken for that of the next.
    let listener = take_over(cell.teller.1.as_fd());
    match begun {
        Ok(pid) => {
            // The program alone holds its ends: who reads them sees when it closes them.
            drop(streams);
            let started = Message::Started {
                taken,
                began: calls::now(),
                user_micros: tally::micros(before.ru_utime),
                system_micros: tally::micros(before.ru_stime),
                steps: cell.marks.take(taken),
            };
            started.send(cell.control.as_fd(), &[]);
            let mut ended = end(cell, pid, listener);
            ended.own_micros -= std::mem::replace(&mut cell.own_micros, ended.own_micros);
            let ended = Message::Ended(ended);
            match cell.scratch.as_ref().filter(|_| order.keep) {
                Some(scratch) => ended.send(cell.control.as_fd(), &[scratch.home().as_raw_fd()]),
                None => ended.send(cell.control.as_fd(), &[]),
            }
        }
        Err(Failure::Execution(errno)) => {
            drop(streams);
            let errno = errno as i32;
            Message::NotExecuted { errno }.send(cell.control.as_fd(), &[]);
        }
        Err(Failure::Step(index, errno)) => return Err(failed(cell, index, errno, String::new())),
        // Only tried when a cell is new.
        Err(Failure::Proof(_)) => return Err("a layer"),
    }
    renew(cell)
}

fn failed(cell: &Cell, step: usize, errno: Errno, about: String) -> &'static str {
    let step = u8::try_from(step).unwrap_or(u8::MAX);
    let errno = errno as i32;
    Message::Failed { step, errno, about }.send(cell.control.as_fd(), &[]);
    "a step failed"
}

pub(super) fn read_order(order: &[u8], fds: Vec<OwnedFd>) -> nix::Result<(RunOrder, RunSpec, Vec<OwnedFd>)> {
    let (order, inline) = RunOrder::decode(order).ok_or(Errno::EBADMSG)?;
    let mut streams = fds;
    let spec = if order.spec_in_file {
        let file = streams.pop().ok_or(Errno::EBADMSG)?;
        lseek64(&file, 0, Whence::SeekSet)?;
        let mut bytes = Vec::new();
        let error = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO));
        std::fs::File::from(file).read_to_end(&mut bytes).map_err(error)?;
        RunSpec::decode(&bytes)
    } else {
        RunSpec::decode(inline)
    };
    if streams.len() != 3 + usize::from(order.channel) {
        return Err(Errno::EBADMSG);
    }
    Ok((order, spec.ok_or(Errno::EBADMSG)?, streams))
}

/// A scratch that nobody has used, as large as asked.
pub(super) fn provide_scratch(run: &mut Run<'_>) -> nix::Result<()> {
    let room = Room {
        bytes: run.spec.disk_bytes,
        files: run.spec.disk_inodes,
    };
    if run
        .cell
        .scratch
        .as_ref()
        .is_some_and(|scratch| scratch.room() == room)
    {
        return Ok(());
    }
    run.cell.mount_scratch(room)
}

/// The caller's files, as the program's own.
pub(super) fn put_files(run: &mut Run<'_>) -> nix::Result<()> {
    if run.spec.files.is_empty() {
        return Ok(());
    }
    let home = run.cell.scratch.as_ref().ok_or(Errno::ENOENT)?.home();
    if run.cell.separate {
        calls::act_as(INSIDE_ID);
    }
    let mut done = Ok(());
    for (path, put) in &run.spec.files {
        let path: &CStr = path;
        done = match put {
            Put::Folder => mkdirat(home, path, Mode::from_bits_truncate(0o755)),
            Put::File(content) => write_new_file(home, path, content),
        };
        if done.is_err() {
            run.about = path.to_string_lossy().into_owned();
            break;
        }
    }
    if run.cell.separate {
        calls::act_as(INIT_ID);
    }
    done
}

impl Cell {
    /// Mounts a new scratch in place of the one that is there.
    pub(super) fn mount_scratch(&mut self, room: Room) -> nix::Result<()> {
        self.rules = None;
        if let Some(old) = self.scratch.take() {
            old.unmount()?;
        }
        let scratch = Scratch::mount(room, self.separate, &self.vault)?;
        self.scratch = Some(scratch);
        self.baseline.note_mounts();

        if let Ok(version) = landlock::version() {
            let rules = landlock::Rules::new(version)?;
            for (path, grant) in landlock::IN_OWN_ROOT {
                rules.grant(path, grant)?;
            }
            self.rules = Some(rules);
        }
        Ok(())
    }
}

fn begin(cell: &Cell, order: RunOrder, spec: &RunSpec, streams: &[OwnedFd]) -> Result<libc::pid_t, Failure> {
    let stream = |index: usize| streams.get(index).map(OwnedFd::as_fd);
    let program = Program {
        path: &spec.program,
        arguments: &Pointers::to(&spec.args),
        environment: &Pointers::to(&spec.env),
        streams: [stream(0), stream(1), stream(2), stream(3)],
        processes: spec.processes,
        counted: order.counted,
        file_size: spec.file_size,
        separate: cell.separate,
        own_proc: cell.own_proc.as_ref(),
        rules: cell.rules.as_ref(),
        proving: None,
        teller: Some(cell.teller.0.as_fd()),
        marks: &cell.marks,
        failure: std::cell::Cell::new(None),
    };
    program::start(&program, &cell.stack)
}

/// Tries from inside whether the layers of a new cell hold, as a program would find them.
pub(super) fn prove(cell: &Cell, ground: &Ground) -> Result<(), Failure> {
    let none = Pointers::to(&[]);
    let program = Program {
        path: c"",
        arguments: &none,
        environment: &none,
        streams: [None; 4],
        processes: 64,
        counted: false,
        file_size: 0,
        separate: cell.separate,
        own_proc: cell.own_proc.as_ref(),
        rules: cell.rules.as_ref(),
        proving: Some(ground),
        teller: None,
        marks: &cell.marks,
        failure: std::cell::Cell::new(None),
    };
    program::start(&program, &cell.stack)?;
    while calls::reap(0).is_some() {}
    Ok(())
}

/// Makes the cell as it was before; an error says what can't be undone.
fn renew(cell: &mut Cell) -> Result<(), &'static str> {
    // What the kernel says about the end of the last process may still be there.
    while let Ok(Some(_)) = cell.signals.read_signal() {}
    for overlay in &cell.changing {
        calls::forget_names(overlay.as_fd()).map_err(|_| "a readable folder")?;
    }
    if let Some(difference) = cell.baseline.difference() {
        return Err(difference);
    }
    match &cell.scratch {
        Some(scratch) if !scratch.is_untouched() => {
            let room = scratch.room();
            cell.mount_scratch(room).map_err(|_| "scratch")
        }
        _ => Ok(()),
    }
}
