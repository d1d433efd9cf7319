//! Judging many samples on hidden tests, each different program once.
//!
//! Samples are read, judged and written in one stream. A window of them is open at a time; what became of a program
//! is on disk as soon as it is known (`log`) and is read back when the same program comes again.

mod judged;
mod log;
mod tally;

use std::collections::{HashMap, VecDeque};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError, mpsc};

pub use judged::{Judged, Part, Share};
pub use tally::{PassAtK, Tally};

use super::samples::{Sample, SampleSource, SamplesError};
use crate::files::Replacement;
use crate::judge::{Judge, holds_answers};
use crate::task::{Flag, Limits, Program, Suite, Task, Verdict};
use log::{Key, Log};

/// Most samples that are open at a time.
const WINDOW: usize = 8192;

/// Most bytes of programs that are open at a time; one sample is always let in.
const WINDOW_BYTES: usize = 8 << 20;

/// How samples are judged.
#[derive(Clone, Copy)]
pub struct Evaluation<'a> {
    /// Who runs tests.
    pub judge: &'a Judge,
    /// The tasks.
    pub suite: &'a Suite,
    /// What a test may use, made of what its task says.
    pub limits: &'a (dyn Fn(Limits) -> Limits + Sync),
    /// Programs judged at the same time.
    pub jobs: usize,
    /// Whether all tests are run although one has failed, so that the share that passes is known.
    pub every_test: bool,
    /// Whether programs that fail are run on the visible tests, too, to tell those that pass nothing but these.
    pub visible_too: bool,
}

impl std::fmt::Debug for Evaluation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluation")
            .field("jobs", &self.jobs)
            .finish_non_exhaustive()
    }
}

/// Why an evaluation stops. What was judged until then is kept.
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    /// The samples are at fault.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// A file can't be written.
    #[error("{0}")]
    Results(String),
}

/// A sample whose turn to be written hasn't come.
#[derive(Debug)]
struct Slot {
    sample: Sample,
    bytes: usize,
    judged: Option<Judged>,
}

/// Something to do for a worker.
#[derive(Debug)]
struct Work {
    key: Key,
    task: usize,
    program: Program,
}

impl Evaluation<'_> {
    /// Judges all samples and writes a line for each into `results`, in their order. `each` is told of every line.
    /// An evaluation that was interrupted goes on where it was: verdicts that are known aren't made again.
    pub fn run(
        &self,
        samples: SampleSource<'_>,
        results: &Path,
        mut each: impl FnMut(&Sample, &Judged),
    ) -> Result<Tally, EvaluationError> {
        let fail = |error: std::io::Error| {
            let text = error.to_string();
            let name = results.display().to_string();
            EvaluationError::Results(if text.starts_with(&name) {
                text
            } else {
                format!("{name}: {text}")
            })
        };
        let mut log = Log::open(results).map_err(fail)?;
        // What an earlier evaluation has written there stays until this one is complete.
        let mut file = Replacement::begin(results).map_err(fail)?;
        let mut tally = Tally::new(self.suite);
        let (work, todo) = mpsc::channel::<Work>();
        let todo = Mutex::new(todo);
        let (done, outcomes) = mpsc::channel::<(Key, Judged)>();
        let finished = std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                let (todo, done) = (&todo, done.clone());
                scope.spawn(move || self.work(todo, &done));
            }
            drop(done);
            let mut stream = Stream {
                evaluation: self,
                log: &mut log,
                work,
                outcomes,
                window: VecDeque::new(),
                first: 0,
                bytes: 0,
                waiting: HashMap::new(),
            };
            stream.run(samples, |sample, judged| {
                tally.add(sample.task, judged);
                each(sample, judged);
                writeln!(file, "{}", judged.line(sample))
            })
        });
        log.keep().map_err(fail)?;
        // What was judged until samples end in an error is there, where it takes nothing away.
        if finished.is_ok() || !results.exists() {
            file.finish().map_err(fail)?;
        }
        finished?;
        // What our own faults have left open is to be tried again.
        if tally.harness_errors() == 0 {
            log.remove().map_err(fail)?;
        }
        Ok(tally)
    }

    /// One worker: until there is nothing more to do, or nobody who wants to know.
    fn work(&self, todo: &Mutex<mpsc::Receiver<Work>>, done: &mpsc::Sender<(Key, Judged)>) {
        loop {
            let next = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Work { key, task, program }) = next else {
                break;
            };
            let task = &self.suite.tasks[task];
            let limits = (self.limits)(task.brief.limits);
            let report = self.judge.test_hidden(&program, &task.hidden, &limits);
            let mut judged = Judged::of(&report, self.every_test);
            self.add_flags(task, &program, &mut judged);
            if done.send((key, judged)).is_err() {
                break;
            }
        }
    }

    /// Signs of cheating that the visible tests tell.
    fn add_flags(&self, task: &Task, program: &Program, judged: &mut Judged) {
        let visible = &task.brief.visible;
        if holds_answers(program, visible) {
            judged.flags.insert(Flag::LiteralAnswers);
        }
        let is_wrong = !matches!(judged.verdict, Verdict::Passed | Verdict::HarnessError);
        if self.visible_too && is_wrong && !visible.is_empty() {
            let limits = (self.limits)(task.brief.limits);
            if self.judge.test(program, visible, &limits).verdict.passed() {
                judged.flags.insert(Flag::VisibleOnly);
            }
        }
    }

    /// What a verdict on `program` depends on.
    fn key(&self, task: usize, program: &Program) -> Key {
        let limits = (self.limits)(self.suite.tasks[task].brief.limits);
        let settings = format!(
            "{} {} {limits:?} {:?} {} {}",
            env!("CARGO_PKG_VERSION"),
            self.judge.python_version(),
            self.judge.options(),
            self.every_test,
            self.visible_too
        );
        Key::of([
            settings.as_bytes(),
            self.suite.hash.as_bytes(),
            self.suite.tasks[task].id.as_bytes(),
            program.language.name().as_bytes(),
            program.source.as_bytes(),
        ])
    }
}

