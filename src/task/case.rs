//! `case.json`: a program's tests with their limits, in several forms.

mod integers;
mod kinds;

use std::path::PathBuf;

use serde::Deserialize;

pub use integers::keep_integers;

use super::{Language, Limits, Test, TestKind};
use kinds::WrittenTest;

/// The tests of a `case.json`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The tests in order.
    pub tests: Vec<Test>,
    /// What a test may use.
    pub limits: Limits,
    /// The language of the programs.
    pub language: Language,
    /// Whether programs for this case count on common imports and on `ListNode` and `TreeNode`.
    pub common_imports: bool,
    /// Data that has to be made first.
    made: Vec<Made>,
}

/// Data of a test that has to be made first.
#[derive(Clone, Debug)]
struct Made {
    test: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// What a snippet prints becomes the test's stdin.
    Stdin(String),
    /// What a snippet prints becomes the expected output.
    Expected(String),
    /// The test's stdin is the path of a file of the host that no program may be able to read.
    Canary(PathBuf),
}

#[derive(Debug, Deserialize)]
struct Written {
    #[serde(default = "python")]
    language: String,
    #[serde(default)]
    kind: String,
    tests: Vec<WrittenTest>,
    #[serde(default)]
    limits: WrittenLimits,
}

fn python() -> String {
    Language::PYTHON.name().to_owned()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WrittenLimits {
    wall_ms: Option<u64>,
    cpu_ms: Option<u64>,
    memory_mb: Option<u64>,
    procs: Option<u32>,
    output_kb: Option<u64>,
    file_mb: Option<u64>,
    compile_wall_ms: Option<u64>,
}

/// Wall time where a case names none.
const DEFAULT_WALL_MS: u64 = 10_000;

impl Case {
    /// Reads a case. The error says what is wrong, without the file's name.
    pub fn read(text: &str) -> Result<Self, String> {
        let written: Written =
            serde_json::from_str(&keep_integers(text)).map_err(|error| error.to_string())?;
        let language = language(&written.language)?;
        let mut case = Self {
            language,
            tests: Vec::new(),
            limits: written.limits.into_limits(),
            common_imports: written.kind == "class",
            made: Vec::new(),
        };
        for test in written.tests {
            let name = test.name.clone();
            let kind = case.kind(test).map_err(|why| format!("test {name:?}: {why}"))?;
            case.tests.push(Test { name, kind });
        }
        Ok(case)
    }

    /// Makes the data that isn't in the file; `run` gives what a snippet prints. Files made for it stay as long as the
    /// result is kept.
    pub fn make(
        &mut self,
        mut run: impl FnMut(&str) -> Result<String, String>,
    ) -> Result<Vec<tempfile::NamedTempFile>, String> {
        let mut files = Vec::new();
        for Made { test, what } in std::mem::take(&mut self.made) {
            let (is_stdin, text) = match what {
                What::Stdin(snippet) => (true, run(&snippet)?),
                What::Expected(snippet) => (false, run(&snippet)?),
                What::Canary(folder) => {
                    let file = canary(&folder)
                        .map_err(|error| format!("a file in {}: {error}", folder.display()))?;
                    let path = format!("{}\n", file.path().display());
                    files.push(file);
                    (true, path)
                }
            };
            match self.tests.get_mut(test).map(|test| &mut test.kind) {
                Some(TestKind::Stdin { stdin, expected, .. }) => {
                    *(if is_stdin { stdin } else { expected }) = text;
                }
                Some(TestKind::Checked { stdin, answer, .. }) => {
                    *(if is_stdin { stdin } else { answer }) = text;
                }
                Some(TestKind::Interactive { input, answer, .. }) => {
                    *(if is_stdin { input } else { answer }) = text;
                }
                Some(TestKind::Files {
                    stdin,
                    expected_stdout,
                    ..
                }) => {
                    if is_stdin {
                        *stdin = text;
                    } else {
                        *expected_stdout = Some(text);
                    }
                }
                Some(TestKind::Call { .. } | TestKind::Script { .. } | TestKind::Answer { .. }) | None => {}
            }
        }
        Ok(files)
    }
}

fn language(name: &str) -> Result<Language, String> {
    Language::named(name).ok_or_else(|| {
        let known = Language::names().join(", ");
        format!("the language {name:?} isn't known; known are {known}")
    })
}

/// A file that everybody on the host may read.
fn canary(folder: &std::path::Path) -> std::io::Result<tempfile::NamedTempFile> {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    let mut file = tempfile::Builder::new()
        .prefix("redraft-canary-")
        .permissions(std::fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)?;
    file.write_all(b"CANARY: nothing inside a sandbox can read this\n")?;
    Ok(file)
}

impl WrittenLimits {
    fn into_limits(self) -> Limits {
        let usual = Limits::default();
        let wall_ms = self.wall_ms.unwrap_or(DEFAULT_WALL_MS);
        Limits {
            wall_ms,
            cpu_ms: self.cpu_ms.unwrap_or(usual.cpu_ms.min(wall_ms)),
            memory_bytes: self
                .memory_mb
                .map_or(usual.memory_bytes, |mb| mb.saturating_mul(1 << 20)),
            processes: self.procs.unwrap_or(usual.processes),
            output_bytes: self
                .output_kb
                .map_or(usual.output_bytes, |kb| kb.saturating_mul(1 << 10)),
            scratch_bytes: self
                .file_mb
                .map_or(usual.scratch_bytes, |mb| mb.saturating_mul(1 << 20)),
            compile_cpu_ms: self.compile_wall_ms,
        }
    }
}

#[cfg(test)]
mod tests;
