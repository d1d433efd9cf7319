//! The start of the program: a process that shares init's memory until its `execve`, so that nothing is copied for it.
//!
//! Init stands still meanwhile. What runs here may change nothing of init's but what it is given for that, and must not
//! allocate: after `execve` nobody is left to free it.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::ptr::{self, NonNull};

use nix::errno::Errno;
use nix::libc;
use nix::unistd::{chdir, setsid};

use super::marks::Marks;
use super::prove::{Ground, prove};
use super::steps::{Act, STEPS};
use super::{INSIDE_ID, calls, cell, landlock};

/// What a new program needs.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) path: &'a CStr,
    pub(super) arguments: &'a Pointers<'a>,
    pub(super) environment: &'a Pointers<'a>,
    /// What it finds at descriptors 0, 1, 2 and, if there is one, 3.
    pub(super) streams: [Option<BorrowedFd<'a>>; 4],
    pub(super) processes: u64,
    /// Whether a control group keeps to that number, and counts what it refuses.
    pub(super) counted: bool,
    pub(super) file_size: u64,
    /// Whether it must become another user than init.
    pub(super) separate: bool,
    pub(super) own_proc: Option<&'a OwnedFd>,
    /// What it may do with files.
    pub(super) rules: Option<&'a landlock::Rules>,
    /// Instead of becoming the program, it tries whether the layers are as told here.
    pub(super) proving: Option<&'a Ground>,
    /// Where it hands over what tells of signals.
    pub(super) teller: Option<BorrowedFd<'a>>,
    /// Where it notes how far it has come.
    pub(super) marks: &'a Marks,
    /// Where it tells what went wrong.
    pub(super) failure: Cell<Option<Failure>>,
}

/// Why there is no program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure {
    /// A step of ours failed, by its index in the list of all steps.
    Step(usize, Errno),
    /// The file can't be executed.
    Execution(Errno),
    /// A layer doesn't hold, by the index of the proof.
    Proof(usize),
}

/// Strings as `execve` wants them.
#[derive(Debug)]
pub(super) struct Pointers<'a> {
    pointers: Vec<*const c_char>,
    strings: std::marker::PhantomData<&'a [CString]>,
}

impl<'a> Pointers<'a> {
    pub(super) fn to(strings: &'a [CString]) -> Self {
        let pointers = strings.iter().map(|string| string.as_ptr());
        Self {
            pointers: pointers.chain([ptr::null()]).collect(),
            strings: std::marker::PhantomData,
        }
    }
}

/// Starts a program and gives its pid. Comes back when it is the program, or is over.
pub(super) fn start(program: &Program<'_>, stack: &Stack) -> Result<libc::pid_t, Failure> {
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument = ptr::from_ref(program).cast_mut().cast::<c_void>();
    // SAFETY: init has one thread, which stands still until the child doesn't use this memory any more; `program` and
    // the stack outlive that.
    let pid = unsafe { libc::clone(become_it, stack.top(), flags, argument) };
    // A change of user may have changed it for the memory that both share.
    let _ = nix::sys::prctl::set_dumpable(false);
    match (Errno::result(pid), program.failure.take()) {
        (Ok(pid), None) => Ok(pid),
        (Ok(pid), Some(failure)) => {
            // SAFETY: nothing is written.
            unsafe { libc::waitpid(pid, ptr::null_mut(), libc::__WALL) };
            Err(failure)
        }
        (Err(errno), _) => Err(Failure::Step(usize::from(super::steps::START), errno)),
    }
}

extern "C" fn become_it(argument: *mut c_void) -> libc::c_int {
    // SAFETY: it is the `program` of `start`, which stands still.
    let program = unsafe { &*argument.cast::<Program<'_>>() };
    for (index, step) in STEPS.iter().enumerate() {
        let Act::OfProgram(act) = step.act else { continue };
        program.marks.begins(index);
        if let Err(errno) = act(program) {
            program.failure.set(Some(Failure::Step(index, errno)));
            return 127;
        }
    }
    if let Some(ground) = program.proving {
        let failure = prove(ground).err().map(Failure::Proof);
        program.failure.set(failure);
        return 0;
    }
    program.marks.is_executed();
    // SAFETY: all strings, and the arrays with their ends marked, outlive the call.
    unsafe {
        libc::execve(
            program.path.as_ptr(),
            program.arguments.pointers.as_ptr(),
            program.environment.pointers.as_ptr(),
        );
    }
    program.failure.set(Some(Failure::Execution(Errno::last())));
    127
}

/// Its own session and the streams in their places.
pub(super) fn take_streams(program: &Program<'_>) -> nix::Result<()> {
    setsid()?;

    for (number, stream) in (0..).zip(&program.streams) {
        if let Some(stream) = stream {
            // SAFETY: the descriptors below four are placeholders, and this process has its own copy of all.
            Errno::result(unsafe { libc::dup2(stream.as_raw_fd(), number) })?;
        }
    }

    chdir(crate::SCRATCH)
}

pub(super) fn set_limits(program: &Program<'_>) -> nix::Result<()> {
    // Where init has the same user it is counted with the program's processes.
    let init = u64::from(!program.separate);
    // And where the group is to refuse and count, this limit stands behind it.
    let behind = if program.counted { 8 } else { 0 };
    limit(
        libc::RLIMIT_NPROC,
        program.processes.saturating_add(init + behind),
    )?;
    limit(libc::RLIMIT_FSIZE, program.file_size)?;
    limit(libc::RLIMIT_NOFILE, MOST_OPEN_FILES)?;
    limit(libc::RLIMIT_CORE, NO_CORE)?;

    if let Some(proc) = program.own_proc {
        prefer_to_kill(proc);
    }
    Ok(())
}

/// With none at all, the kernel would still hand the memory of a crashed program to a handler of the host's, where there is one,
/// and run that as root. One byte is what keeps it from doing so, and it is too little for a file.
pub(super) const NO_CORE: u64 = 1;

/// Enough for any program of a task; a harness full of such programs stays clear of the host's own limit.
pub(super) const MOST_OPEN_FILES: u64 = 1024;

/// Lowers both the limit and the bound up to which it could be raised again.
pub(super) fn limit(resource: libc::__rlimit_resource_t, value: u64) -> nix::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure outlives the calls.
    unsafe {
        Errno::result(libc::getrlimit(resource, &raw mut limit))?;
        limit.rlim_max = limit.rlim_max.min(value);
        limit.rlim_cur = limit.rlim_max;
        Errno::result(libc::setrlimit(resource, &raw const limit)).map(drop)
    }
}

