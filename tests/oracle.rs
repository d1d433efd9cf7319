//! The oracle mode corrects only what the hidden check calls wrong, and is labelled wherever its figures stand.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn bench(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args([
            "bench",
            "--suite",
            "q.jsonl",
            "--jobs",
            "1",
            "--model",
            "script:s.json",
        ])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Two questions: the first draft of one is right and gets worse when corrected, that of the other is wrong and gets right.
fn prepare(folder: &Path) {
    std::fs::write(
        folder.join("q.jsonl"),
        "{\"input\": \"What is 6 times 7?\", \"target\": 42}\n{\"input\": \"What is 5 times 5?\", \"target\": 25}\n",
    )
    .unwrap();
    let program = |answer: i32| format!("```python\nanswer = {answer}\n```");
    let script = json!({"by": [
        {"contains": "6 times 7", "last": "Here's a better", "replies": [program(1), program(1), program(1)]},
        {"contains": "6 times 7", "last": "What's the problem", "replies": ["bad", "bad", "bad"]},
        {"contains": "6 times 7", "replies": [program(42)]},
        {"contains": "5 times 5", "last": "Here's a better", "replies": [program(25), program(25), program(25)]},
        {"contains": "5 times 5", "last": "What's the problem", "replies": ["bad", "bad", "bad"]},
        {"contains": "5 times 5", "replies": [program(10)]},
    ]});
    std::fs::write(folder.join("s.json"), script.to_string()).unwrap();
}

fn stdout(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn only_what_the_hidden_check_calls_wrong_is_corrected_and_it_says_oracle_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let table = stdout(&bench(
        folder.path(),
        &["--pattern", "critic-program", "--oracle", "--out", "with"],
    ));
    assert!(table.contains("ORACLE"), "{table}");
    assert!(table.contains("round 1 (oracle)"), "{table}");
    assert!(table.contains("repaired        1 of 1"), "{table}");
    assert!(table.contains("regressed       0 of 1"), "{table}");

    let lines: Vec<Value> = std::fs::read_to_string(folder.path().join("with/results.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.iter().all(|line| line["oracle"] == true));
    assert_eq!(
        (&lines[0]["versions"], &lines[0]["answer"]),
        (&json!(1), &json!("42")),
        "it was right and left alone"
    );
    assert_eq!(
        (&lines[1]["versions"], &lines[1]["answer"]),
        (&json!(2), &json!("25")),
        "over as soon as it is right"
    );

    let object: Value = serde_json::from_str(&stdout(&bench(
        folder.path(),
        &[
            "--pattern",
            "critic-program",
            "--oracle",
            "--out",
            "with",
            "--json",
        ],
    )))
    .unwrap();
    assert_eq!(object["summary"]["oracle"], true);
    assert_eq!(object["run"]["settings"]["oracle"], true);
}

#[test]
fn without_it_every_draft_is_corrected_and_nothing_says_oracle() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let table = stdout(&bench(
        folder.path(),
        &["--pattern", "critic-program", "--out", "without"],
    ));
    assert!(!table.to_lowercase().contains("oracle"), "{table}");
    assert!(table.contains("repaired        1 of 1"), "{table}");
    assert!(
        table.contains("regressed       1 of 1"),
        "a right draft was corrected into a wrong one\n{table}"
    );
    let results = std::fs::read_to_string(folder.path().join("without/results.jsonl")).unwrap();
    assert!(!results.contains("oracle"));

    let other = bench(
        folder.path(),
        &["--pattern", "critic-program", "--oracle", "--out", "without"],
    );
    assert_eq!(other.status.code(), Some(2), "the two are never mixed in one run");
}

#[test]
fn a_comparison_says_whose_figures_are_the_oracles() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    for more in [&["--out", "without"][..], &["--oracle", "--out", "with"]] {
        stdout(&bench(
            folder.path(),
            &[&["--pattern", "critic-program"], more].concat(),
        ));
    }
    let compare = |a: &str, b: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
            .args(["compare", a, b])
            .current_dir(folder.path())
            .output()
            .unwrap();
        stdout(&output)
    };
    let table = compare("without", "with");
    assert!(table.contains("B is ORACLE"), "{table}");
    assert!(!table.contains("A is ORACLE"), "{table}");
    assert_eq!(
        table.matches(" B (oracle) ").count(),
        2,
        "in both tables\n{table}"
    );
    assert!(!table.contains("A (oracle)"), "{table}");
    let same = compare("without", "without");
    assert!(!same.to_lowercase().contains("oracle"), "{same}");
}
