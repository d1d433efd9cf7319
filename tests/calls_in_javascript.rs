//! Calls of programs in JavaScript and TypeScript: split, so that what is right is never in the program's process.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::sync::LazyLock;

use judged::missing;
use redraft::judge::Judge;
use redraft::task::{Compare, Language, Limits, Mode, Program, Test, TestKind, TestResult, Verdict};
use serde_json::{Value, json};

static JUDGE: LazyLock<Judge> = LazyLock::new(judged::judge);

#[expect(clippy::needless_pass_by_value, reason = "so that the cases below read well")]
fn call(language: &str, source: &str, entry: &str, args: Value, expected: Value) -> TestResult {
    let kind = TestKind::Call {
        entry: entry.to_owned(),
        args: args.as_array().unwrap().clone(),
        expected,
        compare: Compare::default(),
    };
    let test = Test {
        name: "t".to_owned(),
        kind,
    };
    let limits = Limits {
        cpu_ms: 3_000,
        ..judged::limits()
    };
    let program = Program::new(Language::named(language).unwrap(), source);
    JUDGE
        .test(&program, &[test], &limits)
        .results
        .into_iter()
        .next()
        .unwrap()
}

/// `None` where Node is missing.
fn verdict(source: &str, expected: Value) -> Option<Verdict> {
    let result = call("javascript", source, "f", json!([[1, 2], {"a": "b"}]), expected);
    assert_eq!(result.mode, Mode::Split);
    (!missing(&result)).then_some(result.verdict)
}

#[test]
fn values_cross() {
    for (source, expected) in [
        (
            "const f = (list, object) => [list.length, object.a, null, true, 1.5, { x: [] }];",
            json!([2, "b", null, true, 1.5, {"x": []}]),
        ),
        (
            "function f(list) { return list.map(x => x * 2); }\nmodule.exports = { f };",
            json!([2, 4]),
        ),
        (
            "export async function f() { await null; return 'later'; }",
            json!("later"),
        ),
        ("module.exports.f = () => 3;", json!(3)),
        (
            "f = () => 12345678901234567890n;",
            json!({"$int": "12345678901234567890"}),
        ),
        (
            "function f() { console.log('talk'); process.stderr.write('more'); return -0; }",
            json!(0),
        ),
    ] {
        let verdict = verdict(source, expected);
        assert!(verdict.is_none_or(Verdict::passed), "{source}: {verdict:?}");
    }
}

#[test]
fn classes_and_types() {
    let class = "class Solution { constructor() { this.n = 1; } add(a, b) { return a + b + this.n; } }";
    let result = call("javascript", class, "Solution.add", json!([1, 2]), json!(4));
    assert!(missing(&result) || result.verdict.passed(), "{result:#?}");
    let typed = "export function f(a: number[], b: { a: string }): string { return b.a + a.length; }";
    let result = call("typescript", typed, "f", json!([[1, 2], {"a": "b"}]), json!("b2"));
    assert!(missing(&result) || result.verdict.passed(), "{result:#?}");
    let result = call(
        "typescript",
        "const f = (): number => 'x';",
        "f",
        json!([]),
        json!(1),
    );
    assert!(
        missing(&result) || result.verdict == Verdict::CompileError,
        "{result:#?}"
    );
}

#[test]
fn wrong_answers_say_what_came() {
    let result = call(
        "javascript",
        "const f = (a) => new Map([[1, a]]);",
        "f",
        json!([2]),
        json!({"1": 2}),
    );
    if missing(&result) {
        return;
    }
    assert_eq!(result.verdict, Verdict::WrongAnswer);
    assert_eq!(
        (result.input.as_str(), result.expected.as_str()),
        ("f(2)", "{\"1\":2}")
    );
    assert_eq!(result.actual.as_deref(), Some("Map(1) { 1 => 2 }"));
}

/// No lie about equality, no early end and no forged answer to nothing makes a wrong program pass.
#[test]
fn nothing_else_passes() {
    let expected = json!([1, 2, 3]);
    for (source, wanted) in [
        (
            "const f = () => ({ valueOf: () => 1, toJSON: () => [1, 2, 3], length: 3, 0: 1, 1: 2, 2: 3 });",
            Verdict::WrongAnswer,
        ),
        (
            "class A extends Array { equals() { return true; } }\nconst f = () => A.from([1, 2]);",
            Verdict::WrongAnswer,
        ),
        (
            "JSON.stringify = () => '{\"value\":[1,2,3],\"shown\":\"\"}'; const f = () => 5;",
            Verdict::WrongAnswer,
        ),
        ("const f = () => undefined;", Verdict::WrongAnswer),
        ("process.exit(0);", Verdict::RuntimeError),
        ("const f = () => process.reallyExit(0);", Verdict::RuntimeError),
        (
            "const f = () => { throw new TypeError('boom'); };",
            Verdict::RuntimeError,
        ),
        ("const f = async () => { throw 'boom'; };", Verdict::RuntimeError),
        ("const f = () => new Promise(() => {});", Verdict::RuntimeError),
        ("const g = 1;", Verdict::RuntimeError),
        ("const f = ( => 1;", Verdict::CompileError),
        ("const f = () => { for (;;) ; };", Verdict::TimedOut),
        (
            "require('fs').writeSync(3, 'garbage that is no frame'); const f = () => 5;",
            Verdict::OutputLimit,
        ),
        (
            "const a = []; a.push(a); const f = () => a;",
            Verdict::WrongAnswer,
        ),
    ] {
        let verdict = verdict(source, expected.clone());
        assert!(
            verdict.is_none_or(|verdict| verdict == wanted),
            "{source}: {verdict:?}"
        );
    }
}
