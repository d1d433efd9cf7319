//! A framework's file: run, and run again behind a test that ended one of the two processes.

use super::log::Log;
use super::message::{Beside, ToTests};
use super::session::{Finish, Session};
use super::{Bench, MOST_CUTS, Trouble};
use crate::task::{Mode, ScriptForm, TestResult, Verdict};

/// After so many tests that used up a limit, the rest is not run.
const MOST_LIMITS: usize = 3;

/// A framework's file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suite<'a> {
    pub(crate) name: &'a str,
    pub(crate) code: &'a str,
    pub(crate) form: ScriptForm,
    pub(crate) mode: Mode,
}

/// Runs it; each of its tests is a result. `None` when it can't be kept apart from the program.
pub(crate) fn run(
    bench: &Bench,
    session: &mut Session<'_>,
    suite: Suite<'_>,
) -> Result<Option<Vec<TestResult>>, Trouble> {
    let mut log = Log::new(suite.name, suite.mode);
    let stop = bench.options.stop_at_failure;
    let beside = match suite.mode {
        Mode::Split => None,
        Mode::Shared => Some(Beside::new(bench)?),
    };
    let modules = bench.options.modules();
    for round in 0..MOST_CUTS {
        let planned = log.lines();
        let before = log.started();
        let request = ToTests::Suite {
            driver: bench.python()?.drivers.suites().map_err(Trouble)?,
            code: suite.code,
            form: suite.form,
            skip: before,
            stop,
            modules: &modules,
            beside,
        };
        let error = match session.carry_out(&request, &mut log)? {
            Finish::Reaches => return Ok(None),
            Finish::Done(None) => None,
            Finish::Done(Some(problem)) => {
                let result = TestResult {
                    mode: suite.mode,
                    ..TestResult::harness_error(suite.name, problem)
                };
                return Ok(Some(vec![result]));
            }
            Finish::Cut(_, error) if !log.is_begun() => return Err(Trouble(error)),
            Finish::Cut(verdict, error) => {
                if !log.cut(verdict, &error) {
                    log.abandon(verdict, &format!("not run: {error}"));
                    break;
                }
                Some(error)
            }
        };
        if round > 0 && !log.is_same_plan(&planned) {
            let why = "the tests are not the same each time that they are loaded";
            return Ok(Some(vec![TestResult::harness_error(suite.name, why)]));
        }
        if log.missing() == 0 || (stop && log.count(|verdict| !verdict.passed()) > 0) {
            break;
        }
        if log.count(is_limit) >= MOST_LIMITS {
            let why = format!("not run: {MOST_LIMITS} tests before it used up a limit");
            log.abandon(Verdict::TimedOut, &why);
            break;
        }
        if log.started() == before {
            let why = error.unwrap_or_else(|| "the tests ended before it".to_owned());
            log.abandon(Verdict::RuntimeError, &format!("not run: {why}"));
            break;
        }
    }
    if !stop && log.missing() > 0 {
        let why = "not run: the program ended too often before it";
        log.abandon(Verdict::RuntimeError, why);
    }
    Ok(Some(log.into_suite()))
}

fn is_limit(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::TimedOut | Verdict::MemoryLimit | Verdict::OutputLimit
    )
}
