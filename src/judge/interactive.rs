//! A program that converses with another one: each in its own sandbox, what they say goes through us.

use std::io::{PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use redraft_sandbox::{Child, Command, Isolation};

use super::checker::{ANSWER, INPUT, helper, verdict};
use super::outcome::{milliseconds, sandbox_limits};
use super::text::cut;
use super::{Bench, Trouble, whole};
use crate::task::{Limits, Program, TestResult, Verdict};

/// How often it is looked at whether one of the two has ended.
const TICK: Duration = Duration::from_millis(1);
/// How long the talker may take to see that the program is gone.
const LAST_WORD: Duration = Duration::from_secs(10);
/// As much of what is said is kept for the reader.
const KEPT: usize = 64 << 10;

/// A conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversation<'a> {
    pub(crate) name: &'a str,
    pub(crate) input: &'a str,
    pub(crate) answer: &'a str,
    pub(crate) talker: &'a Program,
}

/// Lets `program` and talker converse.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    test: Conversation<'_>,
    limits: &Limits,
) -> Result<(TestResult, Isolation), Trouble> {
    let isolation = || bench.isolation.clone();
    let shown = |result: TestResult| TestResult {
        input: if test.input.is_empty() {
            "a conversation".to_owned()
        } else {
            cut(test.input)
        },
        expected: "what the talker accepts".to_owned(),
        ..result
    };
    let prepared = match whole::prepare(bench, program, limits)? {
        Ok(prepared) => prepared,
        Err(diagnostics) => {
            let result = TestResult {
                error: Some(diagnostics),
                ..TestResult::new(test.name, Verdict::CompileError)
            };
            return Ok((shown(result), isolation()));
        }
    };
    let command = prepared.command_with(&sandbox_limits(limits, 1), bench.options.common_imports);
    let mut talker = match helper(bench, "the talker", test.talker, limits)? {
        Ok(talker) => talker,
        Err(why) => return Ok((TestResult::harness_error(test.name, why), isolation())),
    };
    talker
        .arg(INPUT)
        .arg(ANSWER)
        .file(INPUT, test.input.as_bytes())
        .file(ANSWER, test.answer.as_bytes());

    let said = Said::default();
    let (outcome, talked) = converse(command, talker, &said, limits)?;
    let failure = if said.is_too_much(limits) {
        Some((Verdict::OutputLimit, "output limit exceeded".to_owned()))
    } else {
        whole::failure(bench, program, &prepared, &outcome)?
    };
    let judged = verdict("the talker", &talked.end, talked.stderr.text().trim());
    let judged = match (failure, judged) {
        // It had said no, or failed, before the program met its end, which may come of that.
        (_, judged) if said.first_silent() == Some(Who::Talker) && !judged.0.passed() => judged,
        (Some((verdict, error)), _) => (verdict, Some(error)),
        (None, judged) => judged,
    };
    let result = TestResult {
        actual: Some(cut(&said.text())),
        error: judged.1,
        cpu_ms: milliseconds(outcome.usage.cpu),
        wall_ms: milliseconds(outcome.usage.wall),
        memory_bytes: outcome.usage.peak_memory,
        stderr: cut(&outcome.stderr.shown()),
        ..TestResult::new(test.name, judged.0)
    };
    Ok((shown(result), outcome.isolation))
}

type Outcomes = (redraft_sandbox::Outcome, redraft_sandbox::Outcome);

/// Starts both, carries what they say from one to the other, and waits for their ends.
fn converse(
    mut program: Command,
    mut talker: Command,
    said: &Said,
    limits: &Limits,
) -> Result<Outcomes, Trouble> {
    let failed = |error: std::io::Error| Trouble(format!("making the pipes of a conversation: {error}"));
    let (to_program, from_talker) = (pipe().map_err(failed)?, pipe().map_err(failed)?);
    let (to_talker, from_program) = (pipe().map_err(failed)?, pipe().map_err(failed)?);
    program
        .stdin_from(OwnedFd::from(to_program.0))
        .stdout_to(OwnedFd::from(from_program.1));
    talker
        .stdin_from(OwnedFd::from(to_talker.0))
        .stdout_to(OwnedFd::from(from_talker.1));
    let (program, talker) = {
        let talking = talker.spawn()?;
        let running = program.spawn()?;
        // Nobody else holds their ends from here on.
        drop((program, talker));
        (running, talking)
    };
    std::thread::scope(|scope| {
        scope.spawn(|| carry(from_program.0, to_talker.1, said, Who::Program));
        scope.spawn(|| carry(from_talker.0, to_program.1, said, Who::Talker));
        wait(&program, &talker, said, limits);
        Ok((program.wait()?, talker.wait()?))
    })
}

/// Until both are over.
fn wait(program: &Child, talker: &Child, said: &Said, limits: &Limits) {
    let mut alone_since = None;
    loop {
        match (program.is_over(), talker.is_over()) {
            (true, true) => return,
            (true, false) if alone_since.get_or_insert_with(Instant::now).elapsed() > LAST_WORD => {
                talker.kill();
            }
            _ => {}
        }
        if said.is_too_much(limits) {
            program.kill();
        }
        std::thread::sleep(TICK);
    }
}

/// Carries what one says to the other, until the speaker is gone.
fn carry(mut from: PipeReader, mut to: PipeWriter, said: &Said, speaker: Who) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
            Ok(count) => {
                said.note(speaker, &buffer[..count]);
                // Whoever is gone hears nothing; the other one may go on for as long as its limits allow.
                let _ = to.write_all(&buffer[..count]);
            }
        }
    }
    // Noted before the other one can hear of it (its stdin closes behind this), and end of that.
    said.falls_silent(speaker);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Program,
    Talker,
}

/// What was said, in its order.
#[derive(Debug, Default)]
struct Said {
    turns: Mutex<Vec<(Who, Vec<u8>)>>,
    by_program: AtomicU64,
    first_silent: OnceLock<Who>,
}

impl Said {
    fn note(&self, who: Who, bytes: &[u8]) {
        if who == Who::Program {
            self.by_program.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        let mut turns = self
            .turns
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let kept: usize = turns.iter().map(|(_, said)| said.len()).sum();
        let bytes = &bytes[..bytes.len().min(KEPT.saturating_sub(kept))];
        match turns.last_mut() {
            Some((last, said)) if *last == who => said.extend_from_slice(bytes),
            _ => turns.push((who, bytes.to_vec())),
        }
    }

    fn falls_silent(&self, who: Who) {
        let _ = self.first_silent.set(who);
    }

    /// Who ended its output first. That tells which end came of which, where the moments at which two ends are
    /// noticed tell nothing.
    fn first_silent(&self) -> Option<Who> {
        self.first_silent.get().copied()
    }

    fn is_too_much(&self, limits: &Limits) -> bool {
        self.by_program.load(Ordering::Relaxed) > limits.output_bytes
    }

    /// Each line with who said it.
    fn text(&self) -> String {
        let turns = self
            .turns
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut text = String::new();
        for (who, said) in turns.iter() {
            let mark = match who {
                Who::Program => "program: ",
                Who::Talker => "talker: ",
            };
            for line in String::from_utf8_lossy(said).lines() {
                text.push_str(mark);
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}
