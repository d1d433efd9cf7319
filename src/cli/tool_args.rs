//! The flags that say which tools an examiner may call, shared by all commands that have one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::scorer_args::ScorerArgs;
use super::{Failure, units};
use crate::bench::ToolSettings;
use crate::cycle::ToolProtocol;
use crate::judge::{Judge, Options};
use crate::tools::{
    Calculator, Corpus, Folder, MediaWiki, PythonTool, Search, Searxng, SetupError, Sql, TestRun, Tool,
    Toolbox,
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
    /// A `SQLite` file for `sql`; it can only be read.
    #[arg(long, value_name = "FILE")]
    sql: Option<PathBuf>,
    /// Tests for `tests`: a .py with assertions or a `check(candidate)`, or a case.json
    #[arg(long = "with-tests", value_name = "TESTS")]
    tests: Option<PathBuf>,
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
    Sql,
    Tests,
    Toxicity,
}

impl ToolArgs {
    /// The first flag here that names something to work on, where a command has no use for tools.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.tools.is_some(), "--tools"),
            (self.docs.is_some(), "--docs"),
            (self.wiki.is_some(), "--wiki"),
            (self.searxng.is_some(), "--searxng"),
            (self.corpus.is_some(), "--corpus"),
            (self.sql.is_some(), "--sql"),
            (self.tests.is_some(), "--with-tests"),
            (self.calls.is_some(), "--calls"),
        ];
        given.into_iter().find_map(|(given, flag)| given.then_some(flag))
    }

    /// Sets the tools up.
    pub(crate) fn open(&self, scorer: &ScorerArgs) -> Result<Arc<Toolbox>, Failure> {
        let mut scored = scorer.tool()?;
        let searched = self.searched().map_err(Failure::input)?;
        let names = self.tools.clone().unwrap_or_else(|| {
            let given = [
                (searched.is_some(), ToolName::Search),
                (self.sql.is_some(), ToolName::Sql),
                (self.tests.is_some(), ToolName::Tests),
                (scored.is_some(), ToolName::Toxicity),
                (true, ToolName::Python),
                (true, ToolName::Calculator),
            ];
            given
                .into_iter()
                .filter_map(|(given, name)| given.then_some(name))
                .collect()
        });
        let mut searched = searched;
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for name in names {
            let tool: Arc<dyn Tool> = match name {
                ToolName::Search => Arc::new(searched.take().ok_or_else(|| {
                    needs("search", "--docs DIR, --wiki URL, --searxng URL or --corpus FILE")
                })?),
                ToolName::Python => Arc::new(PythonTool::new().map_err(Failure::harness)?),
                ToolName::Calculator => Arc::new(Calculator),
                ToolName::Sql => {
                    let file = self.sql.as_deref().ok_or_else(|| needs("sql", "--sql FILE"))?;
                    Arc::new(Sql::open(file).map_err(Failure::input)?)
                }
                ToolName::Toxicity => Arc::new(
                    scored
                        .take()
                        .ok_or_else(|| needs("toxicity", "--scorer SCORER"))?,
                ),
                ToolName::Tests => {
                    let file = self
                        .tests
                        .as_deref()
                        .ok_or_else(|| needs("tests", "--with-tests FILE"))?;
                    let judge = Arc::new(Judge::new(Options::default()).map_err(Failure::harness)?);
                    Arc::new(TestRun::new(file, judge).map_err(Failure::input)?)
                }
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

/// A tool that has nothing to work on.
fn needs(tool: &str, flags: &str) -> Failure {
    Failure::Input(format!("--tools {tool} needs to know where: {flags}"))
}
