//! The API of `MediaWiki`, as Wikipedia has it: `https://en.wikipedia.org/w/api.php`.

use async_trait::async_trait;

use super::super::{SetupError, ToolError};
use super::web::{Web, plain};
use super::{Hit, SearchSource};

/// Results that are looked at.
const RESULTS: &str = "10";

/// A wiki.
#[derive(Debug)]
pub struct MediaWiki {
    web: Web,
}

impl MediaWiki {
    /// The wiki whose `api.php` is at this address.
    pub fn new(address: &str) -> Result<Self, SetupError> {
        Ok(Self {
            web: Web::new("--wiki", address)?,
        })
    }

    fn url(&self, fields: &[(&str, &str)]) -> reqwest::Url {
        let mut url = self.web.base.clone();
        url.query_pairs_mut()
            .extend_pairs([("action", "query"), ("format", "json"), ("formatversion", "2")])
            .extend_pairs(fields);
        url
    }
}

#[async_trait]
impl SearchSource for MediaWiki {
    async fn find(&self, query: &str, nth: usize) -> Result<Option<Hit>, ToolError> {
        let search = [("list", "search"), ("srsearch", query), ("srlimit", RESULTS)];
        let found = self.web.get(self.url(&search)).await?;
        if let Some(problem) = found.pointer("/error/info").and_then(|info| info.as_str()) {
            return Err(ToolError(format!("the wiki refuses: {problem}")));
        }
        let Some(result) = found.pointer(&format!("/query/search/{nth}")) else {
            return Ok(None);
        };
        let text = |name: &str| result.get(name).and_then(|value| value.as_str()).unwrap_or("");
        let (title, snippet) = (text("title"), plain(text("snippet")));
        // The snippet is a few words; the page's text says more around them. Not every wiki gives texts.
        let page = [
            ("prop", "extracts"),
            ("explaintext", "1"),
            ("redirects", "1"),
            ("titles", title),
        ];
        let page = self.web.get(self.url(&page)).await?;
        let extract = page
            .pointer("/query/pages/0/extract")
            .and_then(|extract| extract.as_str());
        Ok(Some(Hit {
            title: title.to_owned(),
            text: extract
                .filter(|extract| !extract.trim().is_empty())
                .unwrap_or(&snippet)
                .to_owned(),
            snippet: Some(format!("{snippet} {query}")),
        }))
    }

    fn source(&self) -> String {
        self.web.base.to_string()
    }

    fn about(&self) -> String {
        format!("the wiki at {}", self.web.base.host_str().unwrap_or_default())
    }
}
