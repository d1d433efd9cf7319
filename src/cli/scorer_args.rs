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
    /// Ask the model for log-probabilities, for perplexity.
    #[arg(long)]
    pub(crate) logprobs: bool,
}

impl ScorerArgs {
    /// A box with the tool `toxicity`.
    pub(crate) fn open(&self) -> Result<Arc<Toolbox>, Failure> {
        let Some(spec) = &self.scorer else {
            return Err(Failure::Input(
                "--scorer is missing: expected https://…, command:COMMAND or recorded:FILE".to_owned(),
            ));
        };
        let tool = Toxicity::new(open_scorer(spec).map_err(Failure::input)?);
        Ok(Arc::new(
            Toolbox::new(vec![Arc::new(tool)]).with_timeout(self.scorer_timeout),
        ))
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
