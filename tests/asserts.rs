//! Every assertion is a result of its own, with its input, what was expected, and what came.

mod judged;

use judged::{check, judge, limits, script, script_with, verdicts};
use redraft::task::{Limits, Report, ScriptForm, Verdict};

const DOUBLE: &str = "def double(n):\n    return n * 2 if n != 3 else 7\n";

fn field<'a>(report: &'a Report, name: &str) -> &'a redraft::task::TestResult {
    report
        .results
        .iter()
        .find(|result| result.name == name)
        .unwrap_or_else(|| panic!("no {name} in {:#?}", report.results))
}

#[test]
fn one_failure_doesnt_hide_the_next() {
    let code = "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(3) == 6, 'three'\n    \
                assert 8 == candidate(4)\n    assert abs(candidate(5) - 10) < 1e-9\n    assert not candidate(6)\n";
    let report = check(&judge(), DOUBLE, code, "double");
    let verdicts: Vec<_> = report
        .results
        .iter()
        .map(|result| result.verdict.name())
        .collect();
    assert_eq!(
        verdicts,
        ["passed", "wrong_answer", "passed", "passed", "wrong_answer"]
    );
    assert_eq!(
        (report.passed, report.total, report.verdict),
        (3, 5, Verdict::WrongAnswer)
    );

    let three = field(&report, "t:3");
    assert_eq!(three.input, "double(3)");
    assert_eq!(
        (three.expected.as_str(), three.actual.as_deref()),
        ("6", Some("7"))
    );
    assert_eq!(three.error.as_deref(), Some("three"));
    let four = field(&report, "t:4");
    assert_eq!(
        (
            four.input.as_str(),
            four.expected.as_str(),
            four.actual.as_deref()
        ),
        ("double(4)", "8", Some("8"))
    );
    let five = field(&report, "t:5");
    assert_eq!(five.expected, "abs(double(5) - 10) < 1e-09");
    assert_eq!(five.actual.as_deref(), Some("10"));
    let six = field(&report, "t:6");
    assert_eq!(
        (six.expected.as_str(), six.actual.as_deref()),
        ("not double(6)", Some("12"))
    );
}

#[test]
fn assertions_are_normalised() {
    let assertions = |code: &str, entry: Option<&str>| -> Vec<String> {
        let report = script_with(&judge(), DOUBLE, code, ScriptForm::Asserts, entry, &limits());
        report
            .results
            .into_iter()
            .filter_map(|result| result.assertion)
            .collect()
    };
    let visible = assertions(
        "assert double( 1 )==2\nassert (4 == double(2))\nassert double(2) == 4.0",
        Some("double"),
    );
    assert_eq!(
        visible,
        ["candidate(1) == 2", "candidate(2) == 4", "candidate(2) == 4.0"]
    );
    let code = "def check(candidate):\n    assert candidate(1) == 2, 'message'\n";
    let hidden = check(&judge(), DOUBLE, code, "double").results;
    assert_eq!(hidden[0].assertion.as_deref(), Some("candidate(1) == 2"));
}

#[test]
fn loops_helpers_and_two_on_a_line() {
    let code = "def slow(n):\n    return n + n\nfor n in range(1, 5):\n    got, want = double(n), slow(n)\n    \
                assert got == want, f'double({n}) = {got}, want {want}'\nassert double(1) == 2; assert double(2) == 5\n";
    let report = script(&judge(), DOUBLE, code);
    let names: Vec<_> = report.results.iter().map(|result| result.name.as_str()).collect();
    assert_eq!(names, ["t:5", "t:5#2", "t:5#3", "t:5#4", "t:6", "t:6.2"]);
    let third = field(&report, "t:5#3");
    assert_eq!(third.error.as_deref(), Some("double(3) = 7, want 6"));
    assert_eq!(
        (third.input.as_str(), third.expected.as_str()),
        ("double(3)", "6")
    );
    assert_eq!(report.passed, 4);
}

#[test]
fn operands_are_evaluated_once_and_in_order() {
    let program = "calls = []\ndef f(x):\n    calls.append(x)\n    return x\n";
    let code = "assert 2 == f(2)\nassert f(1) < f(3) < f(5)\nassert f(4) in [f(4)]\nassert calls == [2, 1, 3, 5, 4, 4]";
    assert_eq!(verdicts(program, code), [Verdict::Passed; 4]);
}

