//! Runs the user's check on a program, confined, and says what it found.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use redraft_sandbox::{Command, End, Isolation, Outcome, SCRATCH};

use super::read;
use super::tools::{self, Tools};
use crate::task::{Breach, Category, CheckReport, Diagnostic, Ended, Limits, Severity, Trusted};

/// Stands in a check's command for the program's file.
pub const FILE: &str = "{file}";

/// A check that can't be carried out. This says nothing about the program.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The command itself can't work.
    #[error("{0}")]
    Command(String),
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] redraft_sandbox::Error),
}

/// A command that examines programs.
#[derive(Debug)]
pub struct Check {
    command: String,
    name: String,
    tools: Tools,
    companions: Vec<(PathBuf, Vec<u8>)>,
    limits: Limits,
    version: OnceLock<Option<String>>,
    /// What was said of each program: the same one is examined once.
    known: Mutex<HashMap<String, CheckReport>>,
}

/// What a check may use unless the user says otherwise: provers think long and need much memory.
pub fn limits() -> Limits {
    Limits {
        cpu_ms: 120_000,
        wall_ms: 600_000,
        memory_bytes: 4 << 30,
        processes: 256,
        output_bytes: 4 << 20,
        scratch_bytes: 512 << 20,
        ..Limits::default()
    }
}

impl Check {
    /// A check by `command`, in which `{file}` stands for a program that is named `name`. `readable` are paths that the
    /// command needs beside the toolchain; `companions` are put beside the program and may know it by its name.
    pub fn new(
        command: &str,
        name: &str,
        readable: &[PathBuf],
        companions: Vec<(PathBuf, Vec<u8>)>,
        limits: Limits,
    ) -> Result<Self, CheckError> {
        // A companion, such as a file of tests, may know the program by its name.
        if !command.contains(FILE) && (companions.is_empty() || command.trim().is_empty()) {
            return Err(CheckError::Command(format!(
                "the check {command:?} doesn't say where the program goes; put {FILE} there, as in \"gcc -c {FILE}\""
            )));
        }
        let mut tools = Tools::of(command).map_err(CheckError::Command)?;
        for path in readable {
            let path = path
                .canonicalize()
                .map_err(|error| CheckError::Command(format!("readable path {}: {error}", path.display())))?;
            tools.show(path);
        }
        if let Some((path, _)) = companions.iter().find(|(path, _)| path == Path::new(name)) {
            return Err(CheckError::Command(format!(
                "{} would stand in the program's place; give it another name",
                path.display()
            )));
        }
        Ok(Self {
            command: command.replace(FILE, &tools::quoted(name)),
            name: name.to_owned(),
            tools,
            companions,
            limits,
            version: OnceLock::new(),
            known: Mutex::default(),
        })
    }

    /// The command as it is run.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The program's file as the check sees it.
    pub fn file_name(&self) -> &str {
        &self.name
    }

    /// What the first program of the command says about its version.
    pub fn version(&self) -> Option<&str> {
        let find = || {
            let program = self.tools.version_command()?;
            // The first form is almost everybody's; Dafny before 4 and others of its kind know the second.
            ["--version", "/version", "-version"].iter().find_map(|flag| {
                let outcome = self.run(&format!("{program} {flag}"), None).ok()?;
                let text = format!("{}\n{}", outcome.stdout.text(), outcome.stderr.text());
                version_in(&text, outcome.end == End::Exited(0))
            })
        };
        self.version.get_or_init(find).as_deref()
    }

