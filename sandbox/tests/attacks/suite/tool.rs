//! Another sandbox as a command line: what an ordinary harness around it does, in which the tool is the only protection.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::libc;

use super::bait::end_processes_with;
use super::sandbox::{Ending, Job, Running, Sandbox, Seen};

/// A tool that takes a command line of its own before that of the program.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The tool's own command line for a job; the program and its arguments follow it.
    pub(crate) line: fn(&Job) -> Vec<String>,
    /// What its exit status says about the program.
    pub(crate) ending: fn(ExitStatus, &str) -> Ending,
    /// In a few words, which isolation that is.
    pub(crate) how: &'static str,
    /// It really confines, so that an act may hurt its parent or everybody.
    pub(crate) confines: bool,
}

/// How long the harness reads on when it has killed the tool.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The exit status as it is, or as a shell would have it for a signal.
pub(crate) fn plain(status: ExitStatus, _: &str) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, Some(signal)) => Ending::Signalled(signal),
        (None, None) => Ending::Unexplained(format!("{status}")),
    }
}

/// For tools that turn a signal into 128 and its number.
pub(crate) fn from_128(status: ExitStatus, stderr: &str) -> Ending {
    match status.code() {
        Some(code @ 129..=192) => Ending::Signalled(code - 128),
        _ => plain(status, stderr),
    }
}

/// Nothing at all: what a harness that starts programs plainly gets.
pub(crate) const BARE: Tool = Tool {
    name: "bare spawn",
    line: |_| Vec::new(),
    ending: plain,
    how: "nothing",
    confines: false,
};

impl Tool {
    /// Whether the tool is on the path.
    pub(crate) fn is_there(&self, job: &Job) -> bool {
        let line = (self.line)(job);
        let Some(tool) = line.first() else { return true };
        // What a shell starts for it is what counts.
        let tool = if tool == "sh" { &line[3] } else { tool };
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
    }

    fn command(&self, job: &Job) -> Command {
        let mut line = (self.line)(job);
        line.push(job.program.to_string_lossy().into_owned());
        line.extend(job.args.iter().cloned());
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).current_dir(&job.work);
        command
    }
}

/// Where the program's files are put, as a harness does that knows nothing of symbolic links.
fn put_files(job: &Job) {
    for (path, content) in &job.files {
        let path = job.work.join(path);
        if let Some(folder) = path.parent() {
            let _ = fs::create_dir_all(folder);
        }
        // Only so that a pipe in its place doesn't stop the harness for ever, which it would.
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(path);
        if let Ok(mut file) = file {
            let _ = file.write_all(content);
        }
    }
}

impl Sandbox for Tool {
    fn name(&self) -> &str {
        self.name
    }

    fn how(&self) -> String {
        self.how.to_owned()
    }

    fn run(&self, job: &Job) -> Seen {
        put_files(job);
        let begin = Instant::now();
        // It leads the group of processes that the tool is in as well: what hits the harness's group hits it.
        let mut bystander = bystander();
        let mut command = self.command(job);
        command
            .process_group(bystander.id().cast_signed())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = match command.spawn() {
            Ok(process) => process,
            Err(error) => {
                let _ = bystander.kill();
                let _ = bystander.wait();
                return not_run(&error, begin);
            }
        };
        let mut stdin = process.stdin.take().unwrap();
        let input = job.stdin.clone();
        std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let most = job.limits.output;
        let stdout = Reader::new(process.stdout.take().unwrap(), most);
        let stderr = Reader::new(process.stderr.take().unwrap(), most);

        let (ending, stdout, stderr) = self.wait(&mut process, job, stdout, stderr);
        let took = begin.elapsed();
        let harness = super::victim::is_stopped(bystander.id())
            .then_some("stopped")
            .or_else(|| (!super::victim::is_alive(bystander.id())).then_some("ended"));
        let _ = bystander.kill();
        let _ = bystander.wait();
        let ending = match harness {
            Some(what) => Ending::Unexplained(format!("a process of the harness's group was {what}")),
            None => ending,
        };
        Seen {
            ending,
            stdout,
            stderr,
            took,
            isolation: None,
        }
    }

    fn start(&self, job: &Job) -> Box<dyn Running> {
        put_files(job);
        let process = self
            .command(job)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        Box::new(Started {
            process: process.unwrap(),
            marker: job.marker.clone(),
        })
    }

    fn ready_descriptor(&self) -> i32 {
        1
    }

    fn has_limits(&self) -> bool {
        false
    }

    fn confines(&self) -> bool {
        self.confines
    }
}

impl Tool {
    /// Waits as harnesses do: until the tool is over and its output too, or until the time is up.
    fn wait(
        &self,
        process: &mut Child,
        job: &Job,
        mut stdout: Reader,
        mut stderr: Reader,
    ) -> (Ending, Vec<u8>, Vec<u8>) {
        let deadline = Instant::now() + job.limits.wall;
        let mut status = None;
        loop {
            if status.is_none() {
                status = process.try_wait().unwrap();
            }
            let over = [stdout.pull(), stderr.pull()];
            if stdout.is_too_long || stderr.is_too_long {
                let _ = process.kill();
                let _ = process.wait();
                return (Ending::OutputLimit, stdout.kept, stderr.kept);
            }
            if let (Some(status), [true, true]) = (status, over) {
                let said = String::from_utf8_lossy(&stderr.kept).into_owned();
                return ((self.ending)(status, &said), stdout.kept, stderr.kept);
            }
            if Instant::now() >= deadline {
                let _ = process.kill();
                let _ = process.wait();
                std::thread::sleep(LAST_WORDS);
                stdout.pull();
                stderr.pull();
                return (Ending::WallTimeout, stdout.kept, stderr.kept);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn bystander() -> Child {
    Command::new("/usr/bin/sleep")
        .arg("600")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap()
}

fn not_run(error: &std::io::Error, begin: Instant) -> Seen {
    Seen {
        ending: Ending::NotRun(error.to_string()),
        stdout: Vec::new(),
        stderr: Vec::new(),
        took: begin.elapsed(),
        isolation: None,
    }
}

/// Reads a stream beside us, up to a limit.
#[derive(Debug)]
struct Reader {
    parts: Receiver<Vec<u8>>,
    kept: Vec<u8>,
    most: usize,
    is_too_long: bool,
}

impl Reader {
    fn new(mut stream: impl Read + Send + 'static, most: u64) -> Self {
        let (sender, parts) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(length @ 1..) = stream.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            parts,
            kept: Vec::new(),
            most: usize::try_from(most).unwrap(),
            is_too_long: false,
        }
    }

    /// Takes what is there; whether that was all.
    fn pull(&mut self) -> bool {
        loop {
            match self.parts.try_recv() {
                Ok(part) => {
                    self.kept.extend(part);
                    if self.kept.len() > self.most {
                        self.kept.truncate(self.most);
                        self.is_too_long = true;
                        return true;
                    }
                }
                Err(std::sync::mpsc::TryRecvError::Empty) => return false,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => return true,
            }
        }
    }
}

struct Started {
    process: Child,
    marker: String,
}

impl Running for Started {
    fn is_ready(&mut self) -> bool {
        let mut word = [0; 6];
        let stdout = self.process.stdout.as_mut().unwrap();
        stdout.read_exact(&mut word).is_ok() && &word == b"READY\n"
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // The whole group: a tool that is killed alone may leave its program behind.
        // SAFETY: takes plain numbers; the group is our own child's.
        unsafe { libc::kill(-self.process.id().cast_signed(), libc::SIGKILL) };
        let _ = self.process.wait();
        end_processes_with(&self.marker);
    }
}
