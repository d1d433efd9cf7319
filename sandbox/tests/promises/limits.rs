//! Each limit holds for the whole tree, from outside, and is told by its name.

use std::time::Duration;

use redraft_sandbox::{End, Limits, Outcome};

use crate::support::{inside, limits, outside, python};

fn with(limits: Limits, code: &str) -> Outcome {
    python(code).limits(limits).run().unwrap()
}

fn cpu(millis: u64) -> Limits {
    Limits {
        cpu: Duration::from_millis(millis),
        ..limits()
    }
}

const BURN: &str = "import time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
";

#[test]
fn a_busy_loop_ends_at_its_cpu_limit() {
    let outcome = with(cpu(300), "while True: pass");
    assert_eq!(outcome.end.name(), "cpu_timeout");
    assert!(
        outcome.usage.cpu >= Duration::from_millis(300),
        "{:?}",
        outcome.usage
    );
    assert!(
        outcome.usage.cpu < Duration::from_millis(450),
        "{:?}",
        outcome.usage
    );
}

#[test]
fn below_the_limit_it_may_be_busy() {
    assert_eq!(with(cpu(1500), &format!("{BURN}burn(0.3)")).end, End::Exited(0));
}

#[test]
fn sleeping_costs_no_cpu_time() {
    let outcome = with(cpu(500), "import time; time.sleep(1.0)");
    assert_eq!(outcome.end, End::Exited(0), "{:?}", outcome.usage);
}

#[test]
fn processes_count_together() {
    let code = format!("{BURN}import os\nfor _ in range(3): os.fork()\nburn(0.25)\ntime.sleep(600)");
    assert_eq!(with(cpu(1000), &code).end.name(), "cpu_timeout");
}

#[test]
fn threads_count_together() {
    let code = "import threading, hashlib
data = bytes(1 << 20)
def work():
    while True: hashlib.sha256(data).digest()
for _ in range(4): threading.Thread(target=work).start()";
    assert_eq!(with(cpu(500), code).end.name(), "cpu_timeout");
}

#[test]
fn those_that_are_gone_count_too() {
    let reaped = format!(
        "{BURN}import os\nwhile True:\n    if os.fork() == 0:\n        burn(0.05); os._exit(0)\n    os.wait()"
    );
    assert_eq!(with(cpu(500), &reaped).end.name(), "cpu_timeout");
    let orphaned = format!(
        "{BURN}import os\nwhile True:\n    if os.fork() == 0:\n        if os.fork() == 0: burn(0.05)\n        os._exit(0)\n    os.wait(); time.sleep(0.06)"
    );
    assert_eq!(with(cpu(500), &orphaned).end.name(), "cpu_timeout");
}

#[test]
fn those_that_nobody_waits_for_count_too() {
    let code = format!(
        "{BURN}import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwhile True:\n    pid = os.fork()\n    if pid == 0:\n        burn(0.1); os._exit(0)\n    try: os.waitpid(pid, 0)\n    except ChildProcessError: pass"
    );
    let outcome = with(
        Limits {
            wall: Duration::from_mins(1),
            ..cpu(1000)
        },
        &code,
    );
    assert_eq!(outcome.end.name(), "cpu_timeout", "{:?}", outcome.usage);
}

#[test]
fn many_short_children_are_not_counted_twice() {
    let code = "import os, resource
for _ in range(300):
    if os.fork() == 0: os._exit(sum(range(20000)) * 0)
    os.wait()
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime)";
    let outcome = with(limits(), code);
    let kernel: f64 = outcome.stdout.text().trim().parse().unwrap();
    let told = outcome.usage.cpu.as_secs_f64();
    assert!(
        told > kernel * 0.9 && told < kernel * 1.1 + 0.1,
        "told {told}, kernel {kernel}"
    );
}

#[test]
fn cpu_of_a_killed_run_is_told() {
    let code = format!("{BURN}import os\nos.fork()\nburn(0.2)\nos.write(3, b'x')\ntime.sleep(600)");
    let child = python(&code).spawn().unwrap();
    std::io::Read::read_exact(&mut child.channel(), &mut [0; 2]).unwrap();
    child.kill();
    let outcome = child.wait().unwrap();
    assert_eq!(outcome.end, End::Killed);
    assert!(
        outcome.usage.cpu >= Duration::from_millis(400),
        "{:?}",
        outcome.usage
    );
}

#[test]
fn resident_memory_is_limited() {
    let code = "x = bytearray(400 << 20)\nimport time; time.sleep(600)";
    let limit = |memory| Limits { memory, ..limits() };
    let outcome = with(limit(200 << 20), code);
    assert_eq!(outcome.end.name(), "memory_limit");
    assert!(outcome.usage.peak_memory > 200 << 20, "{:?}", outcome.usage);
    assert_eq!(
        with(limit(600 << 20), "x = bytearray(400 << 20)").end,
        End::Exited(0)
    );
}

#[test]
fn a_short_peak_of_memory_counts_as_well() {
    let limits = Limits {
        memory: 100 << 20,
        ..limits()
    };
    let outcome = with(
        limits,
        "import mmap\nx = mmap.mmap(-1, 120 << 20)\nx.write(bytes(120 << 20))\nx.close()",
    );
    assert_eq!(outcome.end.name(), "memory_limit", "{:?}", outcome.usage);
}

#[test]
fn memory_that_is_reserved_and_not_used_is_free() {
    let code = "import mmap; x = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | 0x4000); print('ok')";
    assert_eq!(inside(code), "ok");
}

