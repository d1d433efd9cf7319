//! Hostile programs from a folder: each is over within its limit and a little, and leaves nothing.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use redraft_sandbox::Limits;

use crate::traces::{Traces, processes_with};
use crate::{python, told};

const LITTLE: Duration = Duration::from_millis(200);
const LIMITS: Limits = Limits {
    cpu: Duration::from_secs(1),
    wall: Duration::from_secs(2),
    memory: 256 << 20,
    processes: 32,
    output: 1 << 20,
    scratch: 32 << 20,
};

pub(crate) fn run_all(folder: &Path) -> bool {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    paths.sort();
    let before = Traces::look();
    let mut good = true;
    let mut longest = Duration::ZERO;
    for path in &paths {
        let source = fs::read_to_string(path).unwrap();
        let marker = format!("hostile-{}-{}.", std::process::id(), path.display());
        for call in ["", "\n\nfor n in (0, 1, 5, 100): print(sum_to_n(n))\n"] {
            let code = "import runpy; runpy.run_path('/box/main.py', run_name='__main__')";
            let begin = Instant::now();
            let outcome = python(code, LIMITS)
                .arg(&marker)
                .file("main.py", format!("{source}{call}"))
                .run();
            let took = begin.elapsed();
            longest = longest.max(took);
            let outcome = outcome.unwrap();
            let over = took.saturating_sub(LIMITS.wall);
            let cpu_over = outcome.usage.cpu.saturating_sub(LIMITS.cpu);
            let left = processes_with(&marker);
            if over > LITTLE || cpu_over > LITTLE || left > 0 {
                let text = format!(
                    "{}: {:?} after {took:?} and {:?} of CPU, {left} processes left",
                    path.display(),
                    outcome.end,
                    outcome.usage.cpu,
                );
                good = told(false, &text);
            }
        }
    }
    let left = Traces::look().since(&before);
    for what in &left {
        println!("left: {what}");
    }
    told(
        good && left.is_empty() && !paths.is_empty(),
        &format!(
            "{} hostile programs, each twice: the longest took {:.2} s with limits of 1 s CPU and 2 s wall; {} things left",
            paths.len(),
            longest.as_secs_f64(),
            left.len(),
        ),
    )
}
