//! A program may lie in every way that it likes: about what it is, how it is shown, what it raised, what it sent.

mod judged;

use judged::{judge, script, verdicts};
use redraft::task::Verdict;

/// A wrong program: right on 1, and on everything else what `lie` does.
fn wrong(lie: &str) -> String {
    format!("{lie}\ndef f(x):\n    if x == 1:\n        return 1\n    return lie(x)\n")
}

const TESTS: &str = "assert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3\n";

#[test]
fn what_is_raised_is_no_verdict() {
    for (module, name) in [
        ("__main__", "Ended"),
        ("__main__", "Stopped"),
        ("builtins", "Ended"),
        ("__tests__", "Stopped"),
        ("builtins", "AssertionError"),
        ("unittest", "SkipTest"),
        ("unittest.case", "SkipTest"),
    ] {
        let lie = format!(
            "class Lie(BaseException):\n    pass\nLie.__module__, Lie.__name__, Lie.__qualname__ = '{module}', '{name}', '{name}'\n\
             def lie(x):\n    raise Lie('passed', 'passed')\n"
        );
        let found = verdicts(&wrong(&lie), &format!("import unittest\n{TESTS}"));
        assert_eq!(
            found,
            [Verdict::Passed, Verdict::RuntimeError, Verdict::RuntimeError],
            "{module}.{name}"
        );
    }
}

#[test]
fn who_cant_be_shown_still_fails() {
    for shown in [
        "import os\n        os._exit(0)",
        "raise SystemExit",
        "raise KeyboardInterrupt",
        "while True:\n            pass",
        "return 5",
        "return self.__repr__()",
    ] {
        let lie =
            format!("class Lie:\n    def __repr__(self):\n        {shown}\ndef lie(x):\n    return Lie()\n");
        let report = script(&judge(), &wrong(&lie), TESTS);
        assert_eq!(
            (report.passed, report.total),
            (1, 3),
            "{shown}: {:#?}",
            report.results
        );
    }
}

#[test]
fn a_right_program_may_have_a_repr_that_never_ends() {
    let program = "class Node:\n    def __init__(self, next=None):\n        self.next = next\n    def __repr__(self):\n        \
                   node, text = self, ''\n        while node:\n            text += 'x'\n            node = node.next\n        return text\n\
                   def has_cycle(node):\n    seen = set()\n    while node:\n        if id(node) in seen:\n            return True\n        \
                   seen.add(id(node))\n        node = node.next\n    return False\n";
    let code = "a = Node()\nb = Node(a)\na.next = b\nassert has_cycle(a) == True\nassert has_cycle(Node()) == False\n";
    assert_eq!(verdicts(program, code), [Verdict::Passed; 2]);
}

#[test]
fn a_failure_that_is_caught_and_raised_again_counts() {
    let code = "assert f(1) == 1\ntry:\n    assert f(2) == 2\nexcept AssertionError:\n    print('failed')\n    raise\n";
    let report = script(&judge(), "def f(x):\n    return 1\n", code);
    assert!(!report.verdict.passed(), "{:#?}", report.results);
}

#[test]
fn the_last_of_many_counts() {
    let program = "def f(x):\n    return x if x < 1500 else 0\n";
    let report = script(&judge(), program, "for x in range(1501):\n    assert f(x) == x\n");
    assert_eq!(report.verdict, Verdict::WrongAnswer);
    assert_eq!(report.failures().next().unwrap().name, "t:2#1501");
}

#[test]
fn calling_back_for_ever_is_timed_out() {
    let limits = redraft::task::Limits {
        cpu_ms: 1_000,
        wall_ms: 120_000,
        ..Default::default()
    };
    let program = "def f(g):\n    while True:\n        g()\n\ndef deeper(g):\n    return g(deeper)\n";
    let code = "assert f(lambda: 1) == 1\ndef g(deeper):\n    return deeper(g)\nassert deeper(g) == 1\nassert f == f\n";
    let report = judged::script_with(
        &judge(),
        program,
        code,
        redraft::task::ScriptForm::Asserts,
        None,
        &limits,
    );
    let found: Vec<_> = report
        .results
        .iter()
        .map(|result| result.verdict.name())
        .collect();
    assert_eq!(found[0], "timed_out", "{:#?}", report.results);
    assert!(
        ["runtime_error", "timed_out"].contains(&found[1]),
        "{:#?}",
        report.results
    );
    assert_eq!(found[2], "passed", "{:#?}", report.results);
}

/// Writes what it likes on every descriptor that could be the channel.
#[test]
fn a_forged_channel_is_the_programs_own_fault() {
    for frame in [
        r#"{"return": {"id": 3, "value": 9, "nodes": [], "same": []}}"#,
        r#"{"result": {"key": 1, "time": 1, "verdict": "passed", "input": "", "expected": "", "actual": null, "error": null}}"#,
        r#"{"end": {"problem": null}}"#,
        r#"{"return": {"id": 3, "value": {"r": 0}, "nodes": [{"tuple": [{"r": 0}]}], "same": [[0, 99]]}}"#,
        "not JSON at all",
    ] {
        let lie = format!(
            "import os\nframe = {frame:?}.encode()\ndef lie(x):\n    for fd in range(3, 300):\n        try:\n            \
             os.write(fd, len(frame).to_bytes(4, 'big') + frame)\n        except OSError:\n            pass\n    return 0\n"
        );
        let report = script(&judge(), &wrong(&lie), TESTS);
        assert_eq!(
            (report.passed, report.total),
            (1, 3),
            "{frame}: {:#?}",
            report.results
        );
        assert!(
            report
                .results
                .iter()
                .all(|result| result.verdict != Verdict::HarnessError),
            "{frame}"
        );
    }
}

#[test]
fn a_large_answer_is_an_output_limit() {
    let report = script(
        &judge(),
        "def f():\n    return 'x' * (20 << 20)\n",
        "assert f() == ''\nassert f() == 'x'",
    );
    assert_eq!(report.verdict, Verdict::OutputLimit, "{:#?}", report.results);
}

#[test]
fn a_program_that_forks_answers_once() {
    let program = "import os\ndef f(x):\n    child = os.fork()\n    if child == 0:\n        return 7\n    os.waitpid(child, 0)\n    return x\n";
    assert_eq!(
        verdicts(program, "assert f(1) == 1\nassert f(2) == 2"),
        [Verdict::Passed; 2]
    );
}

#[test]
fn threads_of_the_program_may_call_back() {
    let program = "from concurrent.futures import ThreadPoolExecutor\ndef f(g, xs):\n    with ThreadPoolExecutor(4) as pool:\n        \
                   return list(pool.map(g, xs))\n";
    assert_eq!(
        verdicts(
            program,
            "assert f(lambda x: x * x, range(50)) == [x * x for x in range(50)]"
        ),
        [Verdict::Passed]
    );
}

#[test]
fn seeds_are_fixed() {
    let program = "import random\ndef f():\n    return random.random(), sorted(map(hash, 'abc'))\n";
    let code = "import random\nassert f() == random.random()\n";
    let first = script(&judge(), program, code).results;
    let second = script(&judge(), program, code).results;
    assert_eq!(
        (&first[0].actual, &first[0].expected),
        (&second[0].actual, &second[0].expected)
    );
}
