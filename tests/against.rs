//! `redraft eval --against`: another harness' verdicts beside ours, and each disagreement with both reasons.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};

fn write(path: &Path, lines: &[Value]) -> PathBuf {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(path, text.join("\n") + "\n").unwrap();
    path.to_owned()
}

/// A suite of two tasks, and four samples: right, wrong, right, wrong.
fn given(folder: &Path) -> (PathBuf, PathBuf) {
    let task = |id: &str| {
        json!({
            "task_id": id, "entry_point": "f", "prompt": "def f(n):\n",
            "test": "def check(candidate):\n    assert candidate(2) == 4\n",
        })
    };
    let suite = write(&folder.join("suite.jsonl"), &[task("S/0"), task("S/1")]);
    let sample = |id: &str, body: &str| json!({"task_id": id, "completion": body});
    let samples = write(
        &folder.join("samples.jsonl"),
        &[
            sample("S/0", "    return n * 2\n"),
            sample("S/0", "    return n\n"),
            sample("S/1", "    return n + n\n"),
            sample("S/1", "    raise KeyError\n"),
        ],
    );
    (suite, samples)
}

fn compared(folder: &Path, theirs: &Path, code: i32) -> Value {
    let (suite, samples) = given(folder);
    let output = Command::cargo_bin("redraft")
        .unwrap()
        .args(["eval", "--json", "--k", "1", "--against"])
        .arg(theirs)
        .arg("--suite")
        .arg(suite)
        .arg(samples)
        .assert()
        .code(code)
        .get_output()
        .clone();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    told["against"].clone()
}

#[test]
fn human_evals_results() {
    let folder = tempfile::tempdir().unwrap();
    let line = |id: &str, body: &str, passed: bool, result: &str| json!({"task_id": id, "completion": body, "result": result, "passed": passed});
    let theirs = write(
        &folder.path().join("theirs.jsonl"),
        &[
            line("S/0", "    return n * 2\n", false, "timed out"),
            line("S/0", "    return n\n", false, "failed: "),
            line("S/1", "    return n + n\n", true, "passed"),
            line("S/1", "    raise KeyError\n", true, "passed"),
        ],
    );
    let against = compared(folder.path(), &theirs, 1);
    assert_eq!((&against["compared"], &against["same"]), (&json!(4), &json!(2)));
    assert_eq!(
        (&against["theirs_passed"], &against["ours_passed"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        against["disagreements"],
        json!([
            {"task_id": "S/0", "sample": 0, "theirs_passed": false, "theirs": "timed out", "ours": "passed"},
            {"task_id": "S/1", "sample": 1, "theirs_passed": true, "theirs": "passed", "ours": "failed: KeyError"},
        ])
    );
    let (suite, samples) = given(folder.path());
    let text = Command::cargo_bin("redraft")
        .unwrap()
        .args(["eval", "--k", "1", "--against"])
        .arg(&theirs)
        .arg("--suite")
        .arg(suite)
        .arg(samples)
        .assert()
        .code(1)
        .get_output()
        .clone();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("2 of 4 verdicts the same; 2 passed with them, 2 with us"),
        "{text}"
    );
    assert!(
        text.contains("  S/0 sample 0: theirs failed (timed out); ours passed"),
        "{text}"
    );
}

/// Lines in another order are found by the program that stands in them; packed files are read.
#[test]
fn another_order() {
    let folder = tempfile::tempdir().unwrap();
    let line = |id: &str, body: &str, passed: Value| {
        json!({"task_id": id, "completion": body, "passed": passed}).to_string() + "\n"
    };
    let theirs = folder.path().join("theirs.jsonl.gz");
    let file = std::fs::File::create(&theirs).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    for text in [
        line("S/1", "    raise KeyError\n", json!(false)),
        line("S/0", "    return n\n", json!(false)),
        line("S/0", "    return n * 2\n", json!(true)),
        line("S/1", "    return n + n\n", json!(null)),
        line("T/1", "", json!(true)),
    ] {
        packed.write_all(text.as_bytes()).unwrap();
    }
    packed.finish().unwrap();
    let against = compared(folder.path(), &theirs, 0);
    assert_eq!((&against["compared"], &against["same"]), (&json!(3), &json!(3)));
    assert_eq!(
        (&against["without_theirs"], &against["of_other_tasks"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn other_harnesses_results() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.json");
    let entry = |base: &str, plus: &str| json!({"task_id": "S/0", "solution": "x", "base_status": base, "plus_status": plus});
    for theirs in [
        // EvalPlus: our suite has no plus tests, so the base tests count.
        json!({"date": "x", "hash": "y", "eval": {"S/0": [entry("pass", "fail"), entry("fail", "pass")], "S/1": [entry("pass", "pass"), entry("timeout", "fail")]}}),
        // BigCodeBench
        json!({"date": "x", "eval": {
            "S/0": [{"solution": "x", "status": "pass", "details": {}}, {"solution": "x", "status": "fail", "details": {"a": "b"}}],
            "S/1": [{"solution": "x", "status": "pass"}, {"solution": "x", "status": "timeout"}],
        }}),
        // LiveCodeBench
        json!([{"question_id": "S/0", "graded_list": [true, false]}, {"question_id": "S/1", "graded_list": [true, false]}]),
        // MultiPL-E
        json!([
            {"name": "S/0", "language": "py", "results": [{"status": "OK"}, {"status": "Exception", "stderr": "x"}]},
            {"name": "S/1", "language": "py", "results": [{"status": "OK"}, {"status": "SyntaxError"}]},
        ]),
    ] {
        for text in [theirs.to_string(), serde_json::to_string_pretty(&theirs).unwrap()] {
            std::fs::write(&path, text).unwrap();
            let against = compared(folder.path(), &path, 0);
            assert_eq!(
                (&against["compared"], &against["same"]),
                (&json!(4), &json!(4)),
                "{theirs}: {against}"
            );
        }
    }
}

#[test]
fn what_is_wrong_with_the_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (suite, samples) = given(folder.path());
    let path = folder.path().join("theirs.jsonl");
    for (text, what) in [
        (
            "",
            "holds no verdict; a line is {\"task_id\": …, \"passed\": true or false}",
        ),
        (
            "{\"task_id\": \"S/0\", \"passed\": true}\n{",
            "line 2: broken JSON",
        ),
        (
            "{\"task_id\": \"S/0\"}",
            "line 1: neither `passed` (true or false) nor a `status`",
        ),
        ("{\"passed\": true}", "line 1: no `task_id`"),
        ("3", "line 1: not a JSON object"),
        (
            "{\"task_id\": \"T/0\", \"passed\": true}",
            "tasks that the suite doesn't have",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let assert = Command::cargo_bin("redraft")
            .unwrap()
            .args(["eval", "--against"])
            .arg(&path)
            .arg("--suite")
            .arg(&suite)
            .arg(&samples)
            .assert()
            .code(2);
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(error.contains(what) && error.contains("theirs.jsonl"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert!(!folder.path().join("samples.jsonl_results.jsonl").exists());
}
