//! Finding a language's compiler or interpreter on this host, behind whatever stands in for it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use wait_timeout::ChildExt as _;

use super::definition::{Definition, Find, Packages};
use super::expand::Values;
use super::python::Interpreter;

/// How long a tool gets to tell about itself.
const PATIENCE: Duration = Duration::from_mins(1);

/// A compiler or interpreter of this host, and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    pub(crate) definition: Arc<Definition>,
    /// What the names in the table stand for here.
    pub(crate) values: Values,
    /// Its version in digits.
    pub(crate) version: String,
    /// Changes when anything about it changes.
    pub(crate) identity: String,
    /// For Python, whose interpreter is found by code of its own.
    pub(crate) interpreter: Option<Interpreter>,
}

/// A language can't be used on this host: says what to install.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: {remedy}")]
pub struct Missing {
    /// What was looked for.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

impl Toolchain {
    /// The first candidate that tells its version.
    pub(crate) fn find(definition: &Arc<Definition>) -> Result<Self, Missing> {
        let table = &definition.toolchain;
        let variable = variable(&definition.name);
        let named = std::env::var_os(&variable).filter(|value| !value.is_empty());
        let candidates: Vec<PathBuf> = match &named {
            Some(path) => vec![PathBuf::from(path)],
            None => table.tool.iter().filter_map(|name| in_path(name)).collect(),
        };
        let mut problem = match &named {
            Some(path) => format!("{variable}={}: there is no such program", path.display()),
            None => format!(
                "{} isn't installed ({} not found)",
                definition.title,
                table.tool.join(", ")
            ),
        };
        for tool in candidates {
            match Self::ask(definition, &tool) {
                Ok(found) => return Ok(found),
                Err(why) => {
                    problem = format!("{} can't be used: {}: {why}", definition.title, tool.display());
                }
            }
        }
        let mut remedy = remedy(&definition.packages);
        if named.is_none() {
            remedy = format!("{remedy}, or name the program in {variable}");
        }
        Err(Missing { problem, remedy })
    }

    /// Python's, whose interpreter the judge has found already.
    pub(crate) fn of_interpreter(definition: Arc<Definition>, interpreter: &Interpreter) -> Self {
        let mut values = Values::default();
        values.set("tool", interpreter.executable().to_string_lossy());
        Self {
            values,
            version: interpreter.version(),
            identity: format!(
                "{}\n{}",
                interpreter.version(),
                interpreter.executable().display()
            ),
            interpreter: Some(interpreter.clone()),
            definition,
        }
    }

    fn ask(definition: &Arc<Definition>, tool: &Path) -> Result<Self, String> {
        let mut values = Values::default();
        values.set("tool", tool.to_string_lossy());
        let table = &definition.toolchain;
        let told = output(&values.expand_all(&table.version))?;
        let version = version_in(&told).ok_or("it tells no version")?;
        if let Some(oldest) = &table.oldest
            && parts(&version) < parts(oldest)
        {
            return Err(format!(
                "it is version {version}, and {oldest} or newer is needed"
            ));
        }
        for find in &table.find {
            let found = found(find, &output(&values.expand_all(&find.run))?);
            values.set_all(&find.name, found);
        }
        let mut identity = format!("{}\n", told.trim());
        for (name, values) in values.iter() {
            let _ = writeln!(identity, "{name}={values:?}");
        }
        if let Ok(metadata) = std::fs::metadata(tool) {
            let modified = metadata
                .modified()
                .ok()
                .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let _ = writeln!(identity, "{} {modified:?}", metadata.len());
        }
        Ok(Self {
            definition: Arc::clone(definition),
            values,
            version,
            identity,
            interpreter: None,
        })
    }

    /// The program that was found.
    pub(crate) fn tool(&self) -> &Path {
        Path::new(self.values.one("tool").unwrap_or_default())
    }
}

/// `REDRAFT_RUST` names the `rustc` to use, and so on.
fn variable(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    format!("REDRAFT_{}", name.chars().map(plain).collect::<String>())
}

/// What to install.
pub(crate) fn remedy(packages: &Packages) -> String {
    let mut ways = Vec::new();
    if let Some(name) = &packages.debian {
        ways.push(format!("`{name}` (Debian, Ubuntu)"));
    }
    if let Some(name) = &packages.fedora {
        ways.push(format!("`{name}` (Fedora)"));
    }
    let package = format!("install the package {}", ways.join(" or "));
    match (&packages.other, ways.is_empty()) {
        (Some(command), true) => format!("install it with `{command}`"),
        (Some(command), false) => format!("{package}, or run `{command}`"),
        (None, true) => "install it".to_owned(),
        (None, false) => package,
    }
}

/// A program by name, as a shell finds it; a path is itself.
pub(super) fn in_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.exists());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| nix::unistd::access(file, nix::unistd::AccessFlags::X_OK).is_ok() && file.is_file())
}

/// What a command of the table prints, on either stream.
fn output(command: &[String]) -> Result<String, String> {
    let (program, args) = command.split_first().ok_or("nothing to run")?;
    let mut child = std::process::Command::new(program)
        .args(args)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    // They print less than a pipe holds, or are no such tools.
    let ended = child.wait_timeout(PATIENCE).map_err(|error| error.to_string())?;
    let Some(status) = ended else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("{program} doesn't answer"));
    };
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let stderr = text(&output.stderr);
    if !status.success() {
        let last = stderr.trim().lines().next_back().unwrap_or_default();
        return Err(format!("{program} ended with {status} {last}")
            .trim_end()
            .to_owned());
    }
    Ok(format!("{}{stderr}", text(&output.stdout)))
}

fn found(find: &Find, text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let wanted = |line: &str| match &find.after {
        None => Some(line.to_owned()),
        Some(after) => line
            .split_once(after.as_str())
            .map(|(_, rest)| rest.trim().to_owned()),
    };
    lines.filter_map(wanted).filter(|line| !line.is_empty()).collect()
}

/// The first thing in a text that looks like a version, such as `12.2.0`.
fn version_in(text: &str) -> Option<String> {
    let numbers = || {
        text.split(|c: char| !c.is_ascii_digit() && c != '.')
            .map(|word| word.trim_matches('.'))
            .filter(|word| !word.is_empty())
    };
    let version = numbers()
        .find(|word| word.contains('.'))
        .or_else(|| numbers().next());
    version.map(str::to_owned)
}

fn parts(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        for (text, version) in [
            ("go version go1.19.8 linux/amd64", "1.19.8"),
            ("v20.20.2\n", "20.20.2"),
            ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
            ("Lua 5.4.4  Copyright (C) 1994-2022", "5.4.4"),
        ] {
            assert_eq!(version_in(text).as_deref(), Some(version));
        }
        assert!(parts("9.1") < parts("14") && parts("14.0") >= parts("14"));
    }

    #[test]
    fn a_missing_toolchain_says_what_to_install() {
        let mut definition =
            Definition::clone(&super::super::registry::definition(crate::task::Language::GO).unwrap());
        definition.name = "go-that-is-not-there".to_owned();
        definition.toolchain.tool = vec!["no-such-go".to_owned()];
        let missing = Toolchain::find(&Arc::new(definition)).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "Go isn't installed (no-such-go not found): install the package `golang-go` (Debian, Ubuntu) or `golang` \
             (Fedora), or name the program in REDRAFT_GO_THAT_IS_NOT_THERE"
        );
    }
}
