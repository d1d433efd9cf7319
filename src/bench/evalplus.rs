//! Results as `EvalPlus` writes them: `eval_results.json`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Places;
use super::evaluate::{PassAtK, Tally};
use crate::files::Replacement;
use crate::task::Suite;

/// Where the file goes if nobody says: as `EvalPlus` names it, beside the samples or in their folder.
pub fn beside(samples: &Path) -> PathBuf {
    if samples.is_dir() {
        return samples.join("eval_results.json");
    }
    let name = samples.as_os_str().to_string_lossy();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = stem.strip_suffix(".jsonl").unwrap_or(stem);
    PathBuf::from(format!("{stem}_eval_results.json"))
}

/// Writes the file from the lines of results. Of each line only its place is kept, so that any number of them fits.
pub fn write(
    out: &Path,
    results: &Path,
    suite: &Suite,
    places: &Places,
    tally: &Tally,
    ks: &[usize],
) -> io::Result<()> {
    let (file, of_task) = index(results, places)?;
    let mut out = Replacement::begin(out)?;
    let date = jiff::ZonedDateTime::now().strftime("%Y-%m-%d %H:%M").to_string();
    write!(
        out,
        "{{\"date\": {}, \"hash\": {}, \"eval\": {{",
        json!(date),
        json!(suite.hash)
    )?;
    for (number, (task, lines)) in of_task.iter().enumerate() {
        let task = &suite.tasks[*task];
        let comma = if number == 0 { "" } else { ", " };
        write!(out, "{comma}{}: [", json!(task.id))?;
        for (number, (at, length)) in lines.iter().enumerate() {
            let mut line = vec![0; *length];
            file.read_exact_at(&mut line, *at)?;
            let fields: Map<String, Value> = serde_json::from_slice(&line)?;
            let comma = if number == 0 { "" } else { ", " };
            write!(
                out,
                "{comma}{}",
                entry(&task.id, &task.brief.starter_code, &fields)
            )?;
        }
        write!(out, "]")?;
    }
    let (all, _) = tally.pass_at_k(ks);
    let base = tally.part_pass_at_k("base", ks);
    let rates = if base.is_empty() {
        json!({ "base": rates(&all) })
    } else {
        json!({ "base": rates(&base), "plus": rates(&all) })
    };
    writeln!(out, "}}, \"pass_at_k\": {rates}}}")?;
    out.finish()
}

/// Where the lines of each task stand.
type Index = BTreeMap<usize, Vec<(u64, usize)>>;

fn index(results: &Path, places: &Places) -> io::Result<(File, Index)> {
    let mut of_task = Index::new();
    let mut reader = BufReader::new(File::open(results)?);
    let mut line = Vec::new();
    let mut at = 0;
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        if length == 0 {
            break;
        }
        let fields: Map<String, Value> = serde_json::from_slice(&line)?;
        if let Some(task) = fields.get("task_id").and_then(|id| places.find(id)) {
            of_task.entry(task).or_default().push((at, length));
        }
        at += length as u64;
    }
    Ok((reader.into_inner(), of_task))
}

fn entry(id: &str, starter: &str, fields: &Map<String, Value>) -> Value {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let whole = text("program").or_else(|| text("solution"));
    let rest = || text("completion").or_else(|| text("generation")).unwrap_or("");
    let solution = whole.map_or_else(|| format!("{starter}{}", rest()), str::to_owned);
    let overall = match (fields.get("passed"), text("result")) {
        (Some(Value::Bool(true)), _) => json!("pass"),
        (_, Some("timed out")) => json!("timeout"),
        (Some(Value::Bool(false)), _) => json!("fail"),
        _ => Value::Null,
    };
    let or = |name: &str, otherwise: Value| fields.get(name).cloned().unwrap_or(otherwise);
    let has_parts = fields.contains_key("base_status");
    // Behind a base test that failed nothing more is run.
    let plus = if has_parts {
        or("plus_status", json!("fail"))
    } else {
        Value::Null
    };
    json!({
        "task_id": id,
        "solution": solution,
        "base_status": or("base_status", overall),
        "plus_status": plus,
        "base_fail_tests": or("base_fail_tests", json!([])),
        "plus_fail_tests": or("plus_fail_tests", json!([])),
    })
}

fn rates(rates: &[PassAtK]) -> Value {
    let named = rates
        .iter()
        .map(|rate| (format!("pass@{}", rate.k), json!(rate.value)));
    Value::Object(named.collect())
}
