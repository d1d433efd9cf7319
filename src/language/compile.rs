//! Carrying out the steps that compile a program, confined, and taking out what they leave.

use std::path::{Component, PathBuf};

use redraft_sandbox::{Command, End, Limits, SCRATCH};

use super::cache::Artefact;
use super::definition::CompileLimits;
use super::toolchain::Toolchain;

/// Where the steps put what is to be kept.
pub(super) const OUT: &str = "/box/out";
/// Where what was made once for the toolchain is.
pub(super) const PREPARED: &str = "/prepared";
/// How much longer than its CPU time a compilation may take: it is the CPU time that decides.
const PATIENCE: u32 = 10;
/// The longest diagnostics that are kept, in lines and in characters a line; what is first matters most.
const MOST_LINES: usize = 60;
const MOST_CHARACTERS: usize = 300;

/// Writes each file below `$1` to stdout, behind a line with its size, `x` or `-`, and its path.
const EMIT: &str = "\
emit() {
  for file in \"$1\"/* \"$1\"/.[!.]*; do
    if [ -d \"$file\" ]; then emit \"$file\"
    elif [ -f \"$file\" ]; then
      size=$(wc -c < \"$file\") || exit 1
      mode=-; if [ -x \"$file\" ]; then mode=x; fi
      printf '%s %s %s\\n' $size $mode \"${file#/box/out/}\"
      cat \"$file\" || exit 1
    fi
  done
}
emit /box/out
";

/// A job for the compiler.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) toolchain: &'a Toolchain,
    /// Command lines, their names filled in.
    pub(super) steps: Vec<Vec<String>>,
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// A folder of the host that is readable at [`PREPARED`].
    pub(super) prepared: Option<PathBuf>,
    /// More of the host to read.
    pub(super) readable: Vec<PathBuf>,
    pub(super) env: Vec<(String, String)>,
    pub(super) limits: CompileLimits,
    /// Whether what the steps leave is taken out.
    pub(super) keep: bool,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Made {
    Files(Vec<Artefact>),
    /// The compiler says no, and why.
    Refused(String),
    /// It used up a limit. What that says about the program may differ from one time to the next.
    Exceeded(String),
}

impl Job<'_> {
    /// Carries it out. The error is ours.
    pub(super) fn carry_out(&self) -> Result<Made, String> {
        let outcome = self
            .command()
            .run()
            .map_err(|error| crate::judge::whole_error(&error))?;
        let said = || self.diagnostics(&outcome.stderr.text());
        let exceeded = |what: &str| {
            Ok(Made::Exceeded(
                format!("compiling it {what}\n{}", said()).trim_end().to_owned(),
            ))
        };
        let seconds = self.limits.cpu.as_secs_f64();
        let mebibytes = self.limits.memory >> 20;
        let full = format!("wrote too much (limit {} MiB)", self.limits.scratch >> 20);
        match outcome.end {
            End::Exited(0) if self.keep => artefacts(&outcome.stdout.bytes).map(Made::Files),
            End::Exited(0) => Ok(Made::Files(Vec::new())),
            End::Exited(126 | 127) => Err(format!("the compiler can't be started: {}", said())),
            End::ScratchFull(_) => exceeded(&full),
            End::Exited(_) | End::Signalled { .. } if is_full(&outcome.stderr.text()) => exceeded(&full),
            End::Exited(_) | End::Signalled { .. } | End::ProcessLimit(_) => Ok(Made::Refused(said())),
            End::CpuTimeout(_) => exceeded(&format!("used up its CPU time (limit {seconds} s)")),
            End::MemoryLimit(_) => exceeded(&format!("used too much memory (limit {mebibytes} MiB)")),
            End::OutputLimit(_) => exceeded("gave too much output"),
            End::WallTimeout(_) => exceeded("took too long"),
            End::Killed | End::SandboxFailed => Err("the compiler was ended from outside".to_owned()),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("/bin/sh");
        command.system_libraries();
        for path in ["/bin", "/usr/bin"]
            .map(PathBuf::from)
            .iter()
            .chain(&self.readable)
        {
            if path.exists() {
                command.readable(path);
            }
        }
        if let Some(prepared) = &self.prepared {
            command.readable_as(prepared, PREPARED);
        }
        for (name, content) in &self.files {
            command.file(name, content.as_slice());
        }
        for (name, value) in base_environment() {
            command.env(name, value);
        }
        for (name, value) in &self.env {
            command.env(name, value);
        }
        let steps: Vec<String> = self.steps.iter().map(|step| quoted(step)).collect();
        let mut script = format!("mkdir -p {OUT} && {{ {}; }} >&2 || exit\n", steps.join(" && "));
        if self.keep {
            script.push_str(EMIT);
        }
        command.arg("-c").arg(script);
        command.limits(Limits {
            cpu: self.limits.cpu,
            wall: self.limits.cpu.saturating_mul(PATIENCE),
            memory: self.limits.memory,
            processes: self.limits.processes,
            output: self.limits.scratch,
            scratch: self.limits.scratch,
        });
        command
    }

    /// What the compiler says, as a reader needs it: without places of this host, and not endless.
    fn diagnostics(&self, text: &str) -> String {
        let mut text = text.replace(&format!("{SCRATCH}/"), "");
        let mut places: Vec<(&str, &str)> = self
            .toolchain
            .values
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |value| (value.as_str(), name)))
            .filter(|(value, _)| value.len() > 1 && value.starts_with('/') && !value.starts_with("/usr"))
            .collect();
        places.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        for (value, name) in places {
            text = text.replace(value, &format!("<{name}>"));
        }
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let mut kept: Vec<String> = lines
            .iter()
            .take(MOST_LINES)
            .map(|line| shortened(line))
            .collect();
        if lines.len() > MOST_LINES {
            kept.push(format!("… {} lines cut …", lines.len() - MOST_LINES));
        }
        kept.join("\n")
    }
}

/// What tools say when they may not write any more.
fn is_full(text: &str) -> bool {
    [
        "File size limit exceeded",
        "File too large",
        "No space left on device",
    ]
    .iter()
    .any(|words| text.contains(words))
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line.to_owned(),
    }
}

