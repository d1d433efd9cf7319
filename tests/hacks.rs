//! No wrong program passes, whatever it tries, and the right one judged after it does.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::time::{Duration, Instant};

use judged::{check, judge, script_with, shared};
use redraft::judge::Judge;
use redraft::task::{Compare, Limits, Program, ScriptForm, Test, TestKind, Verdict};

fn tests() -> Option<(String, serde_json::Value)> {
    let text = std::fs::read_to_string(shared("cases/tasks.json")?).unwrap();
    let tasks: serde_json::Value = serde_json::from_str(&text).unwrap();
    let check = tasks["fn"]["test"].as_str().unwrap().to_owned();
    Some((check, tasks))
}

#[test]
fn no_hack_passes() {
    let (Some((code, tasks)), Some(folder)) = (tests(), shared("cases/hacks")) else {
        return;
    };
    let judge = judge();
    let limits = Limits {
        cpu_ms: 2_000,
        wall_ms: 10_000,
        ..Limits::default()
    };
    let right = "def sum_to_n(n):\n    return n * (n + 1) // 2 if n > 0 else 0\n";
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&file).unwrap();
        let report = script_with(
            &judge,
            &source,
            &code,
            ScriptForm::Check,
            Some("sum_to_n"),
            &limits,
        );
        assert!(
            !report.verdict.passed() && report.verdict != Verdict::HarnessError,
            "{name}: {report:#?}"
        );
        for result in &report.results {
            // A machine that is busy may be late by more than the second that is promised.
            assert!(result.wall_ms < 30_000, "{name}: {result:#?}");
        }
        let asserts: String = code
            .lines()
            .skip(1)
            .map(|line| line.trim().replace("candidate", "sum_to_n") + "\n")
            .collect();
        let asserts = script_with(&judge, &source, &asserts, ScriptForm::Asserts, None, &limits);
        assert!(!asserts.verdict.passed(), "{name} as asserts: {asserts:#?}");
        let calls = judge.test(&Program::python(source), &calls(&tasks), &limits);
        assert!(!calls.verdict.passed(), "{name} as calls: {calls:#?}");

        let after = check(&judge, right, &code, "sum_to_n");
        assert_eq!(
            (after.verdict, after.passed),
            (Verdict::Passed, 6),
            "after {name}: {after:#?}"
        );
    }
    nothing_is_left(&judge);
}

fn calls(tasks: &serde_json::Value) -> Vec<Test> {
    let (inputs, expected) = (&tasks["fn"]["inputs"], &tasks["fn"]["expected"]);
    let pairs = inputs
        .as_array()
        .unwrap()
        .iter()
        .zip(expected.as_array().unwrap());
    pairs
        .enumerate()
        .map(|(at, (args, expected))| Test {
            name: format!("call-{at}"),
            kind: TestKind::Call {
                entry: "sum_to_n".to_owned(),
                args: args.as_array().unwrap().clone(),
                expected: expected.clone(),
                compare: Compare::default(),
            },
        })
        .collect()
}

/// No process of a program's is alive. (The launcher of sandboxes, which is ours, may be.)
fn nothing_is_left(judge: &Judge) {
    let python = judge.interpreter().executable().to_owned();
    let started = Instant::now();
    loop {
        let left: Vec<_> = children_of(std::process::id())
            .into_iter()
            .filter(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == python))
            .collect();
        if left.is_empty() {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "left: {left:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// All processes below one.
fn children_of(pid: u32) -> Vec<u32> {
    let mut below = Vec::new();
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop() {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{parent}/task")) else {
            continue;
        };
        for thread in threads.flatten() {
            let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
                below.push(child);
                parents.push(child);
            }
        }
    }
    below
}
