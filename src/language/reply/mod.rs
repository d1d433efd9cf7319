//! Finds the program in a model's reply.
//!
//! A reply that is a program as it stands stays as it is. Else what can't be part of an answer goes (thoughts, what
//! chat interfaces leave in text), and its code blocks are looked at: fences as in `CommonMark` and as models really
//! write them (`fences`), tags (`tags`), JSON (`wrapped`). Of several blocks the last one that defines the entry
//! point counts, with what the others must supply (`choose`). Without blocks the program is cut out of the prose
//! (`lines`), or the reply is a body that continues the starter code (`continuation`). Which rule found the program is
//! part of the answer, so that it can be looked at later.
//!
//! `docs/extraction.md` says the rules for users.

mod any;
mod choose;
mod continuation;
mod fences;
mod kinds;
mod lines;
mod other;
mod peers;
mod python;
mod readings;
mod tags;
#[cfg(test)]
mod tests;
mod tidy;
mod wrapped;

use serde::{Deserialize, Serialize};

pub use any::last_block;
pub use peers::Extract;

use crate::task::{Brief, Language, Program};

/// How the program was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The only code block, or the only one that can be the program.
    Block,
    /// The last of several blocks that define the entry point.
    LastBlock,
    /// Several blocks put together, since the last one needs what others define.
    Blocks,
    /// A block or the whole reply as a function body behind the starter code.
    Continuation,
    /// The reply without any fence.
    WholeReply,
    /// Lines that are a program, prose left away.
    Lines,
    /// A text inside of JSON.
    Json,
    /// There is nothing behind thoughts that never end; the program stands in them.
    Thought,
    /// A block that isn't valid; the error is shown to the model.
    Invalid,
    /// By the rule of another harness, which was asked for by name.
    Peer,
}

impl Rule {
    /// The name used in files, such as `last_block`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::LastBlock => "last_block",
            Self::Blocks => "blocks",
            Self::Continuation => "continuation",
            Self::WholeReply => "whole_reply",
            Self::Lines => "lines",
            Self::Json => "json",
            Self::Thought => "thought",
            Self::Invalid => "invalid",
            Self::Peer => "peer",
        }
    }
}

/// A program found in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The program.
    pub program: Program,
    /// How it was found.
    pub rule: Rule,
}

/// Cuts the program for `brief` out of `reply`; `None` where there is no code in it.
pub fn find_program(reply: &str, brief: &Brief) -> Option<Found> {
    let (source, rule) = if brief.language == Language::PYTHON {
        python::find(reply, brief)?
    } else {
        other::find(reply, brief)?
    };
    Some(Found {
        program: Program {
            language: brief.language,
            source,
        },
        rule,
    })
}
