//! Hostile programs from a folder: each is over within its limit and a little, and leaves nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use redraft_sandbox::Limits;
use serde_json::Value;

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

/// One way to run a program.
struct Trial {
    path: PathBuf,
    source: String,
    stdin: String,
}

pub(crate) fn run_all(folder: &Path) -> bool {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    let trials: Vec<Trial> = paths.iter().flat_map(|path| trials(path)).collect();
    let before = Traces::look();
    let mut good = true;
    let mut latest = Duration::ZERO;
    let mut contended = 0;
    for Trial { path, source, stdin } in &trials {
        let marker = format!("hostile-{}-{}.", std::process::id(), path.display());
        let code = "import runpy; runpy.run_path('/box/main.py', run_name='__main__')";
        let begin = Instant::now();
        let outcome = python(code, LIMITS)
            .arg(&marker)
            .file("main.py", source.as_bytes())
            .stdin(stdin.as_bytes())
            .run();
        let took = begin.elapsed();
        let outcome = outcome.unwrap();
        // What others had of the processors doesn't count, so on a busy machine only CPU time tells.
        contended += usize::from(outcome.contended.is_some());
        let wall = outcome.contended.map_or(LIMITS.wall, |_| LIMITS.wall * 10);
        let over = took.saturating_sub(wall);
        let cpu_over = outcome.usage.cpu.saturating_sub(LIMITS.cpu);
        latest = latest.max(over).max(cpu_over);
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
    let left = Traces::look().since(&before);
    for what in &left {
        println!("left: {what}");
    }
    told(
        good && left.is_empty() && !trials.is_empty(),
        &format!(
            "{} hostile programs, {} runs with limits of 1 s CPU and 2 s wall: at worst {:.0} ms beyond the limit; {} things left; {contended} runs were contended",
            paths.len(),
            trials.len(),
            latest.as_secs_f64() * 1000.0,
            left.len(),
        ),
    )
}

/// All programs in Python below a folder.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            into.push(path);
        }
    }
}

/// As it is, and as it is called: with each test's stdin and arguments where a `case.json` tells them.
fn trials(path: &Path) -> Vec<Trial> {
    let source = fs::read_to_string(path).unwrap();
    let trial = |call: &str, stdin: &str| Trial {
        path: path.to_owned(),
        source: format!("{source}\n\n{call}\n"),
        stdin: stdin.to_owned(),
    };
    let mut all = vec![trial("", "")];
    let Ok(case) = fs::read_to_string(path.with_file_name("case.json")) else {
        all.push(trial("for n in (0, 1, 5, 100): print(sum_to_n(n))", ""));
        return all;
    };
    let case: Value = serde_json::from_str(&case).unwrap();
    for test in case["tests"].as_array().into_iter().flatten() {
        if let Some(stdin) = test["stdin"].as_str() {
            all.push(trial("", stdin));
        }
        if let (Some(entry), Some(args)) = (test["entry"].as_str(), test["args"].as_array()) {
            let args = Value::from(args.clone()).to_string();
            let call = format!("import json\nprint({entry}(*json.loads({args:?})))");
            all.push(trial(&call, ""));
        }
    }
    all
}
