//! `--isolation`: a level is given as named or the command fails with the remedy; never weaker in silence.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use redraft_sandbox::Level;
use serde_json::Value;

fn redraft(folder: &Path, args: &[&str]) -> std::process::Output {
    std::fs::write(folder.join("main.py"), "def f(x): return x + 1\nprint(f(1))\n").unwrap();
    std::fs::write(
        folder.join("tests.py"),
        "def check(candidate):\n    assert candidate(1) == 2\n",
    )
    .unwrap();
    assert_cmd::Command::cargo_bin("redraft")
        .unwrap()
        .current_dir(folder)
        // One that every user can reach, which the first in PATH may not be.
        .env("REDRAFT_PYTHON", "/usr/bin/python3")
        .args(args)
        .output()
        .unwrap()
}

/// For each command that runs programs and needs no model: the arguments.
const COMMANDS: [&[&str]; 2] = [
    &["run", "main.py", "--json"],
    &["test", "main.py", "--tests", "tests.py", "--json"],
];

#[test]
fn a_named_level_is_in_the_result_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for command in COMMANDS {
        for level in Level::ALL {
            let output = redraft(folder.path(), &[command, &["--isolation", level.name()]].concat());
            let stderr = String::from_utf8_lossy(&output.stderr);
            if let Err(error) = level.check() {
                assert_eq!(output.status.code(), Some(3), "{stderr}");
                assert!(stderr.contains(&error.to_string()), "{stderr}");
                assert_eq!(stderr.lines().count(), 1, "{stderr}");
                continue;
            }
            assert_eq!(output.status.code(), Some(0), "{stderr}");
            let told: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(told["isolation"]["level"], level.name());
            assert_eq!(told["isolation"]["layers"]["seccomp"], "in force");
        }
    }
}

#[test]
fn without_a_name_it_is_the_strongest() {
    let folder = tempfile::tempdir().unwrap();
    let best = redraft_sandbox::strongest().unwrap();
    for command in COMMANDS {
        let output = redraft(folder.path(), command);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["isolation"]["level"], best.level.name());
        let said = String::from_utf8_lossy(&output.stderr).contains("isolation is only");
        assert_eq!(said, best.note.is_some());
    }
}

#[test]
fn an_unknown_level_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let output = redraft(folder.path(), &["run", "main.py", "--isolation", "none"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("none of strict, standard and minimal"),
        "{stderr}"
    );
}
