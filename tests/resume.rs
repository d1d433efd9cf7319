//! `kill -9` at any moment, then the same command: nothing finished is done again, and the results are those of
//! a run that was never interrupted.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/mock_server.rs"]
mod mock_server;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use mock_server::{Act, MockServer};
use redraft::journal::{Event, Journal, read};
use redraft::model::ChatRequest;

const TASKS: usize = 8;
const KILLS: usize = 20;

/// Eight tasks `add_N`, each with two visible and two hidden tests.
fn suite(folder: &Path) -> std::path::PathBuf {
    let mut lines = String::new();
    for (n, number) in (0..TASKS).zip(0_i64..) {
        let task = serde_json::json!({
            "task_id": format!("Add/{n}"),
            "prompt": format!("def add_{n}(x):\n    \"\"\"Return x plus {n}.\"\"\"\n"),
            "entry_point": format!("add_{n}"),
            "canonical_solution": format!("    return x + {n}\n"),
            "given_tests": [format!("assert add_{n}(1) == {}", 1 + n), format!("assert add_{n}(7) == {}", 7 + n)],
            "test": format!(
                "def check(candidate):\n    assert candidate(1000) == {}\n    assert candidate(-424242) == {}\n",
                1000 + number,
                -424_242 + number
            ),
        });
        let _ = writeln!(lines, "{task}");
    }
    let path = folder.join("add.jsonl");
    std::fs::write(&path, lines).unwrap();
    path
}

/// A model that needs two fixes for every third task, one for the next, none for the rest.
fn answer(body: &serde_json::Value) -> Act {
    let text = body["messages"][0]["content"].as_str().unwrap();
    let n: usize = (0..TASKS)
        .find(|n| text.contains(&format!("def add_{n}(")))
        .unwrap();
    let program = |body: &str| Act::reply(&format!("```python\ndef add_{n}(x):\n    return {body}\n```"));
    if text.ends_with("Do not write code.") {
        return Act::reply(&format!("It adds something other than {n}."));
    }
    let right = format!("x + {n}");
    match (text.contains("<failures>"), n % 3) {
        (false, 0) => program("x - 1000"),
        (true, 0) if text.contains("x - 1000") => program("x - 2000"),
        (false, 1) => program("None"),
        _ => program(&right),
    }
}

fn bench(suite: &Path, model: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command.args(["bench", "--jobs", "2", "--model", model, "--suite"]);
    command
        .arg(suite)
        .arg("--out")
        .arg(out)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
fn a_run_killed_at_random_moments_ends_as_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let server = MockServer::answering(answer);
    let model = server.spec("mock");

    let whole = folder.path().join("whole");
    let start = Instant::now();
    assert!(bench(&suite, &model, &whole).status().unwrap().success());
    let duration = start.elapsed();
    let asked_once = chats(&server).len();

    // Moments spread over the whole run, in an order that no run depends on.
    let mut seed: u64 = 7;
    for kill in 0..KILLS {
        let out = folder.path().join(format!("killed-{kill}"));
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let moment = duration.mul_f64((seed >> 33) as f64 / f64::from(1u32 << 31));
        let before = chats(&server).len();
        let mut child = bench(&suite, &model, &out).spawn().unwrap();
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();

        // A reply that was on its way when the run was killed was never written down: only those count that were.
        let written: HashSet<String> = keys(&out);
        let asked_before = chats(&server).len();
        assert!(bench(&suite, &model, &out).status().unwrap().success());
        let asked_after = &chats(&server)[asked_before..];
        for key in asked_after {
            assert!(
                !written.contains(key),
                "kill {kill}: a request was asked again after its reply was written down"
            );
        }
        let all = chats(&server).len() - before;
        assert!(
            all <= asked_once + 2,
            "kill {kill}: {all} requests, {asked_once} without a kill, 2 at a time"
        );
        for file in ["results.jsonl", "samples.jsonl"] {
            let (ours, theirs) = (
                std::fs::read(out.join(file)).unwrap(),
                std::fs::read(whole.join(file)).unwrap(),
            );
            assert_eq!(
                String::from_utf8_lossy(&ours),
                String::from_utf8_lossy(&theirs),
                "kill {kill}: {file}"
            );
        }
    }
}

