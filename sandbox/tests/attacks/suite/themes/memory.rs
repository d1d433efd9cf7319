//! Memory taken in every way that somebody has forgotten to count.

use redraft_sandbox::Limits;

use crate::suite::sandbox::Ending;
use crate::suite::{AMPLE, Act, Control, Right, attacks};

const SMALL: Limits = Limits {
    memory: 64 << 20,
    ..AMPLE
};
/// What hides beside the process counts together with what is written to scratch.
const NO_ROOM: Limits = Limits {
    memory: 32 << 20,
    scratch: 1 << 20,
    ..AMPLE
};
const MEMORY_LIMIT: Right = Right::Ends(&[Ending::MemoryLimit]);
const REFUSED_OR_LIMIT: Right = Right::RefusedOr(&[Ending::MemoryLimit, Ending::ScratchFull]);

attacks! {
    takes_more_memory_than_it_may {
        cites: "ioi/isolate#5, #83: told as a timeout or a segmentation fault",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("memory = b'x' * (200 << 20)"),
    }

    takes_memory_in_small_pieces {
        cites: "ioi/isolate#5, #83",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("memory = [bytes(1000) for _ in range(200_000)]"),
    }

    takes_memory_for_a_moment {
        cites: "sunwalker-box's tests: a peak between two looks",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("
memory = b'x' * (200 << 20)
del memory
os._exit(0)"),
    }

    takes_memory_where_nobody_may_look {
        cites: "prctl: a process that can't be dumped doesn't show its maps",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("
call('prctl', 4, 0, 0, 0, 0)
memory = b'x' * (200 << 20)"),
    }

    takes_memory_in_its_children {
        cites: "measured: 3 × 10 MiB; a limit for each process is none for all",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("
def hold():
    memory = b'x' * (30 << 20)
    os.write(ends[1], b'x')
    wait()
ends = os.pipe()
children = [child(hold) for _ in range(5)]
for _ in children: os.read(ends[0], 1)
for process in children: os.kill(process, 9)"),
    }

    takes_memory_in_an_orphan {
        cites: "langfuse#15955: what has left the tree isn't counted",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("
def orphan():
    os.setsid()
    memory = b'x' * (200 << 20)
    os.write(ends[1], b'x')
ends = os.pipe()
os.waitpid(child(lambda: child(orphan)), 0)
os.close(ends[1])
os.read(ends[0], 1)"),
    }

    takes_memory_that_is_shared {
        cites: "sunwalker-box's tests: shared anonymous memory",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("
import mmap
memory = mmap.mmap(-1, 200 << 20)
for at in range(0, 200 << 20, 4096): memory[at] = 1"),
    }

    takes_memory_as_files_in_scratch {
        cites: "measured: 200 MiB in a tmpfs survive the process and stay charged",
        layers: &["scratch", "cgroup_memory"],
        limits: Limits { scratch: 32 << 20, ..SMALL },
        right: REFUSED_OR_LIMIT,
        act: Act::Python("
file = open('large', 'wb', buffering=0)
for _ in range(100): file.write(bytes(1 << 20))"),
    }

    takes_memory_as_a_file_without_a_name {
        cites: "sunwalker-box's tests: memfd",
        layers: &["seccomp", "cgroup_memory"],
        limits: SMALL,
        right: REFUSED_OR_LIMIT,
        host_may_say: &["ENOSYS"],
        act: Act::Python("
file = call('memfd_create', b'x', 0)
for _ in range(100): os.write(file, bytes(1 << 20))"),
    }

    takes_memory_as_a_segment {
        cites: "sunwalker-box's tests: System V shared memory that nobody has mapped",
        layers: &["seccomp", "cgroup_memory"],
        limits: SMALL,
        right: REFUSED_OR_LIMIT,
        act: Act::Python("
import ctypes
segment = call('shmget', 0, 100 << 20, 0o1600)
start = call('shmat', segment, 0, 0)
call('shmctl', segment, 0, None)
ctypes.memset(start, 1, 100 << 20)"),
    }

    hides_memory_in_pipes {
        cites: "sunwalker-box's tests: the kernel's memory is not the process's",
        layers: &["cgroup_memory"],
        limits: NO_ROOM,
        right: REFUSED_OR_LIMIT,
        host_may_say: &["EPERM"],
        act: Act::Python("
import fcntl
for _ in range(60):
    reader, writer = os.pipe()
    fcntl.fcntl(writer, 1031, 1 << 20)
    os.write(writer, bytes(1 << 20))"),
    }

    hides_memory_in_sockets {
        cites: "sunwalker-box's tests: the kernel's memory is not the process's",
        layers: &["cgroup_memory"],
        limits: NO_ROOM,
        right: REFUSED_OR_LIMIT,
        act: Act::Python("
import socket
pairs, total = [], 0
for _ in range(400):
    pairs.append(socket.socketpair())
    for one in pairs[-1]:
        one.setblocking(False)
        try:
            while True: total += one.send(bytes(65536))
        except BlockingIOError: pass
if total < 60 << 20: refused(f'{total >> 20} MiB')"),
    }

    hides_memory_in_page_tables {
        cites: "the tables for pages that are only read hold no page of the process's own",
        layers: &["cgroup_memory"],
        limits: NO_ROOM,
        right: REFUSED_OR_LIMIT,
        host_may_say: &["ENOMEM", "none"],
        act: Act::Python("
import ctypes
size = 64 << 30
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_long
start = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))
if start == -1: raise OSError(ctypes.get_errno(), 'mmap')
for at in range(start, start + size, 2 << 20): ctypes.c_char.from_address(at).value
tables = [int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmPTE')]
if tables[0] < 100_000: refused('none')"),
    }

    hides_memory_behind_a_mapping {
        cites: "sunwalker-box's tests: shared memory that is mapped and that no process shows as its own",
        layers: &["cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::Python("
import mmap
pieces = [mmap.mmap(-1, 4 << 20) for _ in range(50)]
for piece in pieces:
    for at in range(0, 4 << 20, 4096): piece[at] = 1
    piece.madvise(mmap.MADV_DONTNEED)
if any(piece[0] != 1 for piece in pieces): refused('it is gone')"),
    }

    takes_the_hosts_huge_pages {
        cites: "hugetlb: pages from the host's own store, which no resident size and no memory group counts",
        layers: &["seccomp"],
        host_may_say: &["ENOMEM"],
        act: Act::Python("
import mmap
mmap.mmap(-1, 2 << 20, flags=0x40022)"),
    }

    takes_memory_before_its_own_code_begins {
        cites: "criyle/go-judge#186: an array of 800 MB told as signalled at 256 KiB",
        layers: &["pid_ns", "cgroup_memory"],
        limits: SMALL,
        right: MEMORY_LIMIT,
        act: Act::C(include_str!("../programs/large_array.c")),
    }

    reserves_an_array_and_does_not_use_it {
        cites: "google/nsjail#76: RLIMIT_AS kills what only reserves",
        layers: &["pid_ns"],
        limits: SMALL,
        right: Right::Says("REACHED\n"),
        control: Control::BareToo,
        act: Act::C(include_str!("../programs/unused_array.c")),
    }

    reserves_a_terabyte {
        cites: "google/nsjail#76: the JVM, V8 and Go reserve far more than they use",
        layers: &["pid_ns"],
        limits: SMALL,
        right: Right::Says("REACHED\n"),
        control: Control::BareToo,
        act: Act::Python("
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_long
start = libc.mmap(None, ctypes.c_size_t(1 << 40), 3, 0x4022, -1, ctypes.c_long(0))
if start == -1: raise OSError(ctypes.get_errno(), 'mmap')"),
    }

    overflows_its_stack {
        cites: "ioi/isolate#83: told as what it is, a segmentation fault",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Signalled(11)]),
        control: Control::BareToo,
        act: Act::C(include_str!("../programs/deep_recursion.c")),
    }

    has_less_memory_than_its_runtime_needs {
        cites: "criyle/go-sandbox#14, Hydro#960: a tiny limit kills the runner and shows as an internal error",
        layers: &["pid_ns", "cgroup_memory"],
        limits: Limits { memory: 1 << 20, ..AMPLE },
        right: MEMORY_LIMIT,
        control: Control::Looser(AMPLE),
        act: Act::Python(""),
    }
}
