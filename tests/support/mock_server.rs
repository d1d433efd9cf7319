//! An OpenAI-compatible server on loopback that does as it is told, and keeps what it was asked.
//!
//! It runs in threads of its own, so that it works under any runtime, with a paused clock, and for child processes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, reason = "each test file uses the part that it needs")]

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Answers with a status, headers and a body.
    Say(u16, Vec<(&'static str, String)>, String),
    /// Keeps the connection open and says nothing.
    Hang,
    /// Announces a body, sends half of it and closes.
    BreakOff,
}

impl Act {
    /// A chat completion.
    pub(crate) fn reply(content: &str) -> Self {
        Self::json(
            200,
            &json!({
                "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 12, "completion_tokens": 3},
            }),
        )
    }

    /// A chat completion with the log-probability of each of its tokens.
    pub(crate) fn reply_with_logprobs(content: &str, each: &[f64]) -> Self {
        let tokens: Vec<Value> = each
            .iter()
            .map(|logprob| json!({"token": "x", "logprob": logprob}))
            .collect();
        Self::json(
            200,
            &json!({
                "choices": [{
                    "message": {"role": "assistant", "content": content},
                    "finish_reason": "stop",
                    "logprobs": {"content": tokens},
                }],
                "usage": {"prompt_tokens": 12, "completion_tokens": 3},
            }),
        )
    }

    /// A chat completion that calls a tool.
    pub(crate) fn call(name: &str, arguments: &Value) -> Self {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let call = json!({"id": "call_abc", "type": "function", "function": function});
        Self::json(
            200,
            &json!({
                "choices": [{
                    "message": {"role": "assistant", "content": null, "tool_calls": [call]},
                    "finish_reason": "tool_calls",
                }],
                "usage": {"prompt_tokens": 20, "completion_tokens": 5},
            }),
        )
    }

    /// A list of models.
    pub(crate) fn models(names: &[&str]) -> Self {
        let data: Vec<Value> = names.iter().map(|name| json!({"id": name})).collect();
        Self::json(200, &json!({"object": "list", "data": data}))
    }

    /// Any JSON.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Say(status, vec![], body.to_string())
    }

    /// An error as `OpenAI` writes it.
    pub(crate) fn error(status: u16, message: &str) -> Self {
        Self::json(status, &json!({"error": {"message": message}}))
    }

    /// The same with a header.
    pub(crate) fn with(self, name: &'static str, value: &str) -> Self {
        match self {
            Self::Say(status, mut headers, body) => {
                headers.push((name, value.to_owned()));
                Self::Say(status, headers, body)
            }
            other => other,
        }
    }
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and path, as in `POST /v1/chat/completions`.
    pub(crate) line: String,
    /// The `Authorization` header.
    pub(crate) authorization: Option<String>,
    /// The body, `null` if there is none.
    pub(crate) body: Value,
}

/// A server that does one act a request, and 404 when it has no more.
pub(crate) struct MockServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl MockServer {
    /// Starts a server with these acts.
    pub(crate) fn start(acts: impl IntoIterator<Item = Act>) -> Self {
        let acts = Mutex::new(acts.into_iter().collect::<VecDeque<_>>());
        Self::serving(Arc::new(move |_: &Seen| {
            acts.lock()
                .unwrap()
                .pop_front()
                .unwrap_or_else(|| Act::error(404, "no more acts"))
        }))
    }

    /// Starts a server that answers any request by what it is.
    pub(crate) fn by(answer: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Self {
        Self::serving(Arc::new(answer))
    }

    fn serving(answer: Arc<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
                std::thread::spawn(move || serve(stream, &*answer, &kept));
            }
        });
        Self { address, seen }
    }

    /// Starts a server that answers each chat by what its body says, for as long as it is asked.
    pub(crate) fn answering(answer: impl Fn(&Value) -> Act + Send + Sync + 'static) -> Self {
        Self::serving(Arc::new(move |seen: &Seen| {
            if seen.line.starts_with("GET") {
                Act::models(&["mock"])
            } else {
                answer(&seen.body)
            }
        }))
    }

    /// A spec for this server, with `#name` if `name` is not empty.
    pub(crate) fn spec(&self, name: &str) -> String {
        let hash = if name.is_empty() { "" } else { "#" };
        format!("http://{}/v1{hash}{name}", self.address)
    }

    /// The address of anything else on this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// What the server does with a request.
type Answer = dyn Fn(&Seen) -> Act + Send + Sync;

fn serve(stream: TcpStream, answer: &Answer, kept: &Mutex<Vec<Seen>>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let (mut length, mut authorization) = (0, None);
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let Some((name, value)) = header.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let request = Seen {
        line: line.trim_end().trim_end_matches(" HTTP/1.1").to_owned(),
        authorization,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let act = answer(&request);
    kept.lock().unwrap().push(request);
    let mut stream = reader.into_inner();
    match act {
        Act::Say(status, headers, body) => {
            let mut head = format!(
                "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n",
                body.len()
            );
            for (name, value) in headers {
                let _ = write!(head, "{name}: {value}\r\n");
            }
            let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        }
        // Until the client gives up.
        Act::Hang => drop(stream.read(&mut [0])),
        Act::BreakOff => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{\"choices\":");
        }
    }
}
