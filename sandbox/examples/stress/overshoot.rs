//! By how much a wall limit is overshot.

use std::time::{Duration, Instant};

use redraft_sandbox::{End, Limits};

use crate::{python, told};

const ROUNDS: u32 = 60;
const MEDIAN: Duration = Duration::from_millis(2);
const WORST: Duration = Duration::from_millis(20);

pub(crate) fn measure() -> bool {
    let programs = [
        ("sleeps", "import time; time.sleep(60)"),
        (
            "ignores what it can, with children that hold its output",
            "import os, signal, time\nfor n in range(1, 32):\n    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\nfor _ in range(3):\n    if os.fork() == 0: break\ntime.sleep(60)",
        ),
        ("has stopped itself", "import os; os.kill(os.getpid(), 19)"),
    ];
    let mut good = true;
    for (what, code) in programs {
        let mut over = Vec::new();
        let mut returned = Vec::new();
        for round in 0..ROUNDS {
            // Not in step with any clock.
            let wall = Duration::from_millis(80) + Duration::from_micros(u64::from(round) * 977);
            let limits = Limits {
                wall,
                ..Limits::default()
            };
            let command = python(code, limits);
            let begin = Instant::now();
            let outcome = command.run().unwrap();
            assert!(matches!(outcome.end, End::WallTimeout(_)), "{:?}", outcome.end);
            over.push(outcome.usage.wall.saturating_sub(wall));
            returned.push(begin.elapsed().saturating_sub(wall));
        }
        let (median, worst) = median_and_worst(&mut over);
        let (whole_median, whole_worst) = median_and_worst(&mut returned);
        let text = format!(
            "wall limit overshot when it {what}: median {:.2} ms, worst {:.2} ms (until run() returned, set-up and all: {:.2}, {:.2})",
            millis(median),
            millis(worst),
            millis(whole_median),
            millis(whole_worst),
        );
        good &= told(median <= MEDIAN && worst <= WORST, &text);
    }
    good
}

fn median_and_worst(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() - 1])
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
