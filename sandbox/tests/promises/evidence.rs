//! Each end comes with what shows it: who sent the signal, which counter crossed which limit.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use redraft_sandbox::{Counter, End, Exit, Level, Limits, Sender};

use crate::support::{confined, eventually, limits, marker, processes_with, python};

fn ended_by(code: &str) -> (i32, Sender) {
    let outcome = confined(&format!(
        "import ctypes, os, signal, socket, threading, time\n{code}"
    ));
    match outcome.end {
        End::Signalled { signal, sender } => (signal, sender),
        other => panic!("{other:?}: {code}\n{}", outcome.stderr.text()),
    }
}

#[test]
fn who_sent_the_signal_is_told() {
    for (code, signal, sender) in [
        ("os.abort()", 6, Sender::Itself),
        ("os.kill(os.getpid(), 9)", 9, Sender::Itself),
        ("os.kill(0, 15)", 15, Sender::Itself),
        // A fault, and one that is only played.
        ("ctypes.string_at(0)", 11, Sender::Kernel),
        ("os.kill(os.getpid(), 11)", 11, Sender::Itself),
        (
            "threading.Thread(target=lambda: signal.pthread_kill(threading.main_thread().ident, 15)).start()\ntime.sleep(60)",
            15,
            Sender::Itself,
        ),
        (
            "if os.fork() == 0: os.kill(os.getppid(), 9)\ntime.sleep(60)",
            9,
            Sender::Another,
        ),
        (
            "if os.fork() == 0: os.kill(-1, 15)\ntime.sleep(60)",
            15,
            Sender::Another,
        ),
        (
            "signal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(60)",
            14,
            Sender::Kernel,
        ),
        (
            "signal.signal(13, signal.SIG_DFL); r, w = os.pipe(); os.close(r); os.write(w, b'x')",
            13,
            Sender::Kernel,
        ),
        // What was sent before and did no harm isn't taken for what ended it.
        (
            "signal.signal(11, signal.SIG_IGN); os.kill(os.getpid(), 10) if signal.signal(10, signal.SIG_IGN) else 0\nsignal.signal(11, signal.SIG_DFL); ctypes.string_at(0)",
            11,
            Sender::Kernel,
        ),
    ] {
        assert_eq!(ended_by(code), (signal, sender), "{code}");
    }
}

#[test]
fn a_signal_from_the_host_is_told_as_such() {
    let marker = marker();
    let child = python("import os, time; os.write(3, b'x'); time.sleep(60)")
        .arg(&marker)
        .spawn()
        .unwrap();
    std::io::Read::read_exact(&mut child.channel(), &mut [0]).unwrap();
    let pid = processes_with(&marker)[0];
    kill(Pid::from_raw(pid.cast_signed()), Signal::SIGTERM).unwrap();
    let end = child.wait().unwrap().end;
    let sender = Sender::Outside;
    assert_eq!(end, End::Signalled { signal: 15, sender });
}

#[test]
fn signals_arrive_though_they_are_noted() {
    let code = "got = []
signal.signal(signal.SIGUSR1, lambda *_: got.append(1))
for _ in range(500): os.kill(os.getpid(), signal.SIGUSR1)
child = os.fork()
if child == 0: time.sleep(60)
os.kill(child, 9)
print(len(got) >= 1, os.waitpid(child, 0)[1])";
    let outcome = confined(&format!("import os, signal, time\n{code}"));
    assert_eq!(outcome.stdout.text(), "True 9\n", "{}", outcome.stderr.text());
}

#[test]
fn who_ends_the_sandbox_does_not_end_the_program() {
    let marker = marker();
    let child = python("import os, time; os.write(3, b'x'); time.sleep(60)")
        .arg(&marker)
        .spawn()
        .unwrap();
    std::io::Read::read_exact(&mut child.channel(), &mut [0]).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", processes_with(&marker)[0])).unwrap();
    let init = status
        .lines()
        .find_map(|line| line.strip_prefix("PPid:"))
        .unwrap();
    kill(Pid::from_raw(init.trim().parse().unwrap()), Signal::SIGKILL).unwrap();
    let outcome = child.wait().unwrap();
    assert_eq!((outcome.end, outcome.exit), (End::SandboxFailed, None));
    eventually("nothing is left", || processes_with(&marker).is_empty());
}

