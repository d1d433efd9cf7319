//! `redraft test`: a file of tests in, a verdict with the reasons out.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn redraft(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("redraft")
        .unwrap()
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

const PROGRAM: (&str, &str) = (
    "p.py",
    "def helper(n):\n    return n\n\ndef double(n):\n    return n * 2 if n != 3 else 7\n",
);

#[test]
fn for_readers() {
    let folder = with(&[
        PROGRAM,
        ("t.py", "assert double(2) == 4\nassert double(3) == 6\n"),
    ]);
    let (code, stdout, stderr) = redraft(folder.path(), &["test", "p.py", "--tests", "t.py"]);
    assert_eq!(code, 1);
    let expected =
        "wrong_answer  1/2\n\nt:2  wrong_answer\n  input     double(3)\n  expected  6\n  actual    7\n";
    assert_eq!((stdout.as_str(), stderr.as_str()), (expected, ""));
}

#[test]
fn as_json_and_with_check() {
    let folder = with(&[
        PROGRAM,
        ("t.py", "def check(candidate):\n    assert candidate(2) == 4\n"),
    ]);
    let (code, stdout, _) = redraft(folder.path(), &["test", "p.py", "--tests", "t.py", "--json"]);
    assert_eq!(code, 0);
    let told: Value = serde_json::from_str(&stdout).unwrap();
    let keys: Vec<_> = told.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["verdict", "passed", "total", "mode", "results", "isolation"]
    );
    let result = told["results"][0].as_object().unwrap();
    let keys: Vec<_> = result.keys().map(String::as_str).take(9).collect();
    let fields = [
        "name",
        "verdict",
        "input",
        "expected",
        "actual",
        "error",
        "cpu_ms",
        "wall_ms",
        "memory_bytes",
    ];
    assert_eq!(keys, fields);
    assert_eq!(
        (told["verdict"].as_str(), told["mode"].as_str()),
        (Some("passed"), Some("split"))
    );
    assert_eq!(result["input"], "double(2)");
    assert!(
        told["isolation"]["layers"]
            .as_object()
            .is_some_and(|layers| !layers.is_empty())
    );

    let (code, _, stderr) = redraft(folder.path(), &["test", "p.py", "--tests", "t.py"]);
    assert_eq!(code, 0);
    assert!(stderr.contains("`candidate` is `double`"), "{stderr}");
    let (code, stdout, _) = redraft(
        folder.path(),
        &["test", "p.py", "--tests", "t.py", "--entry", "helper"],
    );
    assert_eq!(code, 1, "{stdout}");
}

#[test]
fn bad_input_is_one_sentence() {
    let folder = with(&[
        PROGRAM,
        ("none.py", "double(2)\n"),
        ("broken.py", "assert double(2) ==\n"),
        ("empty.json", "{\"tests\": []}"),
        ("broken.json", "{\"tests\": [}"),
        ("unknown.json", r#"{"tests": [{"name": "a", "type": "ask"}]}"#),
        ("good.py", "assert double(2) == 4\n"),
    ]);
    for (args, what) in [
        (["p.py", "--tests", "none.py"], "none.py holds no test"),
        (["p.py", "--tests", "broken.py"], "broken.py isn't valid Python"),
        (["p.py", "--tests", "empty.json"], "empty.json holds no test"),
        (["p.py", "--tests", "broken.json"], "line 1 column 12"),
        (["p.py", "--tests", "unknown.json"], "types are stdin, call"),
        (["p.py", "--tests", "missing.py"], "missing.py: No such file"),
        (["q.py", "--tests", "good.py"], "q.py: No such file"),
    ] {
        let (code, stdout, stderr) = redraft(folder.path(), &[&["test"], &args[..]].concat());
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(
            stderr.starts_with("error: ") && stderr.contains(what),
            "{args:?}: {stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn a_case_is_for_programs_in_its_language() {
    let case = r#"{"language": "rust", "tests": [{"name": "a", "type": "stdin", "expected_stdout": ""}]}"#;
    let folder = with(&[PROGRAM, ("case.json", case)]);
    let (code, stdout, stderr) = redraft(folder.path(), &["test", "p.py", "--tests", "case.json"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(
        stderr.contains("case.json is for programs in rust, and p.py is one in python"),
        "{stderr}"
    );
}
