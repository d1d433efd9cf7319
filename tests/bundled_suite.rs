//! The bundled suite keeps its promises: enough tasks, varied, and each with tests that tell right from wrong.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashSet;

use redraft::bench::check::check;
use redraft::judge::{Judge, Options};
use redraft::task::{Suite, Test, TestKind, suites};

fn bundled() -> Suite {
    suites::open("redraft").unwrap()
}

#[test]
fn it_has_at_least_24_tasks_with_ids_of_their_own() {
    let suite = bundled();
    assert!(suite.tasks.len() >= 24, "{}", suite.tasks.len());
    let ids: HashSet<&str> = suite.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids.len(), suite.tasks.len());
}

#[test]
fn each_task_has_tests_a_reference_and_two_wrong_programs() {
    for task in bundled().tasks {
        let (id, visible) = (&task.id, task.brief.visible.len());
        assert!((3..=5).contains(&visible), "{id}: {visible} visible");
        assert!(
            (8..=20).contains(&task.hidden.len()),
            "{id}: {} hidden",
            task.hidden.len()
        );
        assert_eq!(task.references.len(), 1, "{id}");
        assert_eq!(task.wrong.len(), 2, "{id}");
    }
}

#[test]
fn it_is_varied() {
    let suite = bundled();
    let stdin = |test: &Test| matches!(test.kind, TestKind::Stdin { .. });
    let programs = suite
        .tasks
        .iter()
        .filter(|task| task.brief.visible.iter().all(stdin))
        .count();
    let class = |name: &String| name.starts_with(char::is_uppercase);
    let classes = suite
        .tasks
        .iter()
        .filter(|task| task.brief.entry_point.as_ref().is_some_and(class))
        .count();
    assert!(programs >= 5, "{programs} stdin programs");
    assert!(classes >= 4, "{classes} classes");
}

/// References pass the visible and the hidden tests; empty programs, those that return `None` and the wrong ones fail
/// the hidden ones; and those hold more than the visible ones.
#[test]
fn each_task_tells_right_from_wrong() {
    let judge = Judge::new(Options::default()).unwrap();
    let suite = bundled();
    let checks = check(&suite, &judge, 2, &|_| ());
    assert_eq!(checks.len(), suite.tasks.len());
    for check in checks {
        assert!(check.problems.is_empty(), "{}: {:?}", check.task, check.problems);
        assert!(check.notes.is_empty(), "{}: {:?}", check.task, check.notes);
    }
}

/// A wrong program that fails everything is no test of the tests.
#[test]
fn each_wrong_program_passes_something() {
    let judge = Judge::new(Options::default()).unwrap();
    for task in bundled().tasks {
        for (index, wrong) in task.wrong.iter().enumerate() {
            let report = judge.test(wrong, &task.brief.visible, &task.brief.limits);
            assert!(
                report.passed > 0,
                "{}: wrong program {} passes no visible test",
                task.id,
                index + 1
            );
        }
    }
}
