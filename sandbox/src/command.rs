//! The builder for a confined run, in the manner of [`std::process::Command`].

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::isolation::chosen;
use crate::outside::{self, Files, Request, Shape, Wish};
use crate::spec::RunSpec;
use crate::{Child, Error, Level, Limits, Outcome};

/// Files and folders that the program may make, beyond those that are there from the start.
const MOST_FILES: u64 = 16 << 10;

/// A program to run confined.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    wish: Wish,
    files: Vec<(PathBuf, Vec<u8>)>,
    kept: Vec<PathBuf>,
    stdin: Arc<[u8]>,
    streams: [Option<Arc<OwnedFd>>; 2],
    limits: Limits,
    alone: bool,
    isolation: Option<Level>,
}

impl Command {
    /// A run of `program` (a path inside the root; it must lie below a path made [`Self::readable`]).
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            wish: Wish::default(),
            files: Vec::new(),
            kept: Vec::new(),
            stdin: Arc::from([]),
            streams: [None, None],
            limits: Limits::default(),
            alone: false,
            isolation: None,
        }
    }

    /// Adds an argument.
    pub fn arg(&mut self, arg: impl Into<OsString>) -> &mut Self {
        self.args.push(arg.into());
        self
    }

    /// Sets an environment variable; nothing of the host's environment is inside.
    pub fn env(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Makes a file or folder of the host readable inside, at the same path, and the symbolic links on the way to it.
    pub fn readable(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.wish.readable.push(path.into());
        self
    }

    /// Makes a file or folder of the host readable at another path inside: one of its own at the top of the root, or
    /// below such a one.
    pub fn readable_as(&mut self, path: impl Into<PathBuf>, inside: impl Into<PathBuf>) -> &mut Self {
        self.wish.readable_as.push((path.into(), inside.into()));
        self
    }

    /// Makes the host's shared libraries readable (`/lib`, `/lib64`, `/usr/lib` …), and what tells the dynamic
    /// linker where they are. Every program that isn't linked statically needs them.
    pub fn system_libraries(&mut self) -> &mut Self {
        self.wish.libraries = true;
        self
    }

    /// Puts a file into the scratch directory (the program's working directory) under a relative path.
    pub fn file(&mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> &mut Self {
        self.files.push((path.into(), content.into()));
        self
    }

    /// Gives back a file of the scratch directory, under a relative path, once the run is over: see [`Outcome::files`].
    pub fn keep(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.kept.push(path.into());
        self
    }

    /// What the program can read from stdin.
    pub fn stdin(&mut self, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.stdin = Arc::from(bytes.into());
        self
    }

    /// Gives the program this pipe or file for its stdin, in place of one that holds what [`Self::stdin`] says. It is the
    /// program's as it is: nothing that it reads there is counted.
    pub fn stdin_from(&mut self, stream: impl Into<OwnedFd>) -> &mut Self {
        self.streams[0] = Some(Arc::new(stream.into()));
        self
    }

    /// Gives the program this pipe or file for its stdout. What it writes there is neither captured nor limited: that is
    /// for who reads it.
    pub fn stdout_to(&mut self, stream: impl Into<OwnedFd>) -> &mut Self {
        self.streams[1] = Some(Arc::new(stream.into()));
        self
    }

    /// Sets the limits.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        self.limits = limits;
        self
    }

    /// Asks for exactly this level; a run where the host can't give it is an error that says how to get it. Without, it
    /// is the one that [`crate::set_isolation`] chose, or the strongest that the host allows.
    ///
    /// ```no_run
    /// use redraft_sandbox::{Command, Level};
    ///
    /// let outcome = Command::new("/usr/bin/true").system_libraries().readable("/usr/bin/true").isolation(Level::Strict).run()?;
    /// assert_eq!(outcome.isolation.level, Level::Strict);
    /// # Ok::<(), redraft_sandbox::Error>(())
    /// ```
    pub fn isolation(&mut self, level: Level) -> &mut Self {
        self.isolation = Some(level);
        self
    }

    /// Has it run in a cell where no other program was and none will be. Otherwise cells are used again: everything of the
    /// last program is gone, and a cell in which anything is not as it was when it was new is thrown away.
    pub fn alone(&mut self) -> &mut Self {
        self.alone = true;
        self
    }

    /// Runs it to its end.
    pub fn run(&self) -> Result<Outcome, Error> {
        outside::run(&self.request()?)
    }

    /// Starts it with a stream to talk over, which is file descriptor 3 inside.
    pub fn spawn(&self) -> Result<Child, Error> {
        Child::start(&self.request()?)
    }

    pub(crate) fn request(&self) -> Result<Request, Error> {
        self.request_at(chosen(self.isolation)?)
    }

    /// The request for a run at this level, whatever was asked for.
    pub(crate) fn request_at(&self, level: Level) -> Result<Request, Error> {
        let limits = self.limits;
        let shape = Shape::of(&self.wish)?;
        let mut files = Files::default();
        for (path, content) in &self.files {
            files.put(path, content)?;
        }
        let name = outside::c_string(&self.program)?;
        let mut args = vec![name.clone()];
        for arg in &self.args {
            args.push(outside::c_string(arg)?);
        }
        let mut env = Vec::new();
        for (name, value) in &self.env {
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                let what = format!("{} can't be the name of a variable", Path::new(name).display());
                return Err(Error::Invalid { what });
            }
            let mut both = name.clone();
            both.push("=");
            both.push(value);
            env.push(outside::c_string(both)?);
        }
        if limits.processes == 0 {
            let what = "a limit of no processes leaves none for the program itself".to_owned();
            return Err(Error::Invalid { what });
        }
        let (bytes, entries) = files.taken();
        let put_in = (bytes, entries + shape.in_scratch());
        let spec = RunSpec {
            program: name,
            args,
            env,
            disk_bytes: whole_pages(limits.scratch.saturating_add(put_in.0)),
            disk_inodes: MOST_FILES + put_in.1,
            processes: u64::from(limits.processes),
            file_size: limits.scratch,
            files: files.into_entries()?,
        };
        Ok(Request {
            shape,
            spec,
            stdin: Arc::clone(&self.stdin),
            streams: self.streams.clone(),
            kept: self.kept.clone(),
            limits,
            level,
            put_in,
            alone: self.alone,
        })
    }
}

/// A tmpfs counts whole pages, and one of no size is taken for one without a limit.
fn whole_pages(bytes: u64) -> u64 {
    const PAGE: u64 = 4096;
    bytes
        .checked_next_multiple_of(PAGE)
        .unwrap_or(u64::MAX / PAGE * PAGE)
        .max(PAGE)
}
