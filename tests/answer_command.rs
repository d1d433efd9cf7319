//! `redraft answer` against an OpenAI-compatible server: natively and in words, kept, shown, killed and gone on with.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/mock_server.rs"]
mod mock_server;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use mock_server::{Act, MockServer};
use serde_json::{Value, json};

const QUESTION: &str = "When did the Golden Gate Bridge open?";

fn redraft(folder: &Path, model: &str, more: &[&str]) -> Command {
    std::fs::create_dir_all(folder.join("docs")).unwrap();
    std::fs::write(
        folder.join("docs/bridge.md"),
        "The Golden Gate Bridge opened to traffic on May 28, 1937.",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command
        .args([
            "answer", QUESTION, "--docs", "docs", "--tools", "search", "--model", model,
        ])
        .args(more)
        .current_dir(folder);
    command
}

fn answer(folder: &Path, model: &str, more: &[&str]) -> Output {
    redraft(folder, model, more).output().unwrap()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A model that says 1936, then looks it up. It goes by what it is shown, so that it can be asked from any point on.
fn model(body: &Value, native: bool) -> Act {
    let messages = body["messages"].as_array().unwrap();
    let prompt = messages[0]["content"].as_str().unwrap();
    let last = messages[messages.len() - 1]["content"].as_str().unwrap_or("");
    if prompt.starts_with("Your answer contained claims") {
        return Act::reply("It opened in 1937.");
    }
    if !prompt.starts_with("Check the answer") {
        return Act::reply("It opened in 1936.");
    }
    if !native && body.get("tools").is_some() {
        return Act::error(400, "this model does not support tools");
    }
    match (messages.len(), native) {
        (1, true) => Act::call(
            "search",
            &json!({"query": "golden gate bridge", "claim": "it opened in 1936"}),
        ),
        (1, false) => {
            Act::reply("CALL search {\"claim\": \"it opened in 1936\", \"query\": \"golden gate bridge\"}")
        }
        _ if prompt.contains("1937") => Act::reply("OK"),
        _ => {
            assert!(last.contains("May 28, 1937"), "{last}");
            Act::reply("WRONG: it says 1936, the search says \"May 28, 1937\"")
        }
    }
}

#[test]
fn with_native_tool_calls() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| model(body, true));
    let output = answer(folder.path(), &server.spec("mock"), &["--json"]);
    assert_eq!(output.status.code(), Some(0));
    let object = object(&output);
    assert_eq!(object["answer"], "It opened in 1937.");
    assert_eq!(object["status"], "verified");
    assert_eq!((&object["calls"], &object["tool_calls"]), (&json!(6), &json!(2)));
    let first = &object["versions"][0]["findings"];
    assert!(first["critique"].as_str().unwrap().contains("1937"));
    assert_eq!(first["evidence"][0]["claim"], "it opened in 1936");
    assert_eq!(first["evidence"][0]["verdict"], "wrong");
    assert_eq!(object["versions"][0]["tokens"]["examined"]["prompt"], 32);

    // What went over the wire is the chat API's own form.
    let seen = server.seen();
    let verify: Vec<&Value> = seen
        .iter()
        .map(|seen| &seen.body)
        .filter(|body| body.get("tools").is_some())
        .collect();
    assert_eq!(verify[0]["tools"][0]["type"], "function");
    assert_eq!(verify[0]["tools"][0]["function"]["name"], "search");
    let chat = verify[1]["messages"].as_array().unwrap();
    assert_eq!(chat[1]["tool_calls"][0]["id"], "call_abc");
    assert_eq!(
        (&chat[2]["role"], &chat[2]["tool_call_id"]),
        (&json!("tool"), &json!("call_abc"))
    );
}

#[test]
fn in_words_where_the_server_takes_no_tools() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| model(body, false));
    let output = answer(folder.path(), &server.spec("mock"), &[]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "It opened in 1937.\n");
    let refused = server
        .seen()
        .iter()
        .filter(|seen| seen.body.get("tools").is_some())
        .count();
    assert_eq!(refused, 1, "it isn't offered tools again after it refused them");
}

#[test]
fn on_the_cap_it_says_so_and_the_exit_code_is_1() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| match body["messages"][0]["content"].as_str().unwrap() {
        prompt if prompt.starts_with("Check") && body["messages"].as_array().unwrap().len() == 1 => {
            Act::call("search", &json!({"query": "golden gate bridge"}))
        }
        prompt if prompt.starts_with("Check") => Act::reply("WRONG: the search says May 28"),
        _ => Act::reply("It opened in 1936."),
    });
    let output = answer(folder.path(), &server.spec("mock"), &["--rounds", "1", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let object = object(&output);
    assert_eq!(object["status"], "not verified");
    assert_eq!(object["critique"], "WRONG: the search says May 28");
    assert_eq!(object["answer"], "It opened in 1936.");
    let output = answer(folder.path(), &server.spec("mock"), &["--rounds", "1"]);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        talk.ends_with(
            "not verified, after 1 redraft: all rounds were used\nWRONG: the search says May 28\n"
        ),
        "{talk}"
    );
}

