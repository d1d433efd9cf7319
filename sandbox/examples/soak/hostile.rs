//! Programs that leave as much behind as they can.

use std::time::Duration;

use redraft_sandbox::Command;

/// How long each of them may take.
pub(crate) const WALL: Duration = Duration::from_millis(200);

const PYTHON: &str = "/usr/bin/python3";

/// By name. Each is left to itself; what counts is what remains of it.
const PROGRAMS: [(&str, &str); 18] = [
    (
        "fork bomb",
        "while True:\n    try: os.fork()\n    except OSError: pass",
    ),
    (
        "daemon",
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(600)\n    os._exit(0)",
    ),
    (
        "daemon that holds its streams open",
        "if os.fork() == 0:\n    signal.signal(15, signal.SIG_IGN); time.sleep(600)",
    ),
    ("stops itself", "os.kill(0, signal.SIGSTOP)"),
    (
        "ignores signals",
        "for s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ntime.sleep(600)",
    ),
    (
        "fills scratch",
        "for place in ('/box', '/tmp', '/dev/shm'):\n    f = open(place + '/x', 'wb', buffering=0)\n    while f.write(bytes(1 << 16)): pass",
    ),
    (
        "makes files",
        "for n in range(100_000): os.close(os.open(f'/tmp/{n}', os.O_CREAT))",
    ),
    (
        "deep folders without rights",
        "for n in range(500): os.mkdir('d'); os.chdir('d')\nfor p in ('/box', '/tmp', '/dev/shm'): os.chmod(p, 0)",
    ),
    (
        "links, pipes and sockets in files",
        "os.symlink('/etc/passwd', 'a'); os.mkfifo('b'); socket.socket(socket.AF_UNIX).bind('c'); os.link('b', 'd')",
    ),
    (
        "uses up memory",
        "x = []\nwhile True: x.append(bytearray(1 << 20))",
    ),
    (
        "uses up memory in children",
        "for _ in range(8): os.fork()\nx = bytearray(16 << 20); time.sleep(600)",
    ),
    ("talks without end", "while True: os.write(1, bytes(1 << 16))"),
    (
        "opens descriptors",
        "while True:\n    try: os.open('/dev/null', 0)\n    except OSError: time.sleep(600)",
    ),
    (
        "sends its streams round in circles",
        "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\nfor _ in range(100): socket.send_fds(a, [b'x'], [0, 1, 2, a.fileno(), b.fileno()])\ntime.sleep(600)",
    ),
    (
        "orphans",
        "for _ in range(60):\n    if os.fork() == 0:\n        if os.fork() == 0: os._exit(0)\n        os._exit(0)\n    os.wait()",
    ),
    (
        "threads",
        "for _ in range(100): threading.Thread(target=time.sleep, args=(600,)).start()",
    ),
    (
        "changes its priority and that of its user",
        "os.setpriority(os.PRIO_USER, 0, 19); os.sched_setaffinity(0, [0]); resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
    ),
    (
        "kills everybody, and itself by a fault",
        "try: os.kill(-1, 9)\nexcept OSError: pass\nctypes.string_at(0)",
    ),
];

/// One after the other, by name.
pub(crate) fn command(number: usize) -> (&'static str, Command) {
    let (name, code) = PROGRAMS[number % PROGRAMS.len()];
    let mut command = Command::new(PYTHON);
    command
        .system_libraries()
        .readable(PYTHON)
        .arg("-c")
        .arg(format!(
            "import ctypes, os, resource, signal, socket, threading, time\n{code}"
        ))
        .limits(super::tight());
    (name, command)
}
