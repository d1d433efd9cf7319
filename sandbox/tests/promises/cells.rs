//! Cells are used again, and no program can tell: neither by what the one before left, nor by what it did to init.

use std::io::Write as _;

use redraft_sandbox::{Command, End, Limits, Outcome};

use crate::support::{another_harness, limits, python};

/// Programs that share cells with no other test: there is a path that only they can read.
struct Apart {
    file: tempfile::NamedTempFile,
}

impl Apart {
    fn new() -> Self {
        let file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
        Self { file }
    }

    fn python(&self, code: &str) -> Command {
        let mut command = python(code);
        command.readable(self.file.path());
        command
    }

    fn run(&self, code: &str) -> Outcome {
        self.python(code).run().unwrap()
    }

    fn inside(&self, code: &str) -> String {
        let outcome = self.run(code);
        assert_eq!(outcome.end, End::Exited(0), "{code} {}", outcome.stderr.text());
        outcome.stdout.text().trim().to_owned()
    }
}

/// Tells one cell from another: its root and its namespaces.
const WHICH: &str = "import os; print(os.stat('/').st_dev, *(os.stat('/proc/self/ns/' + n).st_ino for n in ('net', 'pid', 'mnt')))";

/// Everything about a cell that could tell of an earlier program.
const LOOK: &str = "import os, resource
def state(path):
    s = os.stat(path)
    return path, oct(s.st_mode), s.st_uid, s.st_gid, s.st_nlink, s.st_size, os.listdir(path), os.listxattr(path)
print([state(path) for path in ('/box', '/tmp', '/dev/shm')])
print([(s.f_blocks - s.f_bfree, s.f_files - s.f_ffree) for s in (os.statvfs('/box'),)])
print(sorted(n for n in os.listdir('/proc') if n.isdigit()), os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0))
print([open('/proc/sysvipc/' + kind).read() for kind in ('msg', 'sem', 'shm')])
print(open('/proc/net/unix').read(), open('/proc/net/tcp').read(), open('/proc/net/dev').read())
print([line.split()[4:6] for line in open('/proc/self/mountinfo')])
print(os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_PROCESS, 1), os.sched_getscheduler(1), os.sched_getaffinity(1))
try: print(open('/proc/1/limits').read())
except OSError as error: print(error)
print([resource.getrlimit(n) for n in range(16)])
print(open('/proc/self/cgroup').read(), os.uname().nodename, os.umask(0), os.environ, os.listdir('/proc/self/fd'))";

#[test]
fn a_cell_is_used_again() {
    let apart = Apart::new();
    let first = apart.inside(WHICH);
    assert_eq!(apart.inside(WHICH), first);
    // However the program ended.
    apart.run("import os; os.abort()");
    let short = Limits {
        wall: std::time::Duration::from_millis(100),
        ..limits()
    };
    let mut sleeping = apart.python("import time; time.sleep(60)");
    assert_eq!(sleeping.limits(short).run().unwrap().end.name(), "wall_timeout");
    let mut missing = apart.python("");
    missing.limits(limits());
    assert_eq!(apart.inside(WHICH), first);
}

#[test]
fn one_that_wants_to_be_alone_is() {
    let apart = Apart::new();
    let shared = apart.inside(WHICH);
    let alone = || {
        let outcome = apart.python(WHICH).alone().run().unwrap();
        outcome.stdout.text().trim().to_owned()
    };
    // A number of a namespace is given again, but not while its owner lives.
    let (one, other) = (alone(), alone());
    assert!(one != shared && other != shared, "{shared} {one} {other}");
    assert_eq!(apart.inside(WHICH), shared);
}

#[test]
fn nothing_of_one_program_is_there_for_the_next() {
    let apart = Apart::new();
    let new = apart.inside(LOOK);
    for code in [
        "import os\nfor p in ('/box', '/tmp', '/dev/shm'): open(p + '/x', 'w').write('y')",
        "import os\nfor p in ('/box', '/tmp', '/dev/shm'): os.mkdir(p + '/d'); os.rmdir(p + '/d')",
        "import os\nfor p in ('/box', '/tmp', '/dev/shm'): os.chmod(p, 0)",
        "import os\nfor p in ('/box', '/tmp', '/dev/shm'): os.utime(p, (1, 1))",
        "import os\ntry: os.setxattr('/tmp', 'user.note', b'hello')\nexcept OSError: pass",
        "import os\nos.mkfifo('/tmp/p'); os.symlink('/proc/1', '/box/l'); os.link('/tmp/p', '/tmp/q')",
        "import os, socket\ns = socket.socket(socket.AF_UNIX); s.bind(chr(0) + 'name'); s.listen()\nif os.fork() == 0:\n    import time; time.sleep(60)",
        "import os, socket\na, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [a.fileno(), b.fileno(), 1])",
        "import ctypes\nlibc = ctypes.CDLL(None)\nfor call in (libc.semget, libc.shmget): call(7, 1, 0o1666)\nlibc.msgget(7, 0o1666); libc.mq_open(b'/q', 0o102, 0o666, None)",
        "import ctypes; ctypes.CDLL(None).syscall(250, 1, 0, 0, 0)",
        "import os, time\nfor _ in range(20):\n    if os.fork() == 0: time.sleep(60)",
        "import os; os.umask(0o777); os.chdir('/'); os.setsid() if os.getsid(0) != os.getpid() else 0",
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))",
    ] {
        apart.run(code);
        assert_eq!(apart.inside(LOOK), new, "{code}");
    }
}

