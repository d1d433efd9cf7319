//! `redraft write` against an OpenAI-compatible server: a separate judge, the same model, and a judge with tools, natively and
//! in words.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/mock_server.rs"]
mod mock_server;

use std::path::Path;
use std::process::{Command, Output};

use mock_server::{Act, MockServer};
use serde_json::{Value, json};

const TASK: &str = "Report the sales of May.";
const CRITERIA: &str = "Every figure agrees with the database.";

fn write(folder: &Path, model: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args([
            "write",
            "--task",
            TASK,
            "--criteria",
            CRITERIA,
            "--artifact",
            "report",
        ])
        .args(["--model", model])
        .args(more)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn prompt(body: &Value) -> &str {
    body["messages"][0]["content"].as_str().unwrap()
}

/// The chats that were begun or gone on with, by their bodies.
fn chats(server: &MockServer) -> Vec<Value> {
    let seen = server.seen().into_iter();
    seen.filter(|seen| seen.line.starts_with("POST"))
        .map(|seen| seen.body)
        .collect()
}

fn verdict(passed: bool, critique: &str) -> Act {
    Act::reply(&json!({ "passed": passed, "critique": critique }).to_string())
}

fn generates(body: &Value) -> bool {
    prompt(body).starts_with("You are writing report")
}

/// The number of the draft that a generator's prompt asks for, by the critiques in it.
fn draft_of(body: &Value) -> Act {
    let critiques = ["Draft 1:", "Draft 2:"]
        .iter()
        .filter(|name| prompt(body).contains(**name))
        .count();
    Act::reply(["first", "second", "third"][critiques])
}

#[test]
fn separate_two_are_rejected_and_the_third_passes() {
    let folder = tempfile::tempdir().unwrap();
    let generator = MockServer::answering(|body| {
        assert!(generates(body));
        draft_of(body)
    });
    let judge = MockServer::answering(|body| {
        assert!(prompt(body).starts_with("You are a strict reviewer."));
        let text = prompt(body);
        match text {
            _ if text.contains("<draft>third</draft>") => verdict(true, ""),
            _ if text.contains("<draft>second</draft>") => verdict(false, "Say which year."),
            _ => verdict(false, "Give the figure."),
        }
    });
    let judges = judge.spec("strict");
    let more = [
        "--evaluator",
        "separate",
        "--judge-model",
        &judges,
        "--judge-temperature",
        "0",
        "--temperature",
        "0.7",
    ];
    let output = write(
        folder.path(),
        &generator.spec("writer"),
        &[&more[..], &["--json"]].concat(),
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let object = object(&output);
    assert_eq!(
        (&object["draft"], &object["status"]),
        (&json!("third"), &json!("passed"))
    );
    assert_eq!(object["calls"], 6);

    let drafts = chats(&generator);
    assert_eq!(drafts.len(), 3, "three generator calls");
    for body in &drafts {
        assert!(
            !body.to_string().contains(CRITERIA),
            "the generator never sees the criteria"
        );
        assert_eq!(
            (&body["model"], &body["temperature"]),
            (&json!("writer"), &json!(0.7))
        );
    }
    assert!(
        prompt(&drafts[2]).contains("Draft 1: Give the figure.\nDraft 2: Say which year."),
        "every critique so far, oldest first: {}",
        prompt(&drafts[2])
    );
    for body in &chats(&judge) {
        assert!(prompt(body).contains(CRITERIA));
        assert_eq!(
            (&body["model"], &body["temperature"]),
            (&json!("strict"), &json!(0.0))
        );
    }
    // Each round with its draft, verdict, critique and tokens.
    let first = &object["versions"][0];
    assert_eq!(
        (&first["source"], &first["findings"]["satisfied"]),
        (&json!("first"), &json!(false))
    );
    assert_eq!(first["findings"]["critique"], "Give the figure.");
    assert_eq!(
        first["tokens"],
        json!({"written": {"prompt": 12, "completion": 3}, "examined": {"prompt": 12, "completion": 3}})
    );
}

#[test]
fn separate_no_json_is_retried_once_and_then_is_the_critique_and_the_cap_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| {
        if generates(body) {
            return draft_of(body);
        }
        Act::reply("I like it.")
    });
    let more = ["--evaluator", "separate", "--rounds", "2", "--json"];
    let output = write(folder.path(), &server.spec("mock"), &more);
    assert_eq!(output.status.code(), Some(1), "done, and not good");
    let object = object(&output);
    assert_eq!(
        (&object["draft"], &object["status"]),
        (&json!("second"), &json!("did not pass"))
    );
    assert_eq!(object["critique"], "I like it.");
    let judged = chats(&server).iter().filter(|body| !generates(body)).count();
    assert_eq!(judged, 4, "each round asks twice and no more");
}

#[test]
fn same_one_problem_then_stop() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| match prompt(body) {
        text if text.starts_with("You wrote the draft below.") && text.contains("<draft>second</draft>") => {
            Act::reply(" STOP\n")
        }
        text if text.starts_with("You wrote the draft below.") => {
            Act::reply("It has no figure. Don't STOP before it has one.")
        }
        text if text.starts_with("Improve your report") => {
            assert!(
                text.contains("first") && text.contains("It has no figure."),
                "{text}"
            );
            Act::reply("second")
        }
        _ => Act::reply("first"),
    });
    let output = write(
        folder.path(),
        &server.spec("mock"),
        &["--evaluator", "same", "--json"],
    );
    assert_eq!(output.status.code(), Some(0));
    let object = object(&output);
    assert_eq!(
        (&object["draft"], &object["status"]),
        (&json!("second"), &json!("no problems left"))
    );
    assert_eq!(
        object["versions"].as_array().unwrap().len(),
        2,
        "two drafts were written"
    );
    assert_eq!(chats(&server).len(), 4);
}

