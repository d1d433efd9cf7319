//! The suites of the ecosystem are read as they are published.

use std::path::PathBuf;

use redraft::task::suites;

/// A file of the shared data, or `None` (said aloud) on a machine without it.
fn shared(file: &str) -> Option<String> {
    let folder = std::env::var_os("REDRAFT_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = folder.join("data/suites").join(file);
    if path.is_file() {
        return Some(path.to_str().unwrap().to_owned());
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

fn count(file: &str, expected: usize) {
    let Some(path) = shared(file) else { return };
    let suite = suites::open(&path).unwrap();
    assert_eq!(suite.tasks.len(), expected);
    for task in &suite.tasks {
        assert!(!task.brief.visible.is_empty(), "{} has no visible test", task.id);
        assert!(!task.hidden.is_empty(), "{} has no hidden test", task.id);
        assert_eq!(task.references.len(), 1, "{}", task.id);
    }
}

#[test]
fn human_eval_has_164_tasks() {
    count("humaneval-visible.jsonl.gz", 164);
}

#[test]
fn mbpp_has_500_tasks() {
    count("mbpp-test-500.jsonl.gz", 500);
}

#[test]
fn human_eval_fix_has_164_tasks() {
    count("humanevalfix-python.jsonl.gz", 164);
}

#[test]
fn quixbugs_has_31_tasks() {
    count("quixbugs-python.jsonl.gz", 31);
}
