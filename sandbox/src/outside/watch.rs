//! Watching a running program: feeding and draining its pipes, and ending it when a limit is crossed.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use super::bell::Bell;
use super::clock::Clock;
use super::kept::kept;
use super::launch::{Request, Running, launch};
use super::pool;
use super::verdict::{Cause, Facts};
use crate::message::{END_IT, Ended, Message, send};
use crate::{Error, Isolation, Limits, Outcome};

/// How long init gets to end and count everything before the kernel does it without counting.
const GRACE: Duration = Duration::from_millis(150);
/// Longer than that the kernel never takes to end processes, unless something is broken.
const LONGEST_END: Duration = Duration::from_mins(1);
/// At least this often the tree's memory is looked at …
const LONGEST_LOOK: Duration = Duration::from_millis(10);
/// … and at most this often.
const SHORTEST_LOOK: Duration = Duration::from_millis(1);
/// No program fills memory faster than this, in bytes a second.
const FILL_RATE: u64 = 8 << 30;

/// More than init uses of the CPU while a program runs.
const OF_INIT: Duration = Duration::from_millis(1);

/// Launches it and watches it to its end.
pub(crate) fn run(request: &Request) -> Result<Outcome, Error> {
    let (running, _) = launch(request, false)?;
    watch(running, None)
}

/// The same, until the bell is rung.
#[cfg(feature = "tokio")]
pub(crate) fn run_until(request: &Request, bell: &Bell) -> Result<Outcome, Error> {
    let (running, _) = launch(request, false)?;
    watch(running, Some(bell))
}

/// Watches a program to its end.
pub(super) fn watch(mut running: Running, bell: Option<&Bell>) -> Result<Outcome, Error> {
    let mut clock = Clock::new(&running);
    let mut watch = Watch {
        cause: None,
        told: None,
        last_word: LastWord::Awaited,
        home: None,
        killed: false,
    };
    let mut look_at = running.started + until_next_look(&running.limits, Duration::ZERO, 0);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let now = Instant::now();
        if watch.is_open() {
            if bell.is_some_and(Bell::is_rung) {
                watch.end(&running, Cause::Killed, now);
            } else if clock.is_up(&running, now) {
                watch.end(&running, Cause::Wall, now);
            } else if now >= look_at {
                clock.look(now);
                match look(&running) {
                    Ok(wait) => look_at = now + wait,
                    Err(cause) => watch.end(&running, cause, now),
                }
            }
        }
        watch.escalate(&running, now)?;

        let next = if watch.is_open() {
            clock.next().map_or(look_at, |deadline| deadline.min(look_at))
        } else {
            now + Duration::from_millis(100)
        };
        let mut over = false;
        for source in wait(&running, &watch, bell, next)? {
            match source {
                Source::Init => over = true,
                Source::Control => over |= watch.listen(&running),
                Source::Stdin => running.stdin.push(),
                Source::Stdout => running.stdout.pull(&mut buffer),
                Source::Stderr => running.stderr.pull(&mut buffer),
                // It is looked at above.
                Source::Bell => {}
            }
        }
        if over {
            // Its last word may have come with its end.
            watch.listen(&running);
            return Ok(conclude(running, &mut watch, &clock, &mut buffer));
        }
        if watch.is_open() && (running.stdout.is_over_limit() || running.stderr.is_over_limit()) {
            watch.end(&running, Cause::Output, Instant::now());
        }
    }
}

/// How far a run has come towards its end.
#[derive(Debug)]
struct Watch {
    /// Why we ended it.
    cause: Option<Cause>,
    /// When init was told.
    told: Option<Instant>,
    last_word: LastWord,
    /// The working directory, once all is over, where it was asked for.
    home: Option<OwnedFd>,
    killed: bool,
}

/// What init says when all is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastWord {
    Awaited,
    Said(Ended),
    /// Init is gone and has said nothing.
    Never,
}

impl Watch {
    /// Whether the program is running and nobody has ended it.
    fn is_open(&self) -> bool {
        self.cause.is_none() && self.last_word == LastWord::Awaited
    }

    fn end(&mut self, running: &Running, cause: Cause, now: Instant) {
        let _ = send(running.cell.control.as_fd(), END_IT, &[]);
        self.cause = Some(cause);
        self.told = Some(now);
    }

    /// Kills init when it doesn't get to do what it was told; gives up when even that doesn't help.
    fn escalate(&mut self, running: &Running, now: Instant) -> Result<(), Error> {
        let Some(told) = self.told else { return Ok(()) };
        if !self.killed && now >= told + GRACE {
            running.cell.kill();
            self.killed = true;
        }
        if now >= told + LONGEST_END {
            return Err(Error::io("the program can't be ended")(Errno::ETIMEDOUT));
        }
        Ok(())
    }

    /// Hears what init has to say. Whether that was its last word about the run.
    fn listen(&mut self, running: &Running) -> bool {
        if self.last_word != LastWord::Awaited {
            return false;
        }
        if let Ok(Some((Message::Ended(ended), fds))) = Message::receive(running.cell.control.as_fd()) {
            self.last_word = LastWord::Said(ended);
            self.home = fds.into_iter().next();
            return true;
        }
        // Whatever it was, init must not stay.
        self.last_word = LastWord::Never;
        self.told.get_or_insert_with(Instant::now);
        false
    }
}

