//! A programming language by name. How it is compiled and run stands in the `language` room's table.

use std::collections::BTreeMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A programming language that programs are written in: one of the built-in ones, or one that the user added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(&'static str);

/// The languages that are there from the start: name, and name as written in prose.
const BUILT_IN: [(&str, &str); 13] = [
    ("bash", "Bash"),
    ("c", "C"),
    ("cpp", "C++"),
    ("go", "Go"),
    ("java", "Java"),
    ("javascript", "JavaScript"),
    ("lua", "Lua"),
    ("perl", "Perl"),
    ("php", "PHP"),
    ("python", "Python"),
    ("ruby", "Ruby"),
    ("rust", "Rust"),
    ("typescript", "TypeScript"),
];

/// Names with titles. Names live as long as the process, so that a language can be copied; there are few.
#[derive(Debug, Default)]
struct Known {
    titles: BTreeMap<&'static str, &'static str>,
    /// Names that a file mentions and nobody added: they can be read and written, but not run.
    mentioned: BTreeMap<&'static str, &'static str>,
}

static KNOWN: LazyLock<RwLock<Known>> = LazyLock::new(|| {
    RwLock::new(Known {
        titles: BUILT_IN.into_iter().collect(),
        mentioned: BTreeMap::new(),
    })
});

impl Language {
    /// C++.
    pub const CPP: Self = Self("cpp");
    /// Go.
    pub const GO: Self = Self("go");
    /// Java.
    pub const JAVA: Self = Self("java");
    /// JavaScript.
    pub const JAVASCRIPT: Self = Self("javascript");
    /// `CPython` 3.
    pub const PYTHON: Self = Self("python");
    /// Rust.
    pub const RUST: Self = Self("rust");

    /// The language of that name, if it is built in or was added.
    pub fn named(name: &str) -> Option<Self> {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        known.titles.get_key_value(name).map(|(name, _)| Self(name))
    }

    /// Makes a language known; its new title replaces an old one.
    pub(crate) fn add(name: &str, title: &str) -> Self {
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let name = known
            .titles
            .keys()
            .copied()
            .find(|other| *other == name)
            .unwrap_or_else(|| leak(name));
        if known.titles.get(name) != Some(&title) {
            known.titles.insert(name, leak(title));
        }
        Self(name)
    }

    /// All names in alphabetical order.
    pub fn names() -> Vec<&'static str> {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        known.titles.keys().copied().collect()
    }

    /// The name in lower case, as in files and on the command line.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// The name as written in prose.
    pub fn title(self) -> &'static str {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        known.titles.get(self.0).copied().unwrap_or(self.0)
    }

    /// A name out of a file of ours, which may have been written with languages that aren't there now.
    fn mentioned(name: &str) -> Self {
        if let Some(language) = Self::named(name) {
            return language;
        }
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let kept = known.mentioned.get(name).copied();
        Self(kept.unwrap_or_else(|| {
            let name = leak(name);
            known.mentioned.insert(name, name);
            name
        }))
    }
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl Default for Language {
    fn default() -> Self {
        Self::PYTHON
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self::mentioned(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cross_files() {
        for name in ["python", "cpp", "one-that-is-not-there"] {
            let written = format!("\"{name}\"");
            let language: Language = serde_json::from_str(&written).unwrap();
            assert_eq!(serde_json::to_string(&language).unwrap(), written);
            assert_eq!(language, serde_json::from_str(&written).unwrap());
        }
        assert_eq!(Language::named("one-that-is-not-there"), None);
    }

    #[test]
    fn constants_are_known() {
        for language in [
            Language::CPP,
            Language::GO,
            Language::JAVA,
            Language::JAVASCRIPT,
            Language::PYTHON,
            Language::RUST,
        ] {
            assert_eq!(Language::named(language.name()), Some(language));
        }
        assert_eq!(Language::CPP.title(), "C++");
    }
}
