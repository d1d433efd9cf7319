//! A whole program beside files, and what it leaves.

use std::collections::BTreeMap;

use redraft_sandbox::Isolation;

use super::text::{cut, same};
use super::whole::{self, Ran};
use super::{Bench, Trouble};
use crate::task::{Compare, Limits, Program, TestResult, Verdict};

/// Files before and after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Files<'a> {
    pub(crate) name: &'a str,
    pub(crate) stdin: &'a str,
    pub(crate) before: &'a BTreeMap<String, String>,
    pub(crate) after: &'a BTreeMap<String, String>,
    pub(crate) stdout: Option<&'a str>,
    pub(crate) compare: Compare,
}

/// Runs `program` beside the files.
pub(crate) fn run(
    bench: &Bench,
    program: &Program,
    test: Files<'_>,
    limits: &Limits,
) -> Result<(TestResult, Isolation), Trouble> {
    if test.after.is_empty() && test.stdout.is_none() {
        let why = "it expects neither a file nor an output";
        return Ok((TestResult::harness_error(test.name, why), Isolation::default()));
    }
    let ran = whole::run(bench, program, limits, |command| {
        command.stdin(test.stdin.as_bytes());
        for (path, content) in test.before {
            command.file(path, content.as_bytes());
        }
        for path in test.after.keys() {
            command.keep(path);
        }
    })?;
    let wrong = wrong(test, &ran);
    let judged = match &ran.failure {
        Some((verdict, error)) => (*verdict, Some(error.clone())),
        None if wrong.is_empty() => (Verdict::Passed, None),
        None => (Verdict::WrongAnswer, None),
    };
    let shown = |part: fn(&Difference) -> &str| {
        let parts = wrong
            .iter()
            .map(|difference| format!("{}:\n{}", difference.place, part(difference)));
        cut(&parts.collect::<Vec<_>>().join("\n"))
    };
    let (result, isolation) = ran.into_result(test.name, judged);
    let result = TestResult {
        input: cut(&before(test)),
        expected: shown(|difference| &difference.expected),
        actual: Some(shown(|difference| &difference.actual)),
        ..result
    };
    Ok((result, isolation))
}

/// A place with something else than expected.
struct Difference {
    place: String,
    expected: String,
    actual: String,
}

fn wrong(test: Files<'_>, ran: &Ran) -> Vec<Difference> {
    let mut wrong = Vec::new();
    let mut compare = |place: String, expected: &str, actual: Option<&[u8]>| {
        if actual.is_some_and(|actual| same(actual, expected, test.compare)) {
            return;
        }
        wrong.push(Difference {
            place,
            expected: expected.to_owned(),
            actual: actual.map_or_else(
                || "(not there)".to_owned(),
                |bytes| String::from_utf8_lossy(bytes).into_owned(),
            ),
        });
    };
    if let Some(expected) = test.stdout {
        compare("stdout".to_owned(), expected, Some(ran.stdout()));
    }
    for (path, expected) in test.after {
        compare(path.clone(), expected, ran.file(path));
    }
    wrong
}

/// What the program had before it.
fn before(test: Files<'_>) -> String {
    let mut parts: Vec<String> = test
        .before
        .iter()
        .map(|(path, content)| format!("{path}:\n{content}"))
        .collect();
    if !test.stdin.is_empty() {
        parts.insert(0, format!("stdin:\n{}", test.stdin));
    }
    parts.join("\n")
}
