//! Resampling within a budget, what a loop's rounds were worth, and two runs side by side.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn redraft(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn program(name: &str, body: &str) -> Value {
    let content = format!("```python\ndef {name}(x):\n    return {body}\n```");
    json!({"content": content, "usage": {"prompt": 100, "completion": 20}})
}

fn words(text: &str) -> Value {
    json!({"content": text, "usage": {"prompt": 100, "completion": 20}})
}

/// Four tasks `x + n`; the first input is visible, the second hidden.
fn suite(folder: &Path) {
    let task = |number: i64| {
        json!({
            "task_id": format!("Demo/{number}"),
            "prompt": format!("def plus{number}(x):\n    \"\"\"Return x plus {number}.\"\"\"\n"),
            "entry_point": format!("plus{number}"),
            "canonical_solution": format!("    return x + {number}\n"),
            "given_tests": [format!("assert plus{number}(1) == {}", 1 + number)],
            "test": format!("def check(candidate):\n    assert candidate(50) == {}\n", 50 + number),
        })
        .to_string()
    };
    let lines: Vec<String> = (1..=4).map(task).collect();
    std::fs::write(folder.join("demo.jsonl"), lines.join("\n") + "\n").unwrap();
}

/// Task 1 right at once; 2 mended in round 1; 3 unchanged twice; 4 fits the visible test alone.
fn self_debug(folder: &Path) {
    let script = json!({"by": [
        {"contains": "def plus1", "replies": [program("plus1", "x + 1")]},
        {"contains": "def plus2", "replies": [program("plus2", "x"), words("why"), program("plus2", "x + 2")]},
        {"contains": "def plus3", "replies": [
            program("plus3", "0"), words("why"), program("plus3", "0"), words("why"), program("plus3", "0")]},
        {"contains": "def plus4", "replies": [program("plus4", "0"), words("why"), program("plus4", "5")]},
    ]});
    std::fs::write(folder.join("debug.json"), script.to_string()).unwrap();
}

/// Samples: task 2 stays wrong, task 3 is right in the third.
fn samples(folder: &Path) {
    let script = json!({"by": [
        {"contains": "def plus1", "replies": [program("plus1", "x + 1")]},
        {"contains": "def plus2", "replies": [program("plus2", "x"), program("plus2", "x - 2"), program("plus2", "x")]},
        {"contains": "def plus3", "replies": [program("plus3", "0"), program("plus3", "1"), program("plus3", "x + 3")]},
        {"contains": "def plus4", "replies": [program("plus4", "0"), program("plus4", "x + 4")]},
    ]});
    std::fs::write(folder.join("samples.json"), script.to_string()).unwrap();
}

fn bench(folder: &Path, model: &str, out: &str, more: &[&str]) -> Value {
    let mut args = vec![
        "bench",
        "--suite",
        "demo.jsonl",
        "--model",
        model,
        "--out",
        out,
        "--json",
    ];
    args.extend(more);
    let output = redraft(folder, &args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn both() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    suite(folder.path());
    self_debug(folder.path());
    samples(folder.path());
    bench(folder.path(), "script:debug.json", "debug", &[]);
    bench(
        folder.path(),
        "script:samples.json",
        "samples",
        &[
            "--pattern",
            "resample",
            "--temperature",
            "0.8",
            "--max-calls",
            "3",
        ],
    );
    folder
}

#[test]
fn rounds_tell_what_they_were_worth() {
    let folder = tempfile::tempdir().unwrap();
    suite(folder.path());
    self_debug(folder.path());
    let result = bench(folder.path(), "script:debug.json", "debug", &[]);
    let loops = &result["summary"]["loops"];
    let share = |count: u64, of: u64| json!({"count": count, "of": of});
    let first = &loops["rounds"][0];
    assert_eq!(first["redrafts"], 3);
    // 2 and 4 pass the visible test now; of those only 2 is right.
    assert_eq!(first["repaired_visible"], share(2, 3));
    assert_eq!(first["repaired"], share(1, 3));
    assert_eq!(first["regressed"], share(0, 0));
    assert_eq!(first["unchanged"], share(1, 3));
    assert_eq!(loops["rounds"][1]["repaired_visible"], share(0, 1));
    assert_eq!(loops["rounds"].as_array().unwrap().len(), 2);
    assert_eq!(loops["unchanged"], share(2, 4));
    assert_eq!(loops["repeated"], share(0, 4));
    // 1 + 3 + 5 + 3 calls of 120 tokens; 3 and 4 were never solved.
    assert_eq!(loops["never_solved_tokens"], json!({"count": 960, "of": 1440}));
    assert_eq!(result["summary"]["overfit"], share(1, 3));
}

#[test]
fn resampling_takes_the_best_by_the_visible_tests_within_its_budget() {
    let folder = both();
    let samples = |file: &str| std::fs::read_to_string(folder.path().join("samples").join(file)).unwrap();
    let lines: Vec<Value> = samples("results.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |field: &str| -> Vec<Value> { lines.iter().map(|line| line[field].clone()).collect() };
    assert_eq!(of("calls"), [1, 3, 3, 2]);
    assert_eq!(of("stopped"), ["satisfied", "rounds", "satisfied", "satisfied"]);
    assert_eq!(of("returned"), [0, 0, 2, 1]);
    assert_eq!(of("passed"), [true, false, true, true]);
    // Each sample has a seed of its own, and sees nothing of the others.
    let journal = samples("journal.jsonl");
    let asked: Vec<Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &Value| event["event"] == "exchange" && event["task"] == "Demo/2")
        .map(|event| event["request"].clone())
        .collect();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0]["messages"], asked[1]["messages"]);
    assert!(asked[0]["seed"] != asked[1]["seed"] && asked[1]["seed"] != asked[2]["seed"]);
}

