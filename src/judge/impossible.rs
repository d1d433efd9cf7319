//! Tasks made impossible, for files of suites.

use crate::task::suites::WrittenTask;
use crate::task::{How, Task, contradict};

/// A copy of `task` whose tests contradict themselves, in the open, to be written into a file; `None` if no way is known
/// to contradict its tests. Where the author sees tests, those are all that it is checked on, so that a program
/// made for them alone passes, and shows. The references are its wrong programs.
///
/// This opens hidden tests for who makes a suite. What they have become is no secret: nobody can pass them.
pub fn impossible(task: &Task, how: How) -> Option<WrittenTask> {
    let language = task.brief.language;
    let mut brief = task.brief.clone();
    let hidden = if let Some(visible) = contradict(&brief.visible, language, how) {
        brief.visible.clone_from(&visible);
        visible
    } else {
        contradict(task.hidden.open(&super::SealKey(())), language, how)?
    };
    let mut written = WrittenTask::new(&task.id, brief, hidden);
    written.impossible = true;
    written.wrong.clone_from(&task.references);
    Some(written)
}
