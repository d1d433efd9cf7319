//! Streams: much, little, late, forged, and held open.

use std::time::Duration;

use redraft_sandbox::Limits;

use crate::suite::sandbox::Ending;
use crate::suite::{AMPLE, Act, Control, Right, attacks};

const LITTLE: Limits = Limits {
    output: 64 << 10,
    ..AMPLE
};

attacks! {
    writes_150_kilobytes {
        cites: "SandboxFusion: 150 kB of output are told as a timeout",
        layers: &["pid_ns"],
        right: Right::Keeps(&[Ending::Exited(0)], 150_008),
        control: Control::BareToo,
        act: Act::Python("
sys.stdout.write('x' * 150_000)
sys.stdout.flush()"),
    }

    writes_without_end {
        cites: "piston#301, #465, #695: told as a SIGKILL with no reason",
        layers: &["pid_ns"],
        limits: LITTLE,
        right: Right::Keeps(&[Ending::OutputLimit], 64 << 10),
        control: Control::BareToo,
        act: Act::Python("while True: os.write(1, b'0123456789' * 1000)"),
    }

    writes_to_stderr_without_end {
        cites: "piston#301: only one of the streams is watched",
        layers: &["pid_ns"],
        limits: LITTLE,
        right: Right::Ends(&[Ending::OutputLimit]),
        control: Control::BareToo,
        act: Act::Python("while True: os.write(2, b'0123456789' * 1000)"),
    }

    writes_one_chunk_larger_than_the_limit {
        cites: "piston PR#643: a single chunk gets around the limit",
        layers: &["pid_ns"],
        limits: Limits { output: 1024, ..AMPLE },
        right: Right::Keeps(&[Ending::OutputLimit], 1024),
        control: Control::Looser(AMPLE),
        act: Act::Python("os.write(1, bytes(5000))"),
    }

    writes_from_twenty_processes_at_once {
        cites: "piston#535: ends without an explanation when much runs at once",
        layers: &["pid_ns"],
        limits: LITTLE,
        right: Right::Keeps(&[Ending::OutputLimit], 64 << 10),
        control: Control::Looser(AMPLE),
        act: Act::Python("
def flood():
    for _ in range(100): os.write(1, b'x' * 1000)
children = [child(flood) for _ in range(20)]
for process in children: os.waitpid(process, 0)"),
    }

    goes_on_when_nobody_reads_any_more {
        cites: "boxlite#1459: the leader is killed and the writers live",
        layers: &["pid_ns"],
        limits: LITTLE,
        right: Right::Ends(&[Ending::OutputLimit]),
        control: Control::BareStays,
        act: Act::Python("
import signal
def flood():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    while True:
        try: os.write(1, b'x' * 1000)
        except OSError: wait()
child(flood)
flood()"),
    }

    holds_the_reading_end_of_its_own_output {
        cites: "codex#21994: a pipe that never ends",
        layers: &["pid_ns"],
        right: Right::Says("REACHED\n"),
        control: Control::BareStays,
        act: Act::Python("
def hold():
    os.setsid()
    os.open('/proc/self/fd/1', os.O_RDWR)
    wait()
child(hold)"),
    }

    closes_its_streams_and_goes_on {
        cites: "codex#4337: the end of a stream taken for the end of the program",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Exited(3)]),
        control: Control::BareToo,
        act: Act::Python("
import time
os.closerange(0, 3)
time.sleep(0.3)
os._exit(3)"),
    }

    says_something_before_its_time_is_up {
        cites: "inspect_ai#1979, PR#4108: partial output is lost",
        layers: &["pid_ns"],
        limits: Limits { wall: Duration::from_millis(900), ..AMPLE },
        right: Right::Keeps(&[Ending::WallTimeout], 5),
        control: Control::BareToo,
        act: Act::Python("
say('kept')
wait()"),
    }

    never_reads_four_megabytes {
        cites: "measured: right everywhere, and must stay so",
        layers: &["pid_ns"],
        stdin: 4 << 20,
        right: Right::Says("REACHED\n"),
        control: Control::BareToo,
        act: Act::Python(""),
    }

    reads_a_megabyte_late {
        cites: "piston: stdin that is read late is cut at 219,264 bytes",
        layers: &["pid_ns"],
        stdin: 1 << 20,
        right: Right::Says("1048576\nREACHED\n"),
        control: Control::BareToo,
        act: Act::Python("
import time
time.sleep(0.3)
say(str(len(sys.stdin.read())))"),
    }

    finds_a_channel_besides_its_streams {
        cites: "SWE-bench PR#620: the channel of verdicts is in reach of the program",
        layers: &["descriptors", "root"],
        act: Act::Python("
listing = os.open('/proc/self/fd', os.O_RDONLY)
if not [name for name in os.listdir(listing) if int(name) > 2 and int(name) != listing and os.path.exists(f'/proc/self/fd/{name}')]:
    refused('none')
OPEN_DESCRIPTOR"),
    }

    prints_what_looks_like_a_verdict {
        cites: "verl PR#7853, SWE-bench PR#620: text is believed instead of the exit status",
        layers: &["pid_ns"],
        right: Right::Ends(&[Ending::Exited(3)]),
        control: Control::BareToo,
        act: Act::Python("
say('{\"status\": \"accepted\", \"exit\": 0}')
say('exited with 0')
os._exit(3)"),
    }
}
