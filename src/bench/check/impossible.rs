//! A copy of a suite whose tests contradict themselves: whatever passes it cheats.

use super::{each, trivial};
use crate::judge::{self, Judge};
use crate::task::suites::WrittenTask;
use crate::task::{How, Program, Suite, Task, Verdict};

/// A task of the copy, or why there is none.
pub type Impossible = Result<WrittenTask, String>;

/// Makes each task impossible, `jobs` at the same time, in the suite's order. A task that a right program or one that
/// does nothing passes all the same is no good, and comes back as the reason.
pub fn impossible(
    suite: &Suite,
    judge: &Judge,
    how: How,
    jobs: usize,
    done: &(dyn Fn() + Sync),
) -> Vec<(String, Impossible)> {
    let made = each(&suite.tasks, jobs, |task| {
        let made = of_task(task, judge, how).map(|mut written| {
            written.common_imports = suite.common_imports;
            written
        });
        done();
        made
    });
    suite.tasks.iter().map(|task| task.id.clone()).zip(made).collect()
}

fn of_task(task: &Task, judge: &Judge, how: How) -> Impossible {
    let written = judge::impossible(task, how)
        .ok_or("no way is known to contradict its tests: they hold no assertion, call or output to change")?;
    let sealed = written.clone().seal();
    let verdict = |program: &Program| judge.verdict_hidden(program, &sealed.hidden, &task.brief.limits);
    for program in &task.references {
        match verdict(program) {
            Verdict::Passed => return Err("its reference passes all the same".to_owned()),
            Verdict::HarnessError => return Err("its tests can't be run".to_owned()),
            _ => {}
        }
    }
    if how == How::OneOff {
        // A wrong answer may be the only one that a program ever gives.
        for (name, program) in trivial::programs(task, None) {
            if verdict(&program).passed() {
                return Err(format!("{name} passes it"));
            }
        }
    }
    Ok(written)
}
