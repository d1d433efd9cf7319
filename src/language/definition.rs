//! What one TOML file of the table says about a language. `docs/languages.md` explains each field to users.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// How programs of a language are named, compiled and run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    /// The name in files and on the command line.
    pub(crate) name: String,
    /// The name in prose.
    pub(crate) title: String,
    /// Other names, as fences and users write them.
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    /// Endings of file names, without the dot.
    #[serde(default)]
    pub(crate) extensions: Vec<String>,
    /// What a comment that goes to the end of the line begins with.
    pub(crate) comment: String,
    /// What a program's file is called. `{class}` is its public class.
    pub(crate) file: String,
    /// Other names for the file of a program of a certain look.
    #[serde(default)]
    pub(crate) other_file: Vec<OtherFile>,
    /// What to install when the toolchain is missing.
    pub(crate) packages: Packages,
    pub(crate) toolchain: ToolchainTable,
    /// Made once for a toolchain, at `{prepared}` when programs are compiled.
    #[serde(default)]
    pub(crate) prepare: Option<Prepare>,
    #[serde(default)]
    pub(crate) compile: Option<Compile>,
    /// Tells a program that isn't one of the language from one that failed.
    #[serde(default)]
    pub(crate) check: Option<Check>,
    pub(crate) run: Run,
    /// What is different when tests are compiled together with the program.
    #[serde(default)]
    pub(crate) tests: Option<Tests>,
    /// Libraries that aren't part of the toolchain.
    #[serde(default)]
    pub(crate) library: Vec<Library>,
}

/// The name of a program's file when the program has a certain look.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OtherFile {
    pub(crate) file: String,
    /// A line of the program begins with one of these …
    pub(crate) lines_begin: Vec<String>,
    /// … and none of these stands in it.
    #[serde(default)]
    pub(crate) without: Vec<String>,
}

/// What to install, by kind of system.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Packages {
    #[serde(default)]
    pub(crate) debian: Option<String>,
    #[serde(default)]
    pub(crate) fedora: Option<String>,
    /// A command, where no package has it.
    #[serde(default)]
    pub(crate) other: Option<String>,
}

/// How the toolchain is found. Every command here runs on the host, as the user.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolchainTable {
    /// Candidates for `{tool}`, looked up in `PATH`; the first that tells its version is taken.
    pub(crate) tool: Vec<String>,
    /// What prints the version.
    pub(crate) version: Vec<String>,
    /// Older ones won't do.
    #[serde(default)]
    pub(crate) oldest: Option<String>,
    /// More to know about it, each by a command.
    #[serde(default)]
    pub(crate) find: Vec<Find>,
}

/// A name for what a command prints; several lines are several values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Find {
    pub(crate) name: String,
    pub(crate) run: Vec<String>,
    /// Only what stands behind this in a line.
    #[serde(default)]
    pub(crate) after: Option<String>,
}

/// What is made once for a toolchain.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prepare {
    pub(crate) steps: Vec<Vec<String>>,
    /// Files that the steps find, with their content.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Whether nothing can be compiled without it.
    #[serde(default)]
    pub(crate) needed: bool,
}

/// How a program is compiled: what the steps leave in `{out}` is kept.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Compile {
    pub(crate) steps: Vec<Vec<String>>,
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    /// Files and folders of the host that the steps read; what isn't there is left away.
    #[serde(default)]
    pub(crate) readable: Vec<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) limits: CompileLimits,
}

/// Steps that fail if the program isn't one of the language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    pub(crate) steps: Vec<Vec<String>>,
}

/// How a program is run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) command: Vec<String>,
    #[serde(default)]
    pub(crate) readable: Vec<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) extra: Extra,
    /// Words on stderr by which a program that failed says that it had no memory left.
    #[serde(default)]
    pub(crate) out_of_memory: Vec<String>,
}

/// What is different when tests are compiled together with the program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tests {
    #[serde(default)]
    pub(crate) flags: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) command: Option<Vec<String>>,
}

/// What the language itself uses, beyond what the program may.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Extra {
    #[serde(deserialize_with = "bytes")]
    pub(crate) memory: u64,
    pub(crate) processes: u32,
    #[serde(deserialize_with = "duration")]
    pub(crate) cpu: Duration,
}

/// What compiling a program may use.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CompileLimits {
    #[serde(deserialize_with = "duration")]
    pub(crate) cpu: Duration,
    #[serde(deserialize_with = "bytes")]
    pub(crate) memory: u64,
    pub(crate) processes: u32,
    /// Bytes of all that is written, what is kept included.
    #[serde(deserialize_with = "bytes")]
    pub(crate) scratch: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            cpu: Duration::from_mins(1),
            memory: 2 << 30,
            processes: 128,
            scratch: 96 << 20,
        }
    }
}

/// A library that programs may use and that has to be installed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Library {
    pub(crate) name: String,
    /// A program with one of these words in it uses the library.
    pub(crate) words: Vec<String>,
    /// Where it may be; it is installed if one of them is there. What is there is readable.
    pub(crate) paths: Vec<String>,
    /// What is put in the place of `{libraries}` when the program is compiled. `{path}` is the path that is there.
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) packages: Packages,
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)];
    quantity(deserializer, &units, "a size such as \"256MiB\"")
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let units = [("ms", 1), ("s", 1000), ("m", 60_000)];
    quantity(deserializer, &units, "a duration such as \"10s\" or \"500ms\"").map(Duration::from_millis)
}

fn quantity<'de, D: Deserializer<'de>>(
    deserializer: D,
    units: &[(&str, u64)],
    kind: &str,
) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    units
        .iter()
        .find_map(|(unit, factor)| {
            let number: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            number.checked_mul(*factor)
        })
        .ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not {kind}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_units() {
        let extra: Extra = toml::from_str("memory = \"32MiB\"\ncpu = \"500ms\"").unwrap();
        assert_eq!((extra.memory, extra.cpu.as_millis()), (32 << 20, 500));
        let error = toml::from_str::<Extra>("memory = \"32\"").unwrap_err();
        assert!(error.to_string().contains("a size such as \"256MiB\""), "{error}");
    }
}
