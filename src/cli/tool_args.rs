//! The flags that say which tools an examiner may call, shared by all commands that have one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Failure, units};
use crate::bench::ToolSettings;
use crate::cycle::ToolProtocol;
use crate::tools::{
    Calculator, Corpus, Folder, MediaWiki, PythonTool, Search, Searxng, SetupError, Tool, Toolbox,
};

/// Which tools, and how they are called.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Tools")]
pub(crate) struct ToolArgs {
    /// Tools, separated by commas [default: calculator and python, and those that have something to work on]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_enum)]
    tools: Option<Vec<ToolName>>,
    /// A folder of documents for `search`, indexed on the spot.
    #[arg(long, value_name = "DIR", group = "searched")]
    docs: Option<PathBuf>,
    /// A wiki for `search`: the address of its `api.php`, as of Wikipedia <https://en.wikipedia.org/w/api.php>
    #[arg(long, value_name = "URL", group = "searched")]
    wiki: Option<String>,
    /// A `SearXNG` instance for `search`.
    #[arg(long, value_name = "URL", group = "searched")]
    searxng: Option<String>,
    /// Recorded searches for `search`: JSON lines of `query` and `result`.
    #[arg(long, value_name = "FILE", group = "searched")]
    corpus: Option<PathBuf>,
    /// Tool calls at most in a round [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) calls: Option<usize>,
    /// Longest time for a call.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    tool_timeout: Duration,
    /// How the model is told of the tools: natively, by the chat API, or in words. `auto` finds out what it understands.
    #[arg(long, value_enum, default_value_t = ToolProtocol::Auto)]
    pub(crate) tool_protocol: ToolProtocol,
}

/// A tool by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ToolName {
    Search,
    Python,
    Calculator,
}

impl ToolArgs {
    /// Sets the tools up.
    pub(crate) fn open(&self) -> Result<Arc<Toolbox>, Failure> {
        let searched = self.searched().map_err(Failure::input)?;
        let names = self.tools.clone().unwrap_or_else(|| {
            let search = searched.is_some().then_some(ToolName::Search);
            search
                .into_iter()
                .chain([ToolName::Python, ToolName::Calculator])
                .collect()
        });
        let mut searched = searched;
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for name in names {
            let tool: Arc<dyn Tool> = match name {
                ToolName::Search => Arc::new(searched.take().ok_or_else(|| {
                    Failure::Input(
                        "--tools search needs to know where: --docs DIR, --wiki URL, --searxng URL or --corpus FILE"
                            .to_owned(),
                    )
                })?),
                ToolName::Python => Arc::new(PythonTool::new().map_err(Failure::harness)?),
                ToolName::Calculator => Arc::new(Calculator),
            };
            tools.push(tool);
        }
        Ok(Arc::new(Toolbox::new(tools).with_timeout(self.tool_timeout)))
    }

    /// What stands in the settings of a run.
    pub(crate) fn settings(&self, toolbox: &Toolbox, calls: usize) -> ToolSettings {
        ToolSettings {
            tools: toolbox.describe(),
            calls,
            protocol: self.tool_protocol,
        }
    }

    fn searched(&self) -> Result<Option<Search>, SetupError> {
        Ok(if let Some(folder) = &self.docs {
            Some(Search::new(Folder::open(folder)?))
        } else if let Some(address) = &self.wiki {
            Some(Search::new(MediaWiki::new(address)?))
        } else if let Some(address) = &self.searxng {
            Some(Search::new(Searxng::new(address)?))
        } else if let Some(file) = &self.corpus {
            Some(Search::new(Corpus::open(file)?))
        } else {
            None
        })
    }
}
