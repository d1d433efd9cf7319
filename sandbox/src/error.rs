//! Why a program could not be run. Never the program's own fault.

/// The sandbox could not do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The host doesn't allow a layer that every level needs.
    #[error("{what}; {remedy}")]
    Unsupported {
        /// What is missing.
        what: String,
        /// How to get it.
        remedy: String,
    },
    /// The command can't be carried out as given: a path that isn't there, a name with a zero byte …
    #[error("{what}")]
    Invalid {
        /// What is wrong, and with what.
        what: String,
    },
    /// A set-up step inside the sandbox failed.
    #[error("setting up the sandbox failed at {step}")]
    Setup {
        /// The step by name.
        step: &'static str,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// A layer that should hold doesn't. Nothing is run.
    #[error(
        "the sandbox isn't tight: {fear} (layer `{layer}`); please report it with the version of the kernel"
    )]
    Unproven {
        /// The layer by name.
        layer: &'static str,
        /// What a program could do.
        fear: &'static str,
    },
    /// The program file can't be executed.
    #[error("{program} can't be executed in the sandbox")]
    Exec {
        /// The program as given.
        program: String,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// Talking to the sandboxed process failed.
    #[error("{what}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// What the kernel said.
        source: std::io::Error,
    },
}

impl Error {
    /// For `map_err`: an [`Error::Io`] about something that was being done.
    pub(crate) fn io<E: Into<std::io::Error>>(what: &'static str) -> impl Fn(E) -> Self {
        move |source| {
            let source = source.into();
            Self::Io { what, source }
        }
    }
}
