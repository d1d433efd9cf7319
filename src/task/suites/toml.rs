//! redraft's own format: a task as a TOML table.
//!
//! A file holds one task at its top level, or several as `[[task]]`. A folder of such files is a suite too.
//!
//! ```toml
//! id = "double"                 # the task's name; unique in its suite
//! language = "python"           # optional: the language of its programs; see docs/languages.md
//! statement = """..."""         # what the program shall do
//! entry = "double"              # the function or class under test; left out for programs that read stdin
//! starter = """..."""           # optional: code that the program begins with
//! limits = { cpu = "2s", wall = "10s", memory = "256MiB" }    # optional, each of them
//! visible = [ ... ]             # tests that the author may see
//! hidden = [ ... ]              # tests that the returned version is checked on
//! reference = """..."""         # optional: a program that is right (or `references`, a list)
//! wrong = ["""..."""]           # optional: programs that the hidden tests must catch
//! ```
//!
//! A test is one of
//!
//! ```toml
//! "assert double(2) == 4"                           # test code; each assert in it is a result of its own
//! { args = [2], expected = 4 }                      # a call of the entry point (or of another `entry`)
//! { stdin = "2\n", stdout = "4\n" }                 # a whole program
//! { stdin = "2\n", stdout = "4\n", name = "two", compare = "exact" }
//! ```
//!
//! `compare` is `trim` (the default), `exact`, `tokens`, `unordered`, or `{ mode = "float", abs = 1e-9, rel = 0 }`.

mod table;
mod tests;

use toml::Table;

use self::table::Fields;
use super::SuiteError;
use super::source::Source;
use crate::task::{Brief, HiddenTests, Language, Limits, Program, Task};

const KEYS: [&str; 11] = [
    "id",
    "statement",
    "entry",
    "starter",
    "language",
    "limits",
    "visible",
    "hidden",
    "reference",
    "references",
    "wrong",
];

/// Whether a text that isn't JSON is TOML, or at least meant to be.
pub(super) fn detects(text: &str) -> bool {
    let significant = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let Some(line) = text.lines().find(significant) else {
        return false;
    };
    let key =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.\" ".contains(c));
    let table = line
        .trim()
        .strip_prefix('[')
        .and_then(|rest| rest.trim_end().strip_suffix(']'));
    line.split_once('=').is_some_and(|(name, _)| key(name))
        || table.is_some_and(|name| key(name.trim_matches(['[', ']'])))
}

/// Reads every task of a file.
pub(super) fn tasks(source: &Source) -> Result<Vec<Task>, SuiteError> {
    let table: Table = source.text.parse().map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .map_or(1, |span| source.text[..span.start].matches('\n').count() + 1);
        SuiteError::Entry {
            path: source.path.clone(),
            place: format!("line {line}"),
            problem: format!("is no TOML: {}", error.message().trim_end().replace('\n', ", ")),
        }
    })?;
    let file = Fields::new(source, "the file", &table);
    let Some(list) = table.get("task") else {
        return Ok(vec![task(&Fields::new(source, "the task", &table))?]);
    };
    file.only(&["task"])?;
    let list = list
        .as_array()
        .ok_or_else(|| file.error("`task` has to be a list of tables, written `[[task]]`"))?;
    let mut tasks: Vec<Task> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let place = format!("task {}", index + 1);
        let table = item
            .as_table()
            .ok_or_else(|| file.error("`task` has to be a list of tables, written `[[task]]`"))?;
        let fields = Fields::new(source, &place, table);
        let task = task(&fields)?;
        if let Some(first) = tasks.iter().position(|other| other.id == task.id) {
            return Err(fields.error(format!(
                "the id `{}` is there already, at task {}",
                task.id,
                first + 1
            )));
        }
        tasks.push(task);
    }
    if tasks.is_empty() {
        Err(source.file_error("holds no task"))
    } else {
        Ok(tasks)
    }
}

fn task(fields: &Fields<'_>) -> Result<Task, SuiteError> {
    fields.only(&KEYS)?;
    let id = fields.string("id")?;
    if id.trim().is_empty() {
        return Err(fields.error("the field `id` is empty; it is the name that results refer to"));
    }
    let fields = &fields.named(id);
    let language = match fields.optional_string("language")? {
        None => Language::default(),
        Some(name) => Language::named(name).ok_or_else(|| {
            let known = Language::names().join(", ");
            fields.error(format!("the language `{name}` isn't known; known are {known}"))
        })?,
    };
    let entry = fields.optional_string("entry")?;
    let mut references = fields.strings("references")?;
    references.extend(fields.optional_string("reference")?);
    let program = |source: &str| Program::new(language, source);
    let programs = |sources: Vec<&str>| sources.into_iter().map(program).collect();
    let hidden = tests::read(fields, "hidden", entry, language)?;
    if hidden.is_empty() {
        return Err(
            fields.error("the field `hidden` holds no test: there would be nothing to check a program on")
        );
    }
    Ok(Task {
        id: id.to_owned(),
        brief: Brief {
            language,
            statement: fields.string("statement")?.trim().to_owned(),
            entry_point: entry.map(str::to_owned),
            starter_code: fields.optional_string("starter")?.unwrap_or_default().to_owned(),
            visible: tests::read(fields, "visible", entry, language)?,
            limits: limits(fields)?,
        },
        hidden: HiddenTests::new(hidden),
        references: programs(references),
        wrong: programs(fields.strings("wrong")?),
    })
}

fn limits(fields: &Fields<'_>) -> Result<Limits, SuiteError> {
    let mut limits = Limits::default();
    let Some(given) = fields.table("limits")? else {
        return Ok(limits);
    };
    given.only(&["cpu", "wall", "memory", "processes", "output", "scratch"])?;
    if let Some(cpu) = given.milliseconds("cpu")? {
        limits.cpu_ms = cpu;
    }
    if let Some(wall) = given.milliseconds("wall")? {
        limits.wall_ms = wall;
    }
    if let Some(memory) = given.bytes("memory")? {
        limits.memory_bytes = memory;
    }
    if let Some(output) = given.bytes("output")? {
        limits.output_bytes = output;
    }
    if let Some(scratch) = given.bytes("scratch")? {
        limits.scratch_bytes = scratch;
    }
    if let Some(processes) = given.count("processes")? {
        limits.processes = processes;
    }
    Ok(limits)
}
