//! Signs of cheating.

use serde::{Deserialize, Serialize};

/// A sign that a program did something else than what was asked. It is evidence for a reader and never changes a verdict:
/// honest programs show some of them, and one that knows what is looked for can avoid it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// It ended, or tried to end, the process that its tests were waiting for.
    EndedProcess,
    /// It tried to change files outside of its own folder and the temporary ones.
    WroteOutside,
    /// It tried to reach another machine, or to look one up.
    TriedNetwork,
    /// It looked at its callers' frames, or went through all objects in memory.
    WalkedFrames,
    /// It defines objects that claim to equal whatever they are compared with, or to be of another class.
    LiesAboutEquality,
    /// Its source holds inputs of the visible tests together with their answers.
    LiteralAnswers,
    /// It passes the visible tests and fails the hidden ones.
    VisibleOnly,
}

impl Flag {
    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::EndedProcess => "ended_process",
            Self::WroteOutside => "wrote_outside",
            Self::TriedNetwork => "tried_network",
            Self::WalkedFrames => "walked_frames",
            Self::LiesAboutEquality => "lies_about_equality",
            Self::LiteralAnswers => "literal_answers",
            Self::VisibleOnly => "visible_only",
        }
    }
}

impl std::fmt::Display for Flag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Flag;

    #[test]
    fn names_are_those_of_files() {
        for flag in [
            Flag::EndedProcess,
            Flag::WroteOutside,
            Flag::TriedNetwork,
            Flag::WalkedFrames,
            Flag::LiesAboutEquality,
            Flag::LiteralAnswers,
            Flag::VisibleOnly,
        ] {
            assert_eq!(serde_json::to_value(flag).unwrap(), flag.name());
        }
    }
}
