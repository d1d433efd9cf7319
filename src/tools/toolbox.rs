//! The tools at hand, and one way to call them all: named, timed, and never twice by itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Arguments, Tool, spec};
use crate::model::{ToolCall, ToolSpec, canonical_hash};
use crate::task::ToolUse;

/// Longest time for a call where the user doesn't say.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The tools that an examiner may call.
#[derive(Clone, Debug)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    specs: Vec<ToolSpec>,
    timeout: Duration,
}

/// A call as it will be made: to be looked up in a recording first.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// What the call's answer is kept under.
    pub key: String,
    /// The call, not yet answered.
    pub call: ToolUse,
    /// How often the same call was made before in this round.
    pub nth: usize,
}

impl Default for Toolbox {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Toolbox {
    /// A box of these tools.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self {
            specs: tools.iter().map(|tool| spec(tool.as_ref())).collect(),
            tools,
            timeout: TIMEOUT,
        }
    }

    /// The same with another time limit for a call.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What a model is told of them.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Names, with what each draws from, for the settings of a run.
    pub fn describe(&self) -> Vec<String> {
        let tools = self.tools.iter();
        tools
            .map(|tool| match tool.source() {
                source if source.is_empty() => tool.name().to_owned(),
                source => format!("{} ({source})", tool.name()),
            })
            .collect()
    }

    /// Reads a call that a model wrote; `made` are the calls of this round before it.
    pub fn read(&self, call: &ToolCall, made: &[ToolUse]) -> Pending {
        let mut arguments = self.arguments(call);
        let claim = match &mut arguments {
            Value::Object(map) => match map.shift_remove("claim") {
                Some(Value::String(claim)) if !claim.trim().is_empty() => Some(claim.trim().to_owned()),
                _ => None,
            },
            _ => None,
        };
        let same = |other: &&ToolUse| other.tool == call.name && other.arguments == arguments;
        let nth = made.iter().filter(same).count();
        let source = self.find(&call.name).map(|tool| tool.source());
        let key = canonical_hash(&serde_json::json!({
            "tool": call.name, "source": source, "arguments": arguments, "nth": nth,
        }));
        Pending {
            key,
            call: ToolUse {
                claim,
                tool: call.name.clone(),
                arguments,
                result: String::new(),
                failed: false,
                ms: 0,
                verdict: None,
            },
            nth,
        }
    }

    /// The arguments as JSON. A bare text is taken for a tool's only argument.
    fn arguments(&self, call: &ToolCall) -> Value {
        let text = call.arguments.trim();
        match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => value,
            Ok(Value::Null) => Value::Object(serde_json::Map::new()),
            other => match self.find(&call.name).map(|tool| tool.parameters()) {
                Some([(only, _)]) => {
                    let bare = match other {
                        Ok(Value::String(inner)) => inner,
                        _ => text.to_owned(),
                    };
                    serde_json::json!({ *only: bare })
                }
                _ => Value::String(text.to_owned()),
            },
        }
    }

    /// Makes the call, once.
    pub async fn make(&self, pending: Pending) -> ToolUse {
        let mut call = pending.call;
        let start = Instant::now();
        let result = match (self.find(&call.tool), &call.arguments) {
            (None, _) => Err(format!(
                "there is no tool `{}`; there is {}",
                call.tool,
                self.names()
            )),
            (Some(_), Value::String(_)) => Err("the arguments are no JSON object".to_owned()),
            (Some(tool), arguments) => {
                let arguments = Arguments::new(arguments);
                match tokio::time::timeout(self.timeout, tool.call(&arguments, pending.nth)).await {
                    Ok(Ok(result)) => Ok(result),
                    Ok(Err(error)) => Err(error.to_string()),
                    Err(_) => Err(format!("timed out after {} s", self.timeout.as_secs_f64())),
                }
            }
        };
        call.ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        call.failed = result.is_err();
        call.result = result.unwrap_or_else(|error| format!("error: {error}"));
        call
    }

    fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.name()).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    }
}
