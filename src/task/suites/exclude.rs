//! Tasks that are left out of a suite by name.

use std::collections::BTreeSet;
use std::path::Path;

use super::SuiteError;
use crate::task::Suite;

/// Leaves tasks out of `suite` and gives their ids. `names` is a file that names one task a line (what stands behind
/// `#` is a remark), or names with commas between them. A name may be the end of an id: `3` for `HumanEval/3`.
pub fn exclude(suite: &mut Suite, names: &str) -> Result<Vec<String>, SuiteError> {
    let (names, place) = read(names)?;
    let mut ids = BTreeSet::new();
    for (line, name) in names {
        let end = format!("/{name}");
        let found = suite
            .tasks
            .iter()
            .find(|task| task.id == name)
            .or_else(|| suite.tasks.iter().find(|task| task.id.ends_with(&end)));
        let Some(task) = found else {
            return Err(SuiteError::Exclusion(format!(
                "{place}{line}the suite {} has no task `{name}` to leave out",
                suite.name
            )));
        };
        ids.insert(task.id.clone());
    }
    if ids.len() == suite.tasks.len() {
        return Err(SuiteError::Exclusion(format!(
            "{place}every task of the suite {} is left out, so nothing is left to do",
            suite.name
        )));
    }
    suite.tasks.retain(|task| !ids.contains(&task.id));
    Ok(ids.into_iter().collect())
}

/// Names with the line that each stands in, and the file that holds them.
fn read(names: &str) -> Result<(Vec<(String, String)>, String), SuiteError> {
    let path = Path::new(names);
    if !path.is_file() {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        return Ok((
            names.map(|name| (String::new(), name.to_owned())).collect(),
            String::new(),
        ));
    }
    let text = std::fs::read_to_string(path).map_err(|source| SuiteError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let lines = text.lines().enumerate().map(|(at, line)| {
        let name = line.split(" #").next().unwrap_or(line).trim();
        (format!("line {}: ", at + 1), name.to_owned())
    });
    let named = lines.filter(|(_, name)| !name.is_empty() && !name.starts_with('#'));
    Ok((named.collect(), format!("{}, ", path.display())))
}