/// Looks at what the tree uses: either the limit that was crossed, or when to look again.
fn look(running: &Running) -> Result<Duration, Cause> {
    let limits = &running.limits;
    let meter = running.cell.meter.as_ref();
    if let Some(meter) = meter
        && let (Some(cpu), Some(memory), Some(kills)) = (meter.cpu(), meter.memory(), meter.oom_kills())
    {
        // Init is in the group, too; how much of it was init's is known at the end.
        if cpu >= limits.cpu.saturating_add(OF_INIT) {
            return Err(Cause::Cpu);
        }
        if kills > 0 {
            return Err(Cause::Memory);
        }
        // More is charged to the group than what is resident. Only where that is too much a closer look is worth it.
        if memory <= limits.memory {
            let peak = memory;
            return Ok(until_next_look(limits, cpu, peak));
        }
    }
    let sample = running.tree.sample();
    if sample.cpu >= limits.cpu {
        return Err(Cause::Cpu);
    }
    if sample.peak > limits.memory {
        return Err(Cause::Memory);
    }
    Ok(until_next_look(limits, sample.cpu, sample.peak))
}

/// When the first limit could be crossed.
fn until_next_look(limits: &Limits, cpu: Duration, memory: u64) -> Duration {
    static CORES: OnceLock<u32> = OnceLock::new();
    let cores = *CORES.get_or_init(|| {
        std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(1))
    });
    let cpu = limits.cpu.saturating_sub(cpu) / cores;
    let memory = Duration::from_micros(limits.memory.saturating_sub(memory) / (FILL_RATE / 1_000_000));
    cpu.min(memory).clamp(SHORTEST_LOOK, LONGEST_LOOK)
}

/// What can wake the watcher.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Init is over, and so are all.
    Init,
    /// Init says something.
    Control,
    Stdin,
    Stdout,
    Stderr,
    /// Somebody wants the run to end.
    Bell,
}

/// Sleeps until something happens or `until` has come.
fn wait(running: &Running, watch: &Watch, bell: Option<&Bell>, until: Instant) -> Result<Vec<Source>, Error> {
    let control = (watch.last_word == LastWord::Awaited).then(|| running.cell.control.as_fd());
    let bell = bell.filter(|_| watch.is_open()).map(Bell::wake);
    let sources = [
        (Source::Init, Some(running.cell.pidfd.as_fd()), PollFlags::POLLIN),
        (Source::Control, control, PollFlags::POLLIN),
        (Source::Stdin, running.stdin.fd(), PollFlags::POLLOUT),
        (Source::Stdout, running.stdout.fd(), PollFlags::POLLIN),
        (Source::Stderr, running.stderr.fd(), PollFlags::POLLIN),
        (Source::Bell, bell, PollFlags::POLLIN),
    ];
    let (sources, mut fds): (Vec<Source>, Vec<PollFd<'_>>) = sources
        .into_iter()
        .filter_map(|(source, fd, flags)| Some((source, PollFd::new(fd?, flags))))
        .unzip();
    let left = TimeSpec::from_duration(until.saturating_duration_since(Instant::now()));
    match ppoll(&mut fds, Some(left), None) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(errno) => return Err(Error::io("waiting for the program")(errno)),
    }
    let ready = |(source, fd): (Source, &PollFd<'_>)| fd.any().unwrap_or(true).then_some(source);
    Ok(sources.into_iter().zip(&fds).filter_map(ready).collect())
}

/// Everything is over: gathers what is known of it, and keeps the cell for the next program.
fn conclude(running: Running, watch: &mut Watch, clock: &Clock, buffer: &mut [u8]) -> Outcome {
    let last_word = match watch.last_word {
        LastWord::Said(ended) => Some(ended),
        LastWord::Awaited | LastWord::Never => None,
    };
    let wall = last_word.map_or_else(
        || running.started.elapsed(),
        |ended| Duration::from_nanos(ended.over.saturating_sub(running.began)),
    );
    let reaped = last_word.map(|ended| (ended.user_micros, ended.system_micros));
    let bytes_in = running.stdin.written();
    let isolation = Isolation::clone(&running.cell.isolation);
    let sample = running.tree.close(reaped);
    let waited = last_word.map_or(Duration::ZERO, |ended| Duration::from_nanos(ended.waited));
    let facts = Facts {
        contended: clock.contention(sample.waited.max(waited), wall),
        limits: running.limits,
        cause: watch.cause,
        last_word,
        sample,
        metered: running
            .cell
            .meter
            .as_ref()
            .map(|meter| meter.end())
            .unwrap_or_default(),
        put_in: running.put_in,
        wall,
        setup: running.setup,
        queue: running.queue,
        steps: running.steps,
        bytes_in,
        stdout: running.stdout.finish(buffer),
        stderr: running.stderr.finish(buffer),
    };
    // Before the cell is used again.
    let files = kept(&running.kept, watch.home.take(), facts.limits.scratch);
    if running.cell.keeper.is_some() && !running.kept.is_empty() {
        // It may remove them now.
        let _ = send(running.cell.control.as_fd(), END_IT, &[]);
    }
    if last_word.is_some() && !watch.killed && !running.alone {
        pool::put(running.cell);
    }
    let outcome = facts.outcome(isolation, files);
    let (usage, end) = (&outcome.usage, &outcome.end);
    tracing::debug!(?end, cpu = ?usage.cpu, wall = ?usage.wall, setup = ?usage.setup, memory = usage.peak_memory, "a run is over");
    outcome
}
