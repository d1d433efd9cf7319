//! A program that runs beside the caller, watched by a thread of its own.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::bell::Bell;
use super::launch::{Request, launch};
use super::tree::Tree;
use super::watch::watch;
use crate::{Error, Outcome};

/// A confined program that is running.
///
/// Its limits hold whether or not anybody waits for it. Dropping it ends it and leaves nothing behind.
#[derive(Debug)]
pub struct Child {
    channel: UnixStream,
    tree: Arc<Tree>,
    bell: Arc<Bell>,
    watcher: Option<JoinHandle<Result<Outcome, Error>>>,
}

impl Child {
    pub(crate) fn start(request: &Request) -> Result<Self, Error> {
        let failed = "starting a thread to watch the program";
        let (running, channel) = launch(request, true)?;
        let channel = channel.ok_or_else(|| Error::io(failed)(nix::errno::Errno::ENOTCONN))?;
        let bell = Arc::new(Bell::new()?);
        let tree = Arc::clone(&running.tree);
        let heard = Arc::clone(&bell);
        let watcher = std::thread::Builder::new()
            .name("sandbox-watch".to_owned())
            .spawn(move || watch(running, Some(&heard)))
            .map_err(Error::io(failed))?;
        Ok(Self {
            channel,
            tree,
            bell,
            watcher: Some(watcher),
        })
    }

    /// Our end of the program's file descriptor 3.
    pub fn channel(&self) -> &UnixStream {
        &self.channel
    }

    /// CPU time that the tree has used so far.
    ///
    /// With a control group to the microsecond, with less than a millisecond of the sandbox's own; otherwise to the
    /// nanosecond while the tree is one thread, and in the kernel's ticks (10 ms) when it is more. Costs some tens
    /// of microseconds at most.
    pub fn cpu_time(&self) -> Duration {
        self.tree.cpu()
    }

    /// Peak resident memory of the tree so far, in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.tree.sample().peak
    }

    /// Ends the whole tree now. What came first counts: a run that was over keeps its own end.
    pub fn kill(&self) {
        self.bell.ring();
    }

    /// What [`Self::kill`] rings, for who holds no child any more.
    #[cfg(feature = "tokio")]
    pub(crate) fn bell(&self) -> Arc<Bell> {
        Arc::clone(&self.bell)
    }

    /// Whether the run is over, so that [`Self::wait`] returns at once.
    pub fn is_over(&self) -> bool {
        self.watcher.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the end (which the limits guarantee) and tells what became of it.
    pub fn wait(mut self) -> Result<Outcome, Error> {
        let lost = || Error::io("the thread that watched the program is gone")(nix::errno::Errno::ESRCH);
        let watcher = self.watcher.take().ok_or_else(lost)?;
        watcher.join().map_err(|_| lost())?
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(watcher) = self.watcher.take() {
            self.kill();
            let _ = watcher.join();
        }
    }
}
