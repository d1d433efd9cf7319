//! Bad input gets one clear sentence and exit code 2, before anything is started.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

const GOOD_TASK: &str = r#"{"task_id": "T/0", "prompt": "def f(x):\n    \"\"\"Return x.\"\"\"\n", "entry_point": "f", "canonical_solution": "    return x\n", "test": "def check(candidate):\n    assert candidate(1) == 1\n"}"#;

/// Runs redraft in `folder` and checks that nothing was begun there.
fn refused(folder: &Path, args: &[&str]) -> String {
    let output = redraft(folder, args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert!(!folder.join("runs").exists(), "{args:?}: a run was begun");
    assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
    let sentence = stderr
        .trim_end()
        .strip_prefix("error: ")
        .unwrap_or_else(|| panic!("{args:?}: {stderr}"));
    assert_eq!(sentence.lines().count(), 1, "{args:?}: one sentence: {stderr}");
    sentence.replace(&*folder.to_string_lossy(), "DIR")
}

fn redraft(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(args)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("OPENAI_API_KEY")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("suite.jsonl"), format!("{GOOD_TASK}\n")).unwrap();
    std::fs::write(folder.path().join("f.py"), "def f(x):\n    return x\n").unwrap();
    std::fs::write(folder.path().join("script.json"), "[]").unwrap();
    folder
}

#[test]
fn a_missing_file() {
    let folder = folder();
    for args in [
        &["test", "nowhere.py", "--tests", "tests.py"][..],
        &["test", "f.py", "--tests", "nowhere.py"],
        &[
            "repair",
            "nowhere.py",
            "--tests",
            "tests.py",
            "--model",
            "script:script.json",
        ],
        &["run", "nowhere.py"],
        &["eval", "nowhere.jsonl", "--suite", "suite.jsonl"],
        &["show", "nowhere"],
        &[
            "bench",
            "--suite",
            "nowhere.jsonl",
            "--model",
            "script:script.json",
        ],
        &[
            "bench",
            "--suite",
            "suite.jsonl",
            "--model",
            "script:nowhere.json",
        ],
        &[
            "bench",
            "--suite",
            "suite.jsonl",
            "--model",
            "replay:nowhere.jsonl",
        ],
        &[
            "bench",
            "--suite",
            "suite.jsonl",
            "--model",
            "script:script.json",
            "--prompts",
            "nowhere",
        ],
    ] {
        let sentence = refused(folder.path(), args);
        assert!(sentence.contains("nowhere"), "{args:?}: {sentence}");
    }
}

#[test]
fn broken_jsonl_is_named_by_its_line() {
    let folder = folder();
    std::fs::write(
        folder.path().join("broken.jsonl"),
        format!("{GOOD_TASK}\n{{\"task_id\": \n"),
    )
    .unwrap();
    let samples = "{\"task_id\": \"T/0\", \"completion\": \"    return x\\n\"}\n{\"task_id\": \n";
    std::fs::write(folder.path().join("samples.jsonl"), samples).unwrap();
    for (file, args) in [
        (
            "broken.jsonl",
            &[
                "bench",
                "--suite",
                "broken.jsonl",
                "--model",
                "script:script.json",
            ][..],
        ),
        (
            "samples.jsonl",
            &["eval", "samples.jsonl", "--suite", "suite.jsonl"],
        ),
        (
            "broken.jsonl",
            &["eval", "samples.jsonl", "--suite", "broken.jsonl"],
        ),
    ] {
        let sentence = refused(folder.path(), args);
        let names_the_line = sentence.contains("line 2") || sentence.contains(&format!("{file}:2"));
        assert!(sentence.contains(file) && names_the_line, "{args:?}: {sentence}");
    }
}

