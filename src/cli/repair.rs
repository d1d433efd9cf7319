//! `redraft repair`.

use super::{Done, Failure};

/// Arguments of `redraft repair`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> Result<Done, Failure> {
    Err(Failure::Harness("not built yet".to_owned()))
}