#[test]
fn a_program_can_do_nothing_to_init_that_the_next_one_feels() {
    let apart = Apart::new();
    let new = apart.inside(LOOK);
    let calls = "import ctypes, os, resource, signal
libc = ctypes.CDLL(None, use_errno=True)
def attempt(act):
    try: act()
    except (OSError, ValueError, PermissionError): pass
";
    for code in [
        "os.setpriority(os.PRIO_USER, 0, 19)",
        "os.setpriority(os.PRIO_USER, os.getuid(), 10)",
        "os.setpriority(os.PRIO_PROCESS, 1, 19)",
        "os.setpriority(os.PRIO_PGRP, 1, 19)",
        "os.sched_setaffinity(1, [0])",
        "os.sched_setscheduler(1, os.SCHED_BATCH, os.sched_param(0))",
        "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
        "libc.syscall(251, 1, 1, (3 << 13) | 0)",
        "libc.syscall(251, 3, os.getuid(), (3 << 13) | 0)",
        "resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
        "resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))",
        "resource.prlimit(1, resource.RLIMIT_NPROC, (0, 0))",
        "[os.kill(1, s) for s in range(1, 65)]",
        "[os.kill(1, signal.SIGCHLD) for _ in range(5000)]",
        "libc.syscall(129, 1, 40, ctypes.create_string_buffer(128))",
        "open('/proc/1/oom_score_adj', 'w').write('1000')",
        "open('/proc/1/comm', 'w').write('x')",
        "open('/proc/1/autogroup', 'w').write('19')",
        "open('/proc/1/clear_refs', 'w').write('1')",
        "open('/proc/sys/kernel/ns_last_pid', 'w').write('30000')",
        "open('/proc/1/mem', 'r+b')",
        "[os.open('/proc/1/fd/%d' % n, os.O_RDONLY) for n in range(200)]",
        "libc.syscall(438, libc.syscall(434, 1, 0), 3, 0)",
        "libc.ptrace(16, 1, 0, 0)",
        "libc.setpgid(1, 0)",
        "fcntl = __import__('fcntl'); r, w = os.pipe(); fcntl.fcntl(r, fcntl.F_SETOWN, 1); fcntl.fcntl(r, fcntl.F_SETSIG, 9); fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC); os.write(w, b'x')",
        "[os.open('/proc/self/fd/0', os.O_RDWR)]",
    ] {
        // One by one, and so that the next of them is tried whether or not the last one worked.
        let outcome = apart.run(&format!("{calls}attempt(lambda: exec({code:?}))\nprint('on')"));
        assert_eq!(
            (outcome.end, outcome.stdout.text().as_str()),
            (End::Exited(0), "on\n"),
            "{code} {}",
            outcome.stderr.text()
        );
        assert_eq!(apart.inside(LOOK), new, "{code}");
    }
}

#[test]
fn limits_are_those_of_the_run_and_not_of_the_last_one() {
    let apart = Apart::new();
    let code = "import os, resource
s = os.statvfs('/tmp')
print(s.f_blocks * s.f_frsize, resource.getrlimit(resource.RLIMIT_FSIZE)[0], resource.getrlimit(resource.RLIMIT_NPROC)[0])
x = bytearray(100 << 20)";
    let run = |memory: u64, scratch: u64, processes: u32| {
        let limits = Limits {
            memory,
            scratch,
            processes,
            ..limits()
        };
        let outcome = apart.python(code).limits(limits).run().unwrap();
        (outcome.end.name(), outcome.stdout.text())
    };
    let wide = run(512 << 20, 64 << 20, 50);
    assert_eq!(wide.0, "exited");
    assert_eq!(run(50 << 20, 1 << 20, 5).0, "memory_limit");
    assert_eq!(run(512 << 20, 64 << 20, 50), wide);
}

#[test]
fn files_of_one_run_are_not_there_in_the_next() {
    let apart = Apart::new();
    let list = "import os; print(sorted(os.listdir('.')))";
    for (name, want) in [("a", "['a']\n"), ("b", "['b']\n")] {
        let outcome = apart.python(list).file(name, "x").run().unwrap();
        assert_eq!(outcome.stdout.text(), want);
    }
    assert_eq!(apart.inside(list), "[]");
}

#[test]
fn a_path_that_has_become_another_file_is_shown_as_it_is_now() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = folder.path().join("data");
    let read = || {
        let code = "import sys; print(open(sys.argv[1]).read())";
        let outcome = python(code).arg(&path).readable(&path).run().unwrap();
        outcome.stdout.text().trim().to_owned()
    };
    std::fs::write(&path, "one").unwrap();
    assert_eq!(read(), "one");
    // The same file with another content, then another file.
    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all(b"two").unwrap();
    assert_eq!(read(), "two");
    std::fs::write(folder.path().join("new"), "three").unwrap();
    std::fs::rename(folder.path().join("new"), &path).unwrap();
    assert_eq!(read(), "three");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "four").unwrap();
    assert_eq!(read(), "four");
}

#[test]
fn a_program_has_the_same_pid_every_time() {
    let apart = Apart::new();
    let code = "import os; print(os.getpid(), [os.fork() or os._exit(0) for _ in range(3)])";
    let first = apart.inside(code);
    for _ in 0..3 {
        assert_eq!(apart.inside(code), first);
    }
}

#[test]
fn only_a_few_cells_wait() {
    let output = another_harness("many-shapes x").wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("few cells wait"), "{text}");
}
