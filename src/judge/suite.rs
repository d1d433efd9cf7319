//! A framework's file: run, and run again behind a test that ended one of the two processes.

use super::log::Log;
use super::message::ToTests;
use super::session::{Finish, Session};
use super::{Bench, MOST_CUTS, Trouble};
use crate::task::{ScriptForm, TestResult, Verdict};

/// After so many tests that used up a limit, the rest is not run.
const MOST_LIMITS: usize = 3;

/// A framework's file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suite<'a> {
    pub(crate) name: &'a str,
    pub(crate) code: &'a str,
    pub(crate) form: ScriptForm,
}

/// Runs it; each of its tests is a result.
pub(crate) fn run(
    bench: &Bench,
    session: &mut Session<'_>,
    suite: Suite<'_>,
) -> Result<Vec<TestResult>, Trouble> {
    let mut log = Log::new(suite.name);
    let stop = bench.options.stop_at_failure;
    for round in 0..MOST_CUTS {
        let planned = log.lines();
        let request = ToTests::Suite {
            driver: &bench.drivers.suites,
            code: suite.code,
            form: suite.form,
            skip: log.started(),
            stop,
        };
        let before = log.started();
        let error = match session.carry_out(&request, &mut log)? {
            Finish::Done(None) => None,
            Finish::Done(Some(problem)) => {
                return Ok(vec![TestResult::harness_error(suite.name, problem)]);
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
            return Ok(vec![TestResult::harness_error(suite.name, why)]);
        }
        if log.missing() == 0 || (stop && log.count(|verdict| !verdict.passed()) > 0) {
            break;
        }
        let is_limit = |verdict: Verdict| {
            matches!(
                verdict,
                Verdict::TimedOut | Verdict::MemoryLimit | Verdict::OutputLimit
            )
        };
        if log.count(is_limit) >= MOST_LIMITS {
            log.abandon(
                Verdict::TimedOut,
                &format!("not run: {MOST_LIMITS} tests before it used up a limit"),
            );
            break;
        }
        if log.started() == before {
            let why = error.unwrap_or_else(|| "the tests ended before it".to_owned());
            log.abandon(Verdict::RuntimeError, &format!("not run: {why}"));
            break;
        }
    }
    if !stop && log.missing() > 0 {
        log.abandon(
            Verdict::RuntimeError,
            "not run: the program ended too often before it",
        );
    }
    Ok(log.into_suite())
}
