//! The keeper: sets a cell without namespaces up once, then runs one program after another.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{Pid, geteuid, getgroups, getpid, setsid};

use super::folder::Folder;
use super::names::Names;
use super::program::{Program, start};
use super::prove::Ground;
use super::tree::{below, kill_below};
use super::{ABOUT, tell_failure};
use crate::inside::cell::open_proc;
use crate::inside::filter::{self, Uncovered};
use crate::inside::init::{LONGEST_IDLE, keep_only, read_spec};
use crate::inside::landlock::{self, Grant, Rules};
use crate::inside::program::Failure;
use crate::inside::root::write_new_file;
use crate::inside::run::read_order;
use crate::inside::steps::{BARE_PROOF, FOLDER, KEEPER, ORDER, RUN_ORDER, UNREACHABLE};
use crate::inside::tally::{self, Tally};
use crate::inside::{CellOrder, calls};
use crate::message::{self, END_IT, Ended, HostIds, Message, Space};
use crate::spec::{CellSpec, Kind, Put, RunSpec};

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

/// How often scratch and the number of processes are looked at, at most; it is done more seldom when it takes long.
const SHORTEST_LOOK: Duration = Duration::from_millis(20);
/// How long all of a program's processes may take to end, before the keeper gives up.
const LONGEST_END: Duration = Duration::from_secs(30);

/// A cell that is set up.
#[derive(Debug)]
struct Cell {
    control: OwnedFd,
    signals: SignalFd,
    ids: HostIds,
    base: CString,
    names: Names,
    grants: Vec<(CString, Grant)>,
    version: u32,
    /// The scratch of the last run, as long as the harness reads from it.
    kept: Option<Folder>,
}

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
        Ok(proc) => Message::Ready { groups_dropped }.send(cell.control.as_fd(), &[proc.as_raw_fd()]),
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

impl Cell {
    fn end(&mut self, status: libc::c_int) -> ! {
        self.let_go();
        calls::end_process(status)
    }

    /// Removes the scratch that was kept. Should that fail, the next start of a harness does it.
    fn let_go(&mut self) {
        if let Some(folder) = self.kept.take() {
            let _ = folder.remove();
        }
    }

    fn uncovered(&self) -> Uncovered {
        Uncovered {
            no_namespaces: true,
            truncation: self.version < 3,
        }
    }

    /// A path that was to be readable and that the program's user can't get to.
    fn unreachable(&self) -> Option<&CStr> {
        if !self.ids.separate {
            return None;
        }
        let own = geteuid().as_raw();
        calls::act_as(self.ids.uid);
        let is_closed = |(path, _): &&(CString, Grant)| {
            let flags = OFlag::O_PATH | OFlag::O_CLOEXEC;
            open(path.as_c_str(), flags, Mode::empty()).err() == Some(Errno::EACCES)
        };
        let found = self.grants.iter().find(is_closed);
        calls::act_as(own);
        found.map(|(path, _)| path.as_c_str())
    }

    fn rules(&self, folder: &Folder) -> nix::Result<Rules> {
        let rules = Rules::new(self.version)?;
        for (path, grant) in &self.grants {
            // One that is gone by now needs no rule.
            rules.grant(path, *grant)?;
        }
        for part in ["box", "tmp"] {
            rules.grant(&folder.part(part)?, Grant::Scratch)?;
        }
        Ok(rules)
    }

