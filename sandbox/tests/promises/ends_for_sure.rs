//! Whatever a program does, its run ends, and nothing of it is left.

use std::time::{Duration, Instant};

use redraft_sandbox::{End, Exit, Limits, Outcome};

use crate::support::{Traces, another_harness, confined, eventually, limits, marker, processes_with, python};

/// Runs `code`, and asserts that no process, mount or file of it is left.
fn leaves_nothing(code: &str, limits: Limits) -> Outcome {
    let marker = marker();
    let folder = tempfile::tempdir().unwrap();
    let before = Traces::look(folder.path());
    let mut command = python(&code.replace("FOLDER", folder.path().to_str().unwrap()));
    let outcome = command.arg(&marker).limits(limits).run().unwrap();
    assert_eq!(processes_with(&marker), Vec::<u32>::new(), "{code}");
    assert_eq!(Traces::look(folder.path()), before, "{code}");
    outcome
}

fn short_wall() -> Limits {
    Limits {
        wall: Duration::from_millis(700),
        ..limits()
    }
}

#[test]
fn a_background_process_ends_with_the_program() {
    for code in [
        "import os, time\nif os.fork() == 0: time.sleep(600)",
        "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.closerange(0, 9); time.sleep(600)\n    os._exit(0)",
        "import os, signal, time\nif os.fork() == 0:\n    for s in range(1, 65):\n        try: signal.signal(s, signal.SIG_IGN)\n        except (OSError, ValueError): pass\n    time.sleep(600)",
        "import os, signal, time\nif os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(0.1)",
    ] {
        let begin = Instant::now();
        assert_eq!(leaves_nothing(code, limits()).end, End::Exited(0), "{code}");
        assert!(begin.elapsed() < Duration::from_mins(1));
    }
}

#[test]
fn a_grandchild_that_holds_stdout_does_not_hold_the_run() {
    let code = "import os, sys, time\nprint('kept', flush=True)\nif os.fork() == 0:\n    os.setsid(); time.sleep(600)";
    let outcome = leaves_nothing(code, limits());
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(0), "kept\n")
    );
}

#[test]
fn stopped_and_deaf_programs_end_at_the_wall_limit() {
    for code in [
        "import os; os.kill(os.getpid(), 19)",
        "import os; os.kill(0, 19)",
        "import os; os.fork(); os.fork(); os.kill(0, 19)",
        "import signal, time\nfor s in (1, 2, 3, 15): signal.signal(s, signal.SIG_IGN)\ntime.sleep(600)",
        "import os; os.read(os.pipe()[0], 1)",
        "import os; os.mkfifo('/tmp/f'); open('/tmp/f')",
        "import threading; threading.Event().wait()",
    ] {
        let outcome = leaves_nothing(code, short_wall());
        assert_eq!(outcome.end.name(), "wall_timeout", "{code}");
        assert!(outcome.usage.wall >= Duration::from_millis(700));
    }
}

#[test]
fn a_fork_bomb_ends() {
    let code = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass";
    let limits = Limits {
        cpu: Duration::from_millis(500),
        ..limits()
    };
    assert_eq!(leaves_nothing(code, limits).end.name(), "cpu_timeout");
    let code = "import os\nfor _ in range(500):\n    try:\n        if os.fork() == 0: os.setsid()\n    except OSError: pass";
    leaves_nothing(code, short_wall());
}

#[test]
fn killing_everybody_kills_only_itself() {
    // kill(-1) spares the caller; then it goes on and says so.
    let outcome = leaves_nothing(
        "import os, time\nif os.fork() == 0: time.sleep(600)\nos.kill(-1, 9); print('on')",
        limits(),
    );
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(0), "on\n")
    );
    // Where init has the program's user the signal may be sent, and does nothing.
    let outcome = leaves_nothing(
        "import os\ntry: os.kill(os.getppid(), 9)\nexcept PermissionError: pass\nprint('on')",
        limits(),
    );
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(0), "on\n")
    );
    let outcome = leaves_nothing(
        "import os\nif os.fork() == 0: os.kill(-1, 9)\nimport time; time.sleep(600)",
        limits(),
    );
    assert_eq!(outcome.exit, Some(Exit::Signal(9)));
}

#[test]
fn orphans_are_reaped() {
    let code = "import os, time
for _ in range(200):
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
for _ in range(2000):
    left = [n for n in os.listdir('/proc') if n.isdigit()]
    if left == [str(os.getpid())]: break
    time.sleep(0.01)
print(left == [str(os.getpid())])";
    let outcome = leaves_nothing(code, limits());
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(0), "True\n")
    );
}

#[test]
fn files_are_gone_with_the_run() {
    let code = "import os
for base in ('/box', '/tmp', '/dev/shm'):
    deep = base
    for i in range(50):
        deep += '/d'; os.mkdir(deep, 0o700)
    for i in range(200): open(f'{base}/f{i}', 'w').write('x')
    os.chmod(base, 0)
try: os.mkdir('FOLDER/x')
except OSError: print('refused')";
    assert_eq!(leaves_nothing(code, limits()).stdout.text(), "refused\n");
}

#[test]
fn a_harness_that_is_killed_takes_everything_along() {
    let marker = marker();
    let mut harness = another_harness(&format!("sleep {marker}"));
    eventually("eight processes run", || processes_with(&marker).len() == 8);
    harness.kill().unwrap();
    harness.wait().unwrap();
    eventually("nothing is left", || processes_with(&marker).is_empty());
}

/// bubblewrap#705.
#[test]
fn a_harness_that_ignores_its_children_can_use_it() {
    let output = another_harness("ignored-sigchld x").wait_with_output().unwrap();
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("it worked"),
        "{output:?}"
    );
}

#[test]
fn a_run_outlives_the_thread_that_began_it() {
    let code = "import socket; s = socket.socket(fileno=3); s.send(s.recv(9)); raise SystemExit(7)";
    let child = std::thread::spawn(move || python(code).spawn().unwrap())
        .join()
        .unwrap();
    std::thread::sleep(Duration::from_millis(50));
    std::io::Write::write_all(&mut child.channel(), b"x").unwrap();
    assert_eq!(child.wait().unwrap().end, End::Exited(7));
}

#[test]
fn many_at_once_do_not_disturb_each_other() {
    let runs: Vec<_> = (0..24)
        .map(|status| {
            std::thread::spawn(move || (status, confined(&format!("raise SystemExit({status})")).end))
        })
        .collect();
    for run in runs {
        let (status, end) = run.join().unwrap();
        assert_eq!(end, End::Exited(status));
    }
}

#[test]
fn many_in_a_row_leave_nothing_behind_in_the_harness() {
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let run = |n: usize| {
        let mut command = redraft_sandbox::Command::new("/usr/bin/true");
        command.system_libraries().readable("/usr/bin/true");
        for _ in 0..n {
            assert_eq!(command.run().unwrap().end, End::Exited(0));
        }
    };
    run(1);
    // Other tests of this process have descriptors of their own, so a leak must stand out from theirs.
    let before = open();
    run(300);
    assert!(
        open() < before + 250,
        "{before} descriptors before, {} after",
        open()
    );
}
