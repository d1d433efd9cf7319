//! Any server that speaks `OpenAI`'s `/v1/chat/completions`, not streaming.
//!
//! Connections that fail, statuses 408, 409, 429 and 5xx, and replies that break off are tried again, five times in all,
//! waiting longer each time or as long as the server's `Retry-After` says. A request that runs into the time limit is
//! not: the server that needed too long once needs too long again. The key is in no log, error or debug output.

mod endpoint;
mod reply;
mod retry;
mod secret;
mod wire;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, LOCATION, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

use self::endpoint::Endpoint;
use self::retry::{Failed, with_retries};
use super::text::brief;
use super::{ChatModel, ChatReply, ChatRequest, ModelError, ModelSettings, Stage};

pub use self::retry::RetryPolicy;

/// No reply is longer; a server that sends more is broken.
const LONGEST_BODY: usize = 64 << 20;
/// A list of models should come at once.
const LISTING_TIMEOUT: Duration = Duration::from_secs(30);
/// How much of a server's message an error shows, in characters.
const LONGEST_MESSAGE: usize = 300;

/// A model behind an OpenAI-compatible server.
#[derive(Debug)]
pub struct HttpModel {
    endpoint: Endpoint,
    name: String,
    client: reqwest::Client,
    timeout: Duration,
    retry: RetryPolicy,
    /// Whether this server wants `max_completion_tokens` instead of `max_tokens`.
    completion_tokens: AtomicBool,
    /// Whether this server refused a request because it offers tools.
    no_tools: AtomicBool,
}

