//! Every language of the table: programs that read stdin get the verdict that they deserve, whatever they are written in.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;
#[path = "languages/samples.rs"]
mod samples;

use std::sync::LazyLock;

use judged::missing;
use redraft::judge::Judge;
use redraft::task::{Compare, Language, Limits, Program, Test, TestKind, TestResult, Verdict};
use samples::Samples;

static JUDGE: LazyLock<Judge> = LazyLock::new(judged::judge);

fn limits() -> Limits {
    Limits {
        cpu_ms: 4_000,
        memory_bytes: 256 << 20,
        ..judged::limits()
    }
}

fn run(language: Language, source: &str, stdin: &str, expected: &str, limits: &Limits) -> TestResult {
    let kind = TestKind::Stdin {
        stdin: stdin.to_owned(),
        expected: expected.to_owned(),
        compare: Compare::Exact,
    };
    let test = Test {
        name: "t".to_owned(),
        kind,
    };
    let report = JUDGE.test(&Program::new(language, source), &[test], limits);
    report.results.into_iter().next().unwrap()
}

fn every_kind(name: &str) {
    let language = Language::named(name).unwrap();
    let samples = Samples::of(name);
    let short = |source: &str, stdin: &str, expected: &str| run(language, source, stdin, expected, &limits());

    let hello = short(samples.hello, "", "hello\n");
    if missing(&hello) {
        return;
    }
    assert_eq!(hello.verdict, Verdict::Passed, "hello: {hello:#?}");
    let other = short(samples.hello, "", "hello");
    assert_eq!(
        other.verdict,
        Verdict::WrongAnswer,
        "one newline more: {other:#?}"
    );

    for stdin in [
        "a line\n",
        "no newline",
        "two\r\nlines\r\n",
        "\n\n ü 漢 🎉\t\n",
        "",
    ] {
        let echo = short(samples.echo, stdin, stdin);
        assert_eq!(echo.verdict, Verdict::Passed, "echo of {stdin:?}: {echo:#?}");
    }
    let much = "0123456789abcde\n".repeat(10 << 16);
    let echo = run(
        language,
        samples.echo,
        &much,
        &much,
        &Limits {
            cpu_ms: 20_000,
            ..limits()
        },
    );
    assert_eq!(
        echo.verdict,
        Verdict::Passed,
        "echo of 10 MiB: {} {:?}",
        echo.verdict,
        echo.error
    );

    let error = short(samples.runtime_error, "", "before\n");
    assert_eq!(error.verdict, Verdict::RuntimeError, "runtime error: {error:#?}");
    assert_eq!(error.actual.as_deref(), Some("before\n"), "{error:#?}");
    let status = short(samples.exit_3, "", "before\n");
    assert_eq!(status.verdict, Verdict::RuntimeError, "exit status: {status:#?}");
    assert!(
        status.error.as_deref().unwrap().starts_with("exit status 3"),
        "{status:#?}"
    );

    let broken = short(samples.compile_error, "", "");
    assert_eq!(
        broken.verdict,
        Verdict::CompileError,
        "compile error: {broken:#?}"
    );
    let words = broken.error.unwrap();
    assert!(
        words.contains("solution") || words.contains("Main"),
        "names the file: {words}"
    );
    let neutral = !words.contains("/root") && (name == "python" || !words.contains("/box"));
    assert!(neutral, "names no folder: {words}");

    let looping = run(
        language,
        samples.endless,
        "",
        "",
        &Limits {
            cpu_ms: 1_000,
            ..limits()
        },
    );
    assert_eq!(looping.verdict, Verdict::TimedOut, "endless loop: {looping:#?}");
    let greedy = run(
        language,
        samples.memory,
        "",
        "",
        &Limits {
            cpu_ms: 60_000,
            ..limits()
        },
    );
    assert_eq!(greedy.verdict, Verdict::MemoryLimit, "memory: {greedy:#?}");

    if let Some(source) = samples.child_left {
        let left = short(source, "", "done\n");
        assert_eq!(
            left.verdict,
            Verdict::Passed,
            "a child that stays behind: {left:#?}"
        );
        assert!(left.wall_ms < 50_000, "nobody waits for it: {left:#?}");
    }
}

macro_rules! languages {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            every_kind(stringify!($name));
        })*
    };
}

languages! { bash c cpp go java javascript lua perl php python ruby rust typescript }