#[test]
fn same_on_the_cap_the_latest_with_its_feedback() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| match prompt(body) {
        text if text.starts_with("You wrote the draft below.") => Act::reply("Shorter!"),
        text => Act::reply(&format!("{} characters", text.len())),
    });
    let output = write(
        folder.path(),
        &server.spec("mock"),
        &["--evaluator", "same", "--json"],
    );
    assert_eq!(output.status.code(), Some(1));
    let object = object(&output);
    assert_eq!(object["versions"].as_array().unwrap().len(), 4, "3 refinements");
    assert_eq!(
        (&object["critique"], &object["status"]),
        (&json!("Shorter!"), &json!("still finding problems"))
    );
}

/// A database in which May's sales are 1350.
fn database(folder: &Path) {
    let connection = rusqlite::Connection::open(folder.join("shop.db")).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE sales (month TEXT, total INTEGER); INSERT INTO sales VALUES ('May', 1350);",
        )
        .unwrap();
}

/// A writer that says 1200 until it is told better, and a judge that asks the database.
fn with_tools(body: &Value, native: bool) -> Act {
    if generates(body) {
        let told = prompt(body).contains("1350");
        return Act::reply(if told {
            "Sales were 1350."
        } else {
            "Sales were 1200."
        });
    }
    if !native && body.get("tools").is_some() {
        return Act::error(400, "this model does not support tools");
    }
    let messages = body["messages"].as_array().unwrap();
    let query = "SELECT total FROM sales WHERE month = 'May'";
    let last = messages[messages.len() - 1]["content"].as_str().unwrap();
    match (messages.len(), native) {
        (1, true) => Act::call("sql", &json!({"query": query, "claim": "the sales of May"})),
        (1, false) => Act::reply(&format!(
            "CALL sql {{\"claim\": \"the sales of May\", \"query\": \"{query}\"}}"
        )),
        _ if prompt(body).contains("1350") => verdict(true, ""),
        (3, _) => {
            assert!(last.contains("1350"), "{last}");
            // At first it gives no evidence, which is sent back.
            verdict(false, "The figure is wrong.")
        }
        _ => {
            assert!(last.starts_with("Your critique quotes no tool result."), "{last}");
            verdict(false, "The draft says 1200, the database says 1350: write 1350.")
        }
    }
}

#[test]
fn tools_the_figure_of_the_database_is_quoted_and_the_second_draft_passes() {
    for native in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        database(folder.path());
        let server = MockServer::answering(move |body| with_tools(body, native));
        let more = [
            "--evaluator",
            "tools",
            "--sql",
            "shop.db",
            "--tools",
            "sql",
            "--out",
            "run",
            "--json",
        ];
        let output = write(folder.path(), &server.spec("mock"), &more);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let object = object(&output);
        assert_eq!(
            (&object["draft"], &object["status"]),
            (&json!("Sales were 1350."), &json!("passed"))
        );
        let first = &object["versions"][0]["findings"];
        assert!(
            first["critique"].as_str().unwrap().contains("1350"),
            "the critique quotes the tool's figure"
        );
        let call = &first["evidence"][0];
        assert_eq!(
            (&call["tool"], &call["claim"]),
            (&json!("sql"), &json!("the sales of May"))
        );
        assert_eq!(call["result"], "total\n1350");
        assert_eq!(call["verdict"], "wrong", "next to the verdict that it supported");
        assert!(
            call["arguments"]["query"]
                .as_str()
                .unwrap()
                .starts_with("SELECT total")
        );
        for body in chats(&server).iter().filter(|body| generates(body)) {
            assert!(!body.to_string().contains(CRITERIA));
        }
        // The same again from what is kept; what another database was asked is no answer.
        let again = |out: &str| {
            let more = [
                "--evaluator",
                "tools",
                "--sql",
                "shop.db",
                "--tools",
                "sql",
                "--out",
                out,
                "--json",
            ];
            write(folder.path(), "replay:run", &more)
        };
        let replayed = again("again");
        let bytes = |run: &str| std::fs::read(folder.path().join(run).join("results.jsonl")).unwrap();
        assert_eq!(replayed.status.code(), Some(0));
        assert_eq!(bytes("run"), bytes("again"));
        let connection = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
        connection.execute("UPDATE sales SET total = 9", []).unwrap();
        drop(connection);
        assert_ne!(again("other").status.code(), Some(0));
    }
}

#[test]
fn bad_input_gets_one_clear_error_before_any_model_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|_| Act::reply("x"));
    for (more, says) in [
        (&["--rounds", "0"][..], "invalid value '0' for '--rounds"),
        (
            &["--evaluator", "same", "--judge-temperature", "0"],
            "error: --evaluator same uses one model for all",
        ),
        (
            &["--evaluator", "separate", "--sql", "shop.db"],
            "error: --sql is for an evaluator with tools: leave it away, or choose --evaluator tools\n",
        ),
        (
            &["--evaluator", "tools", "--sql", "shop.db"],
            "error: shop.db: no such file\n",
        ),
        (
            &["--evaluator", "tools", "--tools", "sql"],
            "error: --tools sql needs to know where: --sql FILE\n",
        ),
        (&["--judge-temperature", "9"], "expected a number from 0 to 2"),
        (&["--task", " "], "cannot be used multiple times"),
    ] {
        let output = write(folder.path(), &server.spec("mock"), more);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {told}");
        assert!(told.contains(says), "{more:?}: {told}");
    }
    assert!(chats(&server).is_empty());
}