#[test]
fn memory_of_several_processes_counts_together() {
    let code = "import os, time\nfor _ in range(2): os.fork()\nx = bytearray(80 << 20)\ntime.sleep(600)";
    assert_eq!(
        with(
            Limits {
                memory: 200 << 20,
                ..limits()
            },
            code
        )
        .end
        .name(),
        "memory_limit"
    );
}

#[test]
fn shared_memory_counts_once() {
    let code = "import os, time\nx = bytearray(150 << 20)\nfor _ in range(3): os.fork()\ntime.sleep(0.5)";
    let outcome = with(
        Limits {
            memory: 300 << 20,
            ..limits()
        },
        code,
    );
    assert_eq!(outcome.end, End::Exited(0), "{:?}", outcome.usage);
}

const COUNT_FORKS: &str = "import os, signal
n = 0
try:
    while n < 300:
        if os.fork() == 0: signal.pause()
        n += 1
except BlockingIOError: pass
print(n, flush=True)
";

#[test]
fn processes_are_limited() {
    let outcome = with(
        Limits {
            processes: 20,
            ..limits()
        },
        COUNT_FORKS,
    );
    // The program itself is one of them.
    assert_eq!(
        (outcome.end, outcome.stdout.text().as_str()),
        (End::Exited(0), "19\n")
    );
    assert_eq!(
        outside(
            &format!("{COUNT_FORKS}\nsignal.signal(15, signal.SIG_IGN); os.killpg(0, 15)")
                .replace("import os, signal\n", "import os, signal\nos.setpgid(0, 0)\n")
        ),
        "300"
    );
}

#[test]
fn threads_are_limited() {
    let code = "import threading
n = 0
try:
    while n < 300:
        threading.Thread(target=threading.Event().wait, daemon=True).start(); n += 1
except RuntimeError: pass
print(n)";
    let outcome = with(
        Limits {
            processes: 10,
            ..limits()
        },
        code,
    );
    assert_eq!(outcome.stdout.text(), "9\n", "{}", outcome.stderr.text());
}

#[test]
fn runs_at_the_same_time_do_not_share_their_count_of_processes() {
    let code =
        format!("{COUNT_FORKS}\nimport socket\ns = socket.socket(fileno=3); s.send(b'full'); s.recv(1)");
    let full = |n| {
        let child = python(&code)
            .limits(Limits {
                processes: n,
                ..limits()
            })
            .spawn()
            .unwrap();
        std::io::Read::read_exact(&mut child.channel(), &mut [0; 4]).unwrap();
        child
    };
    let children = [full(20), full(20), full(20)];
    for child in children {
        std::io::Write::write_all(&mut child.channel(), b"x").unwrap();
        assert_eq!(child.wait().unwrap().stdout.text(), "19\n");
    }
}

#[test]
fn scratch_is_limited_for_all_its_folders_together() {
    let code = "import os
total = 0
for path in ('/box/x', '/tmp/x', '/dev/shm/x') * 4:
    with open(path, 'ab', buffering=0) as file:
        try:
            for _ in range(40): total += file.write(bytes(1 << 18))
        except OSError as error: print(error.errno)
print(total >> 20)";
    let outcome = with(
        Limits {
            scratch: 24 << 20,
            ..limits()
        },
        code,
    );
    let text = outcome.stdout.text();
    assert!(
        text.starts_with("28\n") && text.ends_with("\n24\n"),
        "{text} {}",
        outcome.stderr.text()
    );
}

#[test]
fn the_number_of_files_is_limited() {
    let code = "import os\ntry:\n    for i in range(100_000): os.close(os.open(f'/tmp/{i}', 64 | 1))\nexcept OSError as error: print(error.errno)";
    assert_eq!(inside(code), "28");
}

#[test]
fn one_file_cannot_be_larger_than_scratch() {
    let code = "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\ntry: open('/box/x', 'w').truncate(1 << 40)\nexcept OSError as error: print(error.errno)";
    assert_eq!(inside(code), "27");
}

#[test]
fn there_are_no_core_dumps_and_not_too_many_descriptors() {
    // One byte is too little for a core dump; with none the kernel would still call a handler of the host's.
    let code = "import resource
print(resource.getrlimit(resource.RLIMIT_CORE)[1] <= 1, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
before = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print(resource.getrlimit(resource.RLIMIT_CORE) == before)";
    assert_eq!(inside(code), "True 1024\nTrue");
}

#[test]
fn limits_cannot_be_raised() {
    let code = "import resource
for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
    soft, hard = resource.getrlimit(kind)
    try: resource.setrlimit(kind, (hard + 1, hard + 1)); print('raised')
    except (ValueError, OSError): pass
print('end')";
    assert_eq!(inside(code), "end");
}

#[test]
fn a_wall_limit_of_next_to_nothing_ends_at_once() {
    let outcome = with(
        Limits {
            wall: Duration::from_nanos(1),
            ..limits()
        },
        "import time; time.sleep(600)",
    );
    assert_eq!(outcome.end.name(), "wall_timeout");
    let outcome = with(
        Limits {
            cpu: Duration::ZERO,
            ..limits()
        },
        "while True: pass",
    );
    assert_eq!(outcome.end.name(), "cpu_timeout");
    let outcome = with(
        Limits {
            wall: Duration::MAX,
            ..limits()
        },
        "",
    );
    assert_eq!(outcome.end, End::Exited(0));
}