/// When memory runs out it is the program that has to go, not init or somebody else's process.
fn prefer_to_kill(proc: &OwnedFd) {
    // Without that the file would be root's. Nobody else is in the cell who could use it.
    let dumpable = |yes: libc::c_ulong| {
        // SAFETY: takes plain numbers.
        unsafe { libc::prctl(libc::PR_SET_DUMPABLE, yes, 0, 0, 0) }
    };
    dumpable(1);
    let _ = cell::write_own(proc, c"self/oom_score_adj", b"1000");
    dumpable(0);
}

/// As the user that it has inside. Only this process: the C library's own functions would change all threads'.
pub(super) fn change_user(program: &Program<'_>) -> nix::Result<()> {
    if !program.separate {
        return Ok(());
    }
    // SAFETY: take plain numbers.
    unsafe {
        Errno::result(libc::syscall(
            libc::SYS_setresgid,
            INSIDE_ID,
            INSIDE_ID,
            INSIDE_ID,
        ))?;
        Errno::result(libc::syscall(
            libc::SYS_setresuid,
            INSIDE_ID,
            INSIDE_ID,
            INSIDE_ID,
        ))
        .map(drop)
    }
}

pub(super) fn drop_capabilities(_: &Program<'_>) -> nix::Result<()> {
    calls::drop_capabilities()
}

/// A kernel without it has the other walls; the receipt says so.
pub(super) fn restrict_files(program: &Program<'_>) -> nix::Result<()> {
    program.rules.map_or(Ok(()), landlock::Rules::restrict)
}

/// Late, for it would refuse some of the others.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn filter_calls(program: &Program<'_>) -> nix::Result<()> {
    let Some(teller) = program.teller else {
        return super::filter::install(super::filter::Uncovered::default());
    };
    match super::filter::install_telling()? {
        Some(listener) => super::senders::hand_over(teller.as_raw_fd(), listener.as_raw_fd()),
        None => Ok(()),
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn filter_calls(_: &Program<'_>) -> nix::Result<()> {
    Ok(())
}

/// Nothing of init's goes over to the program, whatever it was opened with; and no signal stays blocked.
pub(super) fn close_the_rest(program: &Program<'_>) -> nix::Result<()> {
    let streams = if program.streams[3].is_some() { 4 } else { 3 };
    calls::close_on_exec_from(streams)?;

    // SAFETY: the set is made here, and both outlive the calls.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        Errno::result(libc::sigprocmask(
            libc::SIG_SETMASK,
            &raw const none,
            ptr::null_mut(),
        ))
        .map(drop)
    }
}

/// What a new process has for a stack until it is the program.
#[derive(Debug)]
pub(super) struct Stack {
    low: NonNull<c_void>,
}

impl Stack {
    const SIZE: usize = 128 << 10;
    /// Below it, so that running over ends the process and spoils nothing.
    const GUARD: usize = 64 << 10;

    pub(super) fn new() -> nix::Result<Self> {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        // SAFETY: a new mapping, where the kernel has room for it, of which the lower part becomes the guard.
        unsafe {
            let low = libc::mmap(ptr::null_mut(), Self::SIZE, rights, flags, -1, 0);
            if low == libc::MAP_FAILED {
                return Err(Errno::last());
            }
            Errno::result(libc::mprotect(low, Self::GUARD, libc::PROT_NONE))?;
            Ok(Self {
                low: NonNull::new(low).ok_or(Errno::ENOMEM)?,
            })
        }
    }

    fn top(&self) -> *mut c_void {
        // SAFETY: one past the end of the mapping.
        unsafe { self.low.as_ptr().byte_add(Self::SIZE) }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: it was mapped by `new`, and nobody runs on it.
        unsafe { libc::munmap(self.low.as_ptr(), Self::SIZE) };
    }
}
