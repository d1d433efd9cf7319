//! What both search services need: one GET that gives JSON.

use std::time::Duration;

use serde_json::Value;

use super::super::{SetupError, ToolError};

/// A longer answer is none.
const LONGEST_BODY: usize = 16 << 20;

/// An address with a client.
#[derive(Debug)]
pub(super) struct Web {
    pub(super) base: reqwest::Url,
    client: reqwest::Client,
}

impl Web {
    pub(super) fn new(what: &str, address: &str) -> Result<Self, SetupError> {
        let base = reqwest::Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| {
                SetupError(format!(
                    "{what}: `{address}` is no address; expected https://HOST/…"
                ))
            })?;
        let mut client = reqwest::Client::builder()
            .user_agent(concat!("redraft/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(10));
        if base
            .host_str()
            .is_some_and(|host| host == "localhost" || host.starts_with("127.") || host == "[::1]")
        {
            client = client.no_proxy();
        }
        let client = client
            .build()
            .map_err(|error| SetupError(format!("{what}: no HTTP client: {error}")))?;
        Ok(Self { base, client })
    }

    pub(super) async fn get(&self, url: reqwest::Url) -> Result<Value, ToolError> {
        let response = self.client.get(url).send().await.map_err(|error| {
            ToolError(format!(
                "the search service doesn't answer: {}",
                error.without_url()
            ))
        })?;
        let status = response.status();
        if !status.is_success() {
            return Err(ToolError(format!(
                "the search service refuses with status {}",
                status.as_u16()
            )));
        }
        let mut response = response;
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| ToolError(format!("the search service broke off: {}", error.without_url())))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > LONGEST_BODY {
                return Err(ToolError("the search service's answer is too long".to_owned()));
            }
        }
        serde_json::from_slice(&body)
            .map_err(|_| ToolError("the search service's answer is no JSON".to_owned()))
    }
}

/// The text of a piece of HTML: tags left out, the common entities read.
pub(super) fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    for (entity, c) in [
        ("&quot;", "\""),
        ("&#039;", "'"),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, c);
    }
    text
}