#[test]
fn what_raises_fails_alone_and_what_isnt_reached_fails_too() {
    let program = "def f(x):\n    return 10 // x\n";
    let report = script(
        &judge(),
        program,
        "assert f(0) == 1\nassert f(5) == 2\ny = f(0)\nassert f(2) == 5\nassert f(1) == 10",
    );
    let told: Vec<_> = report
        .results
        .iter()
        .map(|result| (result.verdict, result.error.clone().unwrap_or_default()))
        .collect();
    assert_eq!(told[0].0, Verdict::RuntimeError);
    assert_eq!(
        told[0].1,
        "ZeroDivisionError: integer division or modulo by zero\n  line 2, in f"
    );
    assert_eq!(told[1].0, Verdict::Passed);
    assert!(
        told[2].1.starts_with("not run: line 3 raised ZeroDivisionError"),
        "{told:?}"
    );
    assert_eq!(told.len(), 4);
    let last = script(&judge(), program, "assert f(5) == 2\nf(0)");
    assert_eq!(
        (last.passed, last.total, last.verdict),
        (1, 2, Verdict::RuntimeError)
    );
}

#[test]
fn tests_that_expect_an_exception() {
    let program = "def f(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x\n";
    let good = "try:\n    f(-1)\n    assert False, 'no error'\nexcept ValueError as e:\n    assert 'neg' in str(e)\n";
    assert_eq!(verdicts(program, good), [Verdict::Passed; 2]);
    let only = "try:\n    f(-1)\n    assert False\nexcept ValueError:\n    pass\n";
    assert_eq!(verdicts(program, only), [Verdict::Passed]);
    let other = "try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    assert False\n";
    assert_eq!(verdicts(program, other), [Verdict::Passed]);
    let none = "try:\n    f(1)\n    assert False\nexcept ValueError:\n    pass\n";
    assert_eq!(verdicts(program, none), [Verdict::WrongAnswer]);
    let either = "try:\n    assert f(1) == 2\nexcept AssertionError:\n    assert f(1) == 1\n";
    assert_eq!(verdicts(program, either), [Verdict::Passed]);
    let neither = "try:\n    assert f(1) == 2\nexcept AssertionError:\n    assert f(1) == 3\n";
    assert_eq!(verdicts(program, neither), [Verdict::WrongAnswer]);
}

#[test]
fn a_program_that_dies_is_no_exception() {
    for dies in [
        "import os\nos._exit(0)",
        "import os\ndef f(x):\n    os._exit(0)",
        "def f(x:\n",
    ] {
        let caught = "try:\n    f(-1)\n    assert False\nexcept BaseException:\n    pass\n";
        let report = script(&judge(), dies, caught);
        assert_eq!(report.passed, 0, "{:#?}", report.results);
        let bare = "try:\n    f(-1)\n    assert False\nexcept:\n    pass\n";
        assert_eq!(script(&judge(), dies, bare).passed, 0);
    }
}

#[test]
fn nothing_tested_is_never_a_pass() {
    for code in [
        "",
        "double(1)",
        "assert True",
        "assert 1 == 1",
        "for x in []:\n    assert double(x) == 1",
        "def test():\n    assert double(1) == 2",
        "import nothing_of_that_name\nassert double(1) == 2",
        "assert double(1) ==",
    ] {
        let report = script(&judge(), DOUBLE, code);
        assert_eq!(
            report.verdict,
            Verdict::HarnessError,
            "{code}: {:#?}",
            report.results
        );
    }
    let empty = judge().test(&redraft::task::Program::python(DOUBLE), &[], &Limits::default());
    assert_eq!(empty.verdict, Verdict::HarnessError);
}

#[test]
fn builtin_names_are_the_tests_own_unless_they_are_the_entry() {
    let lies = "def abs(x):\n    return 0\ndef sum(a, b=0):\n    return a + b\ndef f(x):\n    return 1\n";
    assert_eq!(
        verdicts(lies, "assert abs(f(4) - 10) < 1e-9"),
        [Verdict::WrongAnswer]
    );
    assert_eq!(verdicts(lies, "assert sum(1, 2) == 3"), [Verdict::Passed]);
    // Nor does Python's own stand in for a function that the program should have had.
    assert_eq!(
        verdicts("def f(x):\n    return 1\n", "assert sum([1, 2]) == 3"),
        [Verdict::RuntimeError]
    );
    let code = "def check(candidate):\n    assert candidate([1, 2]) == 3\n    assert sum([1, 2]) == 3\n";
    assert_eq!(check(&judge(), "x = 1\n", code, "sum").passed, 0);
    let code = "def check(candidate):\n    assert sum(1, 2) == 3\n    assert candidate(1) == 1\ncheck(sum)\n";
    let report = check(&judge(), lies, code, "sum");
    assert_eq!(report.verdict, Verdict::Passed, "{:#?}", report.results);
}

