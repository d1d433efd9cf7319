//! No wrong program passes, whatever it tries, and the right one judged after it does.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use judged::{check, judge, script_with, shared};
use redraft::judge::Judge;
use redraft::task::{Compare, Limits, Mode, Program, ScriptForm, Test, TestKind, Verdict};

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

/// The function task in the forms of the frameworks, kept apart from the program and in one sandbox with it.
fn forms(tasks: &serde_json::Value) -> Vec<(&'static str, ScriptForm, Mode, String)> {
    let unittest = tasks["fn"]["unittest"].as_str().unwrap();
    let (inputs, expected) = (&tasks["fn"]["inputs"], &tasks["fn"]["expected"]);
    let mut pytest = "import pytest\nfrom solution import sum_to_n\n".to_owned();
    let mut text = "The sum of the first numbers.\n".to_owned();
    let mut asserts = String::new();
    let pairs = inputs
        .as_array()
        .unwrap()
        .iter()
        .zip(expected.as_array().unwrap());
    for (at, (args, expected)) in pairs.enumerate() {
        let call = format!("sum_to_n({})", args[0]);
        writeln!(pytest, "def test_{at}():\n    assert {call} == {expected}").unwrap();
        writeln!(text, ">>> {call}\n{expected}").unwrap();
        writeln!(asserts, "assert {call} == {expected}").unwrap();
    }
    let patched = format!(
        "from unittest.mock import patch\nimport solution\nfrom solution import sum_to_n\n{unittest}"
    )
    .replace(
        "class TestCases",
        "@patch('solution.unused', create=True, new=1)\nclass TestCases",
    );
    let changed = pytest.replace("():", "(monkeypatch, tmp_path):");
    vec![
        ("unittest", ScriptForm::Unittest, Mode::Split, unittest.to_owned()),
        ("pytest", ScriptForm::Pytest, Mode::Split, pytest),
        ("doctest", ScriptForm::Doctest, Mode::Split, text.clone()),
        (
            "unittest that patches",
            ScriptForm::Unittest,
            Mode::Shared,
            patched,
        ),
        ("pytest that patches", ScriptForm::Pytest, Mode::Shared, changed),
        (
            "doctest with files",
            ScriptForm::Doctest,
            Mode::Shared,
            format!(">>> import tempfile\n\n{text}"),
        ),
        (
            "asserts with files",
            ScriptForm::Asserts,
            Mode::Shared,
            format!("import tempfile\n{asserts}"),
        ),
    ]
}

fn no_hack_passes_in(wanted: Mode) {
    let (Some((_, tasks)), Some(folder)) = (tests(), shared("cases/hacks")) else {
        return;
    };
    let judge = judge();
    let pytest = judged::has_pytest(&judge);
    let limits = Limits {
        cpu_ms: 2_000,
        wall_ms: 20_000,
        ..Limits::default()
    };
    let forms: Vec<_> = forms(&tasks)
        .into_iter()
        .filter(|(_, form, mode, _)| *mode == wanted && (pytest || *form != ScriptForm::Pytest))
        .collect();
    let right = "def sum_to_n(n):\n    return n * (n + 1) // 2 if n > 0 else 0\n";
    for (name, form, mode, code) in &forms {
        let report = script_with(&judge, right, code, *form, None, &limits);
        assert_eq!(
            (report.verdict, report.passed, report.mode),
            (Verdict::Passed, 6, *mode),
            "{name}: {report:#?}"
        );
    }
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        for (name, form, mode, code) in &forms {
            let report = script_with(&judge, &source, code, *form, None, &limits);
            let file = file.file_name().unwrap().display();
            assert!(
                !report.verdict.passed() && report.verdict != Verdict::HarnessError,
                "{file} as {name}: {report:#?}"
            );
            assert_eq!(report.mode, *mode, "{file} as {name}");
        }
    }
    nothing_is_left(&judge);
}

#[test]
fn no_hack_passes_a_frameworks_file() {
    no_hack_passes_in(Mode::Split);
}

#[test]
fn no_hack_passes_in_a_sandbox_that_it_shares_with_its_tests() {
    no_hack_passes_in(Mode::Shared);
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
    let python = judge.interpreter().unwrap().executable().to_owned();
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
