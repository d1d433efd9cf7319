//! What an examiner may call to check claims: read-only, each call with a time limit.
//!
//! A call that fails or runs out of time is an error that the model is told, and is never made again in silence.

mod calculator;
mod call;
mod cut;
mod python;
mod search;
mod sql;
mod tests;
mod toolbox;
mod toxicity;

use async_trait::async_trait;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub use calculator::{Calculator, evaluate};
pub use call::parse_calls;
pub use python::PythonTool;
pub use search::{Corpus, Folder, Hit, MediaWiki, Search, SearchSource, Searxng, excerpt};
pub use sql::Sql;
pub use tests::TestRun;
pub use toolbox::{Pending, Toolbox};
pub use toxicity::{
    ATTRIBUTES, OVERALL, Perspective, RecordedScores, Scorer, ScorerCommand, Scores, TOXICITY, Toxicity,
    open_scorer, parse_scores,
};

use crate::model::ToolSpec;

/// Why a tool has no result; the text is told to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

impl ToolError {
    /// An error from anything that can be said.
    pub fn new(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// A tool that can't be set up.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

/// Something that an examiner may call. It changes nothing.
#[async_trait]
pub trait Tool: Send + Sync + std::fmt::Debug {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it does, for the model.
    fn description(&self) -> String;

    /// Its arguments: names, each with a description. All are texts and required.
    fn parameters(&self) -> &'static [(&'static str, &'static str)];

    /// What its results depend on beside the arguments, such as the hash of a corpus, so that recorded answers are
    /// never taken for those of another.
    fn source(&self) -> String {
        String::new()
    }

    /// Calls it. `nth` is how often the same call was made before in this round.
    async fn call(&self, arguments: &Arguments<'_>, nth: usize) -> Result<String, ToolError>;
}

/// A call's arguments, as texts.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    /// Arguments from what a model wrote.
    pub fn new(value: &'a Value) -> Self {
        Self(value)
    }

    /// The argument of this name.
    pub fn text(&self, name: &str) -> Result<String, ToolError> {
        match self.0.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            Some(Value::String(_) | Value::Null) | None => {
                Err(ToolError(format!("the argument `{name}` is missing")))
            }
            Some(other) => Ok(other.to_string()),
        }
    }
}

/// A file's name with the beginning of its hash: what the results of a tool depend on that reads it.
fn named_file(path: &std::path::Path) -> Result<String, SetupError> {
    let fail = |error: std::io::Error| SetupError(format!("{}: {error}", path.display()));
    let mut file = std::fs::File::open(path).map_err(fail)?;
    let mut hash = Sha256::new();
    std::io::copy(&mut file, &mut hash).map_err(fail)?;
    let name = path.file_name().unwrap_or_default();
    let hash = format!("{:x}", hash.finalize());
    Ok(format!("{} {}", name.display(), &hash[..16]))
}

/// What a model is told of a tool. Each call also says which claim it is to check, so that claims, calls and results
/// stand side by side in the journal.
pub fn spec(tool: &dyn Tool) -> ToolSpec {
    let mut properties = serde_json::Map::new();
    properties.insert(
        "claim".to_owned(),
        json!({ "type": "string", "description": "the claim that this call checks, in a few words" }),
    );
    let mut required = Vec::new();
    for (name, description) in tool.parameters() {
        properties.insert(
            (*name).to_owned(),
            json!({ "type": "string", "description": description }),
        );
        required.push(*name);
    }
    ToolSpec {
        name: tool.name().to_owned(),
        description: tool.description(),
        parameters: json!({ "type": "object", "properties": properties, "required": required }),
    }
}
