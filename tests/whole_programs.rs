//! Programs that run as a whole: a checker's word on their output, the files that they leave, conversations.

mod judged;

use std::collections::BTreeMap;

use judged::{judge, limits};
use redraft::judge::Judge;
use redraft::task::{Compare, Limits, Program, Test, TestKind, TestResult, Verdict};

fn one(judge: &Judge, program: &str, kind: TestKind, limits: &Limits) -> TestResult {
    let test = Test {
        name: "t".to_owned(),
        kind,
    };
    let report = judge.test(&Program::python(program), &[test], limits);
    assert_eq!(report.total, 1, "{report:#?}");
    report.results.into_iter().next().expect("one result")
}

/// Accepts any two numbers with the sum that the input gives.
const CHECKER: &str = "
import sys
wanted = int(open(sys.argv[1]).read())
parts = open(sys.argv[2]).read().split()
if len(parts) != 2:
    sys.exit('two numbers, not ' + str(len(parts)))
assert open(sys.argv[3]).read() == 'an answer'
a, b = map(int, parts)
if a + b != wanted:
    print('the sum is', a + b)
    sys.exit(1)
";

fn checked(program: &str, checker: &str) -> TestResult {
    let kind = TestKind::Checked {
        stdin: "7\n".to_owned(),
        answer: "an answer".to_owned(),
        checker: Program::python(checker),
    };
    one(&judge(), program, kind, &limits())
}

#[test]
fn a_checker_decides() {
    for (program, verdict, said) in [
        ("n = int(input())\nprint(n - 1, 1)\n", Verdict::Passed, ""),
        ("n = int(input())\nprint(0, n)\n", Verdict::Passed, ""),
        ("print(3, 3)\n", Verdict::WrongAnswer, "the sum is 6"),
        ("print(3)\n", Verdict::WrongAnswer, "two numbers, not 1"),
        // What it can't read it doesn't accept.
        ("print('a b')\n", Verdict::WrongAnswer, "ValueError"),
        ("1 / 0\n", Verdict::RuntimeError, "ZeroDivisionError"),
        ("print(\n", Verdict::CompileError, "SyntaxError"),
        // A right output doesn't make up for a bad end.
        (
            "print(3, 4)\nraise SystemExit(1)\n",
            Verdict::RuntimeError,
            "exit status 1",
        ),
    ] {
        let result = checked(program, CHECKER);
        let error = result.error.clone().unwrap_or_default();
        assert_eq!(result.verdict, verdict, "{program}: {result:#?}");
        assert!(error.contains(said), "{program}: {error}");
    }
}

#[test]
fn a_checker_that_fails_is_our_fault() {
    for (checker, said) in [
        ("raise SystemExit(3)", "the checker failed (exited)"),
        ("import os; os.abort()", "the checker failed (signalled)"),
        ("def broken(:", "SyntaxError"),
        ("import nothing_like_it", "ModuleNotFoundError"),
        ("while True: pass", "the checker failed (cpu_timeout)"),
    ] {
        let result = checked("print(3, 4)\n", checker);
        let error = result.error.clone().unwrap_or_default();
        assert_eq!(result.verdict, Verdict::HarnessError, "{checker}: {result:#?}");
        assert!(error.contains(said), "{checker}: {error}");
    }
}

/// An output that ends the checker is wrong, as long as the checker knows what to say of another.
#[test]
fn an_output_cant_end_its_checker() {
    for (program, checker) in [
        (
            "print('x\\nModuleNotFoundError: no')\n",
            "import sys\ntext = open(sys.argv[2]).read()\nsys.exit('bad: ' + text)\n",
        ),
        (
            "print('spin')\n",
            "import sys\ntext = open(sys.argv[2]).read()\nwhile 'spin' in text:\n    pass\nsys.exit(1)\n",
        ),
        (
            "print('crash')\n",
            "import os, sys\nif 'crash' in open(sys.argv[2]).read():\n    os.abort()\nsys.exit(1)\n",
        ),
    ] {
        let result = checked(program, checker);
        assert_eq!(result.verdict, Verdict::WrongAnswer, "{checker}: {result:#?}");
    }
}

/// A checker sees the output as it is, and nothing else of the program's run.
#[test]
fn a_checker_is_alone() {
    let checker = "
import os, sys
names = sorted(os.listdir('.'))
assert len(names) == 4 and {'input.txt', 'output.txt', 'answer.txt'} < set(names), names
assert open(sys.argv[2], 'rb').read() == b'\\xff\\x00 3\\r\\n'
assert not os.path.exists('/tmp/marker')
";
    let program = "import sys\nopen('/tmp/marker', 'w')\nopen('planted.py', 'w')\nsys.stdout.buffer.write(b'\\xff\\x00 3\\r\\n')\n";
    let result = checked(program, checker);
    assert_eq!(result.verdict, Verdict::Passed, "{result:#?}");
}

fn files(program: &str, before: &[(&str, &str)], after: &[(&str, &str)], stdout: Option<&str>) -> TestResult {
    let map = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
        files
            .iter()
            .map(|(name, content)| ((*name).to_owned(), (*content).to_owned()))
            .collect()
    };
    let kind = TestKind::Files {
        stdin: "in\n".to_owned(),
        files: map(before),
        expected_files: map(after),
        expected_stdout: stdout.map(str::to_owned),
        compare: Compare::default(),
    };
    one(&judge(), program, kind, &limits())
}

