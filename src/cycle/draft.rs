//! What an author makes: a program or a text.

use crate::language::Rule;
use crate::task::Program;

/// What is written in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Artifact {
    /// A program.
    Program(Program),
    /// A text: an answer, an artifact, a continuation.
    Text(String),
}

/// What an author made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The program or text; `None` where the reply held none.
    pub artifact: Option<Artifact>,
    /// How a program was found in the reply.
    pub rule: Option<Rule>,
    /// What the author said about the version before, on the way to this one.
    pub explanation: Option<String>,
    /// The version that it was made from, where that isn't the one before.
    pub parent: Option<usize>,
}

impl Draft {
    /// A draft that is a program.
    pub fn program(program: Program) -> Self {
        Self {
            artifact: Some(Artifact::Program(program)),
            ..Self::default()
        }
    }

    /// A draft that is a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            artifact: Some(Artifact::Text(text.into())),
            ..Self::default()
        }
    }

    /// The program, if it is one.
    pub fn as_program(&self) -> Option<&Program> {
        match &self.artifact {
            Some(Artifact::Program(program)) => Some(program),
            _ => None,
        }
    }

    /// The source of the program, or the text.
    pub fn source(&self) -> Option<&str> {
        match &self.artifact {
            Some(Artifact::Program(program)) => Some(&program.source),
            Some(Artifact::Text(text)) => Some(text),
            None => None,
        }
    }
}
