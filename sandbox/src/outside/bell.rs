//! Ending a run from elsewhere.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::eventfd::{EfdFlags, EventFd};

use crate::Error;

/// A request from elsewhere to end the run: a flag, and what wakes us to see it.
#[derive(Debug)]
pub(crate) struct Bell {
    rung: AtomicBool,
    wake: EventFd,
}

impl Bell {
    pub(crate) fn new() -> Result<Self, Error> {
        let wake = EventFd::from_value_and_flags(0, EfdFlags::EFD_CLOEXEC)
            .map_err(Error::io("making the means to end the run"))?;
        let rung = AtomicBool::new(false);
        Ok(Self { rung, wake })
    }

    /// Has the run end. What is over already doesn't hear it.
    pub(crate) fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        // The counter can't overflow before the watcher has seen it.
        let _ = self.wake.write(1);
    }

    /// Whether the run is to end.
    pub(super) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::Acquire)
    }

    /// What wakes who waits for the run.
    pub(super) fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
