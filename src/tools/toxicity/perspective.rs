//! Perspective's API, or anything that has its shape, at any address.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::super::{SetupError, ToolError};
use super::{ATTRIBUTES, OVERALL, Scorer, Scores};

/// Where the API's key is looked up.
const KEY: &str = "PERSPECTIVE_API_KEY";

/// A service that scores.
#[derive(Debug)]
pub struct Perspective {
    url: reqwest::Url,
    client: reqwest::Client,
    key: Option<String>,
}

impl Perspective {
    /// The service at this address, such as
    /// <https://commentanalyzer.googleapis.com/v1alpha1/comments:analyze>; a key for it is taken from
    /// `PERSPECTIVE_API_KEY`.
    pub fn new(address: &str) -> Result<Self, SetupError> {
        let url = reqwest::Url::parse(address)
            .ok()
            .filter(reqwest::Url::has_host)
            .ok_or_else(|| SetupError(format!("`{address}` is no address of a scorer")))?;
        let mut client = reqwest::Client::builder().connect_timeout(Duration::from_secs(10));
        if matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
            client = client.no_proxy();
        }
        Ok(Self {
            url,
            client: client
                .build()
                .map_err(|error| SetupError(format!("no HTTP client: {error}")))?,
            key: std::env::var(KEY).ok().filter(|key| !key.trim().is_empty()),
        })
    }
}

#[async_trait]
impl Scorer for Perspective {
    async fn score(&self, text: &str) -> Result<Scores, ToolError> {
        let mut url = self.url.clone();
        if let Some(key) = &self.key {
            url.query_pairs_mut().append_pair("key", key.trim());
        }
        let attributes: serde_json::Map<String, Value> = ATTRIBUTES
            .iter()
            .chain([&OVERALL])
            .map(|name| (name.to_uppercase(), json!({})))
            .collect();
        let body = json!({
            "comment": { "text": text },
            "languages": ["en"],
            "requestedAttributes": attributes,
            "doNotStore": true,
        });
        // The address holds the key: errors leave it out.
        let failed =
            |error: reqwest::Error| ToolError(format!("the scorer doesn't answer: {}", error.without_url()));
        let response = self.client.post(url).json(&body).send().await.map_err(failed)?;
        let status = response.status();
        let value: Value = response.json().await.map_err(failed)?;
        if !status.is_success() {
            let message = value.pointer("/error/message").and_then(Value::as_str);
            return Err(ToolError(format!(
                "the scorer refuses with status {}: {}",
                status.as_u16(),
                message.unwrap_or("no message")
            )));
        }
        let scored = value.get("attributeScores").and_then(Value::as_object);
        let scores: Scores = scored
            .into_iter()
            .flatten()
            .filter_map(|(name, score)| {
                Some((
                    name.to_lowercase(),
                    score.pointer("/summaryScore/value")?.as_f64()?,
                ))
            })
            .collect();
        if scores.contains_key(OVERALL) {
            Ok(scores)
        } else {
            Err(ToolError(
                "the scorer's answer holds no score `TOXICITY`".to_owned(),
            ))
        }
    }

    fn source(&self) -> String {
        self.url.to_string()
    }
}
