//! From a request to a running program.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{Gid, Uid, fchown, pipe2};

use super::cell::{Cell, LONGEST_SETUP, Room, in_a_file};
use super::diagnose::failed_step;
use super::pool;
use super::proc_text::ticks_of;
use super::shape::Shape;
use super::streams::{Drain, Feed};
use super::tree::Tree;
use crate::cgroup::GroupLimits;
use crate::inside::STEPS;
use crate::message::{LONGEST_ORDER, Message, RunOrder, send_parts};
use crate::spec::RunSpec;
use crate::{Error, Level, Limits};

/// A run to be made.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) shape: Arc<Shape>,
    pub(crate) spec: RunSpec,
    pub(crate) stdin: Arc<[u8]>,
    /// Stdin and stdout, where they are the caller's own.
    pub(crate) streams: [Option<Arc<OwnedFd>>; 2],
    /// Files of the working directory to give back.
    pub(crate) kept: Vec<PathBuf>,
    pub(crate) limits: Limits,
    pub(crate) level: Level,
    /// What the caller puts into scratch, with scratch's own folders: bytes, and files and folders.
    pub(crate) put_in: (u64, u64),
    /// Whether the cell must be new, and is used for nothing else.
    pub(crate) alone: bool,
}

/// A program that is running, with all that is needed to watch it.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) cell: Cell,
    pub(super) alone: bool,
    pub(super) tree: Arc<Tree>,
    pub(super) stdin: Feed,
    pub(super) stdout: Drain,
    pub(super) stderr: Drain,
    pub(super) kept: Vec<PathBuf>,
    pub(super) limits: Limits,
    pub(super) started: Instant,
    /// The same by the clock that init has, too.
    pub(super) began: u64,
    pub(super) setup: Duration,
    pub(super) queue: Duration,
    /// How long each step of its set-up took.
    pub(super) steps: Vec<(&'static str, Duration)>,
    /// What was in scratch before the program began: bytes, and files and folders.
    pub(super) put_in: (u64, u64),
}

/// How often a cell of the pool may turn out to be gone before a new one is made.
const MOST_TRIES: usize = 8;

/// Has it launched, and returns when the program's own code begins to run. With a channel when `channel`.
pub(super) fn launch(request: &Request, channel: bool) -> Result<(Running, Option<UnixStream>), Error> {
    let begin = Instant::now();
    let room = Room {
        bytes: request.spec.disk_bytes,
        files: request.spec.disk_inodes,
    };
    let spec = request.spec.encode();
    for _ in 0..MOST_TRIES {
        let (cell, new) = if request.alone {
            (Cell::make(&request.shape, request.level, room)?, true)
        } else {
            pool::take(&request.shape, request.level, room)?
        };
        match start(request, &spec, cell, channel, begin)? {
            Some(started) => return Ok(started),
            None if new => break,
            None => {}
        }
    }
    Err(Error::io(
        "the first process of a cell ended before the program began",
    )(Errno::EPIPE))
}

/// Our ends of the streams, and the program's.
struct Streams {
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
    channel: Option<UnixStream>,
    theirs: Vec<OwnedFd>,
}

impl Streams {
    fn make(cell: &Cell, given: &[Option<Arc<OwnedFd>>; 2], channel: bool) -> Result<Self, Error> {
        let making = Error::io("making the pipes");
        let (their_stdin, stdin) = pipe2(OFlag::O_CLOEXEC).map_err(&making)?;
        let (stdout, their_stdout) = pipe2(OFlag::O_CLOEXEC).map_err(&making)?;
        let (stderr, their_stderr) = pipe2(OFlag::O_CLOEXEC).map_err(&making)?;
        let mut theirs = vec![their_stdin, their_stdout, their_stderr];
        for (place, stream) in theirs.iter_mut().zip(given) {
            if let Some(stream) = stream {
                // Ours is then a pipe with nobody at its other end.
                *place = stream.try_clone().map_err(|error| Error::Io {
                    what: "taking over a stream",
                    source: error,
                })?;
            }
        }
        if cell.ids.separate {
            // So that the program can open /dev/stdin and its like, which are these pipes by name.
            let (uid, gid) = (Uid::from_raw(cell.ids.uid), Gid::from_raw(cell.ids.gid));
            for pipe in &theirs {
                fchown(pipe, Some(uid), Some(gid)).map_err(&making)?;
            }
        }
        let mut ours = None;
        if channel {
            let (our_end, their_end) = UnixStream::pair().map_err(Error::io("making the channel"))?;
            ours = Some(our_end);
            theirs.push(OwnedFd::from(their_end));
        }
        Ok(Self {
            stdin,
            stdout,
            stderr,
            channel: ours,
            theirs,
        })
    }
}

