//! Whether a suite can tell right programs from wrong ones.

mod impossible;
mod trivial;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

pub use impossible::{Impossible, impossible};

use crate::judge::Judge;
use crate::task::{Program, Report, Suite, Task, Verdict};

/// What is wrong with a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskCheck {
    /// The task.
    pub task: String,
    /// Each fault in a sentence; none if the task does its work.
    pub problems: Vec<String>,
    /// What couldn't be looked at, or is remarkable without being a fault.
    pub notes: Vec<String>,
}

/// Checks each task on its own, `jobs` at the same time; the results are in the suite's order.
///
/// References have to pass the visible and the hidden tests; an empty program, those that give the same answer to
/// everything, and those that the suite gives as wrong have to fail the hidden ones. Something must be held out.
pub fn check(
    suite: &Suite,
    judge: &Judge,
    jobs: usize,
    done: &(dyn Fn(&TaskCheck) + Sync),
) -> Vec<TaskCheck> {
    each(&suite.tasks, jobs, |task| {
        let check = check_task(task, judge);
        done(&check);
        check
    })
}

/// What `work` makes of each task, `jobs` at the same time, in order.
fn each<T: Send>(tasks: &[Task], jobs: usize, work: impl Fn(&Task) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let made: Mutex<Vec<(usize, T)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    let one = work(task);
                    made.lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .push((index, one));
                }
            });
        }
    });
    let mut made = made
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, one)| one).collect()
}

fn check_task(task: &Task, judge: &Judge) -> TaskCheck {
    let mut problems = Vec::new();
    let mut notes = Vec::new();
    let mut shown = None;
    if task.brief.visible.is_empty() {
        notes.push("has no visible test".to_owned());
    }
    if task.references.is_empty() {
        notes.push("has no reference to check".to_owned());
    }
    for (index, reference) in task.references.iter().enumerate() {
        let name = numbered("the reference", index, task.references.len());
        let visible = (!task.brief.visible.is_empty())
            .then(|| judge.test(reference, &task.brief.visible, &task.brief.limits));
        let hidden = judge.test_hidden(reference, &task.hidden, &task.brief.limits);
        problems.extend(
            visible
                .as_ref()
                .and_then(|report| failure(&name, "visible", report)),
        );
        problems.extend(failure(&name, "hidden", &hidden));
        if hidden.verdict == Verdict::HarnessError {
            // The tests themselves don't work; no other program would tell more.
            return TaskCheck {
                task: task.id.clone(),
                problems,
                notes,
            };
        }
        if index == 0
            && visible
                .as_ref()
                .is_some_and(|visible| nothing_new(visible, &hidden))
        {
            problems
                .push("each hidden assertion is among the visible ones, so nothing is held out".to_owned());
        }
        if index == 0 {
            shown = visible;
        }
    }
    let verdict = |program: &Program| judge.verdict_hidden(program, &task.hidden, &task.brief.limits);
    for (name, program) in trivial::programs(task, shown.as_ref()) {
        problems.extend(success(&name, verdict(&program)));
    }
    for (index, program) in task.wrong.iter().enumerate() {
        let name = numbered("the wrong program", index, task.wrong.len());
        problems.extend(success(&name, verdict(program)));
    }
    TaskCheck {
        task: task.id.clone(),
        problems,
        notes,
    }
}

fn numbered(name: &str, index: usize, of: usize) -> String {
    if of == 1 {
        name.to_owned()
    } else {
        format!("{name} {}", index + 1)
    }
}

/// Why a program that should pass doesn't.
fn failure(name: &str, tests: &str, report: &Report) -> Option<String> {
    if report.verdict.passed() {
        return None;
    }
    let Some(first) = report.failures().next() else {
        return Some(format!("there is no {tests} test"));
    };
    let reason = first
        .error
        .clone()
        .or_else(|| {
            first
                .actual
                .as_ref()
                .map(|actual| format!("{} and not {}", short(actual), short(&first.expected)))
        })
        .unwrap_or_default();
    let count = report.total - report.passed;
    // A hidden test is named, never shown; our own trouble with it is.
    let shown = tests == "visible" || first.verdict == Verdict::HarnessError;
    let input = if tests == "visible" {
        format!(" on {}", short(&first.input))
    } else {
        String::new()
    };
    let reason = if shown && !reason.is_empty() {
        format!(": {}", short(&reason))
    } else {
        String::new()
    };
    Some(format!(
        "{name} fails {count} of {} {tests} tests, first {} ({}){input}{reason}",
        report.total, first.name, first.verdict
    ))
}

/// Why a program that should fail doesn't.
fn success(name: &str, verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Passed => Some(format!("{name} passes the hidden tests")),
        Verdict::HarnessError => Some(format!("{name} could not be judged")),
        _ => None,
    }
}

/// Whether each hidden assertion is also visible.
fn nothing_new(visible: &Report, hidden: &Report) -> bool {
    let key = |report: &Report| -> BTreeSet<String> {
        report
            .results
            .iter()
            .map(|result| {
                result
                    .assertion
                    .clone()
                    .unwrap_or_else(|| format!("{}\0{}", result.input, result.expected))
            })
            .collect()
    };
    !hidden.results.is_empty() && key(hidden).is_subset(&key(visible))
}

/// One line, cut in the middle where it is long.
fn short(text: &str) -> String {
    const LONGEST: usize = 120;
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = line.chars().count();
    if length <= LONGEST {
        return line;
    }
    let head: String = line.chars().take(LONGEST / 2).collect();
    let tail: String = line.chars().skip(length - LONGEST / 2).collect();
    format!("{head} … {tail}")
}
