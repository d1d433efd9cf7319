//! Which task a sample is for.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::task::Suite;

/// The places of a suite's tasks, by their names and by what other harnesses make of these.
#[derive(Debug)]
pub struct Places {
    exact: HashMap<String, usize>,
    /// `HumanEval_0`, `mbpp/2`, `2`: `None` where two tasks are named so.
    loose: HashMap<String, Option<usize>>,
    left_out: BTreeSet<String>,
}

impl Places {
    /// The places of `suite`'s tasks; `left_out` were taken out of it.
    pub fn of(suite: &Suite, left_out: &[String]) -> Self {
        let mut exact = HashMap::new();
        let mut loose: HashMap<String, Option<usize>> = HashMap::new();
        for (at, task) in suite.tasks.iter().enumerate() {
            exact.insert(task.id.clone(), at);
            let last = task.id.rsplit('/').next().unwrap_or(&task.id);
            for name in BTreeSet::from([plain(&task.id), plain(last)]) {
                loose
                    .entry(name)
                    .and_modify(|place| *place = None)
                    .or_insert(Some(at));
            }
        }
        Self {
            exact,
            loose,
            left_out: left_out.iter().map(|id| plain(id)).collect(),
        }
    }

    /// The place of the task with this name, which may be a number.
    pub fn find(&self, id: &Value) -> Option<usize> {
        match id {
            Value::String(id) => self
                .exact
                .get(id)
                .copied()
                .or_else(|| self.loose.get(&plain(id)).copied().flatten()),
            Value::Number(number) => self.loose.get(&number.to_string()).copied().flatten(),
            _ => None,
        }
    }

    pub(super) fn is_left_out(&self, id: &Value) -> bool {
        let id = match id {
            Value::String(id) => plain(id),
            other => other.to_string(),
        };
        let tail = |left_out: &String| left_out.rsplit('/').next() == Some(id.as_str());
        self.left_out.contains(&id) || self.left_out.iter().any(tail)
    }
}

/// However it is cased, with `/` for `_`, which `EvalPlus` writes into names of folders.
fn plain(id: &str) -> String {
    id.to_ascii_lowercase().replace('_', "/")
}
