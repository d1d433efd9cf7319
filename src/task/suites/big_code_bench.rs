//! `BigCodeBench`: `task_id`, `complete_prompt`, `instruct_prompt`, `code_prompt`, `canonical_solution`, `test` (a `unittest` class),
//! `entry_point`, `libs`.
//!
//! The programs use libraries that have to be there (`libs`); nothing of the tests is visible but what the docstring shows.

use super::SuiteError;
use super::entry::Entry;
use super::human_eval::program_of;
use crate::task::{Brief, HiddenTests, Language, Limits, ScriptForm, Task, Test, TestKind};

/// What a test may use: its libraries alone take more than the usual.
const MEMORY: u64 = 2 << 30;

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("complete_prompt") && entry.has("test")
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let prompt = entry.string("complete_prompt")?;
    let entry_point = entry.string("entry_point")?;
    let test = entry.string("test")?;
    if !test.contains("TestCase") {
        return Err(entry.error(
            "the field `test` holds no class of `unittest`: there would be nothing to check a program on",
        ));
    }
    let hidden = Test {
        name: "hidden".to_owned(),
        kind: TestKind::Script {
            code: test.to_owned(),
            form: ScriptForm::Unittest,
            entry: Some(entry_point.to_owned()),
        },
    };
    Ok(Task {
        id: entry.string("task_id")?.to_owned(),
        brief: Brief {
            language: Language::PYTHON,
            statement: prompt.to_owned(),
            entry_point: Some(entry_point.to_owned()),
            starter_code: prompt.to_owned(),
            visible: Vec::new(),
            limits: Limits {
                memory_bytes: MEMORY,
                ..Limits::default()
            },
        },
        hidden: HiddenTests::new(vec![hidden]),
        references: entry
            .optional_string("canonical_solution")?
            .map(|solution| program_of(prompt, entry_point, solution))
            .into_iter()
            .collect(),
        wrong: Vec::new(),
    })
}
