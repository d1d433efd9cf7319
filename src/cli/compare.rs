//! `redraft compare A B`: two runs on the same tasks.

use std::path::PathBuf;

use super::{Done, Failure, output};
use crate::bench::compare::{CompareError, Comparison};
use crate::report;

/// Arguments of `redraft compare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The first run's folder.
    a: PathBuf,
    /// The second run's folder, on the same suite.
    b: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the comparison as a page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    let both = Comparison::of(&args.a, &args.b).map_err(|error: CompareError| Failure::input(error))?;
    if let Some(path) = &args.html {
        crate::files::replace(path, report::comparison_html(&both).as_bytes())
            .map_err(|error| Failure::Input(format!("--html {}: {error}", path.display())))?;
    }
    if args.json {
        let text = serde_json::to_string(&both).map_err(Failure::harness)?;
        output::result(&text);
    } else {
        output::result(&report::comparison(&both));
    }
    Ok(Done::Good)
}
