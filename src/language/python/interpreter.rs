//! Finding the real interpreter behind shims, and what it needs to be able to read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use redraft_sandbox::Command;
use serde::Deserialize;
use wait_timeout::ChildExt as _;

/// Names the interpreter to use, instead of the first `python3` in `PATH`.
const OVERRIDE: &str = "REDRAFT_PYTHON";
/// Where a system's own interpreter is.
const SYSTEM: &str = "/usr/bin/python3";
/// The tests' side takes assertions apart with `ast.unparse`, which came with 3.9.
const OLDEST: (u32, u32) = (3, 9);
const PATIENCE: Duration = Duration::from_secs(30);

const ASK: &str = "import json, site, sys, sysconfig
paths = [sysconfig.get_path(name) for name in ('stdlib', 'platstdlib', 'purelib', 'platlib')]
paths += [path for path in sys.path if path] + site.getsitepackages()
json.dump({'executable': sys.executable, 'prefix': sys.prefix, 'base_prefix': sys.base_prefix,
    'base_executable': getattr(sys, '_base_executable', sys.executable), 'paths': paths,
    'search': [path for path in sys.path if path], 'version': list(sys.version_info[:3])}, sys.stdout)
";

/// There is no interpreter that can be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InterpreterError(String);

/// A Python interpreter of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    executable: PathBuf,
    readable: Vec<PathBuf>,
    /// Where it looks for modules.
    search: Vec<String>,
    version: (u32, u32, u32),
}

/// What an interpreter says about itself.
#[derive(Debug, Deserialize)]
struct Answer {
    executable: PathBuf,
    base_executable: PathBuf,
    prefix: PathBuf,
    base_prefix: PathBuf,
    paths: Vec<PathBuf>,
    search: Vec<String>,
    version: (u32, u32, u32),
}

impl Interpreter {
    /// The interpreter that `REDRAFT_PYTHON` names, else the one behind `python3`, else the system's.
    pub fn find() -> Result<Self, InterpreterError> {
        if let Some(named) = std::env::var_os(OVERRIDE) {
            return Self::ask(Path::new(&named))
                .map_err(|problem| InterpreterError(format!("{OVERRIDE}={}: {problem}", named.display())));
        }
        let problem = match Self::ask(Path::new("python3")) {
            Ok(found) => return Ok(found),
            Err(problem) => problem,
        };
        Self::ask(Path::new(SYSTEM)).map_err(|_| {
            InterpreterError(format!(
                "no Python {}.{} or newer was found (python3: {problem}); install the package `python3`, or name an \
                 interpreter in {OVERRIDE}",
                OLDEST.0, OLDEST.1
            ))
        })
    }

    /// Asks a candidate where it really is. Shims are slow to start, so this is done once.
    fn ask(candidate: &Path) -> Result<Self, String> {
        let mut child = std::process::Command::new(candidate)
            .args(["-I", "-B", "-c", ASK])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        match child.wait_timeout(PATIENCE) {
            Ok(Some(status)) if status.success() => {}
            Ok(Some(status)) => return Err(format!("it ended with {status}")),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it doesn't answer".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        }
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let answer: Answer =
            serde_json::from_slice(&output.stdout).map_err(|_| "it gave no sensible answer".to_owned())?;
        let (major, minor, _) = answer.version;
        if (major, minor) < OLDEST {
            return Err(format!(
                "it is Python {major}.{minor}; {}.{} or newer is needed",
                OLDEST.0, OLDEST.1
            ));
        }
        Ok(Self::from_answer(answer))
    }

    fn from_answer(answer: Answer) -> Self {
        let mut wanted = vec![answer.executable.clone(), answer.base_executable];
        wanted.extend(answer.paths);
        if answer.prefix != answer.base_prefix {
            // A virtual environment: the file says where the rest is.
            wanted.push(answer.prefix.join("pyvenv.cfg"));
        }
        if !answer.base_prefix.starts_with("/usr") {
            wanted.push(answer.base_prefix.join("lib"));
        }
        wanted.push(PathBuf::from("/usr/share/zoneinfo"));
        let mut readable: Vec<PathBuf> = Vec::new();
        for path in wanted {
            // `/usr/lib` and such is among the system's libraries already.
            let known = readable
                .iter()
                .any(|shown| path.starts_with(shown) && shown.is_dir());
            if path.is_absolute() && path.exists() && !known && !readable.contains(&path) {
                readable.push(path);
            }
        }
        Self {
            executable: answer.executable,
            readable,
            search: answer.search,
            version: answer.version,
        }
    }

    /// The interpreter itself, not a shim.
    pub fn executable(&self) -> &Path {
        &self.executable
    }

    /// Its version, such as `3.11.7`.
    pub fn version(&self) -> String {
        let (major, minor, patch) = self.version;
        format!("{major}.{minor}.{patch}")
    }

    /// A confined run of it, with everything fixed that could make two runs differ.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.system_libraries();
        for path in &self.readable {
            command.readable(path);
        }
        for (name, value) in environment(&self.executable) {
            command.env(name, value);
        }
        // Without the user's own packages and without writing compiled files.
        command.arg("-s").arg("-B");
        command
    }

    /// As [`Self::command`], for a driver: without what `site` does at every start (it may import a good deal); the
    /// driver sets the paths itself.
    pub(crate) fn bare_command(&self) -> Command {
        let mut command = self.command();
        command.arg("-S");
        command
    }

    /// Where it looks for modules, as `site` found it.
    pub(crate) fn search(&self) -> &[String] {
        &self.search
    }
}

fn environment(executable: &Path) -> Vec<(&'static str, OsString)> {
    let path = executable
        .parent()
        .map_or_else(OsString::new, |folder| folder.as_os_str().to_owned());
    let mut all = vec![("PATH", path)];
    all.extend(
        [
            ("HOME", "/box"),
            ("LANG", "C.UTF-8"),
            ("LC_ALL", "C.UTF-8"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("PYTHONHASHSEED", "0"),
            ("TZ", "UTC"),
            // One thread each: how many cores there are must not matter.
            ("MKL_NUM_THREADS", "1"),
            ("NUMEXPR_NUM_THREADS", "1"),
            ("OMP_NUM_THREADS", "1"),
            ("OPENBLAS_NUM_THREADS", "1"),
        ]
        .map(|(name, value)| (name, OsString::from(value))),
    );
    all
}