impl HttpModel {
    /// Makes a client for `openai:NAME`, `ollama:NAME`, or a URL with `#NAME`.
    ///
    /// Without a name, the server is asked for its models; if it has one, it is that.
    pub async fn open(spec: &str, settings: &ModelSettings) -> Result<Self, ModelError> {
        let endpoint = endpoint::resolve(spec, &settings.environment)?;
        let bad = |problem: String| ModelError::BadSpec {
            spec: spec.to_owned(),
            problem,
        };
        // A redirected POST would come back as a GET, or take the key elsewhere.
        let mut client = reqwest::Client::builder()
            .user_agent(concat!("redraft/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(settings.connect_timeout)
            .redirect(reqwest::redirect::Policy::none());
        if endpoint.is_loopback() {
            client = client.no_proxy();
        }
        let client = client
            .build()
            .map_err(|error| bad(format!("no HTTP client: {}", root(&error))))?;
        let mut model = Self {
            name: endpoint.model.clone().unwrap_or_default(),
            endpoint,
            client,
            timeout: settings.timeout,
            retry: settings.retry.clone(),
            completion_tokens: AtomicBool::new(false),
            no_tools: AtomicBool::new(false),
        };
        if model.endpoint.model.is_none() {
            let mut names = model.list().await?.unwrap_or_default();
            if names.len() != 1 {
                let shown = names
                    .iter()
                    .take(20)
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", ");
                return Err(bad(match names.len() {
                    0 => "name the model after a `#`; the server lists none".to_owned(),
                    _ => format!("name the model after a `#`; the server has {shown}"),
                }));
            }
            model.name = names.remove(0);
        }
        Ok(model)
    }

    /// The server's models; `None` if it doesn't list them.
    async fn list(&self) -> Result<Option<Vec<String>>, ModelError> {
        let asked = with_retries(&self.retry, |tries| async move {
            let request = self
                .client
                .get(self.endpoint.url("models"))
                .timeout(LISTING_TIMEOUT.min(self.timeout));
            self.ask(request, Stage::Check, tries, false).await
        });
        match asked.await {
            Ok(listing) => Ok(reply::models(&listing)),
            // It answers, if not this.
            Err(
                ModelError::Refused {
                    status: 404 | 405 | 429 | 501,
                    ..
                }
                | ModelError::BadReply { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends one request, which `offers` tools or not, and reads what comes back as JSON.
    async fn ask(
        &self,
        request: RequestBuilder,
        stage: Stage,
        tries: u32,
        offers: bool,
    ) -> Result<Value, Failed> {
        let request = match &self.endpoint.key {
            Some(key) => request.header(AUTHORIZATION, key.bearer()),
            None => request,
        };
        let response = request
            .send()
            .await
            .map_err(|error| self.unsent(&error, stage, tries))?;
        let status = response.status();
        let asked = retry::asked(response.headers().get(RETRY_AFTER));
        let location = response
            .headers()
            .get(LOCATION)
            .and_then(|to| to.to_str().ok())
            .map(str::to_owned);
        let body = self.body(response, stage, tries).await;
        let refused = |status: u16, message: String, again: bool| Failed {
            error: ModelError::Refused {
                url: self.endpoint.base.clone(),
                status,
                message: self.shown(&message),
                tries,
                stage,
            },
            again,
            asked,
        };
        if !status.is_success() {
            let (message, code) = reply::refusal(&body.unwrap_or_default());
            let message = match location {
                Some(to) if status.is_redirection() => format!("it redirects to {to}; give that address"),
                _ if message.is_empty() => status.canonical_reason().unwrap_or("no message").to_owned(),
                _ => message,
            };
            // An empty account doesn't fill up by waiting, and a server that is only busy is there.
            let useless = code.as_deref() == Some("insufficient_quota")
                || (stage == Stage::Check && status == StatusCode::TOO_MANY_REQUESTS)
                || (offers && about_tools(status.as_u16(), &message));
            let again = retry::worth_it(status.as_u16()) && !useless;
            return Err(refused(status.as_u16(), message, again));
        }
        let body = body?;
        let value: Value = serde_json::from_slice(&body).map_err(|error| {
            let begins = String::from_utf8_lossy(&body[..body.len().min(1000)]).into_owned();
            self.bad_reply(&format!("it is no JSON ({error}): {begins}"))
        })?;
        // Some gateways report a failure behind them with status 200.
        if let Some((message, status)) = reply::hidden_error(&value) {
            return Err(match status {
                Some(status) => refused(status, message, retry::worth_it(status)),
                None => self.bad_reply(&message),
            });
        }
        Ok(value)
    }

    async fn body(&self, mut response: Response, stage: Stage, tries: u32) -> Result<Vec<u8>, Failed> {
        let mut body = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.unsent(&error, stage, tries))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > LONGEST_BODY {
                return Err(self.bad_reply(&format!("it is longer than {} MiB", LONGEST_BODY >> 20)));
            }
        }
        Ok(body)
    }

    /// What became of a request that got no answer.
    fn unsent(&self, error: &reqwest::Error, stage: Stage, tries: u32) -> Failed {
        let url = self.endpoint.base.clone();
        if error.is_timeout() && !error.is_connect() {
            return match stage {
                Stage::Chat => Failed::finally(ModelError::TimedOut {
                    url,
                    seconds: self.timeout.as_secs_f64(),
                }),
                Stage::Check => Failed::finally(ModelError::Down {
                    url,
                    problem: "it accepts connections but doesn't answer".to_owned(),
                }),
            };
        }
        let problem = self.shown(&root(error));
        match stage {
            Stage::Check => Failed::finally(ModelError::Down { url, problem }),
            Stage::Chat => Failed {
                error: ModelError::Unreachable { url, problem, tries },
                again: true,
                asked: None,
            },
        }
    }

    fn bad_reply(&self, problem: &str) -> Failed {
        Failed::finally(ModelError::BadReply {
            url: self.endpoint.base.clone(),
            problem: self.shown(problem),
        })
    }

    /// What others say, fit for an error: first without the key, then cut, so that no part of the key stays.
    fn shown(&self, text: &str) -> String {
        match &self.endpoint.key {
            Some(key) => brief(&key.redact(text), LONGEST_MESSAGE),
            None => brief(text, LONGEST_MESSAGE),
        }
    }

    /// The request as the server wants it.
    fn request_body(&self, request: &ChatRequest) -> Value {
        let limit = if self.completion_tokens.load(Ordering::Relaxed) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        let mut body = json!({
            "model": self.name,
            "messages": wire::messages(&request.messages),
            "temperature": request.temperature,
            limit: request.max_tokens,
            "seed": request.seed,
        });
        if request.logprobs {
            body["logprobs"] = Value::from(true);
        }
        if !request.tools.is_empty() {
            body["tools"] = Value::from(wire::tools(&request.tools));
        }
        body
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        with_retries(&self.retry, |tries| async move {
            let start = Instant::now();
            let body = self.request_body(request);
            let post = self
                .client
                .post(self.endpoint.url("chat/completions"))
                .timeout(self.timeout)
                .json(&body);
            let value = self
                .ask(post, Stage::Chat, tries, !request.tools.is_empty())
                .await?;
            let mut reply = reply::reply(&value).map_err(|problem| self.bad_reply(&problem))?;
            reply.latency_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::debug!(
                model = self.name,
                tries,
                latency_ms = reply.latency_ms,
                prompt = reply.usage.prompt,
                completion = reply.usage.completion,
                "reply"
            );
            Ok(reply)
        })
        .await
    }
}

#[async_trait]
impl ChatModel for HttpModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn check(&self) -> Result<(), ModelError> {
        match self.list().await? {
            Some(names)
                if self.endpoint.lists_all
                    && !names.iter().any(|name| self.endpoint.is(name, &self.name)) =>
            {
                let shown = names
                    .iter()
                    .take(20)
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", ");
                Err(ModelError::Refused {
                    url: self.endpoint.base.clone(),
                    status: StatusCode::NOT_FOUND.as_u16(),
                    message: format!(
                        "there is no model `{}`; there is {}",
                        self.name,
                        self.shown(&shown)
                    ),
                    tries: 1,
                    stage: Stage::Check,
                })
            }
            _ => Ok(()),
        }
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let offers = !request.tools.is_empty();
        let no_tools = || ModelError::NoTools {
            model: self.name.clone(),
        };
        if offers && self.no_tools.load(Ordering::Relaxed) {
            return Err(no_tools());
        }
        match self.complete(request).await {
            Err(ModelError::Refused {
                status, ref message, ..
            }) if offers && about_tools(status, message) => {
                tracing::debug!(model = self.name, message, "this server takes no tools");
                self.no_tools.store(true, Ordering::Relaxed);
                Err(no_tools())
            }
            Err(ModelError::Refused {
                status: 400, message, ..
            }) if message.contains("max_completion_tokens")
                && !self.completion_tokens.swap(true, Ordering::Relaxed) =>
            {
                tracing::debug!(model = self.name, "switched to max_completion_tokens");
                self.complete(request).await
            }
            result => result,
        }
    }
}

/// Whether a server refuses because it was offered tools: each says it in its own words, with a status of its own.
fn about_tools(status: u16, message: &str) -> bool {
    let message = message.to_lowercase();
    matches!(status, 400 | 404 | 405 | 422 | 500 | 501)
        && ["tool", "function call", "functions"]
            .iter()
            .any(|word| message.contains(word))
}

/// The innermost cause of an error, which is what a user can do something about.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    match cause.downcast_ref::<std::io::Error>() {
        Some(io) if io.raw_os_error().is_some() => io.kind().to_string(),
        _ => cause.to_string(),
    }
}
