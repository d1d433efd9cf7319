//! What this host is fit for: how strongly programs can be confined, which languages can be run, and what to do about
//! each gap.

use std::collections::BTreeMap;
use std::path::PathBuf;

use redraft_sandbox::{CgroupMode, Gap, Layer, Level};
use serde::Serialize;

use crate::language;
use crate::task::Language;

/// Everything that was found.
#[derive(Debug, Serialize)]
pub struct Findings {
    /// Version of redraft.
    pub redraft: &'static str,
    /// The kernel's name and version.
    pub kernel: String,
    /// The kind of processor.
    pub processor: &'static str,
    /// How many of them can be used.
    pub processors: usize,
    /// How programs are confined.
    pub isolation: Confinement,
    /// What programs can be written in, by the language's name.
    pub languages: BTreeMap<&'static str, Toolchain>,
}

/// How programs are confined on this host.
#[derive(Debug, Serialize)]
pub struct Confinement {
    /// The strongest level, which is the default; none when nothing can be run.
    pub level: Option<Level>,
    /// For each level whether it can be had.
    pub levels: BTreeMap<&'static str, State>,
    /// Each layer at the strongest level.
    pub layers: Vec<Layer>,
    /// Why nothing can be run, or no sandbox could be made.
    pub problem: Option<String>,
    /// How control groups are mounted.
    pub cgroups: CgroupMode,
    /// The version of Landlock's interface.
    pub landlock: Option<u32>,
}

/// Whether something can be had.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It can.
    Available,
    /// It can't.
    Missing(Gap),
}

/// The compiler or interpreter of a language.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolchain {
    /// It is there.
    Found {
        /// Its version in digits.
        version: String,
        /// The program that is run.
        path: PathBuf,
        /// What stands in for it in `PATH` and isn't used.
        #[serde(skip_serializing_if = "Option::is_none")]
        shim: Option<PathBuf>,
    },
    /// It isn't.
    Missing(Gap),
}

impl Findings {
    /// Looks at the host. Makes a sandbox and starts each toolchain, so it takes a moment.
    pub fn look() -> Self {
        let system = nix::sys::utsname::uname().ok();
        let part = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        let kernel = system.map(|system| format!("{} {}", part(system.sysname()), part(system.release())));
        Self {
            redraft: env!("CARGO_PKG_VERSION"),
            kernel: kernel.unwrap_or_default(),
            processor: std::env::consts::ARCH,
            processors: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
            isolation: Confinement::look(),
            languages: toolchains(),
        }
    }

    /// Whether nothing important is missing: programs are confined as any user can confine them, and Python is there, in
    /// which the judge tests programs.
    pub fn is_good(&self) -> bool {
        let confined = self.isolation.level >= Some(Level::Standard) && self.isolation.problem.is_none();
        let python = self.languages.get(Language::PYTHON.name());
        confined && matches!(python, Some(Toolchain::Found { .. }))
    }
}

impl Confinement {
    fn look() -> Self {
        let strongest = redraft_sandbox::strongest();
        let layers = redraft_sandbox::survey();
        let problem = strongest
            .as_ref()
            .err()
            .or(layers.as_ref().err())
            .map(ToString::to_string);
        let state = |level: &Level| match level.check() {
            Ok(()) => State::Available,
            Err(redraft_sandbox::Error::Unsupported { what, remedy }) => {
                let prefix = format!("this host can't give the isolation level `{level}`: ");
                State::Missing(Gap {
                    reason: what.strip_prefix(&prefix).unwrap_or(&what).to_owned(),
                    remedy: Some(remedy),
                })
            }
            Err(other) => State::Missing(Gap {
                reason: other.to_string(),
                remedy: None,
            }),
        };
        Self {
            level: strongest.ok().map(|strongest| strongest.level),
            levels: Level::ALL
                .iter()
                .map(|level| (level.name(), state(level)))
                .collect(),
            layers: layers.unwrap_or_default(),
            problem,
            cgroups: redraft_sandbox::cgroup_mode(),
            landlock: redraft_sandbox::landlock_version(),
        }
    }
}

fn toolchains() -> BTreeMap<&'static str, Toolchain> {
    let one = |(language, found): (Language, Result<language::Toolchain, language::Missing>)| {
        let toolchain = match found {
            Ok(language::Toolchain { version, path, shim }) => Toolchain::Found { version, path, shim },
            Err(missing) => Toolchain::Missing(Gap {
                reason: missing.problem,
                remedy: Some(missing.remedy),
            }),
        };
        (language.name(), toolchain)
    };
    language::toolchains().into_iter().map(one).collect()
}
