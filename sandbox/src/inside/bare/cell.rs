//! A cell without namespaces, as its keeper sees it: a run in it, its end, and what it leaves.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signalfd::SignalFd;
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{Pid, geteuid, getpid};

use super::ABOUT;
use super::folder::Folder;
use super::names::Names;
use super::program::{Program, start};
use super::prove::Ground;
use super::tree::{below, kill_below};
use crate::inside::calls;
use crate::inside::filter::Uncovered;
use crate::inside::landlock::{Grant, Rules};
use crate::inside::program::Failure;
use crate::inside::root::write_new_file;
use crate::inside::run::read_order;
use crate::inside::steps::{FOLDER, RUN_ORDER};
use crate::inside::tally::{self, Tally};
use crate::message::{Ended, HostIds, Message, Space};
use crate::spec::{Put, RunSpec};

/// How often scratch and the number of processes are looked at, at most; it is done more seldom when it takes long.
const SHORTEST_LOOK: Duration = Duration::from_millis(20);
/// How long all of a program's processes may take to end, before the keeper gives up.
const LONGEST_END: Duration = Duration::from_secs(30);

/// A cell that is set up.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) control: OwnedFd,
    pub(super) signals: SignalFd,
    pub(super) ids: HostIds,
    pub(super) base: CString,
    pub(super) names: Names,
    pub(super) grants: Vec<(CString, Grant)>,
    pub(super) version: u32,
    /// The scratch of the last run, as long as the harness reads from it.
    pub(super) kept: Option<Folder>,
}

impl Cell {
    pub(super) fn end(&mut self, status: libc::c_int) -> ! {
        self.let_go();
        calls::end_process(status)
    }

    /// Removes the scratch that was kept. Should that fail, the next start of a harness does it.
    pub(super) fn let_go(&mut self) {
        if let Some(folder) = self.kept.take() {
            let _ = folder.remove();
        }
    }

    pub(super) fn uncovered(&self) -> Uncovered {
        Uncovered {
            no_namespaces: true,
            truncation: self.version < 3,
        }
    }

    /// A path that was to be readable and that the program's user can't get to.
    pub(super) fn unreachable(&self) -> Option<&CStr> {
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
    pub(super) fn prove(&self) -> Result<(), Failure> {
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
    pub(super) fn run(&mut self, order: &[u8], fds: Vec<OwnedFd>) -> Result<(), &'static str> {
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
            steps: Vec::new(),
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
