//! The suites of the ecosystem are read as they are published.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/shared.rs"]
mod shared;

use redraft::task::{Suite, TestKind, suites};

/// A suite of the shared data, or `None` (said aloud) on a machine without it.
fn shared_suite(file: &str) -> Option<Suite> {
    let path = shared::folder("data/suites")?.join(file);
    Some(suites::open(path.to_str().unwrap()).unwrap())
}

/// Every task can be drafted for, judged and checked.
fn is_whole(suite: &Suite, tasks: usize) {
    assert_eq!(suite.tasks.len(), tasks);
    for task in &suite.tasks {
        assert!(!task.brief.statement.is_empty(), "{} says nothing", task.id);
        assert!(!task.brief.visible.is_empty(), "{} has no visible test", task.id);
        assert!(!task.hidden.is_empty(), "{} has no hidden test", task.id);
        assert!(task.brief.entry_point.is_some(), "{} has no entry point", task.id);
        assert_eq!(task.references.len(), 1, "{}", task.id);
    }
}

#[test]
fn human_eval_has_164_tasks_with_the_given_tests_visible() {
    let Some(suite) = shared_suite("humaneval-visible.jsonl.gz") else {
        return;
    };
    is_whole(&suite, 164);
    let task = &suite.tasks[0];
    assert_eq!(task.id, "HumanEval/0");
    assert_eq!(task.brief.statement, task.brief.starter_code);
    let codes: Vec<&str> = task
        .brief
        .visible
        .iter()
        .map(|test| match &test.kind {
            TestKind::Script { code, .. } => code.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    let given = [
        "assert has_close_elements([1.0, 2.0, 3.0], 0.5) == False",
        "assert has_close_elements([1.0, 2.8, 3.0, 4.0, 5.0, 2.0], 0.3) == True",
    ];
    assert_eq!(codes, given);
    assert!(task.references[0].source.starts_with(&task.brief.starter_code));
}

/// `given_tests` were collected by people; the docstrings hold all but a few of them.
#[test]
fn docstrings_give_what_people_found_in_them() {
    let Some(folder) = shared::folder("data/suites") else {
        return;
    };
    let mut plain = String::new();
    let packed = std::fs::File::open(folder.join("humaneval-visible.jsonl.gz")).unwrap();
    let text = std::io::read_to_string(flate2::read::GzDecoder::new(packed)).unwrap();
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        fields.remove("given_tests");
        plain.push_str(&serde_json::to_string(&fields).unwrap());
        plain.push('\n');
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), plain).unwrap();
    let suite = suites::open(file.path().to_str().unwrap()).unwrap();
    let without: Vec<&str> = suite
        .tasks
        .iter()
        .filter(|task| task.brief.visible.is_empty())
        .map(|task| task.id.as_str())
        .collect();
    // Their docstrings hold no example, or one in prose.
    let none = [
        "HumanEval/38",
        "HumanEval/41",
        "HumanEval/50",
        "HumanEval/83",
        "HumanEval/160",
    ];
    assert_eq!(without, none);
    assert_eq!(
        suite
            .tasks
            .iter()
            .map(|task| task.brief.visible.len())
            .sum::<usize>(),
        451
    );
}

#[test]
fn mbpp_has_500_tasks() {
    let Some(suite) = shared_suite("mbpp-test-500.jsonl.gz") else {
        return;
    };
    is_whole(&suite, 500);
    for task in &suite.tasks {
        // The solution is a whole program there, not the rest of the prompt.
        assert!(
            !task.references[0].source.contains("\"\"\"\n    Write"),
            "{}",
            task.id
        );
    }
}

#[test]
fn human_eval_fix_has_164_tasks_with_a_wrong_program_each() {
    let Some(suite) = shared_suite("humanevalfix-python.jsonl.gz") else {
        return;
    };
    is_whole(&suite, 164);
    for task in &suite.tasks {
        assert_eq!(task.wrong.len(), 1, "{}", task.id);
        assert_ne!(task.wrong, task.references, "{}", task.id);
    }
}

#[test]
fn quixbugs_has_31_tasks_with_a_wrong_program_each() {
    let Some(suite) = shared_suite("quixbugs-python.jsonl.gz") else {
        return;
    };
    is_whole(&suite, 31);
    for task in &suite.tasks {
        assert_eq!(task.wrong.len(), 1, "{}", task.id);
        assert!((3..=4).contains(&task.brief.visible.len()), "{}", task.id);
        let name = &task.id;
        let head = format!("Write a function `{name}(");
        assert!(
            task.brief.statement.starts_with(&head),
            "{name}: {}",
            task.brief.statement
        );
    }
    let lazy = ["flatten", "kheapsort"];
    for task in suite.tasks.iter().filter(|task| lazy.contains(&task.id.as_str())) {
        assert!(
            matches!(task.brief.visible[0].kind, TestKind::Script { .. }),
            "{}",
            task.id
        );
    }
}

#[test]
fn the_hash_is_that_of_the_content_however_it_is_packed() {
    let Some(folder) = shared::folder("data/suites") else {
        return;
    };
    let packed = folder.join("quixbugs-python.jsonl.gz");
    let text = std::io::read_to_string(flate2::read::GzDecoder::new(
        std::fs::File::open(&packed).unwrap(),
    ))
    .unwrap();
    let plain = tempfile::Builder::new().suffix(".txt").tempfile().unwrap();
    std::fs::write(plain.path(), text).unwrap();
    let packed = suites::open(packed.to_str().unwrap()).unwrap();
    let plain = suites::open(plain.path().to_str().unwrap()).unwrap();
    assert_eq!(packed.hash, plain.hash);
    assert_eq!(
        packed.hash,
        "9a121501e76e444ba769df2064569d80a8efc00ae9f67fcbafa8279f53ac9885"
    );
    assert_eq!(packed.name, "quixbugs-python");
}

#[test]
fn apps_has_150_tasks_some_of_them_twice() {
    let Some(suite) = shared_suite("apps-150.jsonl.gz") else {
        return;
    };
    assert_eq!(suite.tasks.len(), 150);
    let tests: usize = suite.tasks.iter().map(|task| task.hidden.len()).sum();
    assert_eq!(tests, 1842);
    assert!(suite.tasks.iter().any(|task| task.id == "1604"));
    assert!(suite.tasks.iter().any(|task| task.id == "1604#2"));
    assert!(suite.tasks.iter().all(|task| task.brief.entry_point.is_none()));
}
