//! No right program fails, however odd its form.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use judged::{judge, script_with, shared};
use redraft::judge::{Judge, Options};
use redraft::task::{Compare, Limits, Program, ScriptForm, Test, TestKind, Verdict};

fn tasks() -> Option<serde_json::Value> {
    let text = std::fs::read_to_string(shared("cases/tasks.json")?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn programs(kind: char) -> Vec<(String, String)> {
    let Some(folder) = shared("cases/controls") else {
        return Vec::new();
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .filter(|(name, _)| name.starts_with(kind))
        .collect();
    files.sort();
    files
}

#[test]
fn functions_pass() {
    let Some(tasks) = tasks() else { return };
    let code = tasks["fn"]["test"].as_str().unwrap();
    let plain = judge();
    let supplied = Judge::new(Options {
        common_imports: true,
        ..Options::default()
    })
    .unwrap();
    for (name, source) in programs('c') {
        let judge = if name.starts_with("c15") {
            &supplied
        } else {
            &plain
        };
        let run = |source: &str| {
            script_with(
                judge,
                source,
                code,
                ScriptForm::Check,
                Some("sum_to_n"),
                &Limits::default(),
            )
        };
        if source.contains("import numpy") {
            let there = run("import numpy\ndef sum_to_n(n):\n    return max(n, 0) * (n + 1) // 2\n");
            if there.verdict != Verdict::Passed {
                eprintln!("skipped: {name} needs numpy (name an interpreter that has it in REDRAFT_PYTHON)");
                continue;
            }
        }
        let report = run(&source);
        assert_eq!(
            (report.verdict, report.passed),
            (Verdict::Passed, 6),
            "{name}: {report:#?}"
        );
    }
    // With the imports supplied, everything else passes as well.
    for (name, source) in programs('c')
        .into_iter()
        .filter(|(_, source)| !source.contains("import numpy"))
    {
        let report = script_with(
            &supplied,
            &source,
            code,
            ScriptForm::Check,
            Some("sum_to_n"),
            &Limits::default(),
        );
        assert_eq!(report.verdict, Verdict::Passed, "{name}: {report:#?}");
    }
}

#[test]
fn stdin_programs_pass() {
    let Some(tasks) = tasks() else { return };
    let (inputs, outputs) = (&tasks["stdin"]["inputs"], &tasks["stdin"]["outputs"]);
    let pairs = inputs.as_array().unwrap().iter().zip(outputs.as_array().unwrap());
    let tests: Vec<Test> = pairs
        .enumerate()
        .map(|(at, (stdin, expected))| Test {
            name: format!("stdin-{at}"),
            kind: TestKind::Stdin {
                stdin: stdin.as_str().unwrap().to_owned(),
                expected: expected.as_str().unwrap().to_owned(),
                compare: Compare::default(),
            },
        })
        .collect();
    for common_imports in [false, true] {
        let judge = Judge::new(Options {
            common_imports,
            ..Options::default()
        })
        .unwrap();
        for (name, source) in programs('s') {
            let report = judge.test(&Program::python(source), &tests, &Limits::default());
            assert_eq!(
                (report.verdict, report.passed),
                (Verdict::Passed, 3),
                "{name}: {report:#?}"
            );
        }
    }
}
