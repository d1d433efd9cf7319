//! One program before its tests: both processes, and the conversation between them.
//!
//! The tests' side leads. It asks, the program's side answers, and while it works on an answer it may ask back
//! (a callback, an iterator that was passed in); so the open questions form a stack. We stand between: we read and
//! check what the program's side says, keep the limits, and answer ourselves when it is gone.

mod processes;
mod signs;

use std::collections::BTreeSet;
use std::time::Duration;

use redraft_sandbox::Isolation;

use super::budget::Budget;
use super::channel::Silence;
use super::log::Log;
use super::message::{Ask, FromProgram, FromTests, Raise, Return, ToProgram, ToTests};
use super::outcome::{TIMED_OUT, milliseconds, premature};
use super::side::Side;
use super::{Bench, Trouble};
use crate::task::{Flag, Limits, Program, Verdict};

/// How many tests' worth of time a driver may live, whatever happens.
const LIFETIME: u32 = 200;
/// A program that uses up a limit or ends is started anew for the next assertion, but only so often in one test.
const MOST_TIMEOUTS: u32 = 3;
const MOST_ENDS: u32 = 25;
/// What loading a framework and its file may take, beyond the time of one test.
const LOADING: Duration = Duration::from_mins(1);
/// The tests' side gets at least that much memory: values come in the program's size and as text.
const TESTS_MEMORY: u64 = 1 << 30;
/// What the tests' side says is ours and may be long.
const LARGEST_FROM_TESTS: u64 = 512 << 20;

/// A program before its tests.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    bench: &'a Bench,
    program: &'a Program,
    limits: &'a Limits,
    tests: Option<Side>,
    running: Option<Running>,
    generation: u64,
    /// Why the program can't be used at all: every question has this answer.
    broken: Option<(Verdict, String)>,
    /// The last end of a program, for the questions that it left open.
    last: (Verdict, String),
    stack: Vec<Pending>,
    budget: Budget,
    /// Whether a framework's file is being run.
    is_suite: bool,
    /// Whether the program is in the tests' sandbox, where we have nothing to do with what they say to each other.
    is_together: bool,
    timeouts: u32,
    ends: u32,
    /// CPU time of the processes of the program that are gone.
    spent: Duration,
    peak_memory: u64,
    isolation: Isolation,
    signs: BTreeSet<Flag>,
}

/// A process of the program.
#[derive(Debug)]
struct Running {
    side: Side,
    generation: u64,
    ready: bool,
}

/// An open question.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// Of the tests' side, with so many nodes.
    Tests { id: u64, nodes: usize },
    /// Of that process of the program.
    Program { generation: u64 },
}

/// What the tests' side gets to hear.
enum Reply {
    Ask(Ask),
    Return(Return),
    Raise(Raise),
    Ended(u64, Verdict, String),
}

/// An answer of the tests' side.
enum Answer {
    Return(Return),
    Raise(Raise),
}

/// How a test ended.
pub(crate) enum Finish {
    /// It was carried out, or could not be for the reason given.
    Done(Option<String>),
    /// The tests' side was ended, or ended by itself.
    Cut(Verdict, String),
    /// It has to be in one sandbox with the program.
    Reaches,
}

impl<'a> Session<'a> {
    pub(crate) fn new(bench: &'a Bench, program: &'a Program, limits: &'a Limits) -> Self {
        Self {
            bench,
            program,
            limits,
            tests: None,
            running: None,
            generation: 0,
            broken: None,
            last: (Verdict::RuntimeError, String::new()),
            stack: Vec::new(),
            budget: Budget::new(limits),
            is_suite: false,
            is_together: false,
            timeouts: 0,
            ends: 0,
            spent: Duration::ZERO,
            peak_memory: 0,
            isolation: Isolation::default(),
            signs: BTreeSet::new(),
        }
    }

    /// Carries out one test in a fresh program; what becomes of it is noted in `log`.
    pub(crate) fn carry_out(&mut self, request: &ToTests<'_>, log: &mut Log) -> Result<Finish, Trouble> {
        self.timeouts = 0;
        self.ends = 0;
        self.is_suite = matches!(request, ToTests::Suite { .. });
        let is_together = request.is_together();
        if is_together || self.is_together {
            // Such a sandbox serves one test.
            self.end_program()?;
            self.end_tests(false)?;
        }
        self.is_together = is_together;
        // Both start at the same time.
        if !is_together && self.broken.is_none() && self.running.is_none() {
            self.start_program()?;
        }
        if self.tests.is_none() {
            self.tests = Some(self.start_tests()?);
        }
        self.begin();
        if self.is_suite {
            self.budget.allow(LOADING);
        }
        self.tell_tests(request)?;
        let finish = self.converse(log);
        self.stack.clear();
        self.end_program()?;
        if !matches!(finish, Ok(Finish::Done(_))) {
            self.end_tests(false)?;
        }
        finish
    }