#[test]
fn a_function_named_check() {
    let program = "def rev(n):\n    return int(str(n)[::-1])\ndef check(n):\n    return n == rev(n)\n";
    let code = "def check(candidate):\n    assert check(11) == True\n    assert check(12) == False\n";
    for (call, entry) in [
        ("check(check)\n", "check"),
        ("check(rev)\n", "rev"),
        ("", "check"),
    ] {
        let report = check(&judge(), program, &format!("{code}{call}"), entry);
        assert_eq!(
            (report.verdict, report.passed),
            (Verdict::Passed, 2),
            "{:#?}",
            report.results
        );
    }
}

#[test]
fn a_hang_is_timed_out_and_the_next_gets_a_fresh_program() {
    let program = "def f(x):\n    while x == 2:\n        pass\n    return x\n\ndef endless():\n    while True:\n        yield 1\n";
    let short = Limits {
        cpu_ms: 700,
        wall_ms: 60_000,
        ..Limits::default()
    };
    let code = "assert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3\nassert list(endless()) == []\nassert f(4) == 4\n";
    let report = script_with(&judge(), program, code, ScriptForm::Asserts, None, &short);
    let verdicts: Vec<_> = report
        .results
        .iter()
        .map(|result| result.verdict.name())
        .collect();
    assert_eq!(
        verdicts,
        ["passed", "timed_out", "passed", "timed_out", "passed"],
        "{:#?}",
        report.results
    );
    assert_eq!(report.results[1].error.as_deref(), Some("timed out"));
    assert_eq!(report.results[1].actual, None);
}

#[test]
fn a_sleeper_is_ended_by_the_clock() {
    let program = "import time\ndef f(x):\n    time.sleep(x)\n    return x\n";
    let short = Limits {
        wall_ms: 1_500,
        ..Limits::default()
    };
    let report = script_with(
        &judge(),
        program,
        "assert f(60) == 60\nassert f(0) == 0",
        ScriptForm::Asserts,
        None,
        &short,
    );
    assert_eq!(report.results[0].verdict, Verdict::TimedOut);
    assert_eq!(
        report.results[1].verdict,
        Verdict::Passed,
        "{:#?}",
        report.results
    );
}

#[test]
fn a_test_that_hangs_by_itself_is_cut_and_the_rest_goes_on() {
    let program = "def f(x):\n    return x\n";
    let short = Limits {
        cpu_ms: 700,
        wall_ms: 60_000,
        ..Limits::default()
    };
    let code = "def wait(x):\n    while x:\n        pass\n    return x\nassert f(1) == 1\nassert wait(f(1)) == 0\nassert f(2) == 2\n";
    let report = script_with(&judge(), program, code, ScriptForm::Asserts, None, &short);
    let verdicts: Vec<_> = report
        .results
        .iter()
        .map(|result| result.verdict.name())
        .collect();
    assert_eq!(
        verdicts,
        ["passed", "timed_out", "passed"],
        "{:#?}",
        report.results
    );
}

#[test]
fn a_program_that_ends_is_a_runtime_error_each_time() {
    let program = "import os, sys\ndef f(x):\n    if x == 1:\n        os._exit(0)\n    if x == 2:\n        sys.exit('bye')\n    \
                   if x == 3:\n        os.abort()\n    return x\n";
    let report = script(
        &judge(),
        program,
        "assert f(0) == 0\nassert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3\nassert f(4) == 4",
    );
    let told: Vec<_> = report
        .results
        .iter()
        .map(|result| (result.verdict.name(), result.error.clone().unwrap_or_default()))
        .collect();
    assert_eq!((told[0].0, told[4].0), ("passed", "passed"), "{told:?}");
    assert_eq!(
        told[1],
        (
            "runtime_error",
            "exited before the test finished (status 0)".to_owned()
        )
    );
    assert!(
        told[2]
            .1
            .starts_with("exited before the test finished (SystemExit: bye)"),
        "{told:?}"
    );
    assert_eq!(
        told[3],
        (
            "runtime_error",
            "SIGABRT ended it before the test finished".to_owned()
        )
    );
}

