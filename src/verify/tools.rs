//! Which programs a check's command starts, and what of the host they need to be able to read.
//!
//! A check sees the system's folders, and for a tool that is installed elsewhere the folder that it is installed in:
//! a virtual environment, a toolchain, an interpreter's prefix. Never a home directory as a whole.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use wait_timeout::ChildExt as _;

/// What every check can read.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/mono",
];
const SYSTEM_PATH: [&str; 5] = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// Words that a shell knows itself.
const BUILTINS: &[&str] = &[
    "!", ".", ":", "[", "alias", "break", "case", "cd", "continue", "do", "done", "echo", "elif", "else",
    "esac", "eval", "exec", "exit", "export", "false", "fi", "for", "if", "printf", "pwd", "read", "return",
    "set", "shift", "test", "then", "time", "trap", "true", "ulimit", "umask", "unset", "until", "wait",
    "while", "{", "}",
];

/// How long a tool may take to say where it is.
const PATIENCE: Duration = Duration::from_secs(30);
/// Interpreters of interpreters of scripts are followed this far.
const MOST_STEPS: usize = 8;

/// The tools of one command.
#[derive(Clone, Debug, Default)]
pub(super) struct Tools {
    roots: BTreeSet<PathBuf>,
    /// Where the command's tools are, first things first.
    folders: Vec<PathBuf>,
    /// What to ask for its version.
    version: Option<String>,
}

impl Tools {
    /// The tools that a command starts; what can't be found is told.
    pub(super) fn of(command: &str) -> Result<Self, String> {
        let mut tools = Self::default();
        for path in SYSTEM
            .iter()
            .map(Path::new)
            .chain(java_settings().iter().map(PathBuf::as_path))
        {
            if path.exists() {
                tools.roots.insert(path.to_owned());
            }
        }
        for (at, words) in commands(command).iter().enumerate() {
            let Some(name) = words.first() else { continue };
            if at == 0 {
                tools.version = Some(match words.as_slice() {
                    [python, flag, module, ..] if flag == "-m" => {
                        format!("{} -m {}", quoted(python), quoted(module))
                    }
                    _ => quoted(name),
                });
            }
            if BUILTINS.contains(&name.as_str()) || name.starts_with("./") || name.contains("{file}") {
                continue;
            }
            let Some(path) = locate(name) else {
                return Err(format!(
                    "the check's program {name} is not in PATH; install it, or name it with its whole path"
                ));
            };
            tools.need(&path, MOST_STEPS);
        }
        Ok(tools)
    }

    /// Makes a path readable.
    pub(super) fn show(&mut self, path: PathBuf) {
        self.roots.insert(path);
    }

    /// What a check can read of the host.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(PathBuf::as_path)
    }

    /// How to ask the command's first program for its version, but for the flag.
    pub(super) fn version_command(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The environment, with everything fixed that could make two checks differ.
    pub(super) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let known =
            |path: &PathBuf| path.is_absolute() && self.roots.iter().any(|root| path.starts_with(root));
        let users: Vec<PathBuf> = search_path().into_iter().filter(known).collect();
        let mut folders = self.folders.clone();
        for folder in users.into_iter().chain(SYSTEM_PATH.iter().map(PathBuf::from)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let path = std::env::join_paths(folders).unwrap_or_else(|_| "/usr/bin:/bin".into());
        let mut all = vec![("PATH", path)];
        all.extend(
            [
                ("HOME", "/box"),
                ("LANG", "C.UTF-8"),
                ("LC_ALL", "C.UTF-8"),
                ("NO_COLOR", "1"),
                ("PYTHONDONTWRITEBYTECODE", "1"),
                ("PYTHONHASHSEED", "0"),
                ("RUST_BACKTRACE", "0"),
                ("TERM", "dumb"),
                ("TMPDIR", "/tmp"),
                ("TZ", "UTC"),
            ]
            .map(|(name, value)| (name, OsString::from(value))),
        );
        all
    }

    /// Makes readable what the program at a path needs.
    fn need(&mut self, path: &Path, steps: usize) {
        let Some(steps) = steps.checked_sub(1) else { return };
        if let Some(real) = behind_shim(path) {
            self.need(&real, steps);
            return;
        }
        if let Some(folder) = path.parent()
            && !self.folders.iter().any(|known| known == folder)
        {
            self.folders.push(folder.to_owned());
        }
        self.install_folder(path);
        if let Ok(real) = path.canonicalize()
            && real != path
        {
            self.install_folder(&real);
        }
        if let Some(interpreter) = shebang(path) {
            self.need(&interpreter, steps);
        }
        if let Some(home) = path.parent().and_then(Path::parent).and_then(base_of_environment) {
            self.install_folder(&home.join("python3"));
        }
    }

    /// The folder that the program is installed in: that above its `bin`, unless much else lies there.
    fn install_folder(&mut self, program: &Path) {
        if !program.exists() || self.roots.iter().any(|root| program.starts_with(root)) {
            return;
        }
        let Some(folder) = program.parent() else { return };
        let prefix = folder.parent().filter(|_| folder.ends_with("bin"));
        match prefix {
            Some(prefix) if !is_broad(prefix) => {
                self.roots.insert(prefix.to_owned());
            }
            _ if is_broad(folder) => {
                self.roots.insert(program.to_owned());
            }
            prefix => {
                self.roots.insert(folder.to_owned());
                // `~/.local/bin` runs what lies in `~/.local/lib`.
                let library = prefix.map(|prefix| prefix.join("lib")).filter(|lib| lib.is_dir());
                self.roots.extend(library);
            }
        }
    }
}