    /// The signs of cheating so far.
    pub(crate) fn signs(&self) -> &BTreeSet<Flag> {
        &self.signs
    }

    /// Ends both and gives what was in force.
    pub(crate) fn finish(mut self) -> Result<Isolation, Trouble> {
        self.end_program()?;
        self.end_tests(false)?;
        Ok(self.isolation)
    }

    fn converse(&mut self, log: &mut Log) -> Result<Finish, Trouble> {
        loop {
            let frame = match self.hear_tests() {
                Ok(frame) => frame,
                Err(Silence::Limit(())) => return Ok(Finish::Cut(Verdict::TimedOut, TIMED_OUT.to_owned())),
                Err(Silence::TooLarge) => return Err(Trouble("the tests' side said too much".to_owned())),
                Err(Silence::Closed) => {
                    let outcome = self
                        .end_tests(true)?
                        .ok_or_else(|| Trouble("no tests' side".to_owned()))?;
                    let (verdict, text) = premature(&outcome.end, outcome.exit);
                    let text = if verdict == Verdict::RuntimeError {
                        let said = outcome.stderr.text();
                        let last = said.trim_end().lines().next_back().unwrap_or_default();
                        format!("the tests' process: {text} {last}").trim_end().to_owned()
                    } else {
                        text
                    };
                    return Ok(Finish::Cut(verdict, text));
                }
            };
            let message = serde_json::from_slice(&frame)
                .map_err(|error| Trouble(format!("the tests' side can't be understood: {error}")))?;
            let reply = match message {
                FromTests::Plan { assertions } => {
                    log.plan(assertions);
                    continue;
                }
                FromTests::Begin(begin) => {
                    log.begin(begin);
                    self.begin();
                    continue;
                }
                FromTests::Result(judged) => {
                    let (cpu, wall) = self.used();
                    let peak = match (&self.running, &self.tests) {
                        (Some(running), _) => running.side.peak_memory(),
                        (None, Some(tests)) if self.is_together => tests.peak_memory(),
                        _ => 0,
                    };
                    self.peak_memory = self.peak_memory.max(peak);
                    log.result(judged, milliseconds(cpu), milliseconds(wall), self.peak_memory);
                    self.begin();
                    continue;
                }
                FromTests::Reaches { why } => {
                    tracing::debug!("tests that can't be kept apart from their program: {why}");
                    return Ok(Finish::Reaches);
                }
                FromTests::Skipped { key } => {
                    log.skipped(key);
                    continue;
                }
                FromTests::End { problem } => return Ok(Finish::Done(problem)),
                FromTests::Ask(ask) => self.ask(&ask)?,
                FromTests::Return(answer) => self.answer(&Answer::Return(answer))?,
                FromTests::Raise(answer) => self.answer(&Answer::Raise(answer))?,
            };
            match &reply {
                Reply::Ask(ask) => self.tell_tests(&ToTests::Ask(ask))?,
                Reply::Return(answer) => self.tell_tests(&ToTests::Return(answer))?,
                Reply::Raise(answer) => self.tell_tests(&ToTests::Raise(answer))?,
                Reply::Ended(id, verdict, error) => {
                    self.tell_tests(&ToTests::Ended {
                        id: *id,
                        verdict: *verdict,
                        error,
                    })?;
                }
            }
        }
    }

    /// The tests' side asks the program's.
    fn ask(&mut self, ask: &Ask) -> Result<Reply, Trouble> {
        self.stack.push(Pending::Tests {
            id: ask.id,
            nodes: ask.nodes(),
        });
        if self.budget.is_due() && self.is_over_budget() {
            return self.time_out();
        }
        if self.broken.is_none() && self.running.is_none() {
            self.start_program()?;
        }
        if self.broken.is_none() {
            self.await_ready()?;
        }
        if let Some((verdict, text)) = self.broken.clone() {
            self.last = (verdict, text);
            return self.give_up();
        }
        self.tell_program(&ToProgram::Ask(ask))
    }

