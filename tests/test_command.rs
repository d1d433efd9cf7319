//! `redraft test`: a file of tests in, a verdict with the reasons out.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::path::Path;

use assert_cmd::Command;
use judged::shared;
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
fn what_isnt_supported_is_a_harness_error() {
    let case = r#"{"language": "rust", "tests": [{"name": "a", "type": "stdin", "expected_stdout": ""}]}"#;
    let folder = with(&[PROGRAM, ("case.json", case)]);
    let (code, stdout, stderr) = redraft(folder.path(), &["test", "p.py", "--tests", "case.json"]);
    assert_eq!(code, 3);
    assert!(
        stdout.contains("harness_error  0/1") && stderr.contains("programs in rust"),
        "{stdout}{stderr}"
    );
}

/// Each public bug report gives the verdict that it should, and its mended program passes.
#[test]
fn public_bugs() {
    let Some(folder) = shared("cases/bugs") else {
        return;
    };
    let name = |verdict: &str| match verdict {
        "pass" => "passed".to_owned(),
        "timeout" => "timed_out".to_owned(),
        other => other.to_owned(),
    };
    let mut cases: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    let mut judged = 0;
    for case in cases {
        let text = std::fs::read_to_string(case.join("case.json")).unwrap();
        let wanted: Value = serde_json::from_str(&text).unwrap();
        let forms = ["stdin", "call", "assert"];
        let known = |test: &Value| {
            forms.contains(&test["type"].as_str().unwrap())
                && test["stdin_from_setup"].is_null()
                && test["checker"].is_null()
        };
        if wanted["language"] != "python" || !wanted["tests"].as_array().unwrap().iter().all(known) {
            continue;
        }
        judged += 1;
        let run = |program: &str| -> Value {
            let (_, stdout, stderr) = redraft(&case, &["test", program, "--tests", "case.json", "--json"]);
            serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{}: {stderr}", case.display()))
        };
        let told = run("program.py");
        let mut accepted = vec![name(wanted["expected_verdict"].as_str().unwrap())];
        accepted.extend(
            wanted["accept"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|verdict| name(verdict.as_str().unwrap())),
        );
        let verdict = told["verdict"].as_str().unwrap();
        assert!(
            accepted.iter().any(|accepted| accepted == verdict),
            "{}: {told:#}",
            case.display()
        );
        for result in told["results"].as_array().unwrap() {
            let test = result["name"].as_str().unwrap();
            let per_test = name(wanted["expected_detail"]["per_test"][test].as_str().unwrap());
            let got = result["verdict"].as_str().unwrap();
            let fine = got == per_test
                || (accepted.contains(&per_test) && accepted.iter().any(|accepted| accepted == got));
            assert!(fine, "{} {test}: {result:#}", case.display());
        }
        if let Some(fixed) = wanted["fixed_program"].as_str() {
            let folder = with(&[("fixed.py", fixed)]);
            let told = run(&folder.path().join("fixed.py").to_string_lossy());
            assert_eq!(told["verdict"], "passed", "{}, mended: {told:#}", case.display());
        }
    }
    assert!(judged > 20, "{judged}");
}