#[test]
fn a_flag_that_means_nothing_to_the_pattern() {
    let folder = folder();
    for (pattern, flags, fits) in [
        ("self-debug", &["--paper"][..], "critic-search"),
        ("self-debug", &["--docs", "."], "critic-search"),
        (
            "none",
            &["--scorer", "recorded:x"],
            "critic-toxicity or critic-search",
        ),
        ("self-debug", &["--no-interpreter"], "critic-program"),
        ("none", &["--logprobs"], "critic-toxicity"),
        ("none", &["--no-explain"], "self-debug"),
        (
            "none",
            &["--rounds", "2"],
            "self-debug or resample or critic-search or critic-program or critic-toxicity",
        ),
        (
            "critic-program",
            &["--common-imports"],
            "self-debug or resample or none",
        ),
    ] {
        let bench = [
            "bench",
            "--suite",
            "suite.jsonl",
            "--model",
            "script:script.json",
            "--pattern",
            pattern,
        ];
        let sentence = refused(folder.path(), &[&bench, flags].concat());
        let said = format!(
            "{} is for --pattern {fits}, and {pattern} has no use for it",
            flags[0]
        );
        assert_eq!(sentence, said);
    }
}

#[test]
fn an_unknown_suite() {
    let folder = folder();
    let sentence = refused(
        folder.path(),
        &["bench", "--suite", "humanevil", "--model", "script:script.json"],
    );
    assert!(
        sentence.contains("humanevil") && sentence.contains("humaneval"),
        "{sentence}"
    );
    let sentence = refused(
        folder.path(),
        &["bench", "--suite", "humaneval", "--model", "script:script.json"],
    );
    assert!(sentence.contains("redraft suite fetch humaneval"), "{sentence}");
}

#[test]
fn a_model_that_is_down() {
    let folder = folder();
    // A port that was free a moment ago: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let model = format!("http://127.0.0.1:{port}/v1#m");
    let sentence = refused(
        folder.path(),
        &["bench", "--suite", "suite.jsonl", "--model", &model],
    );
    assert!(
        sentence.contains(&port.to_string()) && sentence.contains("refused"),
        "{sentence}"
    );
}

#[test]
fn a_key_that_is_missing() {
    let folder = folder();
    let sentence = refused(
        folder.path(),
        &["bench", "--suite", "suite.jsonl", "--model", "openai:gpt-x"],
    );
    assert!(sentence.contains("OPENAI_API_KEY"), "{sentence}");
}

#[test]
fn no_model_and_a_model_of_no_kind() {
    let folder = folder();
    for args in [
        &["bench", "--suite", "suite.jsonl"][..],
        &["bench", "--suite", "suite.jsonl", "--model", "gpt-4"],
    ] {
        let sentence = refused(folder.path(), args);
        assert!(
            sentence.contains("openai:NAME") && sentence.contains("replay:PATH"),
            "{args:?}: {sentence}"
        );
    }
}

#[test]
fn tests_that_hold_no_test() {
    let folder = folder();
    for (name, content) in [
        ("empty.py", ""),
        ("nothing.py", "import math\n\ndef helper(x):\n    return x\n"),
        (
            "none.json",
            "{\"id\": \"x\", \"language\": \"python\", \"kind\": \"function\", \"tests\": []}",
        ),
    ] {
        std::fs::write(folder.path().join(name), content).unwrap();
        let sentence = refused(folder.path(), &["test", "f.py", "--tests", name]);
        assert!(sentence.contains(name), "{sentence}");
        let args = ["repair", "f.py", "--tests", name, "--model", "script:script.json"];
        let sentence = refused(folder.path(), &args);
        assert!(sentence.contains(name), "{sentence}");
    }
}

#[test]
fn a_folder_that_holds_another_run() {
    let folder = folder();
    std::fs::write(
        folder.path().join("reply.json"),
        r#"["```python\ndef f(x):\n    return x\n```", "```python\ndef f(x):\n    return x\n```"]"#,
    )
    .unwrap();
    let args = [
        "bench",
        "--suite",
        "suite.jsonl",
        "--model",
        "script:reply.json",
        "--out",
        "out",
    ];
    assert!(redraft(folder.path(), &args).status.success());
    let other = [&args[..], &["--rounds", "7"]].concat();
    let sentence = refused(folder.path(), &other);
    assert!(
        sentence.contains("out") && sentence.contains("settings"),
        "{sentence}"
    );
}
