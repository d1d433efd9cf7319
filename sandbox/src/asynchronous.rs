//! The same for programs that run on tokio: nothing here holds up a worker thread, and what is let go of ends.

use std::pin::Pin;
use std::sync::Arc;

use crate::outside::{Bell, run_until};
use crate::{Child, Command, Error, Outcome};

impl Command {
    /// Runs it to its end, as [`Command::run`] does. Letting go of the future ends the program. (With the feature `tokio`.)
    ///
    /// ```
    /// use redraft_sandbox::{Command, End};
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    /// # runtime.block_on(async {
    /// let mut command = Command::new("/usr/bin/true");
    /// command.system_libraries().readable("/usr/bin/true");
    /// let outcome = command.run_async().await?;
    /// assert_eq!(outcome.end, End::Exited(0));
    /// # Ok::<(), redraft_sandbox::Error>(())
    /// # }).unwrap();
    /// ```
    pub async fn run_async(&self) -> Result<Outcome, Error> {
        let request = self.request()?;
        let bell = Arc::new(Bell::new()?);
        let guard = RingOnDrop(Arc::clone(&bell));
        let outcome = off_the_worker(move || run_until(&request, &bell)).await;
        drop(guard);
        outcome
    }

    /// Starts it with a stream to talk over, as [`Command::spawn`] does. (With the feature `tokio`.)
    ///
    /// ```
    /// use redraft_sandbox::{Command, End};
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    /// # runtime.block_on(async {
    /// let mut command = Command::new("/usr/bin/true");
    /// command.system_libraries().readable("/usr/bin/true");
    /// let child = command.spawn_async().await?;
    /// assert_eq!(child.await?.end, End::Exited(0));
    /// # Ok::<(), redraft_sandbox::Error>(())
    /// # }).unwrap();
    /// ```
    pub async fn spawn_async(&self) -> Result<Child, Error> {
        let request = self.request()?;
        off_the_worker(move || Child::start(&request)).await
    }
}

impl Child {
    /// Waits for the end, as [`Child::wait`] does; awaiting the child itself is the same. Letting go of the future ends
    /// the program.
    pub async fn wait_async(self) -> Result<Outcome, Error> {
        let guard = RingOnDrop(self.bell());
        let outcome = off_the_worker(move || self.wait()).await;
        drop(guard);
        outcome
    }
}

impl IntoFuture for Child {
    type Output = Result<Outcome, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.wait_async())
    }
}

/// Ends a run when nobody wants to know of it any more. One that is over doesn't hear it.
#[derive(Debug)]
struct RingOnDrop(Arc<Bell>);

impl Drop for RingOnDrop {
    fn drop(&mut self) {
        self.0.ring();
    }
}

/// Does what blocks on a thread that is there for it.
async fn off_the_worker<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let lost = |_| Error::io("the thread that watched the program is gone")(nix::errno::Errno::ESRCH);
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}