#[test]
fn files_before_and_after() {
    let copy = "import os\nos.makedirs('out', exist_ok=True)\nopen('out/b.txt', 'w').write(open('data/a.txt').read().upper())\nprint(input())\n";
    let result = files(
        copy,
        &[("data/a.txt", "abc\n")],
        &[("out/b.txt", "ABC\n")],
        Some("in\n"),
    );
    assert_eq!(result.verdict, Verdict::Passed, "{result:#?}");

    let result = files(
        copy,
        &[("data/a.txt", "abc\n")],
        &[("out/b.txt", "abc\n"), ("c", "")],
        Some("out\n"),
    );
    assert_eq!(result.verdict, Verdict::WrongAnswer, "{result:#?}");
    assert_eq!(result.input, "stdin:\nin\n\ndata/a.txt:\nabc\n");
    assert_eq!(result.expected, "stdout:\nout\n\nc:\n\nout/b.txt:\nabc\n");
    assert_eq!(
        result.actual.as_deref(),
        Some("stdout:\nin\n\nc:\n(not there)\nout/b.txt:\nABC\n")
    );

    // A link out of the sandbox is no file, and neither is a pipe.
    let links = "import os\nos.symlink('/etc/hostname', 'a')\nos.mkfifo('b')\n";
    let result = files(links, &[], &[("a", "x"), ("b", "")], None);
    assert_eq!(result.verdict, Verdict::WrongAnswer, "{result:#?}");
    assert_eq!(result.actual.as_deref(), Some("a:\n(not there)\nb:\n(not there)"));

    let result = files("open('a', 'w').write('x')\n1 / 0\n", &[], &[("a", "x")], None);
    assert_eq!(result.verdict, Verdict::RuntimeError, "{result:#?}");
}

/// Has a number between 1 and the input's guessed in at most ten questions.
const TALKER: &str = "
import sys
secret, most = map(int, open(sys.argv[1]).read().split())
print(most, flush=True)
for turn in range(10):
    line = sys.stdin.readline()
    if not line:
        sys.exit('it said nothing more')
    guess = int(line)
    if guess == secret:
        print('right', flush=True)
        sys.exit(0)
    print('higher' if guess < secret else 'lower', flush=True)
sys.stderr.write('not found in ten questions')
sys.exit(1)
";

const HALVING: &str = "
low, high = 1, int(input())
while True:
    middle = (low + high) // 2
    print(middle, flush=True)
    answer = input()
    if answer == 'right':
        break
    if answer == 'higher':
        low = middle + 1
    else:
        high = middle - 1
";

fn conversation(program: &str, talker: &str, limits: &Limits) -> TestResult {
    let kind = TestKind::Interactive {
        input: "37 100\n".to_owned(),
        answer: String::new(),
        talker: Program::python(talker),
    };
    one(&judge(), program, kind, limits)
}

#[test]
fn a_conversation() {
    let result = conversation(HALVING, TALKER, &limits());
    assert_eq!(
        (result.verdict, result.error.as_deref()),
        (Verdict::Passed, None),
        "{result:#?}"
    );
    let actual = result.actual.unwrap_or_default();
    assert!(
        actual.starts_with("talker: 100\nprogram: 50\ntalker: lower\nprogram: 25\ntalker: higher\n")
            && actual.ends_with("talker: right\n"),
        "{actual}"
    );
}

#[test]
fn conversations_that_go_wrong() {
    let limits = Limits {
        cpu_ms: 2_000,
        wall_ms: 4_000,
        ..Limits::default()
    };
    for (program, talker, verdict, said) in [
        (
            "input()\nfor n in range(1, 11):\n    print(n, flush=True)\n    input()\n",
            TALKER,
            Verdict::WrongAnswer,
            "not found in ten questions",
        ),
        // It goes on after it was told no.
        (
            "input()\nfor n in range(1, 12):\n    print(n, flush=True)\n    input()\n",
            TALKER,
            Verdict::WrongAnswer,
            "not found in ten questions",
        ),
        ("", TALKER, Verdict::WrongAnswer, "it said nothing more"),
        (
            "import os\nos._exit(0)\n",
            TALKER,
            Verdict::WrongAnswer,
            "it said nothing more",
        ),
        ("1 / 0\n", TALKER, Verdict::RuntimeError, "ZeroDivisionError"),
        ("while True:\n    pass\n", TALKER, Verdict::TimedOut, "timed out"),
        // Each waits for the other: without a flush nothing arrives.
        (
            "import sys\ninput()\nprint(37)\nsys.stdin.readline()\n",
            TALKER,
            Verdict::TimedOut,
            "timed out",
        ),
        ("print(", TALKER, Verdict::CompileError, "SyntaxError"),
        (
            HALVING,
            "raise SystemExit(4)",
            Verdict::HarnessError,
            "the talker failed",
        ),
        (HALVING, "def broken(:", Verdict::HarnessError, "SyntaxError"),
    ] {
        let result = conversation(program, talker, &limits);
        let error = result.error.clone().unwrap_or_default();
        assert_eq!(result.verdict, verdict, "{program}: {result:#?}");
        assert!(error.contains(said), "{program}: {error}");
    }
}

#[test]
fn who_says_too_much_is_ended() {
    let limits = Limits {
        output_bytes: 1 << 20,
        ..limits()
    };
    let talker = "import sys\nfor line in sys.stdin:\n    pass\n";
    let result = conversation("while True:\n    print('x' * 1000)\n", talker, &limits);
    assert_eq!(result.verdict, Verdict::OutputLimit, "{result:#?}");
    assert!(
        result
            .actual
            .is_some_and(|actual| actual.contains("characters cut"))
    );
}