    /// Examines a program.
    pub fn examine(&self, source: &str) -> Result<CheckReport, CheckError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(report) = known().get(source) {
            return Ok(report.clone());
        }
        let report = self.run_on(source)?;
        known().insert(source.to_owned(), report.clone());
        Ok(report)
    }

    /// The report of a program that isn't examined, since it was turned down before.
    pub fn rejected(&self, breaches: Vec<Breach>, trusted: Vec<Trusted>) -> CheckReport {
        CheckReport {
            command: self.command.clone(),
            version: self.version().map(str::to_owned),
            ended: None,
            diagnostics: Vec::new(),
            output: String::new(),
            breaches,
            trusted,
            isolation: Isolation::default(),
        }
    }

    fn run_on(&self, source: &str) -> Result<CheckReport, CheckError> {
        let outcome = self.run(&self.command, Some(source))?;
        let inside = |text: String| text.replace(&format!("{SCRATCH}/"), "");
        let (stdout, stderr) = (inside(outcome.stdout.text()), inside(outcome.stderr.text()));
        let read = read::output(&stdout, &stderr);
        let ended = match outcome.end {
            End::Exited(status) => Ended::Exited(status),
            End::Signalled { signal, .. } => Ended::Signalled(signal),
            End::CpuTimeout(_) | End::WallTimeout(_) => Ended::TimedOut,
            End::MemoryLimit(_) => Ended::MemoryLimit,
            End::OutputLimit(_) => Ended::OutputLimit,
            End::ProcessLimit(_) => Ended::ProcessLimit,
            End::ScratchFull(_) => Ended::ScratchFull,
            End::Killed | End::SandboxFailed => {
                return Err(CheckError::Command("the check was ended from outside".to_owned()));
            }
        };
        if let Ended::Exited(status @ (126 | 127)) = ended
            && let Some(line) = stderr.lines().find(|line| is_from_shell(line))
        {
            return Err(CheckError::Command(format!(
                "the check {:?} can't be run (exit status {status}): {line}; paths outside of /usr, /lib and /opt are named \
                 with --readable",
                self.command
            )));
        }
        let mut diagnostics = read.diagnostics;
        if let Some(limit) = self.limit_message(&ended) {
            diagnostics.push(limit);
        }
        let has_error = diagnostics.iter().any(|one| one.severity == Severity::Error);
        if ended != Ended::Exited(0) && !has_error {
            diagnostics.extend(unread(&ended, &stdout, &stderr));
        }
        Ok(CheckReport {
            command: self.command.clone(),
            version: self.version().map(str::to_owned),
            ended: Some(ended),
            diagnostics,
            output: read.text,
            breaches: Vec::new(),
            trusted: Vec::new(),
            isolation: outcome.isolation,
        })
    }

    fn run(&self, line: &str, source: Option<&str>) -> Result<Outcome, redraft_sandbox::Error> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(line).limits(redraft_sandbox::Limits {
            cpu: Duration::from_millis(self.limits.cpu_ms),
            wall: Duration::from_millis(self.limits.wall_ms),
            memory: self.limits.memory_bytes,
            processes: self.limits.processes,
            output: self.limits.output_bytes,
            scratch: self.limits.scratch_bytes,
        });
        for root in self.tools.roots() {
            command.readable(root);
        }
        for (name, value) in self.tools.environment() {
            command.env(name, value);
        }
        if let Some(source) = source {
            command.file(&self.name, source);
            for (path, content) in &self.companions {
                command.file(path, content.as_slice());
            }
        }
        command.run()
    }

    fn limit_message(&self, ended: &Ended) -> Option<Diagnostic> {
        let (category, what) = match ended {
            Ended::TimedOut => (
                Category::Timeout,
                format!(
                    "the check used up its time ({} s of CPU time)",
                    self.limits.cpu_ms as f64 / 1000.0
                ),
            ),
            Ended::MemoryLimit => (
                Category::Resource,
                format!(
                    "the check used more than {} MiB of memory",
                    self.limits.memory_bytes >> 20
                ),
            ),
            Ended::OutputLimit => (
                Category::Resource,
                format!(
                    "the check printed more than {} KiB",
                    self.limits.output_bytes >> 10
                ),
            ),
            Ended::ProcessLimit => (
                Category::Resource,
                format!("the check needs more than {} processes", self.limits.processes),
            ),
            Ended::ScratchFull => (
                Category::Resource,
                format!(
                    "the check writes more than {} MiB of files",
                    self.limits.scratch_bytes >> 20
                ),
            ),
            Ended::Exited(_) | Ended::Signalled(_) => return None,
        };
        Some(Diagnostic::error(category, what))
    }
}

/// What the shell says when it can't start a program.
fn is_from_shell(line: &str) -> bool {
    let of_shell = line.starts_with("/bin/sh: ") || line.starts_with("sh: ");
    of_shell && (line.ends_with("not found") || line.ends_with("Permission denied"))
}

