//! Other processes: seeing them, reading them, harming them, and leaving some behind.

use std::time::Duration;

use redraft_sandbox::Limits;

use crate::suite::sandbox::Ending;
use crate::suite::{AMPLE, Act, Control, Right, attacks};

attacks! {
    sees_the_processes_of_the_host {
        cites: "measured: a sandbox that shares the host's process ids",
        layers: &["pid_ns"],
        act: Act::Python("if not os.path.exists(f'/proc/{HARNESS}'): refused('not there')"),
    }

    reads_the_command_line_of_the_harness {
        cites: "SWE-bench PR#620: what the harness is told shows what is expected",
        layers: &["pid_ns", "proc"],
        act: Act::Python("
lines = []
for name in os.listdir('/proc'):
    if name.isdigit():
        try: lines.append(open(f'/proc/{name}/cmdline').read().split(chr(0))[0])
        except OSError: pass
if HARNESS_ARGUMENT not in lines: refused('not there')"),
    }

    reads_the_environment_of_a_process {
        cites: "E2B#1034: secrets of the host in the environment of its processes",
        layers: &["pid_ns", "proc"],
        act: Act::Python("say(open(f'/proc/{VICTIM}/environ').read())"),
    }

    reads_the_memory_of_a_process {
        cites: "isolate NEWS 2.4: ptrace and its like between programs of one user",
        layers: &["pid_ns", "proc"],
        host_may_say: &["EPERM", "EACCES"],
        act: Act::Python("
for line in open(f'/proc/{VICTIM}/maps'):
    if '[stack]' in line: start, end = (int(text, 16) for text in line.split()[0].split('-'))
memory = open(f'/proc/{VICTIM}/mem', 'rb', buffering=0)
memory.seek(start)
data = memory.read(end - start)
at = data.index(b'VICTIMS_SECRET=')
say(data[at:data.index(b'\\0', at)].decode())"),
    }

    reads_the_memory_of_init {
        cites: "youki#1601: init shares its user with the program",
        layers: &["proc", "pid_ns"],
        control: Control::Within,
        act: Act::Python("
def first_byte(process):
    start = int(open(f'/proc/{process}/maps').readline().split('-')[0], 16)
    memory = open(f'/proc/{process}/mem', 'rb', buffering=0)
    memory.seek(start)
    memory.read(1)
first_byte('self')
able()
first_byte(1)"),
    }

    lists_the_descriptors_of_init {
        cites: "CVE-2024-21626: a descriptor of the runtime leads out",
        layers: &["proc", "pid_ns"],
        control: Control::Within,
        act: Act::Python("
os.listdir('/proc/self/fd')
able()
os.listdir('/proc/1/fd')"),
    }

    traces_a_process_of_the_host {
        cites: "isolate NEWS 2.4: ptrace",
        layers: &["pid_ns", "seccomp"],
        host_may_say: &["EPERM"],
        act: Act::Python("call('ptrace', 0x4206, VICTIM, 0, 0)"),
    }

    traces_its_own_child {
        cites: "DMOJ#378: tracing makes ends unclear; a tracer also gets around filters before Linux 4.8",
        layers: &["seccomp"],
        act: Act::Python("
import time
process = child(lambda: time.sleep(600))
try: call('ptrace', 0x4206, process, 0, 0)
finally:
    os.kill(process, 9)
    os.waitpid(process, 0)"),
    }

    copies_the_memory_of_another_process {
        cites: "isolate NEWS 2.4: process_vm_readv between programs of one user",
        layers: &["seccomp"],
        act: Act::Python("
import ctypes, time
text = space(8)
part = (ctypes.c_size_t * 2)(ctypes.addressof(text), 8)
process = child(lambda: time.sleep(600))
try: call('process_vm_readv', process, part, 1, part, 1, 0)
finally:
    os.kill(process, 9)
    os.waitpid(process, 0)"),
    }

    takes_a_descriptor_from_a_process {
        cites: "pidfd_getfd: open files of another process",
        layers: &["pid_ns"],
        host_may_say: &["EPERM", "ENOSYS"],
        act: Act::Python("call('pidfd_getfd', call('pidfd_open', VICTIM, 0), 0, 0)"),
    }

    kills_a_process_of_the_host {
        cites: "E2B#1034, human-eval: the program ends its judge",
        layers: &["pid_ns", "landlock"],
        act: Act::Python("os.kill(VICTIM, 9)"),
    }

    stops_a_process_of_the_host {
        cites: "measured: kill -STOP froze a plain harness",
        layers: &["pid_ns", "landlock"],
        act: Act::Python("os.kill(VICTIM, 19)"),
    }

    slows_down_a_process_of_the_host {
        cites: "piston#535: a neighbour slows a run down",
        layers: &["pid_ns"],
        act: Act::Python("os.setpriority(os.PRIO_PROCESS, VICTIM, 19)"),
    }

    lowers_the_limits_of_a_process_of_the_host {
        cites: "ioi/isolate#195: limits of one run that hold for another process",
        layers: &["pid_ns"],
        act: Act::Python("
import resource
resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (100, 100))"),
    }

    moves_a_process_of_the_host_to_another_core {
        cites: "evalplus#5: verdicts that depend on who else runs where",
        layers: &["pid_ns"],
        act: Act::Python("os.sched_setaffinity(VICTIM, {min(os.sched_getaffinity(VICTIM))})"),
    }

    is_the_first_process_of_its_namespace {
        cites: "measured: process 1 survives kill(self) in unshare, nsjail, minijail and hakoniwa",
        layers: &["pid_ns"],
        control: Control::BareToo,
        act: Act::Python("if os.getpid() != 1: refused('no')"),
    }

    has_rights_of_the_kernel {
        cites: "measured: full capabilities in unshare, bubblewrap as root, hakoniwa, sandlock and srt",
        layers: &["capabilities"],
        act: Act::Python("
lines = [line.split() for line in open('/proc/self/status') if line.startswith('Cap')]
if not any(int(value, 16) for name, value in lines): refused('none')"),
    }

    may_gain_rights_by_a_setuid_program {
        cites: "rust-landlock#53: no_new_privs that was thought to be set",
        layers: &["no_new_privs"],
        act: Act::Python("if 'NoNewPrivs:\\t1' in open('/proc/self/status').read(): refused('no')"),
    }

    is_root_on_the_host {
        cites: "measured: bubblewrap, hakoniwa and srt as root map 0 to 0",
        layers: &["uid", "user_ns"],
        needs_root: true,
        act: Act::Python("
for line in open('/proc/self/uid_map'):
    inside, outside, count = map(int, line.split())
    if inside <= os.getuid() < inside + count and outside + os.getuid() - inside == 0: break
else: refused('no')"),
    }

    becomes_root_again {
        cites: "DMOJ PR#1250: a change of user whose failure is ignored",
        layers: &["uid", "user_ns", "capabilities"],
        needs_root: true,
        act: Act::Python("
os.setresgid(0, 0, 0)
os.setresuid(0, 0, 0)"),
    }

    joins_groups_of_the_host {
        cites: "ioi/isolate NEWS 2.5: files opened with root's group",
        layers: &["groups", "user_ns", "capabilities"],
        needs_root: true,
        act: Act::Python("os.setgroups([0, 4, 27])"),
    }

    takes_priority_over_the_host {
        cites: "piston#535: a neighbour slows a run down",
        layers: &["capabilities", "user_ns"],
        needs_root: true,
        host_may_say: &["EPERM"],
        act: Act::Python("os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"),
    }

    joins_the_namespaces_of_init {
        cites: "CVE-2022-0185: back to the host by setns",
        layers: &["capabilities", "seccomp", "proc"],
        needs_root: true,
        host_may_say: &["EACCES", "EPERM"],
        act: Act::Python("
for kind in ('uts', 'ipc', 'net'): call('setns', os.open(f'/proc/1/ns/{kind}', os.O_RDONLY), 0)"),
    }

    forks_far_more_than_it_may {
        cites: "measured: 1500 forks allowed by all but sandlock",
        layers: &["rlimits", "cgroup_pids"],
        right: Right::RefusedOr(&[Ending::ProcessLimit]),
        act: Act::Python("
import time
children = []
try:
    for _ in range(200): children.append(child(lambda: time.sleep(600)))
finally:
    for process in children: os.kill(process, 9)
    for process in children: os.waitpid(process, 0)"),
    }

    starts_far_more_threads_than_it_may {
        cites: "Clawith#636: process ids of the container used up",
        layers: &["rlimits", "cgroup_pids"],
        right: Right::RefusedOr(&[Ending::ProcessLimit]),
        act: Act::Python("
import threading
threading.stack_size(64 << 10)
for _ in range(200): threading.Thread(target=threading.Event().wait, daemon=True).start()
say('REACHED')
os._exit(0)"),
    }

    opens_far_more_files_than_it_may {
        cites: "sunwalker-box#10: the judge's descriptors used up",
        layers: &["rlimits"],
        needs_root: true,
        act: Act::Python("
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
for _ in range(2000): os.dup(0)"),
        host_may_say: &["EMFILE"],
    }

    leaves_a_daemon {
        cites: "bubblewrap#105, measured: survives a bare spawn",
        layers: &["pid_ns"],
        right: Right::Says("REACHED\n"),
        control: Control::BareStays,
        act: Act::Python("
def daemon():
    os.setsid()
    os.closerange(0, 9)
    child(wait)
os.waitpid(child(daemon), 0)"),
    }

    leaves_a_daemon_that_holds_its_output {
        cites: "codex#4337, codex PR#5258, measured: bare spawn, bubblewrap, firejail and minijail wait for it",
        layers: &["pid_ns"],
        right: Right::Says("REACHED\n"),
        control: Control::BareStays,
        act: Act::Python("
def daemon():
    os.setsid()
    child(wait)
os.waitpid(child(daemon), 0)"),
    }

    leaves_a_process_that_is_stopped {
        cites: "codex#7852, measured: kill -STOP",
        layers: &["pid_ns"],
        right: Right::Says("REACHED\n"),
        control: Control::BareStays,
        act: Act::Python("os.waitpid(child(lambda: os.kill(os.getpid(), 19)), os.WUNTRACED)"),
    }

    leaves_a_process_that_is_deaf_to_signals {
        cites: "langfuse#15955: a timeout that leaves children",
        layers: &["pid_ns"],
        right: Right::Says("REACHED\n"),
        control: Control::BareStays,
        act: Act::Python("
import signal
def deaf():
    os.setsid()
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    wait()
child(deaf)"),
    }

    leaves_fifty_processes {
        cites: "cgroups-rs#18, crun#657: what a fork bomb leaves",
        layers: &["pid_ns"],
        right: Right::Says("REACHED\n"),
        control: Control::BareStays,
        act: Act::Python("for _ in range(50): child(wait)"),
    }

    leaves_processes_that_fork_away_from_the_killer {
        cites: "E2B#1031, boxlite#1459: killed one by one, some escape",
        layers: &["pid_ns"],
        right: Right::Says("REACHED\n"),
        control: Control::BareStays,
        act: Act::Python("
import time
def runner():
    os.setsid()
    for _ in range(400):
        if os.fork(): os._exit(0)
        time.sleep(0.005)
for _ in range(4): child(runner)"),
    }

    leaves_two_hundred_zombies {
        cites: "bubblewrap#697, youki#1601, measured: 200 zombies visible in unshare, nsjail and isolate",
        layers: &["pid_ns"],
        control: Control::Within,
        act: Act::Python("
import time
def state(process):
    try: return open(f'/proc/{process}/stat').read().rsplit(')', 1)[1].split()[0]
    except OSError: return None
def zombies():
    return sum(state(name) == 'Z' for name in os.listdir('/proc') if name.isdigit())
def settle(count):
    for _ in range(500):
        if zombies() == count: return True
        time.sleep(0.01)
process = child(lambda: None)
if settle(1): able()
os.waitpid(process, 0)
for _ in range(200): os.waitpid(child(lambda: child(lambda: None)), 0)
if settle(0): refused('none stays')"),
    }

    makes_a_sibling_of_itself {
        cites: "go-judge's and nsjail's init: a child that it hasn't started ends with another status",
        layers: &["pid_ns"],
        control: Control::BareToo,
        right: Right::Says("REACHED\n"),
        act: Act::Python("
import time
if call('clone', 0x8000 | 17, 0, 0, 0, 0) == 0: os._exit(77)
time.sleep(0.2)"),
    }

    hides_behind_a_name_like_a_line_of_numbers {
        cites: "DOMjudge-packaging#13: /proc/PID/stat is cut at the wrong bracket",
        layers: &["rlimits"],
        limits: Limits { cpu: Duration::from_millis(300), ..AMPLE },
        right: Right::Ends(&[Ending::CpuTimeout]),
        control: Control::BareStays,
        act: Act::Python("
call('prctl', 15, b') S 1 1 1 0 0 0', 0, 0, 0)
while True: pass"),
    }
}
