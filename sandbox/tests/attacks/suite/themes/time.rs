//! CPU time used where nobody looks, and waiting past the limit.

use std::time::Duration;

use redraft_sandbox::Limits;

use crate::suite::sandbox::Ending;
use crate::suite::{AMPLE, Act, Control, Right, attacks};

const LITTLE_CPU: Limits = Limits {
    cpu: Duration::from_millis(300),
    ..AMPLE
};
const SHORT_WALL: Limits = Limits {
    wall: Duration::from_millis(500),
    ..AMPLE
};
const CPU: Right = Right::Ends(&[Ending::CpuTimeout]);
const WALL: Right = Right::Ends(&[Ending::WallTimeout]);

attacks! {
    computes_for_ever {
        cites: "human-eval, MBPP: the plain endless loop",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("while True: pass"),
    }

    computes_in_one_call_of_the_library {
        cites: "evalplus PR#303: signal.alarm waits for the call to return",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("pow(3, 1 << 40)"),
    }

    computes_in_threads_deaf_to_signals {
        cites: "DMOJ#378: threads in loops of C",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::C(include_str!("../programs/deaf_threads.c")),
    }

    computes_where_nobody_may_look {
        cites: "prctl: a process that can't be dumped hides from some of /proc",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("
call('prctl', 4, 0, 0, 0, 0)
while True: pass"),
    }

    has_its_children_compute {
        cites: "measured: RLIMIT_CPU is for each process anew",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("
def compute():
    while True: pass
for _ in range(3): child(compute)
wait()"),
    }

    has_an_orphan_compute {
        cites: "measured: the time of a setsid orphan is only in the group's count",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("
def compute():
    os.setsid()
    while True: pass
os.waitpid(child(lambda: child(compute)), 0)
wait()"),
    }

    has_thousands_of_short_children_compute {
        cites: "measured: each is gone before anybody looks",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("while True: os.waitpid(child(lambda: sum(range(50_000))), 0)"),
    }

    has_the_kernel_compute {
        cites: "sunwalker-box's tests: system time counts",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("
file, buffer = open('/dev/zero', 'rb', buffering=0), bytearray(1 << 20)
while True: file.readinto(buffer)"),
    }

    calls_the_kernel_in_a_storm {
        cites: "DMOJ#378: a time limit under a storm of calls is told as something else",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("while True: os.getppid(), os.stat('/')"),
    }

    sleeps_a_little_between_computing {
        cites: "the classic way to be asleep at each tick of the clock",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("
import time
while True:
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end: pass
    time.sleep(0.0001)"),
    }

    goes_on_after_the_kernels_warning {
        cites: "measured: SIGXCPU can be ignored",
        layers: &["pid_ns"],
        limits: LITTLE_CPU,
        right: CPU,
        control: Control::BareStays,
        act: Act::Python("
import resource, signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True: pass"),
    }

    sleeps_past_its_limit {
        cites: "judge0 1.13.0: a limit below one second is none; google/nsjail: whole seconds only",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: WALL,
        control: Control::BareToo,
        act: Act::Python("wait()"),
    }

    waits_for_a_pipe_that_nobody_opens {
        cites: "codex#7852, #21994: mkfifo and a writer in the background",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: WALL,
        control: Control::BareToo,
        act: Act::Python("
os.mkfifo('fifo')
open('fifo')"),
    }

    waits_with_children_that_hold_everything {
        cites: "codex#4337, codex PR#6553: the shell is killed, its children hold the pipes",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: WALL,
        control: Control::BareStays,
        act: Act::Python("
for _ in range(3): child(wait)
wait()"),
    }

    sleeps_in_the_kernel_uninterruptibly {
        cites: "E2B PR#1389: vfork leaves the parent deaf to all but SIGKILL",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: WALL,
        control: Control::BareStays,
        act: Act::C(include_str!("../programs/sleeping_vfork.c")),
    }
}
