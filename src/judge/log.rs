//! What becomes of the assertions of one test, as results.

use super::message::{Begin, Judged, Planned};
use crate::task::{Mode, TestResult, Verdict};

/// The results of one test so far.
#[derive(Debug)]
pub(crate) struct Log {
    name: String,
    mode: Mode,
    planned: Vec<Planned>,
    /// The assertion that has begun and isn't over.
    current: Option<Begin>,
    started: usize,
    results: Vec<TestResult>,
    judged: Vec<Option<usize>>,
    /// Tests that a framework's file itself leaves out.
    skipped: Vec<usize>,
}

impl Log {
    pub(crate) fn new(name: &str, mode: Mode) -> Self {
        Self {
            name: name.to_owned(),
            mode,
            planned: Vec::new(),
            current: None,
            started: 0,
            results: Vec::new(),
            judged: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Whether the tests' side got as far as to take the test apart.
    pub(crate) fn is_begun(&self) -> bool {
        !self.planned.is_empty() || self.started > 0
    }

    pub(crate) fn plan(&mut self, planned: Vec<Planned>) {
        self.planned = planned;
    }

    /// Whether another plan is for the same assertions.
    pub(crate) fn is_same_plan(&self, lines: &[String]) -> bool {
        self.planned.iter().map(|planned| &planned.line).eq(lines)
    }

    /// The names of what is planned.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.planned.iter().map(|planned| planned.line.clone()).collect()
    }

    pub(crate) fn skipped(&mut self, key: usize) {
        if self.current.is_some_and(|current| current.key == Some(key)) {
            self.current = None;
        }
        self.skipped.push(key);
    }

    /// What is planned and neither judged nor skipped.
    pub(crate) fn missing(&self) -> usize {
        let is_missing = |key: &usize| !self.judged.contains(&Some(*key)) && !self.skipped.contains(key);
        (0..self.planned.len()).filter(is_missing).count()
    }

    /// How many results there are with a verdict like this.
    pub(crate) fn count(&self, is_such: impl Fn(Verdict) -> bool) -> usize {
        self.results
            .iter()
            .filter(|result| is_such(result.verdict))
            .count()
    }

    pub(crate) fn begin(&mut self, begin: Begin) {
        self.started = begin.started;
        self.current = Some(begin);
    }

    /// How many assertions have begun.
    pub(crate) fn started(&self) -> usize {
        self.started
    }

    pub(crate) fn result(&mut self, judged: Judged, cpu_ms: u64, wall_ms: u64, memory_bytes: u64) {
        if self
            .current
            .is_some_and(|current| current.key == judged.key && current.time == judged.time)
        {
            self.current = None;
        }
        let planned = judged.key.and_then(|key| self.planned.get(key));
        let line = planned.map_or(judged.line.as_str(), |planned| &planned.line);
        let result = TestResult {
            input: judged.input,
            expected: judged.expected,
            actual: judged.actual,
            error: judged.error,
            cpu_ms,
            wall_ms,
            memory_bytes,
            mode: self.mode,
            assertion: planned.map(|planned| planned.assertion.clone()),
            ..TestResult::new(name(&self.name, line, judged.time), judged.verdict)
        };
        self.judged.push(judged.key);
        self.results.push(result);
    }

    /// The tests' side was cut off. Whether the assertion at which that happened was found.
    pub(crate) fn cut(&mut self, verdict: Verdict, error: &str) -> bool {
        let Some(current) = self.current.take() else {
            return false;
        };
        self.fail(current.key, current.time, verdict, error);
        true
    }

    /// Nothing more will come: assertions that never ran fail.
    pub(crate) fn abandon(&mut self, verdict: Verdict, error: &str) {
        for key in 0..self.planned.len() {
            if !self.judged.contains(&Some(key)) && !self.skipped.contains(&key) {
                self.fail(Some(key), 1, verdict, error);
            }
        }
        if self.results.iter().all(|result| result.verdict.passed()) {
            self.fail(None, 1, verdict, error);
        }
    }

    fn fail(&mut self, key: Option<usize>, time: usize, verdict: Verdict, error: &str) {
        let planned = key.and_then(|key| self.planned.get(key));
        let judged = Judged {
            key,
            line: String::new(),
            time,
            verdict,
            input: planned.map_or_else(String::new, |planned| planned.input.clone()),
            expected: planned.map_or_else(String::new, |planned| planned.expected.clone()),
            actual: None,
            error: Some(error.to_owned()),
        };
        self.result(judged, 0, 0, 0);
    }

    /// The results of a framework's file, each with how many tests it took up and left out.
    pub(crate) fn into_suite(mut self) -> Vec<TestResult> {
        if self.results.is_empty() && !self.skipped.is_empty() {
            let why = format!("no test was run: all {} are left out", self.skipped.len());
            self.fail(None, 1, Verdict::HarnessError, &why);
        }
        let skipped = self.skipped.len();
        let ran = self.started;
        let mut results = self.into_results();
        for result in &mut results {
            result.ran = Some(ran);
            result.skipped = Some(skipped);
        }
        results
    }

    /// The results; at least one.
    pub(crate) fn into_results(mut self) -> Vec<TestResult> {
        if self.results.is_empty() {
            self.fail(None, 1, Verdict::HarnessError, "no assertion was judged");
        }
        self.results
    }
}

fn name(test: &str, line: &str, time: usize) -> String {
    let mut name = test.to_owned();
    if !line.is_empty() {
        name.push(':');
        name.push_str(line);
    }
    if time > 1 {
        name.push('#');
        name.push_str(&time.to_string());
    }
    name
}

/// One result for all of a test's: its first failure, or that everything passed.
pub(crate) fn whole(name: &str, results: Vec<TestResult>) -> Option<TestResult> {
    let cpu_ms = results.iter().map(|result| result.cpu_ms).sum();
    let wall_ms = results.iter().map(|result| result.wall_ms).sum();
    let memory_bytes = results
        .iter()
        .map(|result| result.memory_bytes)
        .max()
        .unwrap_or(0);
    let at = results
        .iter()
        .position(|result| !result.verdict.passed())
        .unwrap_or(0);
    let mut first = results.into_iter().nth(at)?;
    if let (Some(_), Some(test)) = (first.ran, first.name.strip_prefix(&format!("{name}:"))) {
        // Which of the framework's tests it was.
        first.error = first.error.map(|error| format!("{test}: {error}"));
    }
    Some(TestResult {
        name: name.to_owned(),
        cpu_ms,
        wall_ms,
        memory_bytes,
        ..first
    })
}
