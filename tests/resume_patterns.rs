//! Every command that makes one attempt, cut off after each of its events in turn: it goes on, ends as if nothing had happened, and
//! asks nothing twice.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/mock_server.rs"]
mod mock_server;

use std::path::Path;
use std::process::Command;

use mock_server::{Act, MockServer};
use serde_json::{Value, json};

const SCORER: &str = "command:if grep -q kind; then echo '{\"toxicity\": 0.02}'; else echo '{\"toxicity\": 0.8, \"insult\": 0.9}'; fi";

/// Answers each prompt by what it says, so that it can be asked from any point on.
fn model(body: &Value) -> Act {
    let messages = body["messages"].as_array().unwrap();
    let text = messages[0]["content"].as_str().unwrap();
    let has = |piece: &str| text.contains(piece);
    let verdict = |passed: bool, critique: &str| {
        Act::reply(&json!({"passed": passed, "critique": critique}).to_string())
    };
    match text {
        // The evaluator with tools: asks, judges without evidence, is sent back.
        _ if has("strict reviewer with tools") => match messages.len() {
            1 => Act::call("search", &json!({"query": "bridge", "claim": "the year"})),
            3 if !has("1937") => verdict(false, "I doubt it."),
            3 => verdict(true, ""),
            _ => verdict(false, "The search says 1937."),
        },
        _ if has("strict reviewer") && has("second") => verdict(true, ""),
        // The same reply to the same question twice: no JSON at first.
        _ if has("strict reviewer") && messages.len() == 1 => Act::reply("Hm."),
        _ if has("strict reviewer") => verdict(false, "Once more."),
        _ if has("strict editor") && has("second") => Act::reply("STOP"),
        _ if has("strict editor") => Act::reply("Shorter."),
        _ if has("<feedback>") || has("<history>") => Act::reply("second, 1937"),
        _ if has("You are writing") => Act::reply("first, 1936"),
        // A program to mend: a wrong fix first.
        _ if has("def add(") && has("Do not write code") => Act::reply("It subtracts."),
        _ if has("def add(") && has("a - b") => {
            Act::reply("```python\ndef add(a, b):\n    return a * b\n```")
        }
        _ if has("def add(") => Act::reply("```python\ndef add(a, b):\n    return a + b\n```"),
        _ if has("Here's a better solution") => Act::reply("```python\nanswer = 48\n```"),
        _ if has("What's the problem") => Act::reply("It is fine."),
        _ if has("Write a Python program") => Act::reply("```python\nanswer = rows\n```"),
        _ if has("90.0% toxicity") && has("Continuation: fool") => Act::reply("idiot"),
        _ => Act::reply("fool"),
    }
}

fn run(folder: &Path, args: &[&str], model: &str, out: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(args)
        .args(["--model", model, "--out", out, "--json"])
        .current_dir(folder)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// What is measured differs between two runs.
fn timeless(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields = object.iter().filter(|(name, _)| {
                !name.ends_with("ms") && !["isolation", "memory_bytes"].contains(&name.as_str())
            });
            Value::Object(
                fields
                    .map(|(name, value)| (name.clone(), timeless(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(timeless).collect(),
        other => other.clone(),
    }
}

fn cut_everywhere(args: &[&str], events: usize) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    std::fs::write(folder.path().join("docs/bridge.md"), "The bridge opened in 1937.").unwrap();
    std::fs::write(folder.path().join("add.py"), "def add(a, b):\n    return a - b\n").unwrap();
    std::fs::write(folder.path().join("tests.py"), "assert add(2, 3) == 5\n").unwrap();
    let server = MockServer::answering(model);
    let posts = || {
        server
            .seen()
            .iter()
            .filter(|seen| seen.line.starts_with("POST"))
            .count()
    };
    let whole = timeless(&run(folder.path(), args, &server.spec("mock"), "whole"));
    let all = posts();
    let journal = std::fs::read_to_string(folder.path().join("whole/journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    assert!(lines.len() >= events, "{} events", lines.len());
    for kept in 0..lines.len() {
        let name = format!("cut-{kept}");
        let out = folder.path().join(&name);
        std::fs::create_dir(&out).unwrap();
        std::fs::copy(folder.path().join("whole/run.json"), out.join("run.json")).unwrap();
        let torn = &lines[kept][..lines[kept].len() / 2];
        let text: String = lines[..kept].iter().flat_map(|line| [*line, "\n"]).collect();
        std::fs::write(out.join("journal.jsonl"), text + torn).unwrap();
        let before = posts();
        let again = timeless(&run(folder.path(), args, &server.spec("mock"), &name));
        assert_eq!(whole, again, "cut after {kept} events");
        let answered = lines[..kept]
            .iter()
            .filter(|line| line.contains("\"event\":\"exchange\""))
            .count();
        assert_eq!(posts() - before, all - answered, "cut after {kept} events");
        let bytes = |run: &str| std::fs::read(folder.path().join(run).join("results.jsonl")).unwrap();
        assert_eq!(bytes("whole"), bytes(&name), "cut after {kept} events");
    }
}

#[test]
fn write_with_a_separate_judge() {
    cut_everywhere(
        &[
            "write",
            "--task",
            "t",
            "--criteria",
            "c",
            "--evaluator",
            "separate",
        ],
        9,
    );
}

#[test]
fn write_with_the_same_model() {
    cut_everywhere(
        &["write", "--task", "t", "--criteria", "c", "--evaluator", "same"],
        9,
    );
}

#[test]
fn write_with_tools() {
    let tools = ["--evaluator", "tools", "--docs", "docs", "--tools", "search"];
    cut_everywhere(
        &[&["write", "--task", "t", "--criteria", "c"][..], &tools].concat(),
        12,
    );
}

#[test]
fn solve() {
    cut_everywhere(&["solve", "4 rows of 12?"], 12);
}

#[test]
fn detox() {
    cut_everywhere(&["detox", "So he said", "--scorer", SCORER], 12);
}

#[test]
fn repair_by_tests() {
    cut_everywhere(&["repair", "add.py", "--tests", "tests.py"], 12);
}

#[test]
fn repair_by_a_command() {
    let check = "python3 -c 'from add import add; assert add(2, 3) == 5'";
    cut_everywhere(
        &["repair", "add.py", "--check", &format!("{check} # {{file}}")],
        9,
    );
}
