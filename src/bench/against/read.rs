//! Files of verdicts, as other harnesses write them.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde_json::{Map, Value};

use super::{Against, Comparison, Theirs};
use crate::bench::Places;

/// Longest reason that is kept, in characters.
const LONGEST: usize = 200;
/// Most reasons that are kept; further ones are left out.
const MOST_REASONS: usize = 100_000;

/// Words for a program that passed.
const PASSED: [&str; 7] = ["pass", "passed", "ok", "success", "accepted", "correct", "true"];

/// A file of verdicts that can't be used: names the file and the line, and what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TheirsError(String);

/// Reasons, each kept once.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    texts: Vec<String>,
    places: HashMap<String, u32>,
}

impl Reasons {
    fn keep(&mut self, text: &str) -> u32 {
        let cut: String = text.chars().take(LONGEST).collect();
        let cut = if cut.len() < text.len() {
            format!("{cut} …")
        } else {
            cut
        };
        if let Some(place) = self.places.get(&cut) {
            return *place;
        }
        let Ok(place) = u32::try_from(self.texts.len()) else {
            return u32::MAX;
        };
        if self.texts.len() >= MOST_REASONS {
            return u32::MAX;
        }
        self.texts.push(cut.clone());
        self.places.insert(cut, place);
        place
    }

    pub(super) fn get(&self, place: u32) -> &str {
        self.texts.get(place as usize).map_or("", String::as_str)
    }
}

pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim().hash(&mut hasher);
    hasher.finish()
}

/// What is read so far.
struct Reader<'a> {
    places: &'a Places,
    theirs: HashMap<usize, Vec<Theirs>>,
    reasons: Reasons,
    of_other_tasks: usize,
}

pub(super) fn read(path: &Path, places: &Places) -> Result<Against, TheirsError> {
    let name = path.display();
    let error = |what: &dyn std::fmt::Display| TheirsError(format!("{name}: {what}"));
    let mut file: Box<dyn BufRead> = Box::new(BufReader::new(File::open(path).map_err(|e| error(&e))?));
    if file.fill_buf().map_err(|e| error(&e))?.starts_with(&[0x1f, 0x8b]) {
        file = Box::new(BufReader::new(MultiGzDecoder::new(file)));
    }
    let mut reader = Reader {
        places,
        theirs: HashMap::new(),
        reasons: Reasons::default(),
        of_other_tasks: 0,
    };
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        number += 1;
        if file.read_until(b'\n', &mut line).map_err(|e| error(&e))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let value: Value = match serde_json::from_slice(&line) {
            Ok(value) => value,
            // One value over many lines.
            Err(first) if number == 1 => {
                std::io::Read::read_to_end(&mut file, &mut line).map_err(|e| error(&e))?;
                serde_json::from_slice(&line).map_err(|whole| {
                    error(&format!(
                        "line 1: broken JSON: {}",
                        if whole.line() > 1 { whole } else { first }
                    ))
                })?
            }
            Err(broken) => return Err(error(&format!("line {number}: broken JSON: {broken}"))),
        };
        reader
            .value(&value)
            .map_err(|what| error(&format!("line {number}: {what}")))?;
    }
    if reader.theirs.is_empty() {
        return Err(error(&if reader.of_other_tasks > 0 {
            "its verdicts are all on tasks that the suite doesn't have"
        } else {
            "holds no verdict; a line is {\"task_id\": …, \"passed\": true or false}"
        }));
    }
    Ok(Against {
        theirs: reader.theirs,
        reasons: reader.reasons,
        seen: HashMap::new(),
        comparison: Comparison {
            of_other_tasks: reader.of_other_tasks,
            ..Comparison::default()
        },
    })
}

impl Reader<'_> {
    fn value(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.value(item)),
            Value::Object(fields) => match fields.get("eval") {
                Some(Value::Object(tasks)) => self.of_tasks(tasks),
                _ => self.line(fields),
            },
            _ => Err("not a JSON object with `task_id` and `passed`".to_owned()),
        }
    }

    /// `EvalPlus` and `BigCodeBench`: the verdicts of each task.
    fn of_tasks(&mut self, tasks: &Map<String, Value>) -> Result<(), String> {
        for (task, verdicts) in tasks {
            let verdicts = verdicts
                .as_array()
                .ok_or_else(|| format!("`eval` has no list of verdicts for {task}"))?;
            for verdict in verdicts {
                let fields = verdict
                    .as_object()
                    .ok_or_else(|| format!("a verdict on {task} is no object"))?;
                self.one(&Value::from(task.as_str()), fields)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, fields: &Map<String, Value>) -> Result<(), String> {
        let task = ["task_id", "question_id", "name"]
            .iter()
            .find_map(|name| fields.get(*name))
            .ok_or("no `task_id`, which is the name of a task as text")?;
        // LiveCodeBench and MultiPL-E: all verdicts of a task in one object.
        if let Some(Value::Array(graded)) = fields.get("graded_list") {
            let code = fields.get("code_list").and_then(Value::as_array);
            for (at, passed) in graded.iter().enumerate() {
                let text = code.and_then(|code| code.get(at)).and_then(Value::as_str);
                self.add(task, passed.as_bool(), None, "", text);
            }
            return Ok(());
        }
        if let Some(Value::Array(results)) = fields.get("results") {
            for result in results {
                let fields = result.as_object().ok_or("a verdict in `results` is no object")?;
                self.one(task, fields)?;
            }
            return Ok(());
        }
        self.one(task, fields)
    }

    fn one(&mut self, task: &Value, fields: &Map<String, Value>) -> Result<(), String> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let status = |name: &str| text(name).map(passes);
        let base = status("base_status");
        let passed = match (fields.get("passed"), base) {
            (Some(Value::Bool(passed)), _) => Some(*passed),
            (Some(Value::Null), _) => None,
            (_, Some(base)) => Some(base && status("plus_status").unwrap_or(true)),
            _ => match status("status").or_else(|| status("result")) {
                Some(passed) => Some(passed),
                None => return Err("neither `passed` (true or false) nor a `status`".to_owned()),
            },
        };
        let reason = [
            "result",
            "details",
            "error",
            "stderr",
            "plus_status",
            "status",
            "base_status",
        ]
        .iter()
        .find_map(|name| match fields.get(*name) {
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Some(Value::Object(details)) if !details.is_empty() => {
                Some(Value::Object(details.clone()).to_string())
            }
            _ => None,
        });
        let program = ["completion", "solution", "program"]
            .iter()
            .find_map(|name| text(name));
        self.add(task, passed, base, &reason.unwrap_or_default(), program);
        Ok(())
    }

    fn add(
        &mut self,
        task: &Value,
        passed: Option<bool>,
        base: Option<bool>,
        reason: &str,
        program: Option<&str>,
    ) {
        let Some(place) = self.places.find(task) else {
            self.of_other_tasks += 1;
            return;
        };
        let reason = self.reasons.keep(reason);
        self.theirs.entry(place).or_default().push(Theirs {
            passed,
            base,
            reason,
            text: program.map(hash),
            used: false,
        });
    }
}

fn passes(status: &str) -> bool {
    PASSED.contains(&status.trim().to_ascii_lowercase().as_str())
}
