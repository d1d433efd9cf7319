//! One of the two processes that take part in a test, and what it has used.

use std::time::{Duration, Instant};

use redraft_sandbox::{Child, Command, End, Outcome};
use serde::Serialize;

use super::Python;
use super::channel::{self, Silence};

/// How long a process that closed its channel gets to end by itself, so that its own end is told and not ours.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A running driver.
#[derive(Debug)]
pub(crate) struct Side {
    child: Child,
    largest: u64,
}

impl Side {
    /// Starts a driver. A frame from it may have at most `largest` bytes.
    pub(crate) fn start(
        python: &Python,
        mut command: Command,
        driver: &[u8],
        largest: u64,
    ) -> Result<Self, redraft_sandbox::Error> {
        command.arg("-c").arg(&python.drivers.boot);
        let child = command.spawn()?;
        let io = |source| redraft_sandbox::Error::Io {
            what: "preparing the channel to a driver",
            source,
        };
        channel::prepare(child.channel()).map_err(io)?;
        let side = Self { child, largest };
        // If it is gone already, the first answer says so.
        let started = Instant::now();
        let patience = || (started.elapsed() > Duration::from_mins(1)).then_some(());
        let _ = channel::send(side.child.channel(), driver, patience);
        Ok(side)
    }

    /// Sends a message. An end or a limit shows when the answer is waited for.
    pub(crate) fn send(
        &self,
        message: &impl Serialize,
        limit: impl FnMut() -> Option<()>,
    ) -> Result<(), Silence<()>> {
        let frame = serde_json::to_vec(message).map_err(|_| Silence::TooLarge)?;
        channel::send(self.child.channel(), &frame, limit)
    }

    /// Waits for a message.
    pub(crate) fn receive(&self, limit: impl FnMut() -> Option<()>) -> Result<Vec<u8>, Silence<()>> {
        channel::receive(self.child.channel(), self.largest, limit)
    }

    pub(crate) fn cpu_time(&self) -> Duration {
        self.child.cpu_time()
    }

    pub(crate) fn peak_memory(&self) -> u64 {
        self.child.peak_memory()
    }

    /// Ends it, unless it ends by itself at once, and tells what became of it.
    pub(crate) fn end(self, by_itself: bool) -> Result<Outcome, redraft_sandbox::Error> {
        if by_itself {
            let closed = Instant::now();
            while !self.child.is_over() && closed.elapsed() < LAST_WORDS {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.child.kill();
        let outcome = self.child.wait()?;
        if outcome.end == End::SandboxFailed {
            return Err(redraft_sandbox::Error::Invalid {
                what: "the sandbox was ended from outside".to_owned(),
            });
        }
        Ok(outcome)
    }
}