/// What every program finds in its environment: everything fixed that could make two runs differ.
pub(super) fn base_environment() -> [(&'static str, &'static str); 5] {
    [
        ("HOME", SCRATCH),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("TZ", "UTC"),
    ]
}

/// A command line for the shell.
fn quoted(words: &[String]) -> String {
    let quote = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The files that [`EMIT`] wrote.
fn artefacts(mut bytes: &[u8]) -> Result<Vec<Artefact>, String> {
    let mut files = Vec::new();
    while !bytes.is_empty() {
        let (artefact, rest) =
            artefact(bytes).ok_or("the compiled program can't be taken out of the sandbox")?;
        files.push(artefact);
        bytes = rest;
    }
    Ok(files)
}

fn artefact(bytes: &[u8]) -> Option<(Artefact, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let mut head = std::str::from_utf8(&bytes[..end]).ok()?.splitn(3, ' ');
    let size: usize = head.next()?.parse().ok()?;
    let mode = head.next()?;
    let path = PathBuf::from(head.next()?);
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let (content, rest) = bytes[end + 1..].split_at_checked(size)?;
    let artefact = Artefact {
        path,
        content: content.to_vec(),
        executable: mode == "x",
    };
    inside.then_some((artefact, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_emitted_is_read() {
        let files = artefacts(b"3 x main\nabc0 - a b/c\n2 - d\n\n\n").unwrap();
        assert_eq!(files.len(), 3);
        assert_eq!(
            (files[0].content.as_slice(), files[0].executable),
            (&b"abc"[..], true)
        );
        assert_eq!(files[1].path, PathBuf::from("a b/c"));
        assert_eq!(files[2].content, b"\n\n");
    }

    #[test]
    fn what_is_torn_or_leads_outside_is_refused() {
        for bytes in [
            &b"9 x main\nabc"[..],
            b"1 x ../a\nb",
            b"1 x /a\nb",
            b"x x a\nb",
            b"1 x\nb",
            b"1",
        ] {
            artefacts(bytes).unwrap_err();
        }
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted(&["a b".to_owned(), "it's".to_owned()]), r"'a b' 'it'\''s'");
    }
}
