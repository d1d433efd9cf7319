//! A program and tests in, a report out.
//!
//! The program and its tests are in two sandboxes and never see each other. What they say to each other goes through
//! us as data (`value`): see `session` for the conversation. A program that reads stdin runs alone (`stdin`).

mod answer;
mod budget;
mod calls;
mod channel;
mod checker;
mod evidence;
mod execution;
mod files;
mod impossible;
mod interactive;
mod log;
mod message;
mod outcome;
mod script;
mod session;
mod setup;
mod shared;
mod side;
mod stdin;
mod suite;
mod text;
mod value;
mod whole;

use std::collections::BTreeSet;

use redraft_sandbox::Isolation;

pub use answer::{exact_match, f1, is_right, same_number};
pub use evidence::holds_answers;
pub use execution::Execution;
pub use impossible::impossible;

use crate::language::Unprepared;
use crate::language::python::Interpreter;
use crate::task::{
    AnswerRule, Flag, HiddenTests, Language, Limits, Mode, Program, Report, Test, TestKind, TestResult,
    Verdict,
};

use log::Log;
use message::ToTests;
use session::{Finish, Session};
pub(crate) use setup::{Bench, Python};

/// How often the tests' side may be started anew because an assertion ended it.
const MOST_CUTS: usize = 20;

/// Reads a message as one of a program's; whether it is one, and what is written of it is read as the same. For fuzzing.
#[doc(hidden)]
pub fn reads_as_written(frame: &[u8]) -> Option<bool> {
    let message = message::FromProgram::read(frame).ok()?;
    let written = serde_json::to_vec(&message).ok()?;
    Some(message::FromProgram::read(&written) == Ok(message))
}

/// The key to hidden tests; its field is private, so that only this module can make one.
#[derive(Debug)]
pub struct SealKey(());

/// How the judge works.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Supply the imports that graders commonly put in front (`typing`, `math`, `collections` …) to programs.
    pub common_imports: bool,
    /// Stop at the first assertion or test that fails: for who wants to know only whether a program passes.
    pub stop_at_failure: bool,
    /// A name under which tests can import the program, besides `solution`.
    pub module: Option<String>,
}

impl Options {
    /// The names under which tests can import the program.
    fn modules(&self) -> Vec<String> {
        let mut names = vec!["solution".to_owned()];
        names.extend(self.module.clone().filter(|name| name != "solution"));
        names
    }
}

/// The judge could not be set up. (What goes wrong later is a `harness_error` in the report.)
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JudgeError(String);

/// Judges programs; cheap to share between threads.
#[derive(Debug)]
pub struct Judge {
    bench: Bench,
}

/// Our own failure in the middle of a test.
#[derive(Debug)]
pub(crate) struct Trouble(pub(crate) String);

impl From<redraft_sandbox::Error> for Trouble {
    fn from(error: redraft_sandbox::Error) -> Self {
        Self(whole_error(&error))
    }
}

