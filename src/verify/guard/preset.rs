//! What a guard knows about a language, as data: one TOML file a language.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// A language that programs can be guarded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PresetName {
    /// Python with pytest, unittest, doctest, mypy, icontract, deal.
    Python,
    /// Rust with its tests, and contracts written as attributes.
    Rust,
    /// Verus.
    Verus,
    /// Dafny.
    Dafny,
    /// C with `assert` and ACSL.
    C,
    /// C++.
    Cpp,
    /// JavaScript with the usual test runners.
    Javascript,
    /// TypeScript.
    Typescript,
}

impl PresetName {
    /// Every preset.
    pub const ALL: [Self; 8] = [
        Self::Python,
        Self::Rust,
        Self::Verus,
        Self::Dafny,
        Self::C,
        Self::Cpp,
        Self::Javascript,
        Self::Typescript,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Rust => "rust",
            Self::Verus => "verus",
            Self::Dafny => "dafny",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Javascript => "javascript",
            Self::Typescript => "typescript",
        }
    }

    /// The preset for a program, by the ending of its name and what stands in it.
    pub fn of(path: &Path, source: &str) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "py" | "pyi" => Self::Python,
            "rs" if source.contains("verus!") || source.contains("verus_spec") => Self::Verus,
            "rs" => Self::Rust,
            "dfy" => Self::Dafny,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "c++" | "hpp" | "hh" | "hxx" => Self::Cpp,
            "js" | "mjs" | "cjs" | "jsx" => Self::Javascript,
            "ts" | "mts" | "cts" | "tsx" => Self::Typescript,
            _ => return None,
        })
    }

    /// What is known about the language.
    pub(super) fn preset(self) -> &'static Preset {
        static ALL: LazyLock<Vec<Preset>> = LazyLock::new(|| {
            [
                include_str!("presets/python.toml"),
                include_str!("presets/rust.toml"),
                include_str!("presets/verus.toml"),
                include_str!("presets/dafny.toml"),
                include_str!("presets/c.toml"),
                include_str!("presets/cpp.toml"),
                include_str!("presets/javascript.toml"),
                include_str!("presets/typescript.toml"),
            ]
            .map(|text| {
                toml::from_str(text).unwrap_or_else(|error| unreachable!("a bundled preset: {error}"))
            })
            .into()
        });
        &ALL[self as usize]
    }
}

/// How functions and the like are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    /// By the parser for Python.
    #[default]
    Python,
    /// A keyword stands before the name.
    Keyword,
    /// A name stands before parentheses, and a body follows.
    C,
    /// Both, and functions are values as well.
    Script,
}

/// What is known about a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Preset {
    pub(super) shape: Shape,
    #[serde(default)]
    pub(super) lexing: Lexing,
    #[serde(default)]
    pub(super) items: Items,
    #[serde(default)]
    pub(super) specifications: Specifications,
    #[serde(default)]
    pub(super) tests: Tests,
    #[serde(default)]
    pub(super) escapes: Vec<EscapeForm>,
}

/// How a text is taken apart.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait of a language")]
pub(super) struct Lexing {
    pub(super) line_comments: Vec<String>,
    pub(super) block_comment: Option<(String, String)>,
    pub(super) nested_comments: bool,
    /// Comments that begin with `@` are specifications.
    pub(super) annotations: bool,
    /// Characters that begin and end a text.
    pub(super) quotes: String,
    /// `r#"…"#`, `b"…"`.
    pub(super) raw_texts: bool,
    /// `R"(…)"` and `1'000`.
    pub(super) cpp_texts: bool,
    /// `'a` is a word, `'a'` a text.
    pub(super) lifetimes: bool,
    /// Words may hold `'` and `?`.
    pub(super) primes: bool,
    /// Texts in backticks; `$` in words.
    pub(super) templates: bool,
    pub(super) regexes: bool,
    /// Lines that begin with `#`.
    pub(super) preprocessor: bool,
}

