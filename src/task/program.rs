//! Source text in a language.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Language;

/// A program; two with the same text and language are the same program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The language it is written in.
    pub language: Language,
    /// The complete source text.
    pub source: String,
}

impl Program {
    /// A program in a language.
    pub fn new(language: Language, source: impl Into<String>) -> Self {
        Self {
            language,
            source: source.into(),
        }
    }

    /// A Python program.
    pub fn python(source: impl Into<String>) -> Self {
        Self::new(Language::PYTHON, source)
    }

    /// Its identity: the SHA-256 of language and source, in hex.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(self.language.name());
        hasher.update([0]);
        hasher.update(&self.source);
        format!("{:x}", hasher.finalize())
    }
}