#[test]
fn a_budget_of_the_run_is_for_all_attempts_together() {
    let folder = tempfile::tempdir().unwrap();
    suite(folder.path());
    self_debug(folder.path());
    let limits = ["--max-calls", "5", "--budget-for", "run", "--jobs", "1"];
    let result = bench(folder.path(), "script:debug.json", "debug", &limits);
    assert_eq!(result["summary"]["calls"], 5);
    // What got nothing of it is unsolved, and not a failure of ours.
    assert_eq!(result["summary"]["failed"], 0);
    assert_eq!(result["summary"]["rounds"][3]["hidden"]["passed"], 2);
    assert_eq!(result["summary"]["rounds"][3]["hidden"]["attempts"], 4);
    let results = std::fs::read_to_string(folder.path().join("debug/results.jsonl")).unwrap();
    assert_eq!(results.matches("\"stopped\":\"used_up\"").count(), 2, "{results}");
}

#[test]
fn a_run_with_a_budget_goes_on_where_it_was_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    suite(folder.path());
    self_debug(folder.path());
    for scope in ["attempt", "run"] {
        let limits = ["--max-calls", "4", "--budget-for", scope, "--jobs", "1"];
        let whole = bench(
            folder.path(),
            "script:debug.json",
            &format!("whole-{scope}"),
            &limits,
        );
        let path = |run: &str, file: &str| folder.path().join(format!("{run}-{scope}")).join(file);
        let journal = std::fs::read_to_string(path("whole", "journal.jsonl")).unwrap();
        let count = journal.lines().count();
        for kept in [1, 3, count / 2, count - 1] {
            let _ = std::fs::remove_dir_all(folder.path().join(format!("cut-{scope}")));
            std::fs::create_dir(folder.path().join(format!("cut-{scope}"))).unwrap();
            std::fs::copy(path("whole", "run.json"), path("cut", "run.json")).unwrap();
            let lines: Vec<&str> = journal.lines().take(kept).collect();
            std::fs::write(path("cut", "journal.jsonl"), lines.join("\n") + "\n").unwrap();
            let again = bench(
                folder.path(),
                "script:debug.json",
                &format!("cut-{scope}"),
                &limits,
            );
            assert_eq!(
                again["summary"]["rounds"], whole["summary"]["rounds"],
                "{scope} {kept}"
            );
            assert_eq!(
                std::fs::read(path("cut", "results.jsonl")).unwrap(),
                std::fs::read(path("whole", "results.jsonl")).unwrap(),
                "{scope} {kept}"
            );
        }
    }
}

#[test]
fn two_runs_side_by_side() {
    let folder = both();
    let output = redraft(folder.path(), &["compare", "debug", "samples"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!("compare", String::from_utf8(output.stdout).unwrap());

    let output = redraft(
        folder.path(),
        &["compare", "debug", "samples", "--json", "--html", "page.html"],
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["hidden"]["tasks"], 4);
    assert_eq!(result["hidden"]["a"], 0.5);
    assert_eq!(result["hidden"]["b"], 0.75);
    assert_eq!(result["hidden"]["difference"], 0.25);
    assert_eq!(
        result["pairs"],
        json!({"both": 1, "only_a": 1, "only_b": 2, "neither": 0, "p": 1.0})
    );
    let low = result["hidden"]["interval"]["low"].as_f64().unwrap();
    let high = result["hidden"]["interval"]["high"].as_f64().unwrap();
    assert!(
        (-1.0..0.25).contains(&low) && high > 0.25 && high <= 1.0,
        "{low} {high}"
    );
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("Demo&#x2f;3") && page.contains("McNemar") && !page.contains("<script"));
}

#[test]
fn what_cannot_be_compared_is_told() {
    let folder = both();
    let refused = |args: &[&str], says: &str| {
        let output = redraft(folder.path(), args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(says), "{stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    };
    refused(&["compare", "debug", "nowhere"], "nowhere/run.json: No such file");
    let info = std::fs::read_to_string(folder.path().join("samples/run.json")).unwrap();
    let mut info: Value = serde_json::from_str(&info).unwrap();
    info["suite_hash"] = json!("0123456789abcdef");
    std::fs::write(folder.path().join("samples/run.json"), info.to_string()).unwrap();
    refused(&["compare", "debug", "samples"], "not on the same tasks");
    let args = [
        "bench",
        "--suite",
        "demo.jsonl",
        "--model",
        "script:samples.json",
        "--pattern",
        "resample",
    ];
    refused(&args, "--temperature 0");
}
