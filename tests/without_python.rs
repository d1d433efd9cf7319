//! Programs in other languages than Python are tested, repaired, benchmarked and evaluated on a host that has no Python.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

const RIGHT: &str = "read -r a b\necho $((a + b))\n";
const WRONG: &str = "read -r a b\necho $((a * b))\n";
const SUITE: &str = r#"
[[task]]
id = "sum"
language = "bash"
statement = "Print the sum of the two numbers on the first line."
visible = [{ stdin = "2 3\n", stdout = "5\n" }]
hidden = [{ stdin = "10 -4\n", stdout = "6\n" }]
reference = """
read -r a b
echo $((a + b))
"""

[[task]]
id = "shout"
language = "bash"
statement = "Print stdin in capitals."
visible = [{ stdin = "abc\n", stdout = "ABC\n" }]
hidden = [{ stdin = "x y\n", stdout = "X Y\n" }]
reference = "tr a-z A-Z"
"#;

fn redraft(folder: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(args)
        .current_dir(folder)
        .env("REDRAFT_PYTHON", "/no/such/python")
        .output()
        .unwrap();
    let told = serde_json::from_slice(&stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&stderr)));
    (status.code(), told)
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn block(source: &str) -> String {
    format!("Here it is:\n```bash\n{source}```\n")
}

#[test]
fn a_suite_is_benchmarked_and_its_samples_evaluated() {
    let script = json!({"by": [
        {"contains": "sum of the two numbers", "replies": [block(WRONG), "It multiplies.", block(RIGHT)]},
        {"contains": "in capitals", "replies": [block("tr a-z A-Z\n")]},
    ]});
    let folder = folder(&[("suite.toml", SUITE), ("script.json", &script.to_string())]);
    let at = folder.path();
    let (code, told) = redraft(at, &["suite", "check", "suite.toml", "--json"]);
    assert_eq!((code, &told["broken"]), (Some(0), &json!([])), "{told:#}");

    let args = [
        "bench",
        "--suite",
        "suite.toml",
        "--model",
        "script:script.json",
        "--out",
        "run",
        "--json",
    ];
    let (code, told) = redraft(at, &args);
    assert_eq!(code, Some(0), "{told:#}");
    let samples = std::fs::read_to_string(at.join("run/samples.jsonl")).unwrap();
    assert!(
        samples.contains("a + b") && samples.contains("tr a-z A-Z"),
        "{samples}"
    );
    let results = std::fs::read_to_string(at.join("run/results.jsonl")).unwrap();
    assert_eq!(results.lines().count(), 2, "{results}");

    let wrong = json!({"task_id": "sum", "solution": WRONG}).to_string();
    std::fs::write(at.join("samples.jsonl"), samples + &wrong + "\n").unwrap();
    let (code, told) = redraft(at, &["eval", "--suite", "suite.toml", "samples.jsonl", "--json"]);
    assert_eq!(code, Some(0), "{told:#}");
    assert_eq!(told["samples"], 3, "{told:#}");
    assert_eq!(
        told["verdicts"],
        json!({"passed": 2, "wrong_answer": 1}),
        "{told:#}"
    );
    assert_eq!(told["python"], "none");
}

#[test]
fn a_program_is_tested_and_repaired() {
    let tests = json!({"language": "bash", "tests": [{"name": "one", "type": "stdin", "stdin": "2 3\n", "expected_stdout": "5\n"}]});
    let script = json!(["It multiplies.", block(RIGHT)]);
    let folder = folder(&[
        ("prog.sh", WRONG),
        ("case.json", &tests.to_string()),
        ("script.json", &script.to_string()),
    ]);
    let at = folder.path();
    let (code, told) = redraft(at, &["test", "--tests", "case.json", "prog.sh", "--json"]);
    assert_eq!(
        (code, &told["verdict"]),
        (Some(1), &json!("wrong_answer")),
        "{told:#}"
    );
    let args = [
        "repair",
        "prog.sh",
        "--tests",
        "case.json",
        "--model",
        "script:script.json",
        "--write",
        "--json",
    ];
    let (code, told) = redraft(at, &args);
    assert_eq!(code, Some(0), "{told:#}");
    assert_eq!(
        std::fs::read_to_string(at.join("prog.sh")).unwrap().trim(),
        RIGHT.trim()
    );
    let (code, told) = redraft(at, &["test", "--tests", "case.json", "prog.sh", "--json"]);
    assert_eq!((code, &told["verdict"]), (Some(0), &json!("passed")), "{told:#}");
}

/// What needs Python says so, with what to install, and isn't held against the program.
#[test]
fn a_python_program_is_not_at_fault() {
    let tests = json!({"tests": [{"name": "one", "type": "stdin", "stdin": "", "expected_stdout": "5\n"}]});
    let folder = folder(&[("prog.py", "print(5)\n"), ("case.json", &tests.to_string())]);
    let (code, told) = redraft(
        folder.path(),
        &["test", "--tests", "case.json", "prog.py", "--json"],
    );
    assert_eq!(
        (code, &told["verdict"]),
        (Some(3), &json!("harness_error")),
        "{told:#}"
    );
    let error = told["results"][0]["error"].as_str().unwrap();
    assert!(error.contains("REDRAFT_PYTHON=/no/such/python"), "{error}");
}
