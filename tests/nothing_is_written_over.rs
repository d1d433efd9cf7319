//! What is on disk stays: no command empties a file that it reads, that is write-protected, or whose successor isn't complete.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TASK: &str = r#"{"task_id": "T/0", "prompt": "def f(x):\n    \"\"\"Return x.\"\"\"\n", "entry_point": "f", "canonical_solution": "    return x\n", "test": "def check(candidate):\n    assert candidate(1) == 1\n"}"#;
const SAMPLE: &str = r#"{"task_id": "T/0", "completion": "    return x\n"}"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("suite.jsonl"), format!("{TASK}\n")).unwrap();
    std::fs::write(folder.path().join("samples.jsonl"), format!("{SAMPLE}\n")).unwrap();
    std::fs::write(
        folder.path().join("theirs.jsonl"),
        format!("{SAMPLE}\n").replace('}', ", \"passed\": true}"),
    )
    .unwrap();
    folder
}

fn redraft(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The content of every file.
fn all(folder: &Path) -> Vec<(String, String)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                std::fs::read_to_string(entry.path()).unwrap(),
            )
        })
        .collect();
    all.sort();
    all
}

#[test]
fn no_file_that_is_read_is_written_to() {
    let folder = folder();
    std::os::unix::fs::symlink("suite.jsonl", folder.path().join("link.jsonl")).unwrap();
    let before = all(folder.path());
    let eval = ["eval", "samples.jsonl", "--suite", "suite.jsonl"];
    for (flags, what) in [
        (&["--out", "samples.jsonl"][..], "that is the samples"),
        (&["--out", "suite.jsonl"], "that is the suite"),
        (&["--out", "./link.jsonl"], "that is the suite"),
        (
            &["--out", "theirs.jsonl", "--against", "theirs.jsonl"],
            "that is what --against compares with",
        ),
        (
            &["--out", "new.jsonl", "--eval-results", "suite.jsonl"],
            "that is the suite",
        ),
        (
            &["--out", "new.jsonl", "--eval-results", "new.jsonl"],
            "the results go there, too",
        ),
    ] {
        let output = redraft(folder.path(), &[&eval, flags].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {said}");
        assert!(said.contains(what), "{flags:?}: {said}");
        assert_eq!(all(folder.path()), before, "{flags:?}");
    }
    let output = redraft(
        folder.path(),
        &["suite", "impossible", "suite.jsonl", "--out", "suite.jsonl"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(all(folder.path()), before);
}

#[test]
fn results_stay_until_new_ones_are_complete() {
    let folder = folder();
    let out = folder.path().join("out.jsonl");
    std::fs::write(&out, "those of last week\n").unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o640)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(["eval", "-", "--suite", "suite.jsonl", "--out", "out.jsonl"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    {
        use std::io::Write as _;
        let mut samples = child.stdin.take().unwrap();
        writeln!(samples, "{SAMPLE}\nno sample").unwrap();
    }
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "those of last week\n");

    let output = redraft(
        folder.path(),
        &[
            "eval",
            "samples.jsonl",
            "--suite",
            "suite.jsonl",
            "--out",
            "out.jsonl",
        ],
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(std::fs::read_to_string(&out).unwrap().contains("\"passed\":true"));
    assert_eq!(
        std::fs::metadata(&out).unwrap().permissions().mode() & 0o777,
        0o640
    );
    let names: Vec<String> = all(folder.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        ["out.jsonl", "samples.jsonl", "suite.jsonl", "theirs.jsonl"],
        "nothing else is left"
    );
}

#[test]
fn a_write_protected_program_is_not_replaced() {
    let folder = folder();
    let program = folder.path().join("f.py");
    std::fs::write(&program, "def f(x):\n    return 0\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o400)).unwrap();
    std::fs::write(folder.path().join("tests.py"), "assert f(1) == 1\n").unwrap();
    std::fs::write(
        folder.path().join("replies.json"),
        r#"["because", "```python\ndef f(x):\n    return x\n```"]"#,
    )
    .unwrap();
    let args = [
        "repair",
        "f.py",
        "--tests",
        "tests.py",
        "--model",
        "script:replies.json",
        "--write",
    ];
    let output = redraft(folder.path(), &args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(
        said, "error: --write: f.py: is write-protected\n",
        "before a model is asked"
    );
    assert_eq!(
        std::fs::read_to_string(&program).unwrap(),
        "def f(x):\n    return 0\n"
    );
}

#[test]
fn a_result_that_can_not_be_written_is_no_success() {
    let folder = folder();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(["suite", "list"])
        .current_dir(folder.path())
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("error: the result can't be written to stdout"),
        "{said}"
    );
}