/// A check that isn't content and gives no reason that can be read: its last words.
fn unread(ended: &Ended, stdout: &str, stderr: &str) -> Option<Diagnostic> {
    const LAST_WORDS: usize = 12;
    let how = match ended {
        Ended::Exited(status) => format!("exit status {status}"),
        Ended::Signalled(signal) => format!("ended by signal {signal}"),
        _ => return None,
    };
    let words = if stderr.trim().is_empty() { stdout } else { stderr };
    let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LAST_WORDS)..].join("\n");
    let message = if last.is_empty() {
        format!("the check isn't content ({how}) and says nothing")
    } else {
        format!("the check isn't content ({how}):\n{last}")
    };
    Some(Diagnostic::error(Category::Other, message))
}

/// The line of a text that tells a version. Where the program failed, only one that names it plainly counts.
fn version_in(text: &str, ended_well: bool) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.find(|line| {
        let dotted = line
            .split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .any(|word| word.contains('.') && word.chars().filter(char::is_ascii_digit).count() >= 2);
        dotted && !line.contains("rror") && (ended_well || line.split_whitespace().count() <= 4)
    })?;
    Some(line.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str) -> Result<Check, CheckError> {
        Check::new(command, "prog.txt", &[], Vec::new(), limits())
    }

    #[test]
    fn a_command_must_say_where_the_program_goes() {
        let error = check("cat prog.txt").unwrap_err().to_string();
        assert!(error.contains("put {file} there"), "{error}");
        let error = check("no-such-tool-anywhere {file}").unwrap_err().to_string();
        assert!(error.contains("no-such-tool-anywhere"), "{error}");
    }

    #[test]
    fn exit_status_and_output_are_what_counts() {
        let checked = check("grep -q yes {file}").unwrap().examine("yes\n").unwrap();
        assert!(checked.accepted() && checked.diagnostics.is_empty());
        let checked = check("echo {file}:3: error: no; exit 4")
            .unwrap()
            .examine("")
            .unwrap();
        assert_eq!(checked.ended, Some(Ended::Exited(4)));
        assert_eq!(checked.diagnostics[0].to_string(), "other, prog.txt:3: no");
    }

    #[test]
    fn silence_is_a_finding_as_well() {
        let checked = check("test -s {file}").unwrap().examine("").unwrap();
        assert_eq!(
            checked.diagnostics[0].message,
            "the check isn't content (exit status 1) and says nothing"
        );
        let checked = check("echo bad luck; test -s {file}")
            .unwrap()
            .examine("")
            .unwrap();
        assert!(checked.diagnostics[0].message.ends_with(":\nbad luck"));
    }

    #[test]
    fn nothing_of_the_host_can_be_written_or_kept() {
        let check = check("echo x > /usr/x; echo y > y; ls; cat {file}").unwrap();
        let first = check.examine("a\n").unwrap();
        assert!(first.output.contains("prog.txt\ny\na\n"), "{first:?}");
        assert!(
            first.output.contains("ead-only") || first.output.contains("denied"),
            "{first:?}"
        );
        assert!(!std::path::Path::new("/usr/x").exists());
        assert!(first.isolation.layers.contains_key("user_ns"));
        assert_eq!(check.run_on("a\n").unwrap(), first);
    }

    #[test]
    fn a_check_that_never_ends_is_ended() {
        let limits = Limits {
            cpu_ms: 200,
            ..limits()
        };
        let check = Check::new("while :; do :; done; cat {file}", "p", &[], Vec::new(), limits).unwrap();
        let checked = check.examine("").unwrap();
        assert_eq!(checked.ended, Some(Ended::TimedOut));
        assert_eq!(checked.diagnostics[0].category, Category::Timeout);
    }

    #[test]
    fn names_that_the_shell_would_take_apart_are_quoted() {
        let name = "a b;'c.txt";
        let check = Check::new("cat {file}", name, &[], Vec::new(), limits()).unwrap();
        assert_eq!(check.examine("whole\n").unwrap().output, "whole\n");
    }

    #[test]
    fn versions_are_found() {
        assert_eq!(
            version_in("Dafny 2.3.0.10506\n*** Error: x", false).unwrap(),
            "Dafny 2.3.0.10506"
        );
        assert_eq!(
            version_in("mypy 2.4.1 (compiled: yes)\n", true).unwrap(),
            "mypy 2.4.1 (compiled: yes)"
        );
        assert_eq!(version_in("unknown option --version\n", false), None);
    }
}
