//! Self-Debug's stub test through the binary, against an OpenAI-compatible server.

#[path = "support/mock_server.rs"]
mod mock_server;

use std::process::Command;

use mock_server::{Act, MockServer};
use redraft::journal::{Event, read};
use serde_json::{Value, json};

#[test]
fn the_first_program_fails_one_test_and_the_second_passes_all() {
    let folder = tempfile::tempdir().unwrap();
    let task = json!({
        "task_id": "Demo/double",
        "prompt": "def double(n):\n    \"\"\"Return twice n.\"\"\"\n",
        "entry_point": "double",
        "canonical_solution": "    return 2 * n\n",
        "given_tests": ["assert double(2) == 4", "assert double(5) == 10"],
        "test": "def check(candidate):\n    assert candidate(424242) == 848484\n",
    });
    std::fs::write(folder.path().join("demo.jsonl"), task.to_string()).unwrap();
    let program = |body: &str| Act::reply(&format!("```python\ndef double(n):\n    return {body}\n```"));
    let server = MockServer::answering(move |body| {
        let text = body["messages"][0]["content"].as_str().unwrap();
        match text {
            _ if text.ends_with("Do not write code.") => Act::reply("It squares n."),
            _ if text.contains("<explanation>It squares n.</explanation>") => program("n + n"),
            _ => program("n * n"),
        }
    });
    let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args([
            "bench",
            "--suite",
            "demo.jsonl",
            "--out",
            "run",
            "--json",
            "--model",
            &server.spec("mock"),
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let asked: Vec<String> = server
        .seen()
        .iter()
        .filter(|seen| seen.line.starts_with("POST"))
        .map(|seen| seen.body["messages"][0]["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(asked.len(), 3, "a draft, one explain call, one fix call");
    for prompt in &asked[1..] {
        assert!(
            prompt.contains("Input: double(5)\nExpected: 10\nActual: 25"),
            "{prompt}"
        );
        assert!(!prompt.contains("424242"), "hidden tests are not shown");
    }
    let events = read(&folder.path().join("run")).unwrap();
    let runs = events
        .iter()
        .filter(|event| matches!(event, Event::Report { .. }))
        .count();
    assert_eq!(runs, 2, "two test runs");
    let samples = std::fs::read_to_string(folder.path().join("run/samples.jsonl")).unwrap();
    let sample: Value = serde_json::from_str(samples.trim()).unwrap();
    assert_eq!(
        sample["solution"], "def double(n):\n    return n + n\n",
        "the second program is returned"
    );
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        object["summary"]["rounds"][1]["hidden"]["passed"], 1,
        "the hidden test is checked separately"
    );
}
