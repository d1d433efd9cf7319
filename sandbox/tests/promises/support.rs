//! What the promises are tested with.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use redraft_sandbox::{Command, Limits, Outcome};

pub(crate) const PYTHON: &str = "/usr/bin/python3";

/// A confined Python that runs `code`, with a machine-independent wall limit.
pub(crate) fn python(code: &str) -> Command {
    let mut command = Command::new(PYTHON);
    command
        .system_libraries()
        .readable(PYTHON)
        .arg("-c")
        .arg(code)
        .limits(limits());
    command
}

/// The default limits; every test that isn't about time has more than enough of it.
pub(crate) fn limits() -> Limits {
    Limits {
        cpu: Duration::from_mins(1),
        wall: Duration::from_mins(2),
        ..Limits::default()
    }
}

/// Runs `code` confined.
pub(crate) fn confined(code: &str) -> Outcome {
    python(code).run().unwrap()
}

/// What `code` prints when it runs confined; it must end well.
pub(crate) fn inside(code: &str) -> String {
    let outcome = confined(code);
    assert_eq!(
        outcome.end,
        redraft_sandbox::End::Exited(0),
        "{code}\n{}",
        outcome.stderr.text()
    );
    outcome.stdout.text().trim().to_owned()
}

/// What `code` prints when it runs bare.
pub(crate) fn outside(code: &str) -> String {
    let output = std::process::Command::new(PYTHON)
        .arg("-c")
        .arg(code)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{code}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Code that prints `done` when `act` works and the name of the error when it doesn't.
pub(crate) fn attempt(act: &str) -> String {
    let act = act.replace('\n', "\n    ");
    format!(
        "import ctypes, errno, os, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    if getattr(libc, name)(*args) == -1:
        raise OSError(ctypes.get_errno(), name)
try:
    {act}
    print('done')
except OSError as error:
    print(errno.errorcode.get(error.errno, error))"
    )
}

/// Asserts that an act works outside and fails inside with one of these errors.
pub(crate) fn assert_refused(act: &str, errors: &[&str]) {
    let code = attempt(act);
    assert_eq!(outside(&code), "done", "the control doesn't work: {act}");
    let got = inside(&code);
    assert!(
        errors.contains(&got.as_str()),
        "{act}: {got}, not one of {errors:?}"
    );
}

/// A text that no other process has in its arguments.
pub(crate) fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(
        "marker-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

/// The processes of the host that have this text in their arguments, but for this one.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&arguments).contains(text) && pid != std::process::id() {
            found.push(pid);
        }
    }
    found
}

/// Waits until `holds` does, for as long as any machine may need.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "{what} doesn't come to hold"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How many inits of cells come from a harness.
fn cells_of(harness: u32) -> usize {
    let status = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let parent = |pid: &str| {
        let text = status(pid);
        let line = text.lines().find_map(|line| line.strip_prefix("PPid:"));
        line.unwrap_or_default().trim().to_owned()
    };
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(|pid| {
        status(pid).contains("Name:\tsandbox-init") && parent(&parent(pid)) == harness.to_string()
    })
    .count()
}

/// What a run must not change on the host.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Traces {
    mounts: String,
    tmp: Vec<PathBuf>,
}

impl Traces {
    pub(crate) fn look(folder: &Path) -> Self {
        let mut tmp: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        tmp.sort();
        Self {
            mounts: std::fs::read_to_string("/proc/self/mountinfo").unwrap(),
            tmp,
        }
    }
}

/// Runs this test binary again to do `task`, as a harness of its own; [`the_task_of_another_harness`] does it.
pub(crate) fn another_harness(task: &str) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "support::the_task_of_another_harness",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("REDRAFT_TEST_TASK", task)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// Not a test by itself: what [`another_harness`] runs.
#[test]
fn the_task_of_another_harness() {
    match std::env::var("REDRAFT_TEST_TASK")
        .as_deref()
        .map(|task| task.split_once(' ').unwrap())
    {
        Ok(("sleep", marker)) => {
            let code = "import os, time\nfor _ in range(3): os.fork()\nos.setsid() if os.getpid() > 3 else 0\ntime.sleep(600)";
            let _ = python(code).arg(marker).run();
        }
        Ok(("many-shapes", _)) => {
            for _ in 0..20 {
                let file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
                let end = python("").readable(file.path()).run().unwrap().end;
                assert_eq!(end, redraft_sandbox::End::Exited(0));
            }
            let most = std::thread::available_parallelism().unwrap().get() * 2;
            // One more is made ahead.
            eventually("few are left", || cells_of(std::process::id()) <= most.max(4) + 1);
            println!("few cells wait");
        }
        Ok(("sleep-minimal", marker)) => {
            let code =
                "import os, time\nfor _ in range(2):\n    if os.fork() == 0: os.setsid()\ntime.sleep(600)";
            let _ = python(code)
                .arg(marker)
                .isolation(redraft_sandbox::Level::Minimal)
                .run();
        }
        Ok(("ignored-sigchld", _)) => {
            // SAFETY: no other thread of this process starts or awaits processes.
            unsafe { nix::libc::signal(nix::libc::SIGCHLD, nix::libc::SIG_IGN) };
            assert_eq!(
                confined("raise SystemExit(3)").end,
                redraft_sandbox::End::Exited(3)
            );
            println!("it worked");
        }
        Ok((other, _)) => panic!("no such task: {other}"),
        Err(_) => {}
    }
}