#[test]
fn a_kept_run_is_shown_asks_nothing_again_and_replays_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for native in [true, false] {
        let server = MockServer::answering(move |body| model(body, native));
        let (run, again) = (format!("run-{native}"), format!("again-{native}"));
        let first = answer(folder.path(), &server.spec("mock"), &["--out", &run, "--json"]);
        let asked = server
            .seen()
            .iter()
            .filter(|seen| seen.line.starts_with("POST"))
            .count();
        let second = answer(folder.path(), &server.spec("mock"), &["--out", &run, "--json"]);
        assert_eq!(object(&first), object(&second));
        let asked_then = server
            .seen()
            .iter()
            .filter(|seen| seen.line.starts_with("POST"))
            .count();
        assert_eq!(asked, asked_then, "nothing was asked again");

        let replayed = answer(
            folder.path(),
            &format!("replay:{run}"),
            &["--out", &again, "--json"],
        );
        assert_eq!(object(&first), object(&replayed));
        let bytes = |run: &str| std::fs::read(folder.path().join(run).join("results.jsonl")).unwrap();
        assert_eq!(bytes(&run), bytes(&again));

        let show = Command::new(env!("CARGO_BIN_EXE_redraft"))
            .args(["show", &run])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let story = String::from_utf8(show.stdout).unwrap();
        for piece in [
            "Version 0: something is wrong",
            "Claim: it opened in 1936",
            "bridge.md: The Golden Gate Bridge opened to traffic on May 28, 1937.",
            "contradicted",
            "Version 1 (returned): nothing wrong was found",
            "Status: verified.",
        ] {
            assert!(story.contains(piece), "{piece} is missing in\n{story}");
        }
    }
}

#[test]
fn a_recording_holds_replies_and_tool_results_so_that_the_documents_may_go() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| model(body, true));
    let first = answer(
        folder.path(),
        &server.spec("mock"),
        &["--record", "r.jsonl", "--json"],
    );
    let recording = std::fs::read_to_string(folder.path().join("r.jsonl")).unwrap();
    assert_eq!(
        recording
            .lines()
            .filter(|line| line.contains("\"event\":\"tool\""))
            .count(),
        1
    );
    assert_eq!(
        recording
            .lines()
            .filter(|line| line.contains("\"event\":\"exchange\""))
            .count(),
        6
    );
    let again = answer(folder.path(), "replay:r.jsonl", &["--json"]);
    assert_eq!(object(&first), object(&again));
}

/// Killed after each event in turn, and gone on with.
#[test]
fn killed_anywhere_it_goes_on_and_asks_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| model(body, true));
    let posts = || {
        server
            .seen()
            .iter()
            .filter(|seen| seen.line.starts_with("POST"))
            .count()
    };
    let whole = object(&answer(
        folder.path(),
        &server.spec("mock"),
        &["--out", "whole", "--json"],
    ));
    let journal = std::fs::read_to_string(folder.path().join("whole/journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    let all = posts();
    for kept in 0..lines.len() {
        let out = folder.path().join(format!("cut-{kept}"));
        std::fs::create_dir(&out).unwrap();
        std::fs::copy(folder.path().join("whole/run.json"), out.join("run.json")).unwrap();
        // What was being written when the kill came is torn.
        let torn = &lines[kept][..lines[kept].len() / 2];
        let text: String = lines[..kept].iter().flat_map(|line| [*line, "\n"]).collect();
        std::fs::write(out.join("journal.jsonl"), text + torn).unwrap();
        let before = posts();
        let name = out.file_name().unwrap().to_string_lossy().into_owned();
        let again = object(&answer(
            folder.path(),
            &server.spec("mock"),
            &["--out", &name, "--json"],
        ));
        assert_eq!(
            without_times(&whole),
            without_times(&again),
            "cut after {kept} events"
        );
        let answered = lines[..kept]
            .iter()
            .filter(|line| line.contains("\"event\":\"exchange\""))
            .count();
        assert_eq!(posts() - before, all - answered, "cut after {kept} events");
    }
}

fn without_times(object: &Value) -> Value {
    let text = object.to_string();
    let mut parts = text.split("\"ms\":");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    Value::from(out)
}

#[test]
fn bad_input_gets_one_clear_error_before_any_model_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| model(body, true));
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
            .arg("answer")
            .args(args)
            .args(["--model", &server.spec("mock")])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(run(&[" "]), "error: the question is empty\n");
    assert_eq!(
        run(&["q", "--tools", "search"]),
        "error: --tools search needs to know where: --docs DIR, --wiki URL, --searxng URL or --corpus FILE\n"
    );
    assert!(run(&["q", "--docs", "nowhere"]).starts_with("error: nowhere: No such file"));
    assert_eq!(
        run(&["q", "--wiki", "wikipedia"]),
        "error: --wiki: `wikipedia` is no address; expected https://HOST/…\n"
    );
    assert!(run(&["q", "--tools", "telepathy"]).contains("possible values: search, python, calculator"));
    assert!(run(&["q", "--docs", "a", "--wiki", "b"]).contains("cannot be used with"));
    assert!(
        server.seen().iter().all(|seen| seen.line.starts_with("GET")),
        "no chat was begun"
    );
}

#[test]
fn an_answer_that_no_tool_has_checked_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    for (calls, why) in [
        (
            false,
            "no tool was called: the verdict is the model's own opinion",
        ),
        (
            true,
            "every tool call failed: the verdict is the model's own opinion",
        ),
    ] {
        let server = MockServer::answering(move |body| {
            let prompt = body["messages"][0]["content"].as_str().unwrap();
            let asked = body["messages"].as_array().unwrap().len();
            match (prompt.starts_with("Check"), asked) {
                (true, 1) if calls => Act::call("search", &json!({"query": ""})),
                (true, _) => Act::reply("OK"),
                _ => Act::reply("It opened in 1936."),
            }
        });
        let output = answer(folder.path(), &server.spec("mock"), &["--json"]);
        assert_eq!(output.status.code(), Some(1));
        let object = object(&output);
        assert_eq!(object["status"], "not checked");
        assert_eq!(object["note"], why);
        assert_eq!(object["tool_calls"], i32::from(calls));
    }
}
