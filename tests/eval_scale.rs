//! `redraft eval` on many samples: it stays small, judges a program once, and loses nothing when it is killed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn suite(folder: &Path) -> PathBuf {
    let path = folder.join("suite.jsonl");
    let task = json!({
        "task_id": "T/1", "entry_point": "f", "prompt": "def f(n):\n    '''n'''\n",
        "test": "def check(candidate):\n    assert candidate(2) == 4\n",
    });
    std::fs::write(&path, format!("{task}\n")).unwrap();
    path
}

fn eval(samples: &Path, suite: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redraft"));
    command
        .args(["eval", "--json", "--k", "1", "--jobs", "2"])
        .arg(samples)
        .arg("--suite")
        .arg(suite)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn told(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The largest resident size that a process has had, in KiB.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// Samples go through in less memory than their file takes.
#[test]
fn memory_does_not_grow_with_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("samples.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&samples).unwrap());
    let filler = "#".repeat(10_000);
    let count = 6_000;
    for number in 0..count {
        // Three programs, two of them right.
        let by = number % 3 + 1;
        let line = json!({"task_id": "T/1", "completion": format!("    return n + {by} if n else 0  {filler}\n"), "n": number});
        writeln!(file, "{line}").unwrap();
    }
    file.flush().unwrap();
    let mut child = eval(&samples, &suite).spawn().unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let told = told(child);
    assert_eq!(
        told["verdicts"],
        json!({"passed": count / 3, "wrong_answer": count / 3 * 2})
    );
    let size = std::fs::metadata(&samples).unwrap().len() >> 10;
    assert!(most < size, "{most} KiB for {size} KiB of samples");
    let results = std::fs::read_to_string(folder.path().join("samples.jsonl_results.jsonl")).unwrap();
    assert_eq!(results.lines().count(), count);
    let last: Value = serde_json::from_str(results.lines().next_back().unwrap()).unwrap();
    assert_eq!(last["n"], count - 1);
}

/// A kill in the middle: what was judged isn't judged again, and the results are those of a run without a kill.
#[test]
fn a_kill_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let mut text = String::new();
    for number in 0..40 {
        let line = json!({"task_id": "T/1", "completion": format!("    return n + {}\n", number % 20)});
        writeln!(text, "{line}").unwrap();
    }
    let quiet = folder.path().join("quiet.jsonl");
    let killed = folder.path().join("killed.jsonl");
    std::fs::write(&quiet, &text).unwrap();
    std::fs::write(&killed, &text).unwrap();
    let whole = told(eval(&quiet, &suite).spawn().unwrap());

    let log = folder.path().join("killed.jsonl_results.jsonl.unfinished");
    let mut child = eval(&killed, &suite).spawn().unwrap();
    let begun = Instant::now();
    let lines = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    while lines() < 5 {
        assert!(begun.elapsed() < Duration::from_mins(5), "nothing was judged");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(log.exists(), "it was killed too late to tell anything");

    // A mark in a verdict that is there shows that it is read and not made again.
    let marked = std::fs::read_to_string(&log)
        .unwrap()
        .replacen("got ", "got then ", 1);
    std::fs::write(&log, marked).unwrap();
    let again = told(eval(&killed, &suite).spawn().unwrap());
    assert_eq!(again["verdicts"], whole["verdicts"]);
    assert!(!log.exists(), "what is complete needs no log");
    let results = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let resumed = results("killed.jsonl_results.jsonl");
    assert_eq!(
        resumed.matches("got then ").count(),
        2,
        "once for each of the two samples"
    );
    assert_eq!(
        resumed.replace("got then ", "got "),
        results("quiet.jsonl_results.jsonl")
    );
}