/// Words that begin things.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Items {
    pub(super) functions: Vec<String>,
    /// What holds functions.
    pub(super) scopes: Vec<String>,
    /// Declarations that specifications may speak of.
    pub(super) definitions: Vec<String>,
    /// Definitions that count as heads of functions do, whether or not a specification speaks of them.
    pub(super) types: Vec<String>,
    /// Functions that are specification as a whole.
    pub(super) pure: Vec<String>,
    /// Words that end a declaration without a semicolon.
    pub(super) ends_at: Vec<String>,
    /// A function without a body is taken for granted.
    pub(super) bodyless_is_trusted: bool,
    /// Words that only say that a parameter may be assigned to.
    pub(super) not_in_signatures: Vec<String>,
    /// Names that the language gives.
    pub(super) given: Vec<String>,
    /// Functions that say what equals or comes first.
    pub(super) comparisons: Vec<String>,
    /// Tokens that a body begins with that never gives anything back.
    pub(super) stubs: Vec<String>,
}

/// Words that begin specifications.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Specifications {
    /// What a function asks for.
    pub(super) requires: Vec<String>,
    /// What a function promises.
    pub(super) ensures: Vec<String>,
    /// What a function may touch.
    pub(super) frame: Vec<String>,
    pub(super) invariants: Vec<String>,
    pub(super) decreases: Vec<String>,
    /// Other words that end a clause.
    pub(super) others: Vec<String>,
    pub(super) assertions: Vec<String>,
    /// In a function that promises something, assertions are steps of its proof and may change with it.
    pub(super) assertions_are_steps: bool,
    /// Clauses are lists.
    pub(super) commas: bool,
    /// Clauses are attributes, decorators or annotations as well.
    pub(super) as_attributes: bool,
    pub(super) loops: Vec<String>,
}

/// How tests are known.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Tests {
    /// Attributes or decorators of tests and of what they build on.
    pub(super) attributes: Vec<String>,
    /// Beginnings of the names of test functions.
    pub(super) prefixes: Vec<String>,
    /// Functions that are called with a name and a test.
    pub(super) calls: Vec<String>,
    /// The same that hold other tests.
    pub(super) groups: Vec<String>,
    /// Scopes that hold nothing but tests.
    pub(super) scopes: Vec<String>,
    /// Examples in comments are tests.
    pub(super) examples: bool,
    /// Beginnings of the names of functions that tests compute with what is right.
    pub(super) helpers: Vec<String>,
    /// Libraries that run tests: a program that isn't one has nothing to do with them.
    pub(super) libraries: Vec<String>,
}

/// What switches a check off, or makes it take something for granted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EscapeForm {
    /// Tokens with blanks between them; a word may end in `*`, and `_` is any token.
    #[serde(default)]
    pub(super) tokens: String,
    /// Words of a comment.
    #[serde(default)]
    pub(super) comment: String,
    /// What it is, in words.
    pub(super) what: String,
    /// It goes on to the next semicolon.
    #[serde(default)]
    pub(super) statement: bool,
    /// Last tokens with which it is harmless, or another form.
    #[serde(default)]
    pub(super) harmless: Vec<String>,
    /// What it says is taken for granted, and so is listed with the result.
    #[serde(default)]
    pub(super) trusted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_read() {
        for name in PresetName::ALL {
            let preset = name.preset();
            assert!(!preset.escapes.is_empty(), "{}", name.name());
            for escape in &preset.escapes {
                assert!(
                    escape.tokens.is_empty() != escape.comment.is_empty(),
                    "{escape:?}"
                );
            }
        }
    }

    #[test]
    fn presets_go_by_the_file() {
        let of = |name: &str, source: &str| PresetName::of(Path::new(name), source);
        assert_eq!(of("a.py", ""), Some(PresetName::Python));
        assert_eq!(of("a.rs", "verus! {}"), Some(PresetName::Verus));
        assert_eq!(of("a.rs", "fn main() {}"), Some(PresetName::Rust));
        assert_eq!(of("a.TS", ""), Some(PresetName::Typescript));
        assert_eq!(of("a.txt", ""), None);
    }
}
