//! How a model is opened, apart from which.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::RetryPolicy;

/// How a model is opened, apart from which.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// Longest time for one reply of a server.
    pub timeout: Duration,
    /// Longest time for a server to accept a connection.
    pub connect_timeout: Duration,
    /// When a server that doesn't answer is asked again.
    pub retry: RetryPolicy,
    /// Where exchanges are recorded; see [`RecordModel`](super::RecordModel).
    pub record: Option<PathBuf>,
    /// Where API keys and addresses are looked up.
    pub environment: Environment,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            // A small model on a busy machine writes a token a second.
            timeout: Duration::from_mins(10),
            connect_timeout: Duration::from_secs(10),
            retry: RetryPolicy::default(),
            record: None,
            environment: Environment::default(),
        }
    }
}

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Environment variables: the process's own, or others for tests and embedding.
#[derive(Clone)]
pub struct Environment(Arc<Lookup>);

impl Environment {
    /// An environment that holds just these variables.
    pub fn of<N: Into<String>, V: Into<String>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let variables: Vec<(String, String)> = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Self(Arc::new(move |wanted| {
            variables
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value.clone())
        }))
    }

    /// A variable that is set to something other than white space, trimmed.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let value = (self.0)(name)?.trim().to_owned();
        (!value.is_empty()).then_some(value)
    }
}

impl Default for Environment {
    fn default() -> Self {
        Self(Arc::new(|name| std::env::var(name).ok()))
    }
}

impl fmt::Debug for Environment {
    /// Shows nothing: the values are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment")
    }
}