/// An error with all that led to it.
pub(crate) fn whole_error(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

impl Judge {
    /// Checks that the sandbox works, so that a bad host is told at once. What runs a language is looked for when a
    /// program in it comes; see [`Self::check`].
    pub fn new(options: Options) -> Result<Self, JudgeError> {
        let bench = Bench::new(options).map_err(JudgeError)?;
        Ok(Self { bench })
    }

    /// Whether programs in a language can be judged here, before any comes.
    pub fn check(&self, language: Language) -> Result<(), JudgeError> {
        if language == Language::PYTHON {
            return self
                .bench
                .python()
                .map(|_| ())
                .map_err(|Trouble(why)| JudgeError(why));
        }
        match self.bench.runner.toolchain(language) {
            Ok(_) => Ok(()),
            Err(Unprepared::Harness(why) | Unprepared::Refused(why)) => Err(JudgeError(why)),
        }
    }

    /// The interpreter that runs Python programs.
    pub fn interpreter(&self) -> Result<&Interpreter, JudgeError> {
        let found = self.bench.runner.interpreter();
        found.map_err(|error| JudgeError(error.to_string()))
    }

    /// How it works.
    pub fn options(&self) -> &Options {
        &self.bench.options
    }

    /// The version of that interpreter; `none` where there is none.
    pub fn python_version(&self) -> String {
        self.interpreter()
            .map_or_else(|_| "none".to_owned(), Interpreter::version)
    }

    /// The layers that are in force.
    pub fn isolation(&self) -> Isolation {
        self.bench.isolation.clone()
    }

    /// Runs `program` on every test, in order, each on its own. A script gives a result for each of its assertions.
    pub fn test(&self, program: &Program, tests: &[Test], limits: &Limits) -> Report {
        let (results, signs, isolation) = self.results(program, tests, limits);
        let results = results.into_iter().flatten().collect();
        Self::report(program, tests, results, signs, isolation)
    }

    fn report(
        program: &Program,
        tests: &[Test],
        results: Vec<TestResult>,
        mut flags: BTreeSet<Flag>,
        isolation: Isolation,
    ) -> Report {
        flags.append(&mut evidence::of(program, tests, &results));
        let report = Report {
            flags,
            ..Report::new(results, Mode::Split, isolation)
        };
        let (verdict, passed, total) = (report.verdict.name(), report.passed, report.total);
        tracing::debug!(program = %program.hash(), verdict, passed, total, "a program is judged");
        report
    }

    /// As [`Self::test`], but with one result a test: that of its first assertion that failed.
    pub fn test_whole(&self, program: &Program, tests: &[Test], limits: &Limits) -> Report {
        let (results, signs, isolation) = self.results(program, tests, limits);
        let whole = tests
            .iter()
            .zip(results)
            .filter_map(|(test, results)| log::whole(&test.name, results));
        Self::report(program, tests, whole.collect(), signs, isolation)
    }

    /// What a Python snippet of a task's author prints, for tests whose data is made by one.
    pub fn printed_by(&self, snippet: &str) -> Result<String, String> {
        let mut command = self
            .bench
            .python()
            .map_err(|Trouble(why)| why)?
            .interpreter
            .command();
        command.arg("-c").arg(snippet);
        let outcome = command.run().map_err(|error| Trouble::from(error).0)?;
        if outcome.end == redraft_sandbox::End::Exited(0) {
            Ok(outcome.stdout.text())
        } else {
            Err(format!(
                "the snippet failed: {}",
                outcome.stderr.text().trim_end()
            ))
        }
    }

    fn results(
        &self,
        program: &Program,
        tests: &[Test],
        limits: &Limits,
    ) -> (Vec<Vec<TestResult>>, BTreeSet<Flag>, Isolation) {
        let mut session = Session::new(&self.bench, program, limits);
        let mut isolation = Isolation::default();
        let (mut results, mut signs) = (Vec::new(), BTreeSet::new());
        for test in tests {
            let mut attempt = self.one(&mut session, program, test, limits, &mut isolation);
            if attempt.is_err() {
                // Our fault, so once more from the start.
                signs.extend(session.signs());
                session = Session::new(&self.bench, program, limits);
                attempt = self.one(&mut session, program, test, limits, &mut isolation);
            }
            let one = attempt.unwrap_or_else(|Trouble(text)| {
                signs.extend(session.signs());
                session = Session::new(&self.bench, program, limits);
                vec![TestResult::harness_error(&test.name, text)]
            });
            let failed = one.iter().any(|result| !result.verdict.passed());
            results.push(one);
            if failed && self.bench.options.stop_at_failure {
                break;
            }
        }
        signs.extend(session.signs());
        if let Ok(in_force) = session.finish()
            && !in_force.layers.is_empty()
        {
            isolation = in_force;
        }
        (results, signs, isolation)
    }

    /// What needs another way than Python has; `None` for tests that are the same in every language.
    fn in_other_languages(
        &self,
        program: &Program,
        test: &Test,
        limits: &Limits,
        isolation: &mut Isolation,
    ) -> Option<Result<Vec<TestResult>, Trouble>> {
        match &test.kind {
            TestKind::Script { code, .. } => {
                let result = shared::run(&self.bench, program, &test.name, code, limits);
                Some(result.map(|(result, in_force)| {
                    *isolation = in_force;
                    vec![result]
                }))
            }
            TestKind::Call {
                entry,
                args,
                expected,
                compare,
            } => {
                let call = calls::Call {
                    name: &test.name,
                    entry,
                    args,
                    expected,
                    compare: *compare,
                };
                let Some(result) = calls::run(&self.bench, program, call, limits) else {
                    let title = program.language.title();
                    let why = format!(
                        "call tests can't be carried out in {title}; tests on stdin or in its own code can"
                    );
                    return Some(Ok(vec![TestResult::harness_error(&test.name, why)]));
                };
                Some(result.map(|(result, in_force)| {
                    *isolation = in_force;
                    vec![result]
                }))
            }
            TestKind::Stdin { .. }
            | TestKind::Checked { .. }
            | TestKind::Files { .. }
            | TestKind::Answer { .. }
            | TestKind::Interactive { .. } => None,
        }
    }

    /// Opens the hidden tests and runs `program` on them.
    pub fn test_hidden(&self, program: &Program, hidden: &HiddenTests, limits: &Limits) -> Report {
        self.test(program, hidden.open(&SealKey(())), limits)
    }

    /// Opens the hidden tests of a question and holds `answer` against them; `None` is no answer and wrong. The overlap
    /// of its words with the right ones comes with it, where words are compared.
    pub fn check_hidden_answer(&self, answer: Option<&str>, hidden: &HiddenTests) -> (Report, Option<f64>) {
        let (mut results, mut overlap) = (Vec::new(), None);
        for test in hidden.open(&SealKey(())) {
            if let TestKind::Answer { accepted, rule } = &test.kind {
                results.push(answer_result(&test.name, answer, None, accepted, *rule));
                if *rule == AnswerRule::Words {
                    overlap = Some(f1(answer.unwrap_or_default(), accepted));
                }
            }
        }
        (Report::new(results, Mode::Split, self.isolation()), overlap)
    }

    /// Runs a program that sets `answer` to its end. An error is the harness' own.
    pub fn execute(&self, program: &Program, limits: &Limits) -> Result<Execution, String> {
        let again = |_| execution::execute(&self.bench, program, limits);
        execution::execute(&self.bench, program, limits)
            .or_else(again)
            .map_err(|Trouble(text)| text)
    }

    /// What becomes of `program` on the hidden tests, looking no further than the first that it doesn't pass.
    pub fn verdict_hidden(&self, program: &Program, hidden: &HiddenTests, limits: &Limits) -> Verdict {
        let verdict = |test| self.test(program, std::slice::from_ref(test), limits).verdict;
        let tests = hidden.open(&SealKey(()));
        let nothing = if tests.is_empty() {
            Verdict::HarnessError
        } else {
            Verdict::Passed
        };
        tests
            .iter()
            .map(verdict)
            .find(|verdict| !verdict.passed())
            .unwrap_or(nothing)
    }

    fn one(
        &self,
        session: &mut Session<'_>,
        program: &Program,
        test: &Test,
        limits: &Limits,
        isolation: &mut Isolation,
    ) -> Result<Vec<TestResult>, Trouble> {
        let name = &test.name;
        if program.language != Language::PYTHON
            && let Some(results) = self.in_other_languages(program, test, limits, isolation)
        {
            return results;
        }
        match &test.kind {
            TestKind::Stdin {
                stdin,
                expected,
                compare,
            } => {
                let pair = stdin::Pair {
                    name,
                    stdin,
                    expected,
                    compare: *compare,
                };
                let (result, in_force) = stdin::run(&self.bench, program, pair, limits)?;
                *isolation = in_force;
                Ok(vec![result])
            }
            TestKind::Checked {
                stdin,
                answer,
                checker,
            } => {
                let checked = checker::Checked {
                    name,
                    stdin,
                    answer,
                    checker,
                };
                let (result, in_force) = checker::run(&self.bench, program, checked, limits)?;
                *isolation = in_force;
                Ok(vec![result])
            }
            TestKind::Files {
                stdin,
                files,
                expected_files,
                expected_stdout,
                compare,
            } => {
                let files = files::Files {
                    name,
                    stdin,
                    before: files,
                    after: expected_files,
                    stdout: expected_stdout.as_deref(),
                    compare: *compare,
                };
                let (result, in_force) = files::run(&self.bench, program, files, limits)?;
                *isolation = in_force;
                Ok(vec![result])
            }
            TestKind::Interactive {
                input,
                answer,
                talker,
            } => {
                let conversation = interactive::Conversation {
                    name,
                    input,
                    answer,
                    talker,
                };
                let (result, in_force) = interactive::run(&self.bench, program, conversation, limits)?;
                *isolation = in_force;
                Ok(vec![result])
            }
            TestKind::Answer { accepted, rule } => {
                let execution = execution::execute(&self.bench, program, limits)?;
                *isolation = execution.isolation;
                let (answer, error) = match execution.result {
                    Ok(answer) => (Some(answer), None),
                    Err(error) => (None, Some(error)),
                };
                Ok(vec![answer_result(
                    name,
                    answer.as_deref(),
                    error,
                    accepted,
                    *rule,
                )])
            }
            TestKind::Call {
                entry,
                args,
                expected,
                compare,
            } => {
                let request = ToTests::Call {
                    entry,
                    arguments: args,
                    expected,
                    compare: *compare,
                };
                let mut log = Log::new(name, Mode::Split);
                match session.carry_out(&request, &mut log)? {
                    Finish::Done(None) => {}
                    Finish::Done(Some(problem)) => return Ok(vec![TestResult::harness_error(name, problem)]),
                    Finish::Cut(verdict, error) => {
                        log.cut(verdict, &error);
                    }
                    Finish::Reaches => return Err(Trouble("a call can't reach into a program".to_owned())),
                }
                Ok(log.into_results())
            }
            TestKind::Script { code, form, entry } => {
                let script = script::Script {
                    name,
                    code,
                    form: *form,
                    entry: entry.as_deref(),
                };
                script::run(&self.bench, session, script)
            }
        }
    }
}

/// The result of an answer, or of the error that came in its place.
fn answer_result(
    name: &str,
    answer: Option<&str>,
    error: Option<String>,
    accepted: &[String],
    rule: AnswerRule,
) -> TestResult {
    let verdict = match answer {
        Some(answer) if is_right(answer, accepted, rule) => Verdict::Passed,
        None if error.is_some() => Verdict::RuntimeError,
        _ => Verdict::WrongAnswer,
    };
    TestResult {
        expected: accepted.join(", or "),
        actual: answer.map(str::to_owned),
        error,
        ..TestResult::new(name, verdict)
    }
}