/// Starts it in a cell; `None` when the cell turns out to be gone, or not fit for another program.
fn start(
    request: &Request,
    spec: &[u8],
    mut cell: Cell,
    channel: bool,
    begin: Instant,
) -> Result<Option<(Running, Option<UnixStream>)>, Error> {
    let mut streams = Streams::make(&cell, &request.streams, channel)?;
    let mut counted = false;
    if let Some(meter) = &cell.meter {
        match meter.begin(group_limits(request)) {
            Ok(()) => {}
            // The group went with the cell.
            Err(_) if cell.runs > 0 => return Ok(None),
            Err(error) => return Err(Error::io("setting the limits of a control group")(error)),
        }
        counted = meter.counts_processes();
    }
    let order = RunOrder {
        channel,
        spec_in_file: spec.len() > LONGEST_ORDER - 16,
        counted,
        keep: !request.kept.is_empty(),
    };
    let file = order.spec_in_file.then(|| in_a_file(spec)).transpose()?;
    let fds: Vec<RawFd> = streams
        .theirs
        .iter()
        .chain(&file)
        .map(AsRawFd::as_raw_fd)
        .collect();
    let inline = if order.spec_in_file { &[] } else { spec };
    let sent_at = now();
    loop {
        match send_parts(&cell.control, &[&order.encode(), inline], &fds) {
            Ok(()) => break,
            Err(Errno::EPIPE | Errno::ECONNRESET) => return Ok(None),
            // Programs of the same user have as many descriptors on their way as one user may. They end.
            Err(Errno::ETOOMANYREFS) if begin.elapsed() < LONGEST_SETUP => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(errno) => return Err(Error::io("sending an order to a cell")(errno)),
        }
    }
    streams.theirs.clear();
    drop(file);
    match cell.next()? {
        Some(Message::Started {
            taken,
            began,
            user_micros,
            system_micros,
            steps,
        }) => {
            cell.runs += 1;
            let since = Duration::from_nanos(now().saturating_sub(began));
            let started = Instant::now().checked_sub(since).unwrap_or(begin);
            let queue = Duration::from_nanos(taken.saturating_sub(sent_at));
            let making = Error::io("making the pipes");
            let limits = request.limits;
            let before = ticks_of(user_micros) + ticks_of(system_micros);
            let running = Running {
                tree: Arc::new(Tree::new(
                    Arc::clone(&cell.proc),
                    cell.keeper,
                    cell.meter.clone(),
                    limits.memory,
                    before,
                )),
                cell,
                alone: request.alone,
                stdin: Feed::new(streams.stdin, Arc::clone(&request.stdin)).map_err(&making)?,
                stdout: Drain::new(streams.stdout, limits.output).map_err(&making)?,
                stderr: Drain::new(streams.stderr, limits.output).map_err(&making)?,
                kept: request.kept.clone(),
                limits,
                started,
                began,
                setup: started.saturating_duration_since(begin).saturating_sub(queue),
                queue,
                steps: named(&steps, began.saturating_sub(taken)),
                put_in: request.put_in,
            };
            Ok(Some((running, streams.channel)))
        }
        Some(Message::NotExecuted { errno }) => {
            let program = request.spec.program.to_string_lossy().into_owned();
            if !request.alone {
                pool::put(cell);
            }
            Err(Error::Exec {
                program,
                source: std::io::Error::from_raw_os_error(errno),
            })
        }
        Some(Message::Failed { step, errno, about }) => Err(failed_step(step, errno, &about)),
        Some(Message::Spent { about }) => {
            tracing::debug!("a cell is not used again: {about} of it were not as before");
            Ok(None)
        }
        Some(_) => Err(Error::io("a cell said what makes no sense")(Errno::EBADMSG)),
        None => Ok(None),
    }
}

/// Steps by name with the time that each took; the last of them until the program began, nanoseconds after the first.
fn named(steps: &[(u8, u32)], began: u64) -> Vec<(&'static str, Duration)> {
    let ends = steps.iter().skip(1).map(|(_, at)| u64::from(*at)).chain([began]);
    let all = steps.iter().zip(ends).map(|((step, at), end)| {
        let name = STEPS.get(usize::from(*step)).map_or("", |step| step.name);
        (name, Duration::from_nanos(end.saturating_sub(u64::from(*at))))
    });
    all.collect()
}

/// What the group of the cell may use: the program, init, and what the kernel needs for both.
fn group_limits(request: &Request) -> GroupLimits {
    let Limits {
        memory, processes, ..
    } = request.limits;
    GroupLimits {
        // Files in scratch count here as well, and have a limit of their own.
        memory: memory
            .checked_add(request.spec.disk_bytes)
            .and_then(|both| both.checked_add(BESIDE)),
        processes: Some(u64::from(processes) + 1),
    }
}

/// Memory of init, and of the kernel for a cell that stays within its limits.
const BESIDE: u64 = 16 << 20;

/// Nanoseconds of the clock that init has, too.
fn now() -> u64 {
    crate::inside::now()
}