/// Folders that hold much beside a program: none of them is shown as a whole.
fn is_broad(path: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let of_home = home.is_some_and(|home| {
        home.starts_with(path)
            || [".cargo", ".local", ".config"]
                .iter()
                .any(|name| home.join(name) == path)
    });
    of_home || path.components().count() <= 2
}

/// Java reads its settings from `/etc/java-17-openjdk` or such.
fn java_settings() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("java-"))
        })
        .collect()
}

fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// The program that a name means.
fn locate(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        let path = std::path::absolute(name).ok()?;
        return path.exists().then_some(path);
    }
    let folders = search_path()
        .into_iter()
        .chain(SYSTEM_PATH.iter().map(PathBuf::from));
    folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The tool behind one that only chooses among versions: rustup's, or a script in a folder `shims`.
fn behind_shim(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let real = path.canonicalize().ok()?;
    if real.file_name().is_some_and(|real| real == "rustup") {
        let rustc = path.with_file_name("rustc");
        let root = PathBuf::from(ask(&rustc, &["--print", "sysroot"])?);
        let tool = root.join("bin").join(name);
        return tool.is_file().then_some(tool);
    }
    let folder = path.parent()?;
    if !folder.ends_with("shims") {
        return None;
    }
    // `~/.pyenv/shims` belongs to `pyenv`, `~/.asdf/shims` to `asdf`.
    let base = folder.parent()?;
    let manager = base.file_name()?.to_str()?.trim_start_matches('.').to_owned();
    let manager = [
        base.join("bin").join(&manager),
        base.join("libexec").join(&manager),
    ]
    .into_iter()
    .find(|path| path.is_file())
    .or_else(|| locate(&manager))?;
    let tool = PathBuf::from(ask(&manager, &["which", name])?);
    (tool.is_file() && tool != path).then_some(tool)
}

/// The one line that a tool of the host answers.
fn ask(program: &Path, args: &[&str]) -> Option<String> {
    let mut child = std::process::Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let Ok(Some(status)) = child.wait_timeout(PATIENCE) else {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    };
    let output = child.wait_with_output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (status.success() && !line.is_empty()).then_some(line)
}

/// The interpreter that a script names in its first line.
fn shebang(path: &Path) -> Option<PathBuf> {
    let mut start = [0; 256];
    let length = std::fs::File::open(path).ok()?.read(&mut start).ok()?;
    let line = start[..length].strip_prefix(b"#!")?;
    let line = line.split(|&byte| byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace().filter(|word| *word != "-S");
    let interpreter = words.next()?;
    if interpreter.ends_with("/env") {
        return locate(words.next()?);
    }
    Some(PathBuf::from(interpreter))
}

/// Where the interpreter of a virtual environment comes from.
fn base_of_environment(prefix: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(prefix.join("pyvenv.cfg")).ok()?;
    let (_, home) = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .find(|(name, _)| name.trim() == "home")?;
    Some(PathBuf::from(home.trim()))
}

/// The simple commands of a shell's line, each as its words, without assignments in front.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    let mut quote = None;
    let finish = |word: &mut Option<String>, all: &mut Vec<Vec<String>>| {
        let Some(word) = word.take() else { return };
        let Some(last) = all.last_mut() else { return };
        let is_assignment = last.is_empty()
            && word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            });
        if !is_assignment {
            last.push(word);
        }
    };
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, ';' | '&' | '|' | '(' | ')' | '\n') => {
                // `2>&1` and `>&2` are no ends.
                if c == '&' && word.as_deref().is_some_and(|word| word.ends_with('>')) {
                    word.get_or_insert_default().push(c);
                    continue;
                }
                finish(&mut word, &mut all);
                all.push(Vec::new());
            }
            (None, c) if c.is_whitespace() => finish(&mut word, &mut all),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    finish(&mut word, &mut all);
    all.retain(|words| !words.is_empty());
    all
}

/// A word as the shell takes it for one.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('-') {
        return word.to_owned();
    }
    let word = if word.starts_with('-') {
        format!("./{word}")
    } else {
        word.to_owned()
    };
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_a_line() {
        let found =
            |line: &str| -> Vec<String> { commands(line).into_iter().map(|words| words.join(" ")).collect() };
        assert_eq!(found("gcc -c {file}"), ["gcc -c {file}"]);
        assert_eq!(
            found("A=1 B=x gcc {file} -o 'a b' && ./a\\ c 2>&1 | head -3; (cd x; make)"),
            ["gcc {file} -o a b", "./a c 2>&1", "head -3", "cd x", "make"]
        );
        assert_eq!(found("  "), Vec::<String>::new());
    }

    #[test]
    fn words_are_quoted_where_they_have_to_be() {
        assert_eq!(quoted("a/b-c.py"), "a/b-c.py");
        assert_eq!(quoted("it's $x"), "'it'\\''s $x'");
        assert_eq!(quoted("-x.py"), "'./-x.py'");
    }

    #[test]
    fn home_is_never_shown_as_a_whole() {
        let Some(home) = std::env::var_os("HOME").map(PathBuf::from) else {
            return;
        };
        for broad in [
            home.clone(),
            home.join(".cargo"),
            home.join(".local"),
            PathBuf::from("/"),
            PathBuf::from("/home"),
        ] {
            assert!(is_broad(&broad), "{}", broad.display());
        }
        assert!(!is_broad(&home.join("venv")));
    }
}
