//! Starting and ending the two processes, and the time that they use.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use redraft_sandbox::Outcome;

use super::signs::hear;
use super::{LARGEST_FROM_TESTS, LIFETIME, Running, Session, TESTS_MEMORY};
use crate::judge::Trouble;
use crate::judge::budget::Budget;
use crate::judge::channel::Silence;
use crate::judge::message::{FromProgram, ToProgram, ToTests};
use crate::judge::outcome::{TIMED_OUT, premature, sandbox_limits};
use crate::judge::side::Side;
use crate::language::python::PROGRAM_FILE;
use crate::task::Verdict;

/// What tests in the program's own sandbox may use on top of what the program may.
const BESIDE_MEMORY: u64 = 256 << 20;
const BESIDE_PROCESSES: u32 = 8;

impl Session<'_> {
    pub(super) fn start_program(&mut self) -> Result<(), Trouble> {
        self.generation += 1;
        let python = self.bench.python()?;
        let mut command = python.interpreter.bare_command();
        command
            .file(PROGRAM_FILE, self.program.source.as_bytes())
            .limits(sandbox_limits(self.limits, LIFETIME));
        let side = Side::start(python, command, &python.drivers.program, self.limits.output_bytes)?;
        self.running = Some(Running {
            side,
            generation: self.generation,
            ready: false,
        });
        Ok(())
    }

    /// Waits until the program is loaded. That is not part of any test's time.
    pub(super) fn await_ready(&mut self) -> Result<(), Trouble> {
        let Some(running) = self.running.as_ref().filter(|running| !running.ready) else {
            return Ok(());
        };
        let generation = running.generation;
        let start = ToProgram::Start {
            generation,
            common_imports: self.bench.options.common_imports,
            relay: self.is_suite,
            watch: true,
        };
        let before = self.used();
        let loading = Budget::new(self.limits);
        let limit = || loading.is_over(running.side.cpu_time()).then_some(());
        let mut signs = BTreeSet::new();
        let heard = running
            .side
            .send(&start, limit)
            .and_then(|()| hear(&running.side, limit, &mut signs));
        self.signs.append(&mut signs);
        let broken = match heard {
            Ok(Ok(FromProgram::Ready {})) => None,
            Ok(Ok(FromProgram::Broken(raised))) => Some(match raised.kind.as_str() {
                _ if raised.compile => (Verdict::CompileError, raised.describe()),
                "SystemExit" | "KeyboardInterrupt" => (
                    Verdict::RuntimeError,
                    format!("exited before the test finished ({})", raised.describe()),
                ),
                "MemoryError" => (Verdict::MemoryLimit, raised.describe()),
                _ => (Verdict::RuntimeError, raised.describe()),
            }),
            Ok(_) => Some((Verdict::RuntimeError, "the program broke the protocol".to_owned())),
            Err(Silence::Limit(())) => Some((Verdict::TimedOut, TIMED_OUT.to_owned())),
            Err(Silence::TooLarge) => Some((Verdict::OutputLimit, "output limit exceeded".to_owned())),
            Err(Silence::Closed) => {
                let Some(running) = self.running.take() else {
                    return Ok(());
                };
                let outcome = running.side.end(true)?;
                self.note(&outcome);
                Some(premature(&outcome.end, outcome.exit))
            }
        };
        if broken.is_some() {
            self.broken = broken;
            self.end_program()?;
        } else if let Some(running) = &mut self.running {
            running.ready = true;
        }
        let after = self.used();
        self.budget
            .forgive(after.0.saturating_sub(before.0), after.1.saturating_sub(before.1));
        Ok(())
    }

    pub(super) fn end_program(&mut self) -> Result<(), Trouble> {
        if let Some(running) = self.running.take() {
            let outcome = running.side.end(false)?;
            self.note(&outcome);
        }
        Ok(())
    }

    pub(super) fn note(&mut self, outcome: &Outcome) {
        self.spent += outcome.usage.cpu;
        self.peak_memory = self.peak_memory.max(outcome.usage.peak_memory);
        self.isolation = outcome.isolation.clone();
    }

    pub(super) fn start_tests(&self) -> Result<Side, Trouble> {
        let mut limits = sandbox_limits(self.limits, LIFETIME);
        limits.memory = limits.memory.saturating_mul(2).max(TESTS_MEMORY);
        let python = self.bench.python()?;
        let mut command = python.interpreter.bare_command();
        if self.is_together {
            // What the tests themselves need comes on top of what the program may use.
            limits = sandbox_limits(self.limits, LIFETIME);
            limits.memory = limits.memory.saturating_add(BESIDE_MEMORY);
            limits.processes = limits.processes.saturating_add(BESIDE_PROCESSES);
            command.file(PROGRAM_FILE, self.program.source.as_bytes());
        }
        command.limits(limits);
        Ok(Side::start(
            python,
            command,
            &python.drivers.tests,
            LARGEST_FROM_TESTS,
        )?)
    }

    pub(super) fn tell_tests(&self, message: &ToTests<'_>) -> Result<(), Trouble> {
        let tests = self
            .tests
            .as_ref()
            .ok_or_else(|| Trouble("no tests' side".to_owned()))?;
        // If it doesn't listen, that shows when its next message is waited for.
        let _ = tests.send(message, || self.limit());
        Ok(())
    }

    pub(super) fn hear_tests(&self) -> Result<Vec<u8>, Silence<()>> {
        self.tests
            .as_ref()
            .ok_or(Silence::Closed)?
            .receive(|| self.limit())
    }

    pub(super) fn end_tests(&mut self, by_itself: bool) -> Result<Option<Outcome>, Trouble> {
        let Some(tests) = self.tests.take() else {
            return Ok(None);
        };
        let outcome = tests.end(by_itself)?;
        if self.isolation.layers.is_empty() {
            self.isolation = outcome.isolation.clone();
        }
        Ok(Some(outcome))
    }

    pub(super) fn begin(&mut self) {
        let (program, tests) = (self.program_cpu(), self.tests_cpu());
        self.budget.begin(program, tests, Instant::now());
    }

    pub(super) fn program_cpu(&self) -> Duration {
        self.spent
            + self
                .running
                .as_ref()
                .map_or(Duration::ZERO, |running| running.side.cpu_time())
    }

    pub(super) fn tests_cpu(&self) -> Duration {
        self.tests.as_ref().map_or(Duration::ZERO, Side::cpu_time)
    }

    /// CPU time of the program and wall time since the assertion began. In one sandbox the tests' time is in it.
    pub(super) fn used(&self) -> (Duration, Duration) {
        if self.is_together {
            self.budget.used_by_tests(self.tests_cpu())
        } else {
            self.budget.used(self.program_cpu())
        }
    }

    pub(super) fn is_over_budget(&self) -> bool {
        self.budget.is_over_both(self.program_cpu(), self.tests_cpu())
    }

    pub(super) fn limit(&self) -> Option<()> {
        self.is_over_budget().then_some(())
    }
}
