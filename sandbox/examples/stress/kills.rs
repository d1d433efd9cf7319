//! The harness killed at fifty moments: after one second nothing of what it ran is left.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use redraft_sandbox::Limits;

use crate::traces::{Traces, processes_with};
use crate::{python, told};

/// The argument that makes this program the harness that will be killed.
pub(crate) const AS_HARNESS: &str = "as-harness";

const KILLS: u32 = 50;
const AFTER: Duration = Duration::from_secs(1);

/// Runs programs on three threads until the end.
pub(crate) fn be_the_harness(marker: &str) -> ! {
    let code = "import os, time
for _ in range(2): os.fork()
if os.getpid() > 3: os.setsid()
open('/tmp/file%d' % os.getpid(), 'w').write('x')
time.sleep(0.01 if os.getpid() == 2 else 600)";
    let run = || loop {
        python(code, Limits::default())
            .arg(marker)
            .file("given", "content")
            .run()
            .unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(run);
        scope.spawn(run);
        run()
    })
}

pub(crate) fn kill_fifty() -> bool {
    let itself = std::env::current_exe().unwrap();
    let before = Traces::look();
    let mut left = Vec::new();
    let mut slowest = Duration::ZERO;
    for number in 0..KILLS {
        let marker = format!("stress-{}-{number}.", std::process::id());
        let mut harness = Command::new(&itself)
            .args([AS_HARNESS, &marker])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(moment(number));
        harness.kill().unwrap();
        harness.wait().unwrap();
        let begin = Instant::now();
        while processes_with(&marker) > 0 && begin.elapsed() < AFTER {
            std::thread::sleep(Duration::from_millis(2));
        }
        slowest = slowest.max(begin.elapsed());
        std::thread::sleep(AFTER.saturating_sub(begin.elapsed()));
        left.extend((processes_with(&marker) > 0).then(|| format!("processes of {marker}")));
    }
    left.extend(Traces::look().since(&before));
    for what in &left {
        println!("left: {what}");
    }
    told(
        left.is_empty(),
        &format!(
            "{KILLS} times kill -9 of the harness at a random moment: {} things left after 1 s; the last process was gone after {:.0} ms at worst",
            left.len(),
            slowest.as_secs_f64() * 1000.0,
        ),
    )
}

/// From the harness's first steps on to the midst of its work.
fn moment(number: u32) -> Duration {
    // A simple generator is random enough, and a bad moment can be tried again.
    let random = (u64::from(number) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    Duration::from_micros(random % 300_000)
}
