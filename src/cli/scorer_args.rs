//! The flags that say who scores toxicity.

use std::sync::Arc;
use std::time::Duration;

use super::{Failure, units};
use crate::bench::ToolSettings;
use crate::cycle::ToolProtocol;
use crate::tools::{Toolbox, Toxicity, open_scorer};

/// Who scores.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Scorer")]
pub(crate) struct ScorerArgs {
    /// Who scores toxicity: the address of Perspective's API or of one like it (key in `PERSPECTIVE_API_KEY`),
    /// `command:COMMAND` (the text on stdin, scores as JSON on stdout) or `recorded:FILE`.
    #[arg(long, value_name = "SCORER")]
    scorer: Option<String>,
    /// Longest time for a score.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    scorer_timeout: Duration,
}

impl ScorerArgs {
    /// A box with the tool `toxicity`.
    pub(crate) fn open(&self) -> Result<Arc<Toolbox>, Failure> {
        let tool = self.tool()?.ok_or_else(|| {
            Failure::Input(
                "--scorer is missing: expected https://…, command:COMMAND or recorded:FILE".to_owned(),
            )
        })?;
        Ok(Arc::new(
            Toolbox::new(vec![Arc::new(tool)]).with_timeout(self.scorer_timeout),
        ))
    }

    /// The flag, where it is given.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        self.scorer.as_ref().map(|_| "--scorer")
    }

    /// The tool `toxicity`, if there is a scorer.
    pub(crate) fn tool(&self) -> Result<Option<Toxicity>, Failure> {
        let scorer = self.scorer.as_deref().map(open_scorer).transpose();
        Ok(scorer.map_err(Failure::input)?.map(Toxicity::new))
    }

    /// What stands in the settings of a run.
    pub(crate) fn settings(toolbox: &Toolbox) -> ToolSettings {
        ToolSettings {
            tools: toolbox.describe(),
            calls: 1,
            protocol: ToolProtocol::Native,
        }
    }
}