/// The samples on their way.
struct Stream<'a, 'b> {
    evaluation: &'a Evaluation<'b>,
    log: &'a mut Log,
    work: mpsc::Sender<Work>,
    outcomes: mpsc::Receiver<(Key, Judged)>,
    window: VecDeque<Slot>,
    /// The number of the first sample in the window.
    first: usize,
    bytes: usize,
    /// The samples that wait for a verdict that somebody is working on.
    waiting: HashMap<Key, Vec<usize>>,
}

impl Stream<'_, '_> {
    fn run(
        &mut self,
        source: SampleSource<'_>,
        mut write: impl FnMut(&Sample, &Judged) -> std::io::Result<()>,
    ) -> Result<(), EvaluationError> {
        let io = |error: std::io::Error| EvaluationError::Results(error.to_string());
        let mut samples = source.open()?;
        let mut broken = None;
        let mut exhausted = false;
        loop {
            while !exhausted && self.has_room() {
                match samples.next() {
                    Some(Ok(sample)) => self.admit(sample).map_err(io)?,
                    Some(Err(error)) => {
                        broken = Some(error);
                        exhausted = true;
                    }
                    None => exhausted = true,
                }
            }
            while let Ok((key, judged)) = self.outcomes.try_recv() {
                self.settle(key, &judged).map_err(io)?;
            }
            while self.window.front().is_some_and(|slot| slot.judged.is_some()) {
                let Some(slot) = self.window.pop_front() else {
                    break;
                };
                self.first += 1;
                self.bytes -= slot.bytes;
                if let Some(judged) = &slot.judged {
                    write(&slot.sample, judged).map_err(io)?;
                }
            }
            if self.window.is_empty() && exhausted {
                break;
            }
            if (exhausted || !self.has_room())
                && self.window.front().is_some_and(|slot| slot.judged.is_none())
            {
                let (key, judged) = self
                    .outcomes
                    .recv()
                    .map_err(|_| EvaluationError::Results("the workers are gone".to_owned()))?;
                self.settle(key, &judged).map_err(io)?;
            }
        }
        match broken {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    fn has_room(&self) -> bool {
        self.window.is_empty() || (self.window.len() < WINDOW && self.bytes < WINDOW_BYTES)
    }

    /// Takes a sample into the window, and sees to its verdict.
    fn admit(&mut self, sample: Sample) -> std::io::Result<()> {
        let number = self.first + self.window.len();
        let judged = match &sample.program {
            None => Some(Judged::no_program()),
            Some(program) => {
                let key = self.evaluation.key(sample.task, program);
                let known = self.log.get(key)?;
                if known.is_none() {
                    let waiting = self.waiting.entry(key).or_default();
                    waiting.push(number);
                    if waiting.len() == 1 {
                        let (task, program) = (sample.task, program.clone());
                        let _ = self.work.send(Work { key, task, program });
                    }
                }
                known
            }
        };
        let bytes = sample.program.as_ref().map_or(0, |program| program.source.len()) * 2;
        self.bytes += bytes;
        self.window.push_back(Slot {
            sample,
            bytes,
            judged,
        });
        Ok(())
    }

    /// Notes a verdict for all who wait for it.
    fn settle(&mut self, key: Key, judged: &Judged) -> std::io::Result<()> {
        // Our own faults are no verdicts: the next time they are tried again.
        if judged.verdict != Verdict::HarnessError {
            self.log.append(key, judged)?;
        }
        for number in self.waiting.remove(&key).unwrap_or_default() {
            if let Some(slot) = self.window.get_mut(number - self.first) {
                slot.judged = Some(judged.clone());
            }
        }
        Ok(())
    }
}
