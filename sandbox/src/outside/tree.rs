//! What the process tree uses right now, read from the `/proc` of its own pid namespace: that folder lists
//! exactly the processes that count.

use std::fs::File;
use std::io::Seek as _;
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::libc;
use nix::sys::stat::Mode;

use super::proc_text::{Process, names, number, page, parse_stat, pss_kib, ticks, ticks_of};
use crate::cgroup::Meter;

/// A look at the tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// CPU time since the start, of those who are gone too.
    pub(super) cpu: Duration,
    /// The part of it that no process of the tree has counted, because nobody waited for who used it.
    pub(super) uncounted: Duration,
    /// The most resident memory seen so far, in bytes.
    pub(super) peak: u64,
    /// The most processes and threads seen so far.
    pub(super) processes: u64,
    /// For how long one of the processes that were seen was ready to run and didn't; the longest.
    pub(super) waited: Duration,
}

/// The tree, and what was seen of it.
#[derive(Debug)]
pub(super) struct Tree {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `None` once the run is over: what is there then is somebody else's.
    proc: Option<Arc<File>>,
    /// Without namespaces: the process from which all of the tree come. It stands for init.
    keeper: Option<u32>,
    /// The control group, which counts what nobody waits for as well.
    meter: Option<Arc<Meter>>,
    /// What init had reaped before this run, in ticks.
    before: u64,
    /// The memory above which to look closer.
    limit: u64,
    /// CPU time at the last look, in ticks.
    last_ticks: u64,
    /// CPU time of processes that were seen alive and that no parent has counted, in ticks.
    lost_ticks: u64,
    so_far: Sample,
    /// The most CPU time that was ever told to the caller.
    told: Duration,
}

/// What all of them use together.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    ticks: u64,
    /// What the nanosecond clocks of single threads show beyond the ticks.
    beyond_ticks: Duration,
    resident: u64,
    threads: u64,
    waited: Duration,
}

impl Tree {
    /// `proc` is the folder `/proc` of the namespace; `limit` the memory above which to look closer; `before` the CPU
    /// time in ticks of earlier runs in it. `keeper` is given where there is no namespace.
    pub(super) fn new(
        proc: Arc<File>,
        keeper: Option<u32>,
        meter: Option<Arc<Meter>>,
        limit: u64,
        before: u64,
    ) -> Self {
        let state = State {
            proc: Some(proc),
            keeper,
            meter,
            before,
            limit,
            last_ticks: 0,
            lost_ticks: 0,
            so_far: Sample::default(),
            told: Duration::ZERO,
        };
        Self {
            state: Mutex::new(state),
        }
    }

    /// Looks now. When all is over it is what was seen last.
    pub(super) fn sample(&self) -> Sample {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.look();
        state.so_far
    }

    /// CPU time since the start.
    pub(super) fn cpu(&self) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let cpu = state.meter.as_ref().and_then(|meter| meter.cpu());
        let cpu = cpu.unwrap_or_else(|| {
            state.look();
            state.so_far.cpu
        });
        state.told = state.told.max(cpu);
        state.told
    }

    /// The run is over: from now on it is what was seen last. `reaped` is the CPU time that init has counted, in user mode
    /// and in the kernel, in microseconds.
    pub(super) fn close(&self, reaped: Option<(u64, u64)>) -> Sample {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.proc, state.meter) = (None, None);
        let sample = state.so_far;
        let Some((user, system)) = reaped else {
            return sample;
        };
        let reaped = ticks_of(user) + ticks_of(system);
        state.lost_ticks += state.last_ticks.saturating_sub(reaped);
        state.last_ticks = reaped;
        state.so_far.uncounted = ticks(state.lost_ticks);
        let sample = state.so_far;
        state.so_far.cpu = sample
            .cpu
            .max(Duration::from_micros(user + system) + sample.uncounted);
        sample
    }
}

/// Process 1 of the namespace, which is ours.
const INIT: u32 = 1;

impl State {
    fn look(&mut self) {
        let Some((mut sum, mut pids)) = self.sum() else {
            return;
        };
        if sum.ticks < self.last_ticks {
            // Either the time of one that nobody waits for went with it, or one moved from its own account to
            // its parent's while we were reading; then it shows now.
            let Some(again) = self.sum() else { return };
            (sum, pids) = again;
        }
        self.lost_ticks += self.last_ticks.saturating_sub(sum.ticks);
        self.last_ticks = sum.ticks;
        let mut resident = sum.resident;
        if resident > self.limit && pids.len() > 2 {
            // Pages that several share were counted several times.
            resident = resident.min(self.proportional(&pids).unwrap_or(resident));
        }
        let uncounted = ticks(self.lost_ticks);
        let cpu = ticks(sum.ticks) + sum.beyond_ticks + uncounted;
        self.so_far = Sample {
            cpu: self.so_far.cpu.max(cpu),
            uncounted,
            peak: self.so_far.peak.max(resident),
            processes: self.so_far.processes.max(sum.threads),
            waited: self.so_far.waited.max(sum.waited),
        };
    }

