//! Search: evidence of at most 400 characters, taken around the best match. The same query again gives the next
//! result.

mod corpus;
mod excerpt;
mod folder;
mod index;
mod mediawiki;
mod searxng;
mod web;

use async_trait::async_trait;

use super::{Arguments, Tool, ToolError};

pub use corpus::Corpus;
pub use excerpt::excerpt;
pub use folder::Folder;
pub use mediawiki::MediaWiki;
pub use searxng::Searxng;

/// Longest evidence in characters, as in CRITIC's paper.
const LONGEST: usize = 400;

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where it was found: a page's or a file's name.
    pub title: String,
    /// The text, of any length.
    pub text: String,
    /// What in the text matches best, where the source says so; else the query itself is looked for.
    pub snippet: Option<String>,
}

/// Where is searched.
#[async_trait]
pub trait SearchSource: Send + Sync + std::fmt::Debug {
    /// The `nth` best result for a query, from 0; `None` where there is none any more.
    async fn find(&self, query: &str, nth: usize) -> Result<Option<Hit>, ToolError>;

    /// What results depend on: an address, or the hash of what is searched.
    fn source(&self) -> String;

    /// What is searched, for the model.
    fn about(&self) -> String;
}

/// The search tool.
#[derive(Debug)]
pub struct Search {
    source: Box<dyn SearchSource>,
}

impl Search {
    /// A search of `source`.
    pub fn new(source: impl SearchSource + 'static) -> Self {
        Self {
            source: Box::new(source),
        }
    }
}

#[async_trait]
impl Tool for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn description(&self) -> String {
        format!(
            "Searches {} and returns the passage that matches best. The same query again returns the next passage.",
            self.source.about()
        )
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str)] {
        &[("query", "what to look for, in a few words")]
    }

    fn source(&self) -> String {
        self.source.source()
    }

    async fn call(&self, arguments: &Arguments<'_>, nth: usize) -> Result<String, ToolError> {
        let query = arguments.text("query")?;
        match self.source.find(&query, nth).await? {
            Some(hit) => Ok(evidence(&hit, &query)),
            None if nth == 0 => Err(ToolError(format!("nothing was found for `{query}`"))),
            None => Err(ToolError(format!("there are no more results for `{query}`"))),
        }
    }
}

/// Title and excerpt, together no longer than evidence may be.
fn evidence(hit: &Hit, query: &str) -> String {
    let title: String = hit.title.chars().take(100).collect();
    let room = LONGEST.saturating_sub(title.chars().count() + 2);
    let wanted = hit.snippet.as_deref().unwrap_or(query);
    format!("{title}: {}", excerpt(&hit.text, wanted, room))
}
