//! `redraft solve`, `redraft detox` and their benches against an OpenAI-compatible server.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/mock_server.rs"]
mod mock_server;

use std::path::Path;
use std::process::{Command, Output};

use mock_server::{Act, MockServer};
use serde_json::{Value, json};

/// A scorer of the user's: one word is toxic.
const SCORER: &str = "command:if grep -q stupid; then echo '{\"toxicity\": 0.8, \"insult\": 0.9, \"threat\": 0.1}'; \
                      else echo '{\"toxicity\": 0.05, \"insult\": 0.02}'; fi";

fn redraft(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn prompt(body: &Value) -> &str {
    body["messages"][0]["content"].as_str().unwrap()
}

/// Fails at first, is told of the error, and then comes to the answer.
fn programmer(body: &Value) -> Act {
    let text = prompt(body);
    let mended = Act::reply("```python\nrows = 4\nanswer = rows * 12\n```");
    match text {
        _ if text.contains("Here's a better solution") => mended,
        _ if text.contains("What's the problem")
            && text.contains("Execution: NameError: name 'rows' is not defined\n") =>
        {
            Act::reply("`rows` is never set.")
        }
        _ if text.contains("What's the problem") => Act::reply("The code is correct."),
        _ => Act::reply("```python\nanswer = rows * 12\n```"),
    }
}

#[test]
fn solve_prints_the_value_that_the_program_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(programmer);
    let model = server.spec("mock");
    let question = "4 rows of 12 books: how many books?";
    let output = redraft(folder.path(), &["solve", question, "--model", &model]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "48\n");
    let output = redraft(folder.path(), &["solve", question, "--model", &model, "--json"]);
    let object = object(&output);
    assert_eq!(
        (&object["answer"], &object["status"]),
        (&json!("48"), &json!("settled"))
    );
    assert_eq!(
        object["versions"].as_array().unwrap().len(),
        4,
        "unchanged by two corrections"
    );
    assert_eq!(
        object["versions"][0]["findings"]["critique"],
        "NameError: name 'rows' is not defined"
    );

    let output = redraft(
        folder.path(),
        &["solve", question, "--model", &model, "--no-interpreter"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let asked = server.seen();
    let last = asked
        .iter()
        .rev()
        .find(|seen| prompt_of(&seen.body).contains("What's the problem"))
        .unwrap();
    assert!(!prompt(&last.body).contains("Execution:"));
}

fn prompt_of(body: &Value) -> &str {
    body["messages"][0]["content"].as_str().unwrap_or_default()
}

#[test]
fn a_question_that_no_program_answers_is_not_good() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|_| Act::reply("I can't."));
    let output = redraft(
        folder.path(),
        &["solve", "What?", "--model", &server.spec("mock"), "--rounds", "1"],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(
        told(&output).contains("No program came to an answer."),
        "{}",
        told(&output)
    );
}

#[test]
fn the_bench_of_word_problems_reads_gsm8k_and_svamp() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |name: &str, lines: &[Value]| {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(folder.path().join(name), text.join("\n")).unwrap();
    };
    lines(
        "gsm8k.jsonl",
        &[
            json!({"question": "4 rows of 12 books?", "answer": "4*12=48\n#### 48"}),
            json!({"question": "4 rows of 13 books?", "answer": "#### 52"}),
        ],
    );
    lines(
        "svamp.jsonl",
        &[
            json!({"ID": "chal-1", "Body": "There are 4 rows of 12 books", "Question": "How many?", "Answer": 48.0}),
        ],
    );
    let server = MockServer::answering(programmer);
    let model = server.spec("mock");
    let run = |suite: &str, out: &str| {
        let args = [
            "bench",
            "--suite",
            suite,
            "--pattern",
            "critic-program",
            "--model",
            &model,
            "--out",
            out,
            "--json",
        ];
        object(&redraft(folder.path(), &args))["summary"].clone()
    };
    let summary = run("gsm8k.jsonl", "a");
    let solved: Vec<&Value> = summary["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|round| &round["hidden"]["passed"])
        .collect();
    assert_eq!(solved, [0, 1, 1, 1, 1], "the draft and each round; at most 4");
    assert_eq!(summary["repaired"], json!({"count": 1, "of": 2}));
    assert_eq!(run("svamp.jsonl", "b")["rounds"][1]["hidden"]["passed"], 1);
    assert!(
        prompt_of(&server.seen().last().unwrap().body).contains("There are 4 rows of 12 books. How many?")
    );
}

/// Insults until it is told not to.
fn writer(body: &Value) -> Act {
    if prompt(body).contains("The text has 90.0% toxicity of insult") {
        Act::reply("and that was kind.")
    } else {
        Act::reply("and that was stupid.")
    }
}

#[test]
fn detox_rewrites_until_the_score_is_below_10_percent() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(writer);
    let args = [
        "detox",
        "So he said",
        "--scorer",
        SCORER,
        "--model",
        &server.spec("mock"),
        "--json",
    ];
    let output = redraft(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let found = object(&output);
    assert_eq!(
        (&found["text"], &found["status"]),
        (&json!("and that was kind."), &json!("below the limit"))
    );
    assert_eq!(found["scores"], json!({"insult": 0.02, "toxicity": 0.05}));
    assert_eq!(
        found["versions"][0]["findings"]["critique"],
        "The text has 90.0% toxicity of insult"
    );

    let stubborn = MockServer::answering(|_| Act::reply("stupid"));
    let args = [
        "detox",
        "So he said",
        "--scorer",
        SCORER,
        "--model",
        &stubborn.spec("mock"),
        "--json",
    ];
    let output = redraft(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    let found = object(&output);
    assert_eq!(
        found["versions"].as_array().unwrap().len(),
        5,
        "4 rewrites at most"
    );
    assert_eq!(found["status"], "not below the limit");
}

#[test]
fn scores_come_from_perspectives_api_or_from_a_recording_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let model = MockServer::answering(writer);
    let perspective = MockServer::by(|seen| {
        let toxic = seen.body["comment"]["text"].as_str().unwrap().contains("stupid");
        assert!(
            seen.body["requestedAttributes"].get("SEVERE_TOXICITY").is_some(),
            "{}",
            seen.body
        );
        let score = |value: f64| json!({"summaryScore": {"value": value, "type": "PROBABILITY"}});
        let scores = if toxic { [0.8, 0.9] } else { [0.05, 0.02] };
        Act::json(
            200,
            &json!({"attributeScores": {"TOXICITY": score(scores[0]), "INSULT": score(scores[1])}}),
        )
    });
    let recorded = [
        json!({"text": "and that was stupid.", "toxicity": 0.8, "insult": 0.9}),
        json!({"text": "and that was kind.", "toxicity": 0.05, "insult": 0.02}),
    ];
    let recorded: Vec<String> = recorded.iter().map(Value::to_string).collect();
    std::fs::write(folder.path().join("scores.jsonl"), recorded.join("\n")).unwrap();
    for scorer in [
        perspective.url("/v1alpha1/comments:analyze"),
        "recorded:scores.jsonl".to_owned(),
    ] {
        let args = [
            "detox",
            "So he said",
            "--scorer",
            &scorer,
            "--model",
            &model.spec("mock"),
        ];
        let output = redraft(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", told(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "and that was kind.\n");
    }

    let broken = MockServer::by(|_| Act::error(429, "quota exceeded"));
    let args = [
        "detox",
        "x",
        "--scorer",
        &broken.url("/a"),
        "--model",
        &model.spec("mock"),
    ];
    let output = redraft(folder.path(), &args);
    assert_eq!(output.status.code(), Some(3), "our fault, not the text's");
    assert!(
        told(&output).contains("the scorer refuses with status 429: quota exceeded"),
        "{}",
        told(&output)
    );
}

#[test]
fn the_bench_of_prompts_tells_maximum_probability_distinct_words_and_perplexity() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("prompts.jsonl"),
        "{\"prompt\": {\"text\": \"So he said\", \"toxicity\": 0.1}}\n{\"prompt\": \"Then she went\"}\n",
    )
    .unwrap();
    let server = MockServer::answering(|body| {
        let text = if prompt(body).contains("The text has") {
            "a kind word"
        } else {
            "a stupid word"
        };
        // exp(0.5) is the perplexity of both.
        Act::reply_with_logprobs(text, &[-0.25, -0.75])
    });
    let model = server.spec("mock");
    let args = [
        "bench",
        "--suite",
        "prompts.jsonl",
        "--pattern",
        "critic-toxicity",
        "--scorer",
        SCORER,
        "--samples",
        "2",
        "--temperature",
        "0.9",
        "--logprobs",
        "--model",
        &model,
        "--out",
        "run",
    ];
    let output = redraft(folder.path(), &[&args[..], &["--json"]].concat());
    let summary = object(&output)["summary"].clone();
    let rows = summary["toxicity"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    let figures = |row: &Value| {
        ["maximum", "probability", "dist_2", "dist_3"]
            .map(|name| format!("{:.3}", row[name].as_f64().unwrap()))
    };
    assert_eq!(figures(&rows[0]), ["0.800", "1.000", "0.333", "0.167"]);
    assert_eq!(figures(&rows[1]), ["0.050", "0.000", "0.333", "0.167"]);
    assert!((rows[1]["perplexity"].as_f64().unwrap() - 0.5_f64.exp()).abs() < 1e-9);
    let table = String::from_utf8(redraft(folder.path(), &args).stdout).unwrap();
    assert!(
        table.contains("maximum of 2") && table.contains("probability above 50 %") && table.contains("1.65"),
        "{table}"
    );
    let temperatures = server.seen();
    assert!(
        temperatures
            .iter()
            .filter(|seen| seen.line.starts_with("POST"))
            .all(|seen| seen.body["temperature"] == 0.9)
    );
}

#[test]
fn an_evaluator_may_score_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let server = MockServer::answering(|body| {
        let messages = body["messages"].as_array().unwrap();
        match (prompt(body), messages.len()) {
            (text, 1) if text.contains("reviewer with tools") => {
                Act::call("toxicity", &json!({"text": "that was stupid"}))
            }
            (text, _) if text.contains("reviewer with tools") => {
                let result = messages[2]["content"].as_str().unwrap();
                assert!(result.contains("\"insult\":0.9"), "{result}");
                Act::reply("{\"passed\": true}")
            }
            _ => Act::reply("that was stupid"),
        }
    });
    let args = [
        "write",
        "--task",
        "t",
        "--criteria",
        "c",
        "--evaluator",
        "tools",
        "--tools",
        "toxicity",
        "--scorer",
        SCORER,
        "--model",
        &server.spec("mock"),
    ];
    let output = redraft(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}

#[test]
fn bad_input_gets_one_clear_error_before_any_model_is_called() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("prompts.jsonl"),
        "{\"prompt\": \"So he said\"}\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("q.jsonl"),
        "{\"question\": \"x\", \"answer\": \"#### 1\"}\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("empty.jsonl"), "{}\n").unwrap();
    let server = MockServer::answering(|_| Act::reply("x"));
    let model = server.spec("mock");
    for (args, says) in [
        (&["solve", " "][..], "error: the question is empty\n"),
        (&["detox", " "], "error: the text is empty\n"),
        (
            &["detox", "x"],
            "error: --scorer is missing: expected https://…, command:COMMAND or recorded:FILE\n",
        ),
        (
            &["detox", "x", "--scorer", "magic"],
            "error: `magic` is no scorer",
        ),
        (
            &["detox", "x", "--scorer", "recorded:empty.jsonl"],
            "error: empty.jsonl: holds no recorded scores",
        ),
        (
            &["bench", "--suite", "prompts.jsonl"],
            "use --pattern critic-toxicity\n",
        ),
        (
            &["bench", "--suite", "q.jsonl", "--pattern", "self-debug"],
            "use --pattern critic-search or critic-program\n",
        ),
        (
            &["bench", "--suite", "q.jsonl", "--pattern", "critic-toxicity"],
            "lines with a `prompt` are expected\n",
        ),
        (
            &[
                "bench",
                "--suite",
                "prompts.jsonl",
                "--pattern",
                "critic-toxicity",
                "--scorer",
                SCORER,
                "--oracle",
            ],
            "error: --oracle needs a hidden check to ask",
        ),
        (
            &[
                "bench",
                "--suite",
                "q.jsonl",
                "--pattern",
                "critic-program",
                "--paper",
            ],
            "error: --paper is for --pattern critic-search",
        ),
        (
            &[
                "bench",
                "--suite",
                "q.jsonl",
                "--pattern",
                "critic-program",
                "--docs",
                ".",
            ],
            "error: --docs is for --pattern critic-search",
        ),
    ] {
        let output = redraft(folder.path(), &[args, &["--model", &model]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", told(&output));
        assert!(told(&output).contains(says), "{args:?}: {}", told(&output));
    }
    assert!(
        server.seen().iter().all(|seen| seen.line.starts_with("GET")),
        "no chat was begun"
    );
}
