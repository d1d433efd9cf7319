//! The harness's handle on its launcher.

use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::{TimeVal, TimeValLike as _};
use nix::unistd::{ForkResult, Pid, fork, getpid};

use crate::{Error, cgroup, inside, message};

/// The launcher of this process, once there is one.
static LAUNCHER: Mutex<Option<Arc<Launcher>>> = Mutex::new(None);

#[derive(Debug)]
struct Launcher {
    orders: OwnedFd,
    /// The process that started it; a fork of that must start its own.
    owner: Pid,
}

/// Starts the launcher now, if it isn't running. Every run would do it; early is better, because the fork
/// costs time and memory by the size that this process has by then.
pub fn prepare() -> Result<(), Error> {
    launcher().map(drop)
}

/// Hands the launcher an order with the descriptors that [`inside::CellOrder`] lists.
pub(super) fn send_order(order: &[u8], fds: &[RawFd]) -> Result<(), Error> {
    let failed = Error::io("sending an order to the launcher");
    let current = launcher()?;
    match message::send(current.orders.as_fd(), order, fds) {
        Err(Errno::EPIPE | Errno::ECONNRESET | Errno::ENOTCONN) => {
            // Somebody killed it. The next one gets the order.
            forget(&current);
            message::send(launcher()?.orders.as_fd(), order, fds).map_err(failed)
        }
        other => other.map_err(failed),
    }
}

fn launcher() -> Result<Arc<Launcher>, Error> {
    let mut known = LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(launcher) = known.as_ref().filter(|launcher| launcher.owner == getpid()) {
        return Ok(Arc::clone(launcher));
    }
    let launcher = Arc::new(start()?);
    *known = Some(Arc::clone(&launcher));
    Ok(launcher)
}

fn forget(dead: &Arc<Launcher>) {
    let mut known = LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner);
    if known.as_ref().is_some_and(|launcher| Arc::ptr_eq(launcher, dead)) {
        *known = None;
    }
}

fn start() -> Result<Launcher, Error> {
    let failed = "starting the launcher";
    // It finds out about control groups once, for itself and its launcher.
    cgroup::host();
    let (ours, theirs) = message::pair().map_err(Error::io(failed))?;
    // Nothing waits for ever: the launcher takes orders within milliseconds, or is stuck.
    setsockopt(&ours, sockopt::SendTimeout, &TimeVal::seconds(30)).map_err(Error::io(failed))?;
    let owner = getpid();
    let (tell, forked) = mpsc::sync_channel(1);
    // The launcher's death signal comes when the *thread* that forked it ends, so that one must not end earlier.
    let keeper = move || {
        // SAFETY: between here and `_exit` the child calls no function that waits for another thread: it makes
        // system calls and allocates, which the C library keeps usable after a fork.
        match unsafe { fork() } {
            Ok(ForkResult::Child) => inside::serve(&theirs, owner),
            Ok(ForkResult::Parent { child }) => {
                drop(theirs);
                let _ = tell.send(Ok(()));
                wait_for(child);
            }
            Err(errno) => {
                let _ = tell.send(Err(errno));
            }
        }
    };
    let thread = std::thread::Builder::new()
        .name("sandbox-launcher".to_owned())
        .spawn(keeper);
    thread.map_err(Error::io(failed))?;
    match forked.recv() {
        Ok(Ok(())) => Ok(Launcher { orders: ours, owner }),
        Ok(Err(errno)) => Err(Error::io(failed)(errno)),
        Err(_) => Err(Error::io(failed)(Errno::ECHILD)),
    }
}

/// Waits for the end of the launcher, so that it doesn't stay behind as a zombie.
fn wait_for(launcher: Pid) {
    let mut status = 0;
    loop {
        // SAFETY: `status` outlives the call.
        let done = unsafe { libc::waitpid(launcher.as_raw(), &raw mut status, 0) };
        if Errno::result(done) != Err(Errno::EINTR) {
            return;
        }
    }
}
