//! Suites that are folders: of redraft's TOML files, of JSON files, or of APPS problems.

use std::path::{Path, PathBuf};

use super::entry::Entry;
use super::source::{Source, hash_of};
use super::{SuiteError, apps, entry, said, tasks_of, toml};
use crate::task::{Suite, Task};

/// Reads a folder, in the order of names.
pub(super) fn read(path: &Path) -> Result<Suite, SuiteError> {
    let unreadable = |source| SuiteError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut inside: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(unreadable)?
        .map(|file| file.map(|file| file.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    inside.sort();
    let with = |endings: &[&str]| -> Vec<&PathBuf> {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        inside
            .iter()
            .filter(|path| name(path).is_some_and(|name| endings.iter().any(|ending| name.ends_with(ending))))
            .filter(|path| path.is_file())
            .collect()
    };
    let read = if apps::is_problem(path) {
        problems(&[path.to_owned()])?
    } else if inside.iter().any(|path| apps::is_problem(path)) {
        inside.retain(|path| apps::is_problem(path));
        problems(&inside)?
    } else {
        let tomls = with(&[".toml"]);
        if tomls.is_empty() {
            json(&with(&[".json", ".jsonl", ".json.gz", ".jsonl.gz"]))?
        } else {
            own(&tomls)?
        }
    };
    if read.tasks.is_empty() {
        let problem = "holds no task; a folder is a suite if it holds redraft's TOML files, JSON files of one format, or folders of APPS \
                       problems (see docs/suites.md)"
            .to_owned();
        return Err(SuiteError::File {
            path: path.to_owned(),
            problem,
        });
    }
    let name = path
        .file_name()
        .map_or_else(|| "folder".to_owned(), |name| name.to_string_lossy().into_owned());
    let hash = hash_of(read.sources.iter().map(|source| source.text.as_str()));
    Ok(Suite {
        name,
        hash,
        tasks: read.tasks,
        common_imports: read.common_imports,
        impossible: read.impossible,
    })
}

/// What the files of a folder hold.
struct Read {
    sources: Vec<Source>,
    tasks: Vec<Task>,
    common_imports: bool,
    impossible: bool,
}

fn own(files: &[&PathBuf]) -> Result<Read, SuiteError> {
    let sources = files
        .iter()
        .map(|file| Source::read(file))
        .collect::<Result<Vec<_>, _>>()?;
    let mut tasks: Vec<Task> = Vec::new();
    for source in &sources {
        add(&mut tasks, toml::tasks(source)?, source)?;
    }
    Ok(Read {
        sources,
        tasks,
        common_imports: false,
        impossible: false,
    })
}

fn json(files: &[&PathBuf]) -> Result<Read, SuiteError> {
    let sources = files
        .iter()
        .map(|file| Source::read(file))
        .collect::<Result<Vec<_>, _>>()?;
    let mut tasks: Vec<Task> = Vec::new();
    let (mut common_imports, mut impossible) = (false, false);
    for source in &sources {
        let entries = entry::entries(source)?;
        let (more, format) = tasks_of(&entries)?;
        common_imports |= format.common_imports || said(&entries, "common_imports");
        impossible |= said(&entries, "impossible");
        add(&mut tasks, more, source)?;
    }
    Ok(Read {
        sources,
        tasks,
        common_imports,
        impossible,
    })
}

fn add(tasks: &mut Vec<Task>, more: Vec<Task>, source: &Source) -> Result<(), SuiteError> {
    for task in more {
        if tasks.iter().any(|other| other.id == task.id) {
            return Err(source.file_error(format!(
                "the task `{}` is in another file of the folder too",
                task.id
            )));
        }
        tasks.push(task);
    }
    Ok(())
}

fn problems(folders: &[PathBuf]) -> Result<Read, SuiteError> {
    let mut sources = Vec::new();
    let mut tasks = Vec::new();
    for folder in folders {
        let fields = apps::fields(folder)?;
        let source = Source {
            path: folder.clone(),
            text: serde_json::to_string(&fields).unwrap_or_default(),
        };
        tasks.push(apps::task(&Entry::new(
            &source,
            "the problem".to_owned(),
            fields,
        ))?);
        sources.push(source);
    }
    Ok(Read {
        sources,
        tasks,
        common_imports: true,
        impossible: false,
    })
}
