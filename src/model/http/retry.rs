//! Asking again: how often, and after how long.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use reqwest::header::HeaderValue;

use super::super::ModelError;

/// When a server that doesn't answer is asked again.
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    /// How often it is asked in all.
    pub tries: u32,
    /// About how long to wait before the second try; each later wait is twice as long.
    pub first_wait: Duration,
    /// Longest wait of our own choosing.
    pub longest_wait: Duration,
    /// Longest wait that a server may ask for with `Retry-After`.
    pub longest_asked: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries: 5,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(30),
            // Quotas are counted by the minute; whoever asks for more won't answer today.
            longest_asked: Duration::from_mins(2),
        }
    }
}

impl RetryPolicy {
    /// How long to wait after the given try, from 1. `luck` is between 0 and 1: it spreads those who failed together.
    fn wait(&self, tries: u32, asked: Option<Duration>, luck: f64) -> Duration {
        if let Some(asked) = asked {
            return asked.min(self.longest_asked);
        }
        let doubled = self.first_wait.saturating_mul(1 << (tries - 1).min(20));
        doubled.min(self.longest_wait).mul_f64(0.5 + luck / 2.0)
    }
}

/// A try that failed.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) error: ModelError,
    /// Whether another try may do better.
    pub(super) again: bool,
    /// How long the server wants us to wait.
    pub(super) asked: Option<Duration>,
}

impl Failed {
    /// A failure that another try won't mend.
    pub(super) fn finally(error: ModelError) -> Self {
        Self {
            error,
            again: false,
            asked: None,
        }
    }
}

/// Tries, with the number of the try from 1, until it goes well, can't, or was tried often enough.
pub(super) async fn with_retries<T, F, R>(policy: &RetryPolicy, mut ask: F) -> Result<T, ModelError>
where
    F: FnMut(u32) -> R,
    R: Future<Output = Result<T, Failed>>,
{
    let mut tries = 1;
    loop {
        match ask(tries).await {
            Ok(value) => return Ok(value),
            Err(failed) if failed.again && tries < policy.tries => {
                let wait = policy.wait(tries, failed.asked, luck());
                tracing::debug!(tries, ?wait, error = %failed.error, "asking again");
                tokio::time::sleep(wait).await;
                tries += 1;
            }
            Err(failed) => return Err(failed.error),
        }
    }
}

/// Whether a server with this status may answer later.
pub(super) fn worth_it(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

/// How long a `Retry-After` header asks to wait: seconds, or a date.
pub(super) fn asked(header: Option<&HeaderValue>) -> Option<Duration> {
    asked_at(header?.to_str().ok()?, jiff::Timestamp::now())
}

fn asked_at(header: &str, now: jiff::Timestamp) -> Option<Duration> {
    if let Ok(seconds) = header.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(header.trim())
        .ok()?;
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

/// A number between 0 and 1, from the keys that the standard library draws for its hash maps.
fn luck() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(again: bool, asked: Option<u64>) -> Failed {
        Failed {
            error: ModelError::Other("no".to_owned()),
            again,
            asked: asked.map(Duration::from_secs),
        }
    }

    /// How often it was asked, and how long that took on the paused clock.
    async fn run(results: Vec<Result<(), Failed>>) -> (u32, Duration, bool) {
        let start = tokio::time::Instant::now();
        let mut results = results.into_iter();
        let mut count = 0;
        let result = with_retries(&RetryPolicy::default(), |tries| {
            count = tries;
            std::future::ready(results.next().unwrap())
        })
        .await;
        (count, start.elapsed(), result.is_ok())
    }

    #[tokio::test(start_paused = true)]
    async fn waits_grow_and_tries_end() {
        let (count, took, ok) = run((0..9).map(|_| Err(failed(true, None))).collect()).await;
        assert_eq!((count, ok), (5, false));
        // 1 + 2 + 4 + 8 seconds, each at least half and at most whole.
        assert!(
            took >= Duration::from_millis(7_500) && took <= Duration::from_millis(15_010),
            "{took:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_server_asks_for_is_kept_up_to_a_cap() {
        let (count, took, ok) = run(vec![
            Err(failed(true, Some(7))),
            Err(failed(true, Some(9999))),
            Ok(()),
        ])
        .await;
        assert_eq!((count, ok), (3, true));
        assert_eq!(took.as_secs(), 7 + 120);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_final_is_not_tried_again() {
        let (count, took, ok) = run(vec![Err(failed(false, None))]).await;
        assert_eq!((count, took, ok), (1, Duration::ZERO, false));
    }

    #[test]
    fn a_wait_is_capped_and_spread() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.wait(1, None, 0.0), Duration::from_millis(500));
        assert_eq!(policy.wait(1, None, 1.0), Duration::from_secs(1));
        assert_eq!(policy.wait(40, None, 1.0), Duration::from_secs(30));
        assert!((0..100).map(|_| luck()).all(|luck| (0.0..=1.0).contains(&luck)));
        assert_ne!(luck().to_bits(), luck().to_bits());
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: jiff::Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        let at = |header| asked_at(header, now);
        assert_eq!(at("3"), Some(Duration::from_secs(3)));
        assert_eq!(at(" 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(at("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(37)));
        assert_eq!(at("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for nonsense in [
            "",
            "soon",
            "-1",
            "NaN",
            "inf",
            "1e999",
            "Sun, 99 Nov 1994 08:00:00 GMT",
        ] {
            assert_eq!(at(nonsense), None, "{nonsense}");
        }
    }
}
