//! The time that one assertion may take: CPU time of both processes decides, wall time is the backstop.

use std::time::{Duration, Instant};

use crate::task::Limits;

/// How often the CPU time is looked at while questions and answers go back and forth.
const LOOK: Duration = Duration::from_millis(10);

/// Time of the current assertion.
#[derive(Debug)]
pub(crate) struct Budget {
    cpu: Duration,
    wall: Duration,
    began: Instant,
    looked: Instant,
    /// What both had used when it began.
    program: Duration,
    tests: Duration,
    /// What may be used on top of it, of either time.
    extra: Duration,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            cpu: Duration::from_millis(limits.cpu_ms),
            wall: Duration::from_millis(limits.wall_ms),
            began: now,
            looked: now,
            program: Duration::ZERO,
            tests: Duration::ZERO,
            extra: Duration::ZERO,
        }
    }

    /// An assertion begins.
    pub(crate) fn begin(&mut self, program: Duration, tests: Duration, now: Instant) {
        self.program = program;
        self.tests = tests;
        self.began = now;
        self.looked = now;
        self.extra = Duration::ZERO;
    }

    /// Until the next one begins, more may be used.
    pub(crate) fn allow(&mut self, extra: Duration) {
        self.extra = extra;
    }

    /// Takes out what loading the program took.
    pub(crate) fn forgive(&mut self, cpu: Duration, wall: Duration) {
        self.program += cpu;
        self.began += wall;
    }

    /// Whether it is time to look again.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = self.looked.elapsed() >= LOOK;
        if due {
            self.looked = Instant::now();
        }
        due
    }

    pub(crate) fn is_over(&self, program: Duration) -> bool {
        self.is_over_both(program, self.tests)
    }

    pub(crate) fn is_over_both(&self, program: Duration, tests: Duration) -> bool {
        let cpu = program.saturating_sub(self.program) + tests.saturating_sub(self.tests);
        cpu >= self.cpu + self.extra || self.began.elapsed() >= self.wall + self.extra
    }

    /// CPU time of the tests' sandbox, and wall time, since the assertion began.
    pub(crate) fn used_by_tests(&self, tests: Duration) -> (Duration, Duration) {
        (tests.saturating_sub(self.tests), self.began.elapsed())
    }

    /// CPU time of the program, and wall time, since the assertion began.
    pub(crate) fn used(&self, program: Duration) -> (Duration, Duration) {
        (program.saturating_sub(self.program), self.began.elapsed())
    }
}
