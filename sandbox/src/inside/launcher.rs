//! The launcher: waits for orders, clones an init for each, tells it who it is.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open};
use nix::libc;
use nix::sys::prctl;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction, sigprocmask};
use nix::sys::stat::Mode;
use nix::unistd::{
    Gid, Uid, dup2_stderr, dup2_stdin, dup2_stdout, fchown, getegid, geteuid, getpid, getppid, read, setsid,
    write,
};

use super::calls::{self, Cloned};
use super::{CLONE, INSIDE_ID, MAP, Order, init};
use crate::message::{self, Message};

/// A new one of each kind that the kernel has, but for time.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Where the host's uids for runs begin when root has no use for them: above those that systemd gives to containers.
const FIRST_HOST_ID: u32 = 0x7000_0000;

/// The least id for a run where those are out of reach, as in a container.
const FIRST_UNUSED_ID: u32 = 10_000;

/// Serves orders until the harness is gone.
pub(crate) fn serve(orders: &OwnedFd, harness: nix::unistd::Pid) -> ! {
    let Ok(orders) = become_a_launcher(orders) else {
        calls::end_process(1)
    };
    if getppid() != harness {
        // It died before the death signal was set up.
        calls::end_process(0);
    }
    let mut runs: u32 = 0;
    loop {
        match message::receive(orders.as_fd()) {
            Ok((bytes, fds)) if !bytes.is_empty() => {
                if let Some(order) = Order::from_fds(fds) {
                    runs = runs.wrapping_add(1);
                    launch(&order, runs);
                }
            }
            _ => calls::end_process(0),
        }
    }
}

/// Lets go of everything that belongs to the harness.
fn become_a_launcher(orders: &OwnedFd) -> nix::Result<OwnedFd> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let _ = prctl::set_name(c"sandbox-launch");

    // Out of reach for the keys of the harness's terminal.
    setsid()?;

    for signal in Signal::iterator() {
        if !matches!(signal, Signal::SIGKILL | Signal::SIGSTOP) {
            set_handler(signal, SigHandler::SigDfl)?;
        }
    }
    // Nobody here waits for an init: the harness watches it by pidfd, so the kernel may reap it.
    set_handler(Signal::SIGCHLD, SigHandler::SigIgn)?;
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;

    let null = open("/dev/null", OFlag::O_RDWR | OFlag::O_CLOEXEC, Mode::empty())?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    drop(null);

    wipe_arguments()?;

    let orders = high_copy(orders.as_fd(), 64)?;
    let own = orders.as_raw_fd().unsigned_abs();
    calls::close_range(3, own - 1)?;
    calls::close_range(own + 1, libc::c_uint::MAX)?;
    Ok(orders)
}

/// Overwrites our copy of the harness's arguments and environment: every program can read the arguments of its
/// init, and there may be keys among them.
fn wipe_arguments() -> nix::Result<()> {
    let file = open(
        "/proc/self/stat",
        OFlag::O_RDONLY | OFlag::O_CLOEXEC,
        Mode::empty(),
    )?;
    let mut text = [0; 1024];
    let length = read(&file, &mut text)?;
    // The name of the process is in brackets; field 3 follows.
    let after_name = text[..length]
        .iter()
        .rposition(|&byte| byte == b')')
        .ok_or(Errno::EBADMSG)?;
    let fields = text[after_name..length].split(|&byte| byte == b' ');
    let addresses: Vec<usize> = fields
        .skip(48 - 2)
        .take(4)
        .filter_map(|field| std::str::from_utf8(field).ok()?.parse().ok())
        .collect();
    // Fields 48 to 51: where the arguments begin and end, where the environment begins and ends.
    let [arguments, arguments_end, environment, environment_end] = addresses[..] else {
        return Err(Errno::EBADMSG);
    };
    for (begin, end) in [(arguments, arguments_end), (environment, environment_end)] {
        // SAFETY: the kernel says that this is where it put those bytes when it started the program, on a stack
        // that stays for as long as the process. Nothing here reads them.
        unsafe { std::ptr::write_bytes(begin as *mut u8, 0, end.saturating_sub(begin)) };
    }
    Ok(())
}

fn set_handler(signal: Signal, handler: SigHandler) -> nix::Result<()> {
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: no function of ours is installed.
    unsafe { sigaction(signal, &action) }.map(drop)
}

