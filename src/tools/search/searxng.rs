//! `SearXNG`: a metasearch engine that one runs oneself, with the JSON format switched on.

use async_trait::async_trait;

use super::super::{SetupError, ToolError};
use super::web::{Web, plain};
use super::{Hit, SearchSource};

/// A `SearXNG` instance.
#[derive(Debug)]
pub struct Searxng {
    web: Web,
}

impl Searxng {
    /// The instance at this address.
    pub fn new(address: &str) -> Result<Self, SetupError> {
        let mut web = Web::new("--searxng", address)?;
        if !web.base.path().ends_with("/search") {
            let path = format!("{}/search", web.base.path().trim_end_matches('/'));
            web.base.set_path(&path);
        }
        Ok(Self { web })
    }
}

#[async_trait]
impl SearchSource for Searxng {
    async fn find(&self, query: &str, nth: usize) -> Result<Option<Hit>, ToolError> {
        let mut url = self.web.base.clone();
        url.query_pairs_mut()
            .extend_pairs([("q", query), ("format", "json")]);
        let found = self.web.get(url).await?;
        let Some(result) = found.pointer(&format!("/results/{nth}")) else {
            return Ok(None);
        };
        let text = |name: &str| plain(result.get(name).and_then(|value| value.as_str()).unwrap_or(""));
        Ok(Some(Hit {
            title: text("title"),
            text: text("content"),
            snippet: None,
        }))
    }

    fn source(&self) -> String {
        self.web.base.to_string()
    }

    fn about(&self) -> String {
        "the web".to_owned()
    }
}
