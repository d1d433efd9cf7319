//! `redraft bench` and `redraft show` tell what happened, in words that are looked after.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

fn redraft(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Three tasks: one right at once, one mended in the first round, one never.
fn prepare(folder: &Path) {
    let task = |name: &str, number: i64| {
        serde_json::json!({
            "task_id": format!("Demo/{name}"),
            "prompt": format!("def {name}(x):\n    \"\"\"Return x plus {number}.\"\"\"\n"),
            "entry_point": name,
            "canonical_solution": format!("    return x + {number}\n"),
            "given_tests": [format!("assert {name}(1) == {}", 1 + number), format!("assert {name}(2) == {}", 2 + number)],
            "test": format!("def check(candidate):\n    assert candidate(1) == {}\n    assert candidate(50) == {}\n", 1 + number, 50 + number),
        })
        .to_string()
    };
    let suite = [task("first", 1), task("second", 2), task("third", 3)].join("\n");
    std::fs::write(folder.join("demo.jsonl"), suite + "\n").unwrap();
    let program = |name: &str, body: &str| format!("```python\ndef {name}(x):\n    return {body}\n```");
    let usage =
        |content: String| serde_json::json!({"content": content, "usage": {"prompt": 100, "completion": 20}});
    let script = serde_json::json!({"by": [
        {"contains": "def first", "replies": [usage(program("first", "x + 1"))]},
        {"contains": "def second", "replies": [
            usage(program("second", "x * 3")), usage("It multiplies.".to_owned()), usage(program("second", "x + 2"))]},
        {"contains": "def third", "replies": [
            usage(program("third", "4")), usage("It is a constant.".to_owned()),
            usage(program("third", "4")), usage("Still.".to_owned()), usage(program("third", "4"))]},
    ]});
    std::fs::write(folder.join("script.json"), script.to_string()).unwrap();
}

#[test]
fn the_table_and_the_story_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let args = [
        "bench",
        "--suite",
        "demo.jsonl",
        "--model",
        "script:script.json",
        "--out",
        "run",
    ];
    let output = redraft(&args, folder.path());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    insta::assert_snapshot!("table", String::from_utf8(output.stdout).unwrap());

    let list = redraft(&["show", "run"], folder.path());
    insta::assert_snapshot!("show_run", String::from_utf8_lossy(&list.stdout));
    let story = redraft(&["show", "run", "second"], folder.path());
    let story = String::from_utf8(story.stdout).unwrap();
    insta::assert_snapshot!("show_task", story);
    // Below runs/ the newest is meant where none is named.
    std::fs::create_dir(folder.path().join("runs")).unwrap();
    std::fs::rename(folder.path().join("run"), folder.path().join("runs/1")).unwrap();
    assert_eq!(redraft(&["show"], folder.path()).stdout, list.stdout);
    assert_eq!(
        redraft(&["show", "second"], folder.path()).stdout,
        story.as_bytes()
    );
    std::fs::rename(folder.path().join("runs/1"), folder.path().join("run")).unwrap();

    let results = std::fs::read_to_string(folder.path().join("run/results.jsonl")).unwrap();
    insta::assert_snapshot!("results", results);
    let samples = std::fs::read_to_string(folder.path().join("run/samples.jsonl")).unwrap();
    insta::assert_snapshot!("samples", samples);
    let html = std::fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(html.contains("Demo&#x2f;second") && html.contains("return x + 2") && !html.contains("<script"));
}

#[test]
fn the_samples_of_a_run_can_be_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let args = [
        "bench",
        "--suite",
        "demo.jsonl",
        "--model",
        "script:script.json",
        "--out",
        "run",
        "--json",
    ];
    let output = redraft(&args, folder.path());
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let last = &summary["summary"]["rounds"][3];
    assert_eq!(last["hidden"]["passed"], 2);
    assert_eq!(
        summary["summary"]["repaired"],
        serde_json::json!({"count": 1, "of": 2})
    );

    let output = redraft(
        &["eval", "run/samples.jsonl", "--suite", "demo.jsonl", "--json"],
        folder.path(),
    );
    assert!(
        !output.stdout.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let results = std::fs::read_to_string(folder.path().join("run/samples.jsonl_results.jsonl")).unwrap();
    let passed = results
        .lines()
        .filter(|line| line.contains("\"passed\":true") || line.contains("\"passed\": true"));
    assert_eq!(passed.count(), 2);
}

#[test]
fn more_questions_than_the_script_holds_fail_the_run() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    std::fs::write(folder.path().join("short.json"), "[\"no program here\"]").unwrap();
    let args = [
        "bench",
        "--suite",
        "demo.jsonl",
        "--model",
        "script:short.json",
        "--out",
        "run",
        "--jobs",
        "1",
    ];
    let output = redraft(&args, folder.path());
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("could not be carried through") && stderr.contains("short.json"),
        "{stderr}"
    );
}