#[test]
fn limits_come_with_counter_value_and_limit() {
    let run = |limits: Limits, code: &str| python(code).limits(limits).run().unwrap();
    let cpu = run(
        Limits {
            cpu: Duration::from_millis(200),
            ..limits()
        },
        "while True: pass",
    );
    let evidence = cpu.end.evidence().unwrap();
    assert_eq!((cpu.end.name(), evidence.limit), ("cpu_timeout", 200_000));
    assert!(evidence.value >= 200_000, "{evidence}");

    let wall = run(
        Limits {
            wall: Duration::from_millis(100),
            ..limits()
        },
        "import time; time.sleep(60)",
    );
    let evidence = wall.end.evidence().unwrap();
    assert_eq!(
        (wall.end.name(), evidence.counter, evidence.limit),
        ("wall_timeout", Counter::Clock, 100_000)
    );
    assert!(evidence.value >= 100_000, "{evidence}");

    let memory = run(
        Limits {
            memory: 64 << 20,
            ..limits()
        },
        "x = bytearray(300 << 20)",
    );
    assert_eq!(memory.end.name(), "memory_limit", "{:?}", memory.end);

    let output = run(
        Limits {
            output: 1000,
            ..limits()
        },
        "import os; os.write(2, bytes(1001))",
    );
    let evidence = output.end.evidence().unwrap();
    assert_eq!(
        (evidence.counter, evidence.value, evidence.limit),
        (Counter::Stderr, 1001, 1000)
    );
}

#[test]
fn a_failure_for_want_of_scratch_is_told() {
    let limits = Limits {
        scratch: 1 << 20,
        ..limits()
    };
    let full = "f = open('/tmp/x', 'wb', buffering=0)\nwhile True: f.write(bytes(4096))";
    for (code, counter, exit) in [
        (
            format!("open('/box/y', 'wb').write(bytes(4096))\n{full}"),
            Counter::ScratchBytes,
            Exit::Status(1),
        ),
        (
            "import os\nfor n in range(100_000): os.close(os.open(f'/tmp/{n}', os.O_CREAT))".to_owned(),
            Counter::ScratchFiles,
            Exit::Status(1),
        ),
        (
            format!("import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n{full}"),
            Counter::FileSize,
            Exit::Signal(25),
        ),
    ] {
        let outcome = python(&code).limits(limits).run().unwrap();
        assert_eq!(outcome.exit, Some(exit), "{code} {}", outcome.stderr.text());
        assert_eq!(outcome.end.name(), "scratch_full", "{code} {:?}", outcome.end);
        assert_eq!(outcome.end.evidence().unwrap().counter, counter, "{code}");
    }
    // Full, and no failure.
    let code = format!("try:\n    {}\nexcept OSError: pass", full.replace('\n', "\n    "));
    assert_eq!(python(&code).limits(limits).run().unwrap().end, End::Exited(0));
}

#[test]
fn a_failure_for_want_of_processes_is_told_where_they_are_counted() {
    let limits = Limits {
        processes: 5,
        ..limits()
    };
    let code = "import os, signal\nfor _ in range(9):\n    if os.fork() == 0: signal.pause()";
    // In a cell of its own, so that no earlier program has had more.
    let outcome = python(code).limits(limits).alone().run().unwrap();
    assert_eq!(outcome.exit, Some(Exit::Status(1)));
    if outcome.isolation.level == Level::Strict {
        let evidence = outcome.end.evidence().unwrap();
        assert_eq!(outcome.end.name(), "process_limit");
        assert_eq!(
            (evidence.counter, evidence.value, evidence.limit),
            (Counter::CgroupForksDenied, 1, 5)
        );
        assert_eq!(outcome.usage.forks_denied, Some(1));
        assert_eq!(outcome.usage.processes, 5);
    } else {
        println!("skipped: this host counts no refused processes for this user");
        assert_eq!((outcome.end, outcome.usage.forks_denied), (End::Exited(1), None));
    }
}

#[test]
fn streams_come_with_a_checksum_of_everything() {
    let code = "import os\nfor n in range(100): os.write(1, bytes([n]) * 1000)";
    let whole = confined(code).stdout;
    assert_eq!(
        (whole.total, whole.bytes.len(), whole.dropped),
        (100_000, 100_000, 0)
    );
    // As `sha256sum` gives it for these bytes.
    assert_eq!(
        whole.sha256_hex(),
        "cf371f6c08c5d5875c57b459685a2f9127d248f3f809ae9c2ae3e6d44ff5bbec"
    );
    assert_eq!(
        confined("").stdout.sha256_hex(),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    let limits = Limits {
        output: 50_000,
        ..limits()
    };
    let cut = python(code).limits(limits).run().unwrap().stdout;
    assert_eq!(cut.bytes, whole.bytes[..50_000]);
    assert_eq!(
        cut.total,
        cut.bytes.len() as u64 + cut.dropped + cut.tail.len() as u64
    );
    let end = usize::try_from(cut.total).unwrap();
    assert_eq!(cut.tail, whole.bytes[end - cut.tail.len()..end]);
}
