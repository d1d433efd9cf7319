//! The start of a program without namespaces: what it gives up before it becomes itself.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::stat::{Mode, umask};
use nix::unistd::{
    ForkResult, Gid, Pid, Uid, execve, fchdir, fork, getpid, getppid, pipe2, read, setgroups, setresgid,
    setresuid, setsid, write,
};

use super::prove::{Ground, prove};
use super::tree::tasks_of_user;
use crate::inside::filter::{self, Uncovered};
use crate::inside::landlock::{Grant, Rules};
use crate::inside::program::{Failure, MOST_OPEN_FILES, NO_CORE, limit};
use crate::inside::steps::STEPS;
use crate::inside::{calls, steps};
use crate::message::HostIds;

/// What a new program needs.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) path: &'a CStr,
    pub(super) args: &'a [CString],
    pub(super) env: &'a [CString],
    /// What it finds at descriptors 0, 1, 2 and, if there is one, 3.
    pub(super) streams: &'a [OwnedFd],
    pub(super) home: &'a OwnedFd,
    pub(super) processes: u64,
    pub(super) file_size: u64,
    pub(super) ids: HostIds,
    pub(super) rules: &'a Rules,
    pub(super) uncovered: Uncovered,
    /// Instead of becoming the program, it tries whether the layers are as told here.
    pub(super) proving: Option<&'a Ground>,
}

type Step = (&'static str, fn(&Program<'_>) -> nix::Result<()>);

/// In their order; the names are among those of all steps.
const ORDER: &[Step] = &[
    ("session and streams", take_streams),
    ("limits", set_limits),
    ("user of the program", change_user),
    ("capabilities", drop_capabilities),
    ("access to files", restrict_files),
    ("filter of system calls", filter_calls),
    ("closing of descriptors", close_the_rest),
];

/// Starts a program and gives its pid. Comes back when it is the program, or is over.
pub(super) fn start(program: &Program<'_>) -> Result<Pid, Failure> {
    let start = usize::from(steps::START);
    // Closed by a successful `execve`; before that it carries what went wrong.
    let (failure, tell) = pipe2(OFlag::O_CLOEXEC).map_err(|errno| Failure::Step(start, errno))?;
    let keeper = getpid();
    // SAFETY: the keeper has one thread.
    match unsafe { fork() }.map_err(|errno| Failure::Step(start, errno))? {
        ForkResult::Child => {
            // Low numbers are the program's.
            let tell = crate::inside::launcher::high_copy(std::os::fd::AsFd::as_fd(&tell), 64);
            let (kind, index, errno) = match become_it(program, keeper) {
                Failure::Step(index, errno) => (b's', index, errno),
                Failure::Execution(errno) => (b'x', 0, errno),
                Failure::Proof(index) => (b'p', index, Errno::from_raw(0)),
            };
            if let Ok(tell) = tell {
                let [low, ..] = index.to_le_bytes();
                let [a, b, c, d] = (errno as i32).to_le_bytes();
                let _ = write(&tell, &[kind, low, a, b, c, d]);
            }
            calls::end_process(127)
        }
        ForkResult::Parent { child } => {
            drop(tell);
            let mut report = [0; 6];
            loop {
                match read(&failure, &mut report) {
                    Err(Errno::EINTR) => {}
                    Err(errno) => return Err(Failure::Step(start, errno)),
                    Ok(0) => return Ok(child),
                    Ok(_) => {
                        let [kind, index, errno @ ..] = report;
                        let (index, errno) = (usize::from(index), Errno::from_raw(i32::from_le_bytes(errno)));
                        return Err(match kind {
                            b's' => Failure::Step(index, errno),
                            b'x' => Failure::Execution(errno),
                            _ => Failure::Proof(index),
                        });
                    }
                }
            }
        }
    }
}

/// Comes back only with the reason why it didn't. A proof that succeeds ends the process.
fn become_it(program: &Program<'_>, keeper: Pid) -> Failure {
    for (name, act) in ORDER {
        if let Err(errno) = act(program) {
            let index = STEPS.iter().position(|step| step.name == *name);
            return Failure::Step(index.unwrap_or(usize::from(steps::START)), errno);
        }
    }
    if getppid() != keeper {
        // It died before the death signal was set up.
        calls::end_process(1);
    }
    if let Some(ground) = program.proving {
        match prove(ground) {
            Ok(()) => calls::end_process(0),
            Err(index) => return Failure::Proof(index),
        }
    }
    match execve(program.path, program.args, program.env) {
        Err(errno) => Failure::Execution(errno),
    }
}

fn take_streams(program: &Program<'_>) -> nix::Result<()> {
    setsid()?;
    for (number, stream) in (0..).zip(program.streams) {
        // SAFETY: the descriptors below four are placeholders, and this process has its own copy of all.
        Errno::result(unsafe { libc::dup2(stream.as_raw_fd(), number) })?;
    }
    umask(Mode::from_bits_truncate(0o022));
    fchdir(program.home)
}

fn set_limits(program: &Program<'_>) -> nix::Result<()> {
    // A user's processes are counted together, whatever they do.
    let others = if program.ids.separate { 0 } else { tasks_of_user() };
    limit(libc::RLIMIT_NPROC, program.processes.saturating_add(others))?;
    limit(libc::RLIMIT_FSIZE, program.file_size)?;
    limit(libc::RLIMIT_NOFILE, MOST_OPEN_FILES)?;
    limit(libc::RLIMIT_CORE, NO_CORE)?;
    // When memory runs out it is the program that has to go.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    Ok(())
}

fn change_user(program: &Program<'_>) -> nix::Result<()> {
    // Who isn't root has none that it could bound, and gains none, for that is forbidden below.
    let bounded = calls::bound_capabilities();
    if program.ids.separate {
        bounded?;
        setgroups(&[])?;
        let (uid, gid) = (Uid::from_raw(program.ids.uid), Gid::from_raw(program.ids.gid));
        setresgid(gid, gid, gid)?;
        setresuid(uid, uid, uid)?;
    }
    // A new user clears the death signal.
    prctl::set_pdeathsig(Signal::SIGKILL)
}

fn drop_capabilities(_: &Program<'_>) -> nix::Result<()> {
    calls::drop_capabilities()?;
    prctl::set_no_new_privs()
}

fn restrict_files(program: &Program<'_>) -> nix::Result<()> {
    // Only now it is known which folder that is.
    program.rules.grant(c"/proc/self", Grant::Read)?;
    program.rules.restrict()
}

fn filter_calls(program: &Program<'_>) -> nix::Result<()> {
    filter::install(program.uncovered)
}

fn close_the_rest(program: &Program<'_>) -> nix::Result<()> {
    calls::close_on_exec_from(if program.streams.len() > 3 { 4 } else { 3 })?;
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)
}