#[test]
fn a_program_that_cant_be_loaded_fails_every_assertion_with_the_reason() {
    let code = "def check(candidate):\n    assert candidate(1) == 1\n    assert candidate(2) == 2\n";
    let cases = [
        ("def f(x)\n    return x\n", Verdict::CompileError, "SyntaxError: "),
        (
            "raise ValueError('no')\n",
            Verdict::RuntimeError,
            "ValueError: no\n  line 1, in <module>",
        ),
        (
            "def g(x):\n    return x\n",
            Verdict::RuntimeError,
            "NameError: name 'f' is not defined",
        ),
        (
            "import sys\nsys.exit(0)\n",
            Verdict::RuntimeError,
            "exited before the test finished (SystemExit: 0",
        ),
    ];
    for (program, verdict, error) in cases {
        let report = check(&judge(), program, code, "f");
        assert_eq!(report.total, 2);
        for result in &report.results {
            assert_eq!(result.verdict, verdict, "{result:#?}");
            assert!(
                result.error.as_deref().unwrap_or_default().starts_with(error),
                "{result:#?}"
            );
            assert!(result.input.starts_with("f("), "{result:#?}");
        }
    }
}

#[test]
fn long_values_lose_their_middle() {
    let report = script(&judge(), "def f():\n    return 'x' * 10000\n", "assert f() == ''");
    let actual = report.results[0].actual.clone().unwrap_or_default();
    assert!(actual.contains(" … 6,002 characters cut … "), "{actual}");
    assert!(actual.starts_with("'xxx") && actual.ends_with("xxx'"));
}

#[test]
fn the_program_finds_itself_as_a_module_of_its_own() {
    let program = "\u{feff}# -*- coding: utf-8 -*-\r\nfrom __future__ import annotations\r\nimport sys, pickle, dataclasses\r\n\
                   if __name__ == '__main__':\r\n    raise SystemExit(1)\r\n@dataclasses.dataclass\r\nclass P:\r\n    x: int\r\n\
                   def f():\r\n    return pickle.loads(pickle.dumps(P(3))).x, __name__, sys.modules[__name__].f is f, sys.stdin.read()\r\n";
    assert_eq!(
        verdicts(program, "assert f() == (3, 'solution', True, '')"),
        [Verdict::Passed]
    );
}

#[test]
fn assertions_inside_assertions() {
    let program = "def f(x):\n    if x < 0:\n        raise TypeError(x)\n    return x\ndef call(g, x):\n    return g(x)\n";
    // One inside a helper with a `try` of its own, while another is evaluated.
    let code = "def helper(x):\n    try:\n        assert f(x) == x\n    except ValueError:\n        pass\n    return True\n\
                assert helper(1)\nassert helper(-1)\nassert f(2) == 2\n";
    let report = script(&judge(), program, code);
    let found: Vec<_> = report
        .results
        .iter()
        .map(|result| (result.name.as_str(), result.verdict.name()))
        .collect();
    let expected = [
        ("t:3", "passed"),
        ("t:7", "passed"),
        ("t:8", "runtime_error"),
        ("t:9", "passed"),
    ];
    assert_eq!(found.len(), 4, "{found:?}");
    for each in expected {
        assert!(found.contains(&each), "{found:?}");
    }
    let callback =
        "def g(x):\n    assert x == 3\n    return f(x)\nassert call(g, 3) == 3\nassert call(g, 4) == 4\n";
    let found = verdicts(program, callback);
    assert_eq!(
        found,
        [
            Verdict::Passed,
            Verdict::Passed,
            Verdict::WrongAnswer,
            Verdict::Passed
        ]
    );
    let swallowed = "def risky(x):\n    try:\n        assert f(x) == x\n    except KeyError:\n        pass\n\
                     try:\n    risky(-1)\nexcept TypeError:\n    pass\nassert f(1) == 1\n";
    assert_eq!(verdicts(program, swallowed), [Verdict::Passed]);
    let concurrent = "import asyncio\nasync def one(x):\n    await asyncio.sleep(0)\n    assert f(await two(x)) == x % 2\n\
                      async def two(x):\n    await asyncio.sleep(0)\n    return x\n\
                      async def main():\n    await asyncio.gather(*map(one, range(3)))\nasyncio.run(main())\n";
    assert_eq!(
        verdicts(program, concurrent),
        [Verdict::Passed, Verdict::Passed, Verdict::WrongAnswer]
    );
}
