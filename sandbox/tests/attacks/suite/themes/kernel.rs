//! Doors into the kernel that no program of a task needs.

use crate::suite::{Act, attacks};

attacks! {
    makes_a_user_namespace {
        cites: "isolate NEWS 2.4, measured: reachable in all but isolate and sandlock",
        layers: &["seccomp"],
        act: Act::Python("call('unshare', 0x10000000)"),
    }

    makes_a_user_namespace_by_clone {
        cites: "a filter that watches unshare alone",
        layers: &["seccomp"],
        act: Act::Python("
process = call('clone', 0x10000000 | 17, 0, 0, 0, 0)
if process == 0: os._exit(0)
os.waitpid(process, 0)"),
    }

    makes_a_user_namespace_by_clone3 {
        cites: "the flags of clone3 are where no filter can read them",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS"],
        act: Act::Python("
import struct
process = call('clone3', struct.pack('8Q', 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)
if process == 0: os._exit(0)
os.waitpid(process, 0)"),
    }

    makes_a_network_of_its_own {
        cites: "ioi/isolate#29, #34: each costs the kernel 40 ms of cleaning up",
        layers: &["seccomp", "capabilities"],
        act: Act::Python("call('unshare', 0x10000000 | 0x40000000)"),
    }

    makes_a_process_namespace {
        cites: "a process 1 of its own that reaps nobody",
        layers: &["seccomp", "capabilities"],
        act: Act::Python("call('unshare', 0x10000000 | 0x20000000)"),
    }

    makes_a_time_namespace {
        cites: "ioi/isolate#178: another clock",
        layers: &["seccomp", "capabilities"],
        act: Act::Python("call('unshare', 0x10000000 | 0x80)"),
    }

    mounts_a_file_system_of_its_own {
        cites: "google/nsjail#155, #230: mounts that were not meant to be",
        layers: &["seccomp", "capabilities"],
        act: Act::Python("
in_new_namespaces(0x20000)
call('mount', b'none', os.getcwd().encode(), b'tmpfs', 0, None)"),
    }

    mounts_proc_afresh {
        cites: "a new /proc shows what the old one had hidden",
        layers: &["seccomp", "capabilities"],
        host_may_say: &["EPERM"],
        act: Act::Python("
in_new_namespaces(0x20000 | 0x20000000)
def mount():
    try: call('mount', b'proc', os.getcwd().encode(), b'proc', 0, None)
    except OSError as error: os._exit(error.errno)
status = os.waitstatus_to_exitcode(os.waitpid(child(mount), 0)[1])
if status: raise OSError(status, 'mount')"),
    }

    mounts_by_the_newer_calls {
        cites: "a filter that knows mount and not fsopen",
        layers: &["seccomp", "capabilities"],
        host_may_say: &["ENOSYS"],
        act: Act::Python("
in_new_namespaces(0x20000)
call('fsopen', b'tmpfs', 0)"),
    }

    copies_the_tree_of_mounts {
        cites: "a filter that knows mount and not open_tree",
        layers: &["seccomp", "capabilities"],
        host_may_say: &["ENOSYS"],
        act: Act::Python("
in_new_namespaces(0x20000)
call('open_tree', -100, b'/', 0x8001)"),
    }

    makes_its_root_writable {
        cites: "a read-only mount remounted by a root inside",
        layers: &["seccomp", "capabilities"],
        needs_root: true,
        act: Act::Python("
in_new_namespaces(0x20000)
call('mount', None, b'/', None, 32 | 4096, None)"),
        host_may_say: &["EINVAL"],
    }

    unmounts_what_hides_the_host {
        cites: "CVE-2017-1000368 and its like: the old root is under the new one",
        layers: &["seccomp", "capabilities"],
        needs_root: true,
        act: Act::Python("
if not CONFINED: call('unshare', 0x20000)
call('umount2', b'/proc', 2)"),
        host_may_say: &["EINVAL"],
    }

    joins_a_keyring {
        cites: "isolate NEWS 2.4, measured: keyctl reachable in all but isolate, firejail and sandlock",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS"],
        act: Act::Python("call('keyctl', 1, None)"),
    }

    reads_a_key_of_the_user {
        cites: "isolate NEWS 2.4: keyrings know no namespaces",
        layers: &["seccomp", "user_ns"],
        host_may_say: &["ENOSYS"],
        act: Act::Python("
key = call('keyctl', 10, -4, b'user', KEY_NAME.encode(), 0)
text = space(100)
call('keyctl', 11, key, text, 100)
say(text.value.decode())"),
    }

    has_the_kernel_start_a_helper {
        cites: "request_key starts a program of the host as root",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS"],
        act: Act::Python("reaches('request_key', b'user', b'nothing', b'', -2)"),
    }

    sets_up_a_ring_of_calls {
        cites: "isolate NEWS 2.6, measured: io_uring reachable in all but isolate and sandlock",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS", "EPERM"],
        act: Act::Python("call('io_uring_setup', 1, space(120))"),
    }

    handles_page_faults_itself {
        cites: "measured: userfaultfd reachable in all but firejail and sandlock",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS", "EPERM"],
        act: Act::Python("call('userfaultfd', 1)"),
    }

    loads_a_map_into_the_kernel {
        cites: "bpf: verifier faults",
        layers: &["seccomp", "capabilities"],
        needs_root: true,
        host_may_say: &["ENOSYS", "EPERM"],
        act: Act::Python("
import struct
call('bpf', 0, struct.pack('4I', 2, 4, 4, 1) + bytes(112), 128)"),
    }

    counts_what_the_processor_does {
        cites: "perf_event_open: faults, and a clock for side channels",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS", "EPERM", "EACCES", "ENOENT"],
        act: Act::Python("
import struct
attributes = struct.pack('IIQQQQQ', 1, 112, 0, 0, 0, 0, 1 << 5) + bytes(64)
call('perf_event_open', attributes, 0, -1, -1, 0)"),
    }

    watches_files_across_mounts {
        cites: "fanotify: needs no rights since Linux 5.13",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS", "EPERM"],
        act: Act::Python("call('fanotify_init', 0x200, 0)"),
    }

    reads_the_kernels_log {
        cites: "addresses and secrets of the host in dmesg",
        layers: &["seccomp", "capabilities"],
        host_may_say: &["EPERM", "ENOSYS"],
        act: Act::Python("call('syslog', 3, space(4096), 4096)"),
    }

    loads_a_module {
        cites: "docker: SYS_MODULE",
        layers: &["seccomp", "capabilities"],
        needs_root: true,
        host_may_say: &["EPERM", "ENOSYS"],
        act: Act::Python("reaches('init_module', space(8), 8, b'')"),
    }

    replaces_the_kernel {
        cites: "docker's list of refused calls: kexec_load",
        layers: &["seccomp", "capabilities"],
        needs_root: true,
        host_may_say: &["EPERM", "ENOSYS"],
        act: Act::Python("reaches('kexec_load', 0, 99, None, 0)"),
    }

    turns_on_swap {
        cites: "SandboxFusion#42: swap that isn't limited",
        layers: &["capabilities", "seccomp"],
        needs_root: true,
        act: Act::Python("reaches('swapon', b'/nothing', 0)"),
    }

    turns_on_accounting {
        cites: "docker's list of refused calls: acct",
        layers: &["capabilities", "seccomp"],
        needs_root: true,
        host_may_say: &["ENOSYS"],
        act: Act::Python("reaches('acct', b'/nothing')"),
    }

    sets_the_clock {
        cites: "ioi/isolate#178: a wall time below zero, because the clock was set",
        layers: &["capabilities", "user_ns", "seccomp"],
        needs_root: true,
        act: Act::Python("
import struct
reaches('settimeofday', None, struct.pack('2i', 10_000, 0))"),
    }

    changes_the_name_of_the_host {
        cites: "a name of the host changed from a namespace that isn't its own",
        layers: &["capabilities", "uts_ns"],
        needs_root: true,
        act: Act::Python("
name = os.uname().nodename.encode()
call('sethostname', name, len(name))"),
    }

    opens_the_ports_of_the_hardware {
        cites: "docker's list of refused calls: ioperm, iopl",
        layers: &["capabilities", "seccomp"],
        needs_root: true,
        host_may_say: &["EPERM", "ENOSYS", "this processor has no such call"],
        act: Act::Python("call('ioperm', 0x80, 1, 1)"),
    }

    changes_the_segments_of_its_processor {
        cites: "CVE-2015-3290 and its like: modify_ldt",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS", "this processor has no such call"],
        act: Act::Python("
import struct
call('modify_ldt', 0x11, struct.pack('4I', 0, 0, 0xFFFFF, 0x51), 16)"),
    }

    calls_the_kernel_as_a_32_bit_program {
        cites: "seccompiler#74, measured: int 0x80 works here",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS", "this processor has no such call"],
        act: Act::Python("
import ctypes, mmap
if os.uname().machine != 'x86_64': refused('this processor has no such call')
page = mmap.mmap(-1, 4096, prot=7)
page.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')
result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
if result < 0: raise OSError(-result, 'int 0x80')"),
    }

    calls_the_kernel_by_the_numbers_of_x32 {
        cites: "seccompiler#74: the x32 bit isn't looked at",
        layers: &["seccomp"],
        host_may_say: &["ENOSYS", "this processor has no such call"],
        act: Act::Python("
if os.uname().machine != 'x86_64': refused('this processor has no such call')
call('syscall', 0x40000000 | 39)"),
    }

    makes_memory_without_a_name {
        cites: "sunwalker-box's tests: memfd as memory that nobody counts",
        layers: &["seccomp", "cgroup_memory"],
        host_may_say: &["ENOSYS"],
        act: Act::Python("call('memfd_create', b'x', 0)"),
    }

    finds_shared_memory_of_the_host {
        cites: "sunwalker-box's tests: System V IPC of the host",
        layers: &["ipc_ns", "seccomp"],
        act: Act::Python("
import ctypes
say(ctypes.string_at(call('shmat', call('shmget', SHM_KEY, 0, 0), 0, 0o10000)).decode())"),
    }

    lists_the_shared_memory_of_the_host {
        cites: "inspect_ai#4709: what a broken sandbox leaves, seen in /proc/sysvipc",
        layers: &["ipc_ns"],
        act: Act::Python("
if str(SHM_KEY) not in open('/proc/sysvipc/shm').read().split(): refused('not there')"),
    }

    fills_the_kernel_with_rules_of_its_own {
        cites: "Landlock: rules are the kernel's memory, and there may be four thousand million of them",
        layers: &["seccomp", "cgroup_memory"],
        host_may_say: &["ENOSYS", "EOPNOTSUPP"],
        act: Act::Python("
import struct
NUMBERS['landlock_create_ruleset'] = 444, 444
call('landlock_create_ruleset', struct.pack('Q', 1), 8, 0)"),
    }

    is_free_to_call_anything {
        cites: "measured: no filter in nsjail, minijail and hakoniwa by default",
        layers: &["seccomp"],
        act: Act::Python("if 'Seccomp:\\t2' in open('/proc/self/status').read(): refused('filtered')"),
    }
}