#[test]
fn a_finished_run_asks_nothing_and_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let server = MockServer::answering(answer);
    let out = folder.path().join("run");
    let table = |command: &mut Command| {
        let output = command.stdout(Stdio::piped()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let first = table(&mut bench(&suite, &server.spec("mock"), &out));
    let asked = chats(&server).len();
    let second = table(&mut bench(&suite, &server.spec("mock"), &out));
    assert_eq!(first, second);
    assert_eq!(chats(&server).len(), asked);

    // The journal is a recording: the same bytes come out of it again.
    let replayed = folder.path().join("replayed");
    let third = table(&mut bench(
        &suite,
        &format!("replay:{}", out.display()),
        &replayed,
    ));
    assert_eq!(first, third);
    for file in ["results.jsonl", "samples.jsonl"] {
        assert_eq!(
            std::fs::read(out.join(file)).unwrap(),
            std::fs::read(replayed.join(file)).unwrap(),
            "{file}"
        );
    }
    assert_eq!(chats(&server).len(), asked);
}

#[test]
fn a_journal_without_one_of_its_lines_gives_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let server = MockServer::answering(answer);
    let out = folder.path().join("run");
    assert!(
        bench(&suite, &server.spec("mock"), &out)
            .args(["--limit", "3"])
            .status()
            .unwrap()
            .success()
    );
    let whole = Derived::of(&out);
    let path = out.join("journal.jsonl");
    let journal = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = journal.lines().collect();

    // Where a line is damaged, the sentence says which and what to do.
    let damaged = [&lines[..3], &["{\"event\": 5}"], &lines[4..]]
        .concat()
        .join("\n")
        + "\n";
    std::fs::write(&path, damaged).unwrap();
    let refused = bench(&suite, &server.spec("mock"), &out)
        .args(["--limit", "3"])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("journal.jsonl:4: not an event"), "{said}");
    assert!(said.contains("without that line the run can go on"), "{said}");

    for lost in 0..lines.len() {
        let rest = [&lines[..lost], &lines[lost + 1..]].concat().join("\n") + "\n";
        std::fs::write(&path, rest).unwrap();
        for file in ["results.jsonl", "samples.jsonl"] {
            std::fs::remove_file(out.join(file)).unwrap();
        }
        assert!(
            bench(&suite, &server.spec("mock"), &out)
                .args(["--limit", "3"])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(
            Derived::of(&out),
            whole,
            "without line {}: {}",
            lost + 1,
            lines[lost]
        );
    }
}

/// What a run came to. Calls and tokens are told by the exchanges that are there.
#[derive(Debug, PartialEq)]
struct Derived {
    samples: String,
    results: Vec<serde_json::Value>,
}

impl Derived {
    fn of(out: &Path) -> Self {
        let read = |file: &str| std::fs::read_to_string(out.join(file)).unwrap();
        let results = read("results.jsonl")
            .lines()
            .map(|line| {
                let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
                for counted in ["calls", "tokens"] {
                    line.as_object_mut().unwrap().remove(counted);
                }
                line
            })
            .collect();
        Self {
            samples: read("samples.jsonl"),
            results,
        }
    }
}

#[test]
fn two_runs_never_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let server = MockServer::answering(answer);
    let named = folder.path().join("named");
    let busy = Journal::open({
        std::fs::create_dir(&named).unwrap();
        &named
    })
    .unwrap();
    let refused = bench(&suite, &server.spec("mock"), &named)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("another redraft is at work there"), "{said}");
    drop(busy);
    assert!(
        bench(&suite, &server.spec("mock"), &named)
            .status()
            .unwrap()
            .success()
    );

    // Where no folder is named, one in which somebody is at work isn't gone on with.
    let unnamed = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
        command
            .args(["bench", "--model", &server.spec("mock"), "--suite"])
            .arg(&suite);
        command
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert!(command.status().unwrap().success());
        let runs = std::fs::read_dir(folder.path().join("runs")).unwrap();
        runs.map(|run| run.unwrap().path()).collect::<HashSet<_>>()
    };
    let first = unnamed();
    let [interrupted] = Vec::from_iter(first).try_into().unwrap();
    let results = interrupted.join("results.jsonl");
    std::fs::remove_file(&results).unwrap();
    let busy = Journal::open(&interrupted).unwrap();
    assert_eq!(unnamed().len(), 2);
    assert!(!results.exists());
    drop(busy);
    assert_eq!(unnamed().len(), 2);
    assert!(results.exists());
}

#[test]
fn no_hidden_test_is_in_any_request() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let server = MockServer::answering(answer);
    let out = folder.path().join("run");
    assert!(
        bench(&suite, &server.spec("mock"), &out)
            .status()
            .unwrap()
            .success()
    );
    let requests: Vec<ChatRequest> = read(&out)
        .unwrap()
        .into_iter()
        .filter_map(|event| match event {
            Event::Exchange { request, .. } => Some(request),
            _ => None,
        })
        .collect();
    assert!(requests.len() > TASKS, "drafts and fixes");
    for request in &requests {
        let text = serde_json::to_string(request).unwrap();
        for secret in ["424242", "candidate", "add_0(1000)"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    let journal = std::fs::read_to_string(out.join("journal.jsonl")).unwrap();
    assert!(journal.contains("424242"), "the hidden tests were run");
}

/// Keys of the requests for chats, in order.
fn chats(server: &MockServer) -> Vec<String> {
    let seen = server.seen();
    seen.iter()
        .filter(|seen| seen.line.starts_with("POST"))
        .map(|seen| seen.body["messages"].to_string())
        .collect()
}

/// The same of the exchanges in a journal, which may not be there yet.
fn keys(folder: &Path) -> HashSet<String> {
    let events = read(folder).unwrap_or_default();
    let exchanges = events.into_iter().filter_map(|event| match event {
        Event::Exchange { request, .. } => Some(serde_json::to_value(request.messages).unwrap().to_string()),
        _ => None,
    });
    exchanges.collect()
}
