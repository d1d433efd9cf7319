//! Guards: a redraft must not satisfy a check by asking less of itself.
//!
//! A guard compares what stands before a redraft with what stands after it: heads of functions, specifications,
//! tests, and whatever switches a check off or makes it take something for granted. Tokens are compared, so that
//! neither layout nor comments matter, and a word in a text or a comment is no word of the program. What can't be
//! told to be as strong counts as weaker.

mod braces;
mod clauses;
mod compare;
mod escapes;
mod ground;
mod lex;
mod literals;
mod outline;
mod preset;
mod python;

use std::collections::BTreeSet;

pub use preset::PresetName;

use crate::task::{Breach, Guarded, Trusted};
use preset::Shape;

/// What is watched while a program is redrafted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The language.
    pub preset: PresetName,
    /// What may change.
    pub free: BTreeSet<Guarded>,
}

impl Guard {
    /// A guard that watches everything.
    pub fn new(preset: PresetName) -> Self {
        Self {
            preset,
            free: BTreeSet::new(),
        }
    }

    /// Everything that `after` weakened of `before`; nothing where it is as strong.
    pub fn compare(&self, before: &str, after: &str) -> Vec<Breach> {
        let mut breaches =
            compare::breaches(&self.outline(before), &self.outline(after), self.preset.preset());
        breaches.retain(|breach| !self.free.contains(&breach.guarded));
        breaches
    }

    /// What a check takes for granted in a program.
    pub fn trusted(&self, source: &str) -> Vec<Trusted> {
        let escapes = self
            .outline(source)
            .escapes
            .into_iter()
            .filter(|escape| escape.trusted);
        escapes
            .map(|escape| Trusted {
                line: escape.line,
                within: escape.within,
                what: escape.what,
                code: escape.text,
            })
            .collect()
    }

    fn outline(&self, source: &str) -> outline::Outline {
        let preset = self.preset.preset();
        match preset.shape {
            Shape::Python => python::outline(source, preset),
            Shape::Keyword | Shape::C | Shape::Script => braces::outline(source, preset),
        }
    }

    /// Whether two texts are the same program: the same but for layout and comments that mean nothing to a check.
    pub fn same_program(&self, one: &str, other: &str) -> bool {
        let preset = self.preset.preset();
        let said = |source: &str| -> Vec<String> {
            match preset.shape {
                Shape::Python => python::said(source),
                Shape::Keyword | Shape::C | Shape::Script => {
                    let lexed = lex::lex(source, &preset.lexing);
                    lexed.tokens.iter().map(|token| token.text.to_owned()).collect()
                }
            }
        };
        let escapes = |source: &str| -> Vec<String> {
            let outline = self.outline(source);
            let mut all: Vec<String> = outline.escapes.into_iter().map(|escape| escape.text).collect();
            all.sort();
            all
        };
        said(one) == said(other) && escapes(one) == escapes(other)
    }
}
