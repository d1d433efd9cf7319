//! API keys, kept out of everything that is shown.

use std::fmt;

use reqwest::header::HeaderValue;

/// An API key. Shows nothing of itself.
#[derive(Clone)]
pub(super) struct ApiKey {
    key: String,
    bearer: HeaderValue,
}

impl ApiKey {
    /// A key that fits into a header.
    pub(super) fn new(key: String) -> Option<Self> {
        let mut bearer = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
        bearer.set_sensitive(true);
        Some(Self { key, bearer })
    }

    /// What the `Authorization` header says.
    pub(super) fn bearer(&self) -> HeaderValue {
        self.bearer.clone()
    }

    /// The text without the key, should somebody have put it there.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.key, "[key]")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = ApiKey::new("sk-123".to_owned()).unwrap();
        assert!(!format!("{key:?} {:?}", key.bearer()).contains("sk-123"));
        assert_eq!(
            key.redact("bad key sk-123 (Bearer sk-123)"),
            "bad key [key] (Bearer [key])"
        );
        assert!(ApiKey::new("a\nb".to_owned()).is_none());
    }
}
