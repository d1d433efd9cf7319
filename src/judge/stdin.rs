//! A whole program, fed on stdin, with its output compared on our side.

use redraft_sandbox::Isolation;

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
    let ran = whole::run(bench, program, limits, |command| {
        command.stdin(pair.stdin.as_bytes());
    })?;
    let judged = match &ran.failure {
        Some((verdict, error)) => (*verdict, Some(error.clone())),
        None if same(ran.stdout(), pair.expected, pair.compare) => (Verdict::Passed, None),
        None => (Verdict::WrongAnswer, None),
    };
    let (result, isolation) = ran.into_result(pair.name, judged);
    let result = TestResult {
        input: cut(pair.stdin),
        expected: cut(pair.expected),
        ..result
    };
    Ok((result, isolation))
}