    /// Adds up all processes; `None` once init is gone.
    fn sum(&mut self) -> Option<(Sum, Vec<u32>)> {
        let pids = self.pids().ok()?;
        let mut sum = Sum::default();
        let mut buffer = [0; 1024];
        for &pid in &pids {
            let Some(process) = self.process(pid, &mut buffer) else {
                continue;
            };
            if pid == self.init() {
                sum.ticks += process.reaped_ticks.saturating_sub(self.before);
                continue;
            }
            sum.ticks += process.reaped_ticks;
            sum.ticks += process.own_ticks;
            let (exact, waited) = self.schedule(pid, &mut buffer).unwrap_or_default();
            sum.waited = sum.waited.max(waited);
            if process.threads == 1 {
                sum.beyond_ticks += exact.saturating_sub(ticks(process.own_ticks));
            }
            sum.resident += process.resident_pages * page();
            sum.threads += process.threads;
        }
        pids.contains(&self.init()).then_some((sum, pids))
    }

    /// The process that is ours.
    fn init(&self) -> u32 {
        self.keeper.unwrap_or(INIT)
    }

    /// The processes of the namespace, or those that come from the keeper, with it.
    fn pids(&mut self) -> std::io::Result<Vec<u32>> {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let (Some(keeper), true) = (self.keeper, self.proc.is_some()) {
            let mut pids = crate::inside::bare::below(keeper);
            pids.push(keeper);
            return Ok(pids);
        }
        let mut proc: &File = self.proc.as_deref().ok_or(std::io::ErrorKind::NotFound)?;
        proc.rewind()?;
        let mut pids = Vec::new();
        let mut buffer = [0_u8; 4096];
        loop {
            // SAFETY: the buffer outlives the call and is as long as said.
            let read = unsafe {
                libc::syscall(
                    libc::SYS_getdents64,
                    proc.as_raw_fd(),
                    buffer.as_mut_ptr(),
                    buffer.len(),
                )
            };
            let read = usize::try_from(Errno::result(read)?).unwrap_or(0);
            if read == 0 {
                return Ok(pids);
            }
            pids.extend(names(&buffer[..read]).filter_map(number::<u32>));
        }
    }

    fn process(&self, pid: u32, buffer: &mut [u8]) -> Option<Process> {
        parse_stat(self.read(&format!("{pid}/stat"), buffer)?)
    }

    /// CPU time of a first thread to the nanosecond, and for how long it has waited for a processor.
    fn schedule(&self, pid: u32, buffer: &mut [u8]) -> Option<(Duration, Duration)> {
        let text = self.read(&format!("{pid}/schedstat"), buffer)?;
        let mut fields = text.split(|&byte| byte == b' ');
        let mut time = || number(fields.next()?).map(Duration::from_nanos);
        Some((time()?, time()?))
    }

    /// Resident memory with each shared page divided among those who share it.
    fn proportional(&self, pids: &[u32]) -> Option<u64> {
        let mut buffer = [0; 4096];
        let mut sum = 0;
        for pid in pids.iter().filter(|&&pid| pid != self.init()) {
            // One that is gone by now uses nothing; one that can't be read makes the sum useless.
            match self.try_read(&format!("{pid}/smaps_rollup"), &mut buffer) {
                Ok(text) => sum += pss_kib(text).unwrap_or(0) * 1024,
                Err(Errno::ENOENT | Errno::ESRCH) => {}
                Err(_) => return None,
            }
        }
        Some(sum)
    }

    fn read<'b>(&self, path: &str, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        self.try_read(path, buffer).ok()
    }

    fn try_read<'b>(&self, path: &str, buffer: &'b mut [u8]) -> nix::Result<&'b [u8]> {
        let fd = openat(
            self.proc.as_deref().ok_or(Errno::ENOENT)?,
            path,
            OFlag::O_RDONLY | OFlag::O_CLOEXEC,
            Mode::empty(),
        )?;
        let length = nix::unistd::read(&fd, buffer)?;
        Ok(&buffer[..length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen() {
        let proc = nix::fcntl::open("/proc", OFlag::O_RDONLY, Mode::empty()).unwrap();
        let tree = Tree::new(Arc::new(File::from(proc)), None, None, u64::MAX, 0);
        let sample = tree.sample();
        assert!(sample.peak > 1 << 20, "{sample:?}");
        let again = tree.sample();
        assert!(again.cpu >= sample.cpu, "{sample:?} {again:?}");
    }
}
