//! The bundled suite keeps its promises: enough tasks, each with tests that tell right from wrong.

use std::collections::HashSet;

use redraft::task::{TestKind, suites};

#[test]
fn it_has_at_least_24_tasks_with_ids_of_their_own() {
    let suite = suites::open("redraft").unwrap();
    assert!(suite.tasks.len() >= 24, "{}", suite.tasks.len());
    let ids: HashSet<&str> = suite.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids.len(), suite.tasks.len());
}

#[test]
fn each_task_has_tests_a_reference_and_two_wrong_programs() {
    for task in suites::open("redraft").unwrap().tasks {
        let id = &task.id;
        assert!(
            (3..=5).contains(&task.brief.visible.len()),
            "{id}: {} visible",
            task.brief.visible.len()
        );
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
    let suite = suites::open("redraft").unwrap();
    let stdin = |test: &redraft::task::Test| matches!(test.kind, TestKind::Stdin { .. });
    let programs = suite
        .tasks
        .iter()
        .filter(|task| task.brief.visible.iter().all(stdin))
        .count();
    let classes = suite.tasks.iter().filter(|task| {
        task.brief
            .entry_point
            .as_ref()
            .is_some_and(|entry| entry.starts_with(char::is_uppercase))
    });
    assert!(programs >= 5, "{programs} stdin programs");
    assert!(classes.count() >= 4);
}
