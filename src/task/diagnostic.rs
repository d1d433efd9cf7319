//! What a tool says about a program, in one form for all tools.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// What kind of thing is wrong; each suggests a different repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The text isn't a program.
    Syntax,
    /// Names and types don't fit.
    Type,
    /// A call doesn't meet what the callee asks for.
    Precondition,
    /// A function doesn't keep what it promises.
    Postcondition,
    /// An invariant doesn't hold at the beginning or isn't kept.
    Invariant,
    /// An assertion doesn't hold, or can't be shown to.
    Assertion,
    /// It can't be shown that a loop or a recursion ends.
    Termination,
    /// The tool didn't finish in time.
    Timeout,
    /// The tool ran out of memory or of another resource.
    Resource,
    /// Style, or a warning of a compiler.
    Lint,
    /// A test fails.
    Test,
    /// Anything else.
    Other,
}

impl Category {
    /// Its name, as in JSON and in a critique.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Type => "type",
            Self::Precondition => "precondition",
            Self::Postcondition => "postcondition",
            Self::Invariant => "invariant",
            Self::Assertion => "assertion",
            Self::Termination => "termination",
            Self::Timeout => "timeout",
            Self::Resource => "resource",
            Self::Lint => "lint",
            Self::Test => "test",
            Self::Other => "other",
        }
    }
}

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something is wrong.
    Error,
    /// Something may be wrong.
    Warning,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file as the tool names it.
    pub file: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column as the tool counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        Ok(())
    }
}

/// What belongs to a diagnostic: the postcondition that fails, a note, a hint.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Related {
    /// Where, if the tool says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What the tool says.
    pub message: String,
}

/// One thing that a tool says about a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// What kind of thing is wrong.
    pub category: Category,
    /// How much it matters.
    pub severity: Severity,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The tool's name for it: `E0308`, `arg-type`, `no-unused-vars` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The test that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// What the tool says.
    pub message: String,
    /// What belongs to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(category: Category, message: impl Into<String>) -> Self {
        Self {
            category,
            severity: Severity::Error,
            place: None,
            code: None,
            test: None,
            message: message.into(),
            related: Vec::new(),
        }
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// The same with the tool's name for it.
    #[must_use]
    pub fn coded(mut self, code: Option<String>) -> Self {
        self.code = code;
        self
    }
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.category.name())?;
        if self.severity == Severity::Warning && self.category != Category::Lint {
            f.write_str(" warning")?;
        }
        if let Some(place) = &self.place {
            write!(f, ", {place}")?;
        }
        if let Some(test) = &self.test {
            write!(f, ", {test}")?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(code) = &self.code {
            write!(f, " [{code}]")?;
        }
        Ok(())
    }
}