    /// The tests' side answers the program's.
    fn answer(&mut self, answer: &Answer) -> Result<Reply, Trouble> {
        let asked = self.stack.pop();
        if self.budget.is_due() && self.is_over_budget() {
            return self.time_out();
        }
        match (asked, &self.running) {
            (Some(Pending::Program { generation }), Some(running)) if running.generation == generation => {
                match answer {
                    Answer::Return(answer) => self.tell_program(&ToProgram::Return(answer)),
                    Answer::Raise(answer) => self.tell_program(&ToProgram::Raise(answer)),
                }
            }
            // Whoever asked is gone; so what the tests' side asked before that has no answer either.
            (Some(Pending::Program { .. }), _) => self.give_up(),
            _ => Err(Trouble("the tests' side answers what nobody asked".to_owned())),
        }
    }

    fn tell_program(&mut self, message: &ToProgram<'_>) -> Result<Reply, Trouble> {
        let sent = match &self.running {
            Some(running) => running.side.send(message, || self.limit()),
            None => return self.give_up(),
        };
        match sent {
            Ok(()) => self.hear_program(),
            Err(silence) => self.lose(&silence),
        }
    }

    fn hear_program(&mut self) -> Result<Reply, Trouble> {
        let Some(running) = &self.running else {
            return self.give_up();
        };
        let generation = running.generation;
        let mut signs = BTreeSet::new();
        let heard = signs::hear(&running.side, || self.limit(), &mut signs);
        self.signs.append(&mut signs);
        let message = match heard {
            Err(silence) => return self.lose(&silence),
            Ok(Ok(message)) => message,
            Ok(Err(impossible)) => return self.refuse(&impossible.to_string()),
        };
        match (message, self.stack.last().copied()) {
            (FromProgram::Ask(ask), _) => {
                self.stack.push(Pending::Program { generation });
                Ok(Reply::Ask(ask))
            }
            (FromProgram::Return(answer), Some(Pending::Tests { id, nodes }))
                if id == answer.id && answer.answers(nodes) =>
            {
                self.stack.pop();
                Ok(Reply::Return(answer))
            }
            (FromProgram::Raise(answer), Some(Pending::Tests { id, nodes }))
                if id == answer.id && answer.answers(nodes) =>
            {
                self.stack.pop();
                Ok(Reply::Raise(answer))
            }
            _ => self.refuse("an answer to nothing"),
        }
    }

    /// The program said what it can't say.
    fn refuse(&mut self, why: &str) -> Result<Reply, Trouble> {
        self.end_program()?;
        self.ends += 1;
        self.last = (
            Verdict::RuntimeError,
            format!("the program broke the protocol: {why}"),
        );
        self.give_up()
    }

    /// There is nothing more to hear from the program.
    fn lose(&mut self, silence: &Silence<()>) -> Result<Reply, Trouble> {
        match silence {
            Silence::Limit(()) => return self.time_out(),
            Silence::TooLarge => {
                self.end_program()?;
                self.last = (
                    Verdict::OutputLimit,
                    "output limit exceeded by an answer".to_owned(),
                );
            }
            Silence::Closed => {
                let Some(running) = self.running.take() else {
                    return self.give_up();
                };
                let outcome = running.side.end(true)?;
                self.last = premature(&outcome.end, outcome.exit);
                self.note(&outcome);
            }
        }
        self.ends += 1;
        self.timeouts += u32::from(self.last.0 != Verdict::RuntimeError);
        self.give_up()
    }

    fn time_out(&mut self) -> Result<Reply, Trouble> {
        self.end_program()?;
        self.timeouts += 1;
        self.last = (Verdict::TimedOut, TIMED_OUT.to_owned());
        self.give_up()
    }

    /// Tells the tests' side that its last question has no answer.
    fn give_up(&mut self) -> Result<Reply, Trouble> {
        let Some(Pending::Tests { id, .. }) = self.stack.pop() else {
            return Err(Trouble("nobody asked".to_owned()));
        };
        let (verdict, text) = self.last.clone();
        if self.broken.is_none() && self.timeouts >= MOST_TIMEOUTS {
            let text = format!("not run: {MOST_TIMEOUTS} assertions before it used up a limit: {text}");
            self.broken = Some((verdict, text));
        } else if self.broken.is_none() && self.ends >= MOST_ENDS {
            self.broken = Some((
                verdict,
                format!("not run: the program ended {MOST_ENDS} times before it: {text}"),
            ));
        }
        Ok(Reply::Ended(id, verdict, text))
    }
}
