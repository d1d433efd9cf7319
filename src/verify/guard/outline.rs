//! What of a program is guarded, in one form for all languages.

use std::collections::{BTreeMap, BTreeSet};

/// What kind of specification it is, which says what weakens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClauseKind {
    /// A function may only come to ask for less.
    Requires,
    /// A function may only come to promise more.
    Ensures,
    /// What it may touch: only less.
    Frame,
    /// Only more, as long as there is the loop.
    Invariant,
    /// There must be as many.
    Decreases,
    /// Only more.
    Assertion,
    /// It may change.
    Unguarded,
}

/// One conjunct of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) kind: ClauseKind,
    pub(super) text: String,
    pub(super) line: usize,
}

/// A function.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait of a function")]
pub(super) struct Function {
    /// With the scopes that it is in.
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) signature: String,
    /// Types that may be left out, each with what it is the type of.
    pub(super) annotations: Vec<(String, String)>,
    /// Attributes or decorators, without those that are clauses.
    pub(super) attributes: Vec<String>,
    pub(super) clauses: Vec<Clause>,
    /// The whole of it as text.
    pub(super) whole: String,
    /// What it says, whatever its layout, where that can be told.
    pub(super) meaning: Option<String>,
    pub(super) has_body: bool,
    pub(super) loops: usize,
    pub(super) is_test: bool,
    /// Nothing but specification.
    pub(super) is_pure: bool,
    /// It never gives anything back: what fits every type, and does nothing.
    pub(super) is_stub: bool,
    /// Words of its body, for what else is specification because it stands in one.
    pub(super) words: BTreeSet<String>,
}

impl Function {
    /// Whether it is the same function but for its layout.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.whole == other.whole || self.meaning.is_some() && self.meaning == other.meaning
    }
}

/// A declaration that is no function.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) whole: String,
    pub(super) words: BTreeSet<String>,
    /// Guarded whether or not a specification speaks of it.
    pub(super) always: bool,
    /// It stands for a text.
    pub(super) is_macro: bool,
}

/// A test that is no function of its own.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) whole: String,
}

/// What switches a check off.
#[derive(Clone, Debug)]
pub(super) struct Escape {
    pub(super) what: String,
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) within: String,
    pub(super) trusted: bool,
}

/// Everything of a program that is guarded.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    pub(super) functions: Vec<Function>,
    pub(super) definitions: Vec<Definition>,
    pub(super) tests: Vec<Test>,
    /// Assertions outside of functions.
    pub(super) assertions: Vec<Clause>,
    pub(super) escapes: Vec<Escape>,
    /// Names that are bound at the top other than by defining a function.
    pub(super) bound: BTreeSet<String>,
    /// Where names come from that are brought in.
    pub(super) imports: BTreeMap<String, String>,
    /// Values at the top, which tests may build on.
    pub(super) values: Vec<Definition>,
    /// Statements at the top that are none of all this, with their words.
    pub(super) loose: Vec<(String, BTreeSet<String>)>,
    /// What stands among tests and may change what they mean: nothing may come to it.
    pub(super) beside_tests: Vec<Test>,
    /// All words of the program.
    pub(super) words: BTreeSet<String>,
}

impl Outline {
    /// Names that specifications speak of, and those that these are made of. What a function's own specification
    /// says of the function itself doesn't count.
    pub(super) fn specified(&self) -> BTreeSet<String> {
        let mut made_of: BTreeMap<&str, Vec<&BTreeSet<String>>> = BTreeMap::new();
        for function in &self.functions {
            made_of
                .entry(simple(&function.name))
                .or_default()
                .push(&function.words);
        }
        for definition in &self.definitions {
            made_of
                .entry(simple(&definition.name))
                .or_default()
                .push(&definition.words);
        }
        let mut open: Vec<&str> = Vec::new();
        for function in &self.functions {
            let own = simple(&function.name);
            for clause in &function.clauses {
                if clause.kind == ClauseKind::Assertion {
                    continue;
                }
                open.extend(words(&clause.text).filter(|word| *word != own));
            }
            if function.is_pure {
                open.push(own);
            }
        }
        let mut found: BTreeSet<String> = BTreeSet::new();
        while let Some(word) = open.pop() {
            let Some(parts) = made_of.get(word) else { continue };
            if found.insert(word.to_owned()) {
                open.extend(parts.iter().copied().flatten().map(String::as_str));
            }
        }
        found
    }
}

impl Outline {
    /// Words of tests, and of the values that they are made of.
    pub(super) fn tested(&self) -> BTreeSet<String> {
        let functions = self.functions.iter().filter(|function| function.is_test);
        let texts = functions
            .map(|function| function.whole.as_str())
            .chain(self.tests.iter().map(|test| test.whole.as_str()))
            .chain(self.assertions.iter().map(|clause| clause.text.as_str()))
            .chain(self.claims().map(|clause| clause.text.as_str()));
        let mut found: BTreeSet<String> = texts.flat_map(words).map(str::to_owned).collect();
        loop {
            let known = found.len();
            for value in &self.values {
                if found.contains(simple(&value.name)) {
                    found.extend(value.words.iter().cloned());
                }
            }
            if found.len() == known {
                return found;
            }
        }
    }

    /// Assertions in functions that are no tests.
    fn claims(&self) -> impl Iterator<Item = &Clause> {
        let clauses = self.functions.iter().flat_map(|function| &function.clauses);
        clauses.filter(|clause| clause.kind == ClauseKind::Assertion)
    }
}

/// A name without its scopes.
pub(super) fn simple(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}