    fn failed(&self, step: usize, errno: Errno) -> &'static str {
        let step = u8::try_from(step).unwrap_or(u8::MAX);
        let (errno, about) = (errno as i32, ABOUT.to_owned());
        Message::Failed { step, errno, about }.send(self.control.as_fd(), &[]);
        "a step failed"
    }

    /// Tries from inside whether the layers hold.
    fn prove(&self) -> Result<(), Failure> {
        let folder_failed = |errno| Failure::Step(usize::from(FOLDER), errno);
        let folder = Folder::make(&self.base, self.ids).map_err(folder_failed)?;
        let ground = Ground {
            landlock: self.version,
            ids: self.ids,
            outside: folder.beside().map_err(folder_failed)?,
            keeper: getpid().as_raw(),
        };
        let done = self.rules(&folder).map_err(folder_failed).and_then(|rules| {
            start(&Program {
                path: c"",
                args: &[],
                env: &[],
                streams: &[],
                home: folder.home(),
                processes: 64,
                file_size: 4096,
                ids: self.ids,
                rules: &rules,
                uncovered: self.uncovered(),
                proving: Some(&ground),
            })
        });
        while calls::reap(0).is_some() {}
        while let Ok(Some(_)) = self.signals.read_signal() {}
        folder.remove().map_err(folder_failed)?;
        done.map(drop)
    }

    /// Runs what the order says and tells the harness what becomes of it.
    fn run(&mut self, order: &[u8], fds: Vec<OwnedFd>) -> Result<(), &'static str> {
        let taken = calls::now();
        let (order, spec, streams) =
            read_order(order, fds).map_err(|errno| self.failed(usize::from(RUN_ORDER), errno))?;
        let folder =
            Folder::make(&self.base, self.ids).map_err(|errno| self.failed(usize::from(FOLDER), errno))?;
        let done = self.run_in(&folder, &spec, streams, taken);
        if let (Ok(ended), true) = (&done, order.keep) {
            ended.send(self.control.as_fd(), &[folder.home().as_raw_fd()]);
            self.kept = Some(folder);
            return Ok(());
        }
        let removed = folder.remove();
        match done {
            Ok(ended) => ended.send(self.control.as_fd(), &[]),
            Err(Failure::Execution(errno)) => {
                let errno = errno as i32;
                Message::NotExecuted { errno }.send(self.control.as_fd(), &[]);
            }
            Err(Failure::Step(index, errno)) => return Err(self.failed(index, errno)),
            Err(Failure::Proof(_)) => return Err("a layer"),
        }
        removed.map_err(|_| "scratch")
    }

    /// The run itself, up to its last word.
    fn run_in(
        &self,
        folder: &Folder,
        spec: &RunSpec,
        streams: Vec<OwnedFd>,
        taken: u64,
    ) -> Result<Message, Failure> {
        let folder_failed = |errno| Failure::Step(usize::from(FOLDER), errno);
        self.put_files(folder, spec).map_err(folder_failed)?;
        let rules = self.rules(folder).map_err(folder_failed)?;
        let mut names = self.names.clone();
        for (inside, part) in [("/box", "box"), ("/tmp", "tmp")] {
            names.add(
                inside.as_bytes(),
                folder.part(part).map_err(folder_failed)?.as_bytes(),
            );
        }
        let all = |texts: &[CString]| texts.iter().map(|text| names.put_into(text)).collect::<Vec<_>>();
        let (path, args, mut env) = (names.put_into(&spec.program), all(&spec.args), all(&spec.env));
        if !env
            .iter()
            .any(|variable| variable.as_bytes().starts_with(b"TMPDIR="))
        {
            let tmp = [b"TMPDIR=", folder.part("tmp").map_err(folder_failed)?.as_bytes()].concat();
            env.extend(CString::new(tmp));
        }

        let before = tally::usage(libc::RUSAGE_CHILDREN);
        let program = start(&Program {
            path: &path,
            args: &args,
            env: &env,
            streams: &streams,
            home: folder.home(),
            processes: spec.processes,
            file_size: spec.file_size,
            ids: self.ids,
            rules: &rules,
            uncovered: self.uncovered(),
            proving: None,
        })
        .inspect_err(|_| while calls::reap(0).is_some() {})?;
        // The program alone holds its ends: who reads them sees when it closes them.
        drop(streams);
        let started = Message::Started {
            taken,
            began: calls::now(),
            user_micros: tally::micros(before.ru_utime),
            system_micros: tally::micros(before.ru_stime),
        };
        started.send(self.control.as_fd(), &[]);
        Ok(Message::Ended(self.watched(program, folder, spec)))
    }

    /// The caller's files, as the program's own.
    fn put_files(&self, folder: &Folder, spec: &RunSpec) -> nix::Result<()> {
        let own = geteuid().as_raw();
        if self.ids.separate {
            calls::act_as(self.ids.uid);
        }
        let put = |(path, put): &(CString, Put)| match put {
            Put::Folder => mkdirat(folder.home(), path.as_c_str(), Mode::from_bits_truncate(0o755)),
            Put::File(content) => write_new_file(folder.home(), path, content),
        };
        let done = spec.files.iter().try_for_each(put);
        if self.ids.separate {
            calls::act_as(own);
        }
        done
    }

    /// Waits for the end of the program, ends all others, and adds up.
    fn watched(&self, program: Pid, folder: &Folder, spec: &RunSpec) -> Ended {
        let most = Space {
            most_bytes: spec.disk_bytes,
            most_files: spec.disk_inodes,
            ..Space::default()
        };
        let mut tally = Tally::default();
        tally.ended.status = self.watch(program, folder, most, spec.processes, &mut tally);
        self.end_all(&mut tally);
        let own = tally::usage(libc::RUSAGE_SELF);
        tally.ended.over = calls::now();
        tally.ended.floor_kib = tally::whole(own.ru_maxrss);
        tally.ended.scratch = folder.space(most);
        tally.ended
    }

    /// Reaps until the program is over (its wait status) or the harness says to end or is gone (`None`).
    fn watch(
        &self,
        program: Pid,
        folder: &Folder,
        most: Space,
        processes: u64,
        tally: &mut Tally,
    ) -> Option<libc::c_int> {
        let mut pause = SHORTEST_LOOK;
        loop {
            let mut fds = [
                PollFd::new(self.control.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut fds, PollTimeout::try_from(pause).unwrap_or(PollTimeout::MAX)) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => return None,
            }
            let told = fds[0].any().unwrap_or(true);
            while let Ok(Some(_)) = self.signals.read_signal() {}
            // Also when told to end: what ended by itself before that keeps its own end.
            while let Some((pid, status)) = tally.reap(libc::WNOHANG) {
                if pid == program.as_raw() {
                    return Some(status);
                }
            }
            if told {
                return None;
            }
            let begin = Instant::now();
            let space = folder.space(most);
            let count = below(getpid().as_raw().unsigned_abs()).len() as u64;
            if space.bytes > most.most_bytes || space.files > most.most_files || count > processes {
                // Its end says why.
                kill_below(getpid().as_raw().unsigned_abs());
            }
            pause = SHORTEST_LOOK.max(begin.elapsed() * 20);
        }
    }

    /// Kills and reaps until nobody is left. What is killed here has no end of its own.
    fn end_all(&self, tally: &mut Tally) {
        let begin = Instant::now();
        while calls::has_children() && begin.elapsed() < LONGEST_END {
            if self.ids.separate {
                self.kill_as_user();
            }
            kill_below(getpid().as_raw().unsigned_abs());
            let mut reaped = false;
            while tally.reap(libc::WNOHANG).is_some() {
                reaped = true;
            }
            if !reaped {
                std::thread::sleep(Duration::from_micros(500));
            }
        }
    }

    /// Kills all processes of the program's user at once, as that user: nobody can fork away from it.
    fn kill_as_user(&self) {
        let id = self.ids.uid;
        // SAFETY: the keeper has one thread; the child makes system calls only and ends.
        unsafe {
            if libc::fork() == 0 {
                if libc::syscall(libc::SYS_setresuid, id, id, id) == 0 {
                    libc::kill(-1, libc::SIGKILL);
                }
                calls::end_process(0);
            }
        }
    }
}
