//! A whole program, fed on stdin, with its output compared on our side.

use redraft_sandbox::Isolation;

use super::outcome::sandbox_limits;
use super::text::{cut, same};
use super::{Bench, Trouble, whole};
use crate::task::{Compare, Limits, Program, TestResult, Verdict};

/// A stdin/stdout pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) name: &'a str,
    pub(crate) stdin: &'a str,
    pub(crate) expected: &'a str,
    pub(crate) compare: Compare,
}

/// Runs `program` on one input.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    pair: Pair<'_>,
    limits: &Limits,
) -> Result<(TestResult, Isolation), Trouble> {
    let outcome = whole::command(bench, program)?
        .stdin(pair.stdin.as_bytes())
        .limits(sandbox_limits(limits, 1))
        .run()?;
    let (verdict, error) = match whole::failure(&outcome)? {
        Some((verdict, error)) => (verdict, Some(error)),
        None if same(&outcome.stdout.bytes, pair.expected, pair.compare) => (Verdict::Passed, None),
        None => (Verdict::WrongAnswer, None),
    };
    let result = TestResult {
        input: cut(pair.stdin),
        expected: cut(pair.expected),
        ..whole::result(pair.name, &outcome, verdict, error)
    };
    Ok((result, outcome.isolation))
}
