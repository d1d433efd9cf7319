//! How strongly programs are confined: what every command that runs programs understands.

use redraft_sandbox::Level;

use super::{Failure, output};
use crate::judge::whole_error;

/// The level of isolation.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct IsolationArgs {
    /// How strongly programs are confined: strict, standard or minimal [default: the strongest that this host allows;
    /// `redraft doctor` tells]
    #[arg(long = "isolation", value_name = "LEVEL")]
    level: Option<Level>,
}

impl IsolationArgs {
    /// Chooses it for all programs of this process, before any of them runs. A level that the host can't give is an error;
    /// one that nobody named and that is below standard is told in a line.
    pub(crate) fn choose(self) -> Result<(), Failure> {
        let failed = |error: redraft_sandbox::Error| Failure::Harness(whole_error(&error));
        if let Some(level) = self.level {
            return redraft_sandbox::set_isolation(level).map_err(failed);
        }
        if let Some(note) = redraft_sandbox::strongest().map_err(failed)?.note {
            output::talk(&format!("note: {note}"));
        }
        Ok(())
    }
}
