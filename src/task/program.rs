//! Source text in a language.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A programming language that the judge knows by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// `CPython` 3.
    #[default]
    Python,
}

impl Language {
    /// The name in lower case, as in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
        }
    }

    /// The name as written in prose.
    pub fn title(self) -> &'static str {
        match self {
            Self::Python => "Python",
        }
    }
}

/// A program; two with the same text and language are the same program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The language it is written in.
    pub language: Language,
    /// The complete source text.
    pub source: String,
}

impl Program {
    /// A Python program.
    pub fn python(source: impl Into<String>) -> Self {
        Self {
            language: Language::Python,
            source: source.into(),
        }
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
