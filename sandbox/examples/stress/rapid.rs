//! Many runs one straight after the other: none pays for the one before.

use std::time::{Duration, Instant};

use redraft_sandbox::Command;

use crate::told;

const RUNS: usize = 1000;

pub(crate) fn measure() -> bool {
    let mut command = Command::new("/usr/bin/true");
    command.system_libraries().readable("/usr/bin/true");
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let begin = Instant::now();
            command.run().unwrap();
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    let (median, late) = (times[RUNS / 2], times[RUNS * 99 / 100]);
    let text = format!(
        "{RUNS} runs back to back: median {:.2} ms, 99th percentile {:.2} ms",
        median.as_secs_f64() * 1000.0,
        late.as_secs_f64() * 1000.0
    );
    told(late <= median * 3, &text)
}
