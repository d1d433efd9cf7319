//! Test code: kept apart from the program if it can be, and in one sandbox with it if it reaches into it.

use super::log::Log;
use super::message::{Beside, ToTests};
use super::session::{Finish, Session};
use super::suite::{self, Suite};
use super::{Bench, MOST_CUTS, Trouble};
use crate::language::python::reaches_in;
use crate::task::{Mode, ScriptForm, TestResult, Verdict};

/// Test code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script<'a> {
    pub(crate) name: &'a str,
    pub(crate) code: &'a str,
    pub(crate) form: ScriptForm,
    pub(crate) entry: Option<&'a str>,
}

/// Runs it; each of its assertions or tests is a result.
pub(crate) fn run(
    bench: &Bench,
    session: &mut Session<'_>,
    script: Script<'_>,
) -> Result<Vec<TestResult>, Trouble> {
    // What the source doesn't show may show when it runs.
    if !reaches_in(script.code, script.form, &bench.options.modules())
        && let Some(results) = run_in(bench, session, script, Mode::Split)?
    {
        return Ok(results);
    }
    run_in(bench, session, script, Mode::Shared)?
        .ok_or_else(|| Trouble("the tests can't be in one sandbox with the program either".to_owned()))
}

fn run_in(
    bench: &Bench,
    session: &mut Session<'_>,
    script: Script<'_>,
    mode: Mode,
) -> Result<Option<Vec<TestResult>>, Trouble> {
    match script.form {
        ScriptForm::Asserts | ScriptForm::Check => assertions(bench, session, script, mode),
        ScriptForm::Unittest | ScriptForm::Pytest | ScriptForm::Doctest => {
            let Script { name, code, form, .. } = script;
            let suite = Suite {
                name,
                code,
                form,
                mode,
            };
            suite::run(bench, session, suite)
        }
    }
}

fn assertions(
    bench: &Bench,
    session: &mut Session<'_>,
    script: Script<'_>,
    mode: Mode,
) -> Result<Option<Vec<TestResult>>, Trouble> {
    let mut log = Log::new(script.name, mode);
    let beside = match mode {
        Mode::Split => None,
        Mode::Shared => Some(Beside::new(bench)?),
    };
    let modules = bench.options.modules();
    for _ in 0..MOST_CUTS {
        let request = ToTests::Script {
            code: script.code,
            form: script.form,
            entry: script.entry,
            skip: log.started(),
            stop: bench.options.stop_at_failure,
            modules: &modules,
            beside,
        };
        match session.carry_out(&request, &mut log)? {
            Finish::Reaches => return Ok(None),
            Finish::Done(None) => return Ok(Some(log.into_results())),
            Finish::Done(Some(problem)) => {
                let mut results = log.into_results();
                results.retain(|result| result.verdict != Verdict::HarnessError);
                results.push(TestResult::harness_error(script.name, problem));
                return Ok(Some(results));
            }
            Finish::Cut(_, error) if !log.is_begun() => return Err(Trouble(error)),
            Finish::Cut(verdict, error) => {
                if !log.cut(verdict, &error) {
                    log.abandon(verdict, &format!("not run: {error}"));
                    return Ok(Some(log.into_results()));
                }
                if bench.options.stop_at_failure {
                    return Ok(Some(log.into_results()));
                }
            }
        }
    }
    log.abandon(Verdict::TimedOut, "not run: the tests were cut off too often");
    Ok(Some(log.into_results()))
}