/// A copy out of the way of the numbers that the program's own descriptors get.
pub(super) fn high_copy(fd: BorrowedFd<'_>, least: libc::c_uint) -> nix::Result<OwnedFd> {
    let copy = fcntl(fd, FcntlArg::F_DUPFD_CLOEXEC(least.cast_signed()))?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Clones an init and gives it an identity. What goes wrong is told to the harness.
fn launch(order: &Order, run: u32) {
    let control = order.control.as_fd();
    let fail = |step: u8, errno: Errno| {
        Message::Failed {
            step,
            errno: errno as i32,
            about: String::new(),
        }
        .send(control, &[]);
    };
    let (go, told) = match message::pair() {
        Ok(pair) => pair,
        Err(errno) => return fail(CLONE, errno),
    };
    // SAFETY: the launcher has one thread.
    let (pid, pidfd) = match unsafe { calls::clone(NAMESPACES) } {
        Err(errno) => return fail(CLONE, errno),
        Ok(Cloned::Child) => init::run(order, &go),
        Ok(Cloned::Parent { pid, pidfd }) => (pid, pidfd),
    };
    if let Err(errno) = map_ids(pid, order, run) {
        // Closing `told` without a word ends the init.
        return fail(MAP, errno);
    }
    Message::Launched.send(control, &[pidfd.as_raw_fd()]);
    let _ = write(&told, b"go");
}

/// Maps the one id that exists inside to one of the host without rights: as root to an unused one, a different
/// one for each run, so that runs don't share a count of processes; as an ordinary user to the user's own.
fn map_ids(init: libc::pid_t, order: &Order, run: u32) -> nix::Result<()> {
    let for_runs = geteuid().is_root().then(ids_for_runs).flatten();
    let (uid, gid) = if let Some(range) = for_runs {
        let id = host_id(range, run);
        // So that the program can open /dev/stdin and its like, which are these pipes by name.
        for pipe in [&order.stdin, &order.stdout, &order.stderr] {
            fchown(pipe, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)))?;
        }
        (id, id)
    } else {
        // An ordinary user must give up changing groups to be allowed to map one.
        write_file(init, "setgroups", "deny")?;
        (geteuid().as_raw(), getegid().as_raw())
    };
    write_file(init, "uid_map", &format!("{INSIDE_ID} {uid} 1"))?;
    write_file(init, "gid_map", &format!("{INSIDE_ID} {gid} 1"))
}

/// The host's ids that root may give to runs: the first and how many. In a container they are what it was given;
/// with a single one, "root" is an ordinary user by another name, and there are none to give.
fn ids_for_runs() -> Option<(u32, u32)> {
    let (uids, gids) = (read_map("/proc/self/uid_map")?, read_map("/proc/self/gid_map")?);
    let first_and_last = |map: &[(u32, u32)]| {
        let high = map
            .iter()
            .find(|&&(first, last)| first <= FIRST_HOST_ID && FIRST_HOST_ID < last);
        let high = high.map(|&(_, last)| (FIRST_HOST_ID, last));
        high.or_else(|| map.iter().copied().max_by_key(|(first, last)| last - first))
    };
    let (uids, gids) = (first_and_last(&uids)?, first_and_last(&gids)?);
    // Neither root itself nor the ids that a system gives to its own services and users.
    let first = uids.0.max(gids.0).max(FIRST_UNUSED_ID);
    let last = uids.1.min(gids.1);
    (first <= last).then(|| (first, last - first + 1))
}

/// The ranges of ids that exist in our own user namespace, each by its first and its last.
fn read_map(path: &str) -> Option<Vec<(u32, u32)>> {
    let file = open(path, OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty()).ok()?;
    let mut text = [0; 4096];
    let length = read(&file, &mut text).ok()?;
    let lines = std::str::from_utf8(&text[..length]).ok()?.lines();
    let range = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        let (first, _, count) = (numbers.next()?.ok()?, numbers.next()?, numbers.next()?.ok()?);
        Some((first, first.saturating_add(count).checked_sub(1)?))
    };
    Some(lines.filter_map(range).collect())
}

fn host_id((first, count): (u32, u32), run: u32) -> u32 {
    let launcher = getpid().as_raw().unsigned_abs();
    first + (((launcher % 4096) << 12) + (run % 4096)) % count
}

fn write_file(process: libc::pid_t, name: &str, text: &str) -> nix::Result<()> {
    let path = CString::new(format!("/proc/{process}/{name}")).map_err(|_| Errno::EINVAL)?;
    let file = open(path.as_c_str(), OFlag::O_WRONLY | OFlag::O_CLOEXEC, Mode::empty())?;
    write(&file, text.as_bytes()).map(drop)
}
