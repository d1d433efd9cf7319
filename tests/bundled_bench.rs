//! `redraft bench` without arguments needs no key, no server and no download, and tells real results.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

fn bench(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .arg("bench")
        .args(arguments)
        .current_dir(folder)
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap()
}

#[test]
fn bench_without_arguments_replays_the_bundled_recording() {
    let folder = tempfile::tempdir().unwrap();
    let output = bench(folder.path(), &[]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    insta::assert_snapshot!("bundled_table", String::from_utf8(output.stdout).unwrap());

    let runs: Vec<_> = std::fs::read_dir(folder.path().join("runs")).unwrap().collect();
    assert_eq!(runs.len(), 1, "one run folder");
    let run = runs[0].as_ref().unwrap().path();
    let files = [
        "run.json",
        "journal.jsonl",
        "samples.jsonl",
        "results.jsonl",
        "report.html",
    ];
    for file in files {
        assert!(run.join(file).is_file(), "{file}");
    }
    let results = std::fs::read_to_string(run.join("results.jsonl")).unwrap();
    assert!(results.lines().count() >= 24);
}
