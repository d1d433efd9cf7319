//! Files of unittest, pytest and doctest run as they do in one process, and each of their tests is a result of its own.

mod judged;

use judged::{gives, has_pytest, judge, limits, script_with, suite};
use redraft::task::{Mode, ScriptForm, Verdict};

const PROGRAM: &str = "
LIMIT = 3

def double(x):
    print('doubling', x)
    return x * 2

async def later(x):
    return x + 1

class Stack:
    def __init__(self, items=()):
        self.items = list(items)
    def push(self, item):
        self.items.append(item)
    def pop(self):
        return self.items.pop()
    def __len__(self):
        return len(self.items)

class TestHelper:
    def test_nothing(self):
        pass

def test_mine():
    pass
";

#[test]
fn unittest_with_fixtures_skips_and_expected_failures() {
    let code = "
import unittest
from solution import Stack, double

class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = Stack([7])
    def setUp(self):
        self.stack = Stack()
    def test_push(self):
        self.stack.push(1)
        self.assertEqual(len(self.stack), 1)
        self.assertEqual(len(self.shared), 1)
    def test_wrong(self):
        self.assertEqual(double(2), 5, 'twice two')
    def test_raises(self):
        with self.assertRaises(IndexError):
            self.stack.pop()
    def test_parts(self):
        for x in range(3):
            with self.subTest(x=x):
                self.assertEqual(double(x), x + x * (x < 2))
    @unittest.skip('not today')
    def test_left_out(self):
        self.fail()
    def test_skips_itself(self):
        self.skipTest('nor this')
    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(double(1), 3)
    @unittest.expectedFailure
    def test_unexpected(self):
        self.assertEqual(double(1), 2)

class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        double(None)
    def test_one(self):
        pass
    def test_two(self):
        pass

unittest.main()
";
    let report = suite(&judge(), ScriptForm::Unittest, PROGRAM, code);
    gives(
        &report,
        &[
            ("Broken.test_one", "runtime_error"),
            ("Broken.test_two", "runtime_error"),
            ("Whole.test_parts", "wrong_answer"),
            ("Whole.test_push", "passed"),
            ("Whole.test_raises", "passed"),
            ("Whole.test_unexpected", "wrong_answer"),
            ("Whole.test_wrong", "wrong_answer"),
        ],
    );
    assert_eq!(report.mode, Mode::Split);
    let first = &report.results[0];
    assert_eq!((first.ran, first.skipped), (Some(10), Some(3)), "{first:#?}");
    assert!(
        first
            .error
            .as_deref()
            .is_some_and(|error| error.contains("TypeError")),
        "{first:#?}"
    );
    let wrong = &report.results[6];
    assert_eq!(
        (
            wrong.input.as_str(),
            wrong.expected.as_str(),
            wrong.actual.as_deref()
        ),
        ("Stack(); double(2)", "5", Some("4"))
    );
    let error = wrong.error.as_deref().unwrap_or_default();
    assert!(
        error.contains("twice two") && error.contains("line 16 of the tests"),
        "{error}"
    );
    let parts = report.results[2].error.as_deref().unwrap_or_default();
    assert!(parts.starts_with("(x=2) AssertionError: 4 != 2"), "{parts}");
}

#[test]
fn pytest_with_fixtures_parameters_and_marks() {
    let judge = judge();
    if !has_pytest(&judge) {
        return;
    }
    let code = "
import pytest
import solution
from solution import *

@pytest.fixture
def stack():
    made = solution.Stack([1])
    yield made
    made.push('over')

@pytest.fixture(scope='module', params=['a', 'b'])
def letter(request):
    return request.param

def test_pop(stack):
    assert stack.pop() == 1

@pytest.mark.parametrize('x, y', [(1, 2), (2, 5)])
def test_double(x, y):
    assert solution.double(x) == y

@pytest.mark.parametrize('x, y', [pytest.param(1, 2, id='one'), pytest.param(1, 3, marks=pytest.mark.xfail(reason='known'))])
def test_marks(x, y):
    assert double(x) == y

def test_raises():
    with pytest.raises(TypeError, match='unsupported'):
        double(None)
    with pytest.raises(ValueError):
        double(1)

def test_approx():
    assert double(0.15) == pytest.approx(0.3)
    assert double(0.1) == pytest.approx(0.3)

def test_printed(capsys):
    double(4)
    assert capsys.readouterr().out == 'doubling 4\\n'

class TestGroup:
    limit = LIMIT
    def test_letter(self, letter):
        assert letter * self.limit == letter * 3
    @pytest.mark.skip(reason='not today')
    def test_left_out(self):
        assert False
    def test_skips_itself(self):
        pytest.skip('nor this')

@pytest.mark.xfail(strict=True)
def test_strict():
    assert double(1) == 2

async def test_coroutine():
    assert await later(1) == 2
";
    let report = suite(&judge, ScriptForm::Pytest, PROGRAM, code);
    gives(
        &report,
        &[
            ("test_pop", "passed"),
            ("test_double[1-2]", "passed"),
            ("test_double[2-5]", "wrong_answer"),
            ("test_marks[one]", "passed"),
            ("test_raises", "wrong_answer"),
            ("test_approx", "wrong_answer"),
            ("test_printed", "passed"),
            ("TestGroup::test_letter[a]", "passed"),
            ("TestGroup::test_letter[b]", "passed"),
            ("test_strict", "wrong_answer"),
            ("test_coroutine", "passed"),
        ],
    );
    let first = &report.results[0];
    assert_eq!((first.ran, first.skipped), (Some(14), Some(3)), "{first:#?}");
    let approx = &report.results[5];
    assert_eq!(approx.actual.as_deref(), Some("0.2"), "{approx:#?}");
    assert!(approx.expected.starts_with("0.3 ±"), "{approx:#?}");
}

#[test]
fn doctest_with_exceptions_and_options() {
    let text = "
Prose around it.

    >>> from solution import Stack
    >>> double(2)
    doubling 2
    4
    >>> double(3)
    6
    >>> stack = Stack([1, 2])
    >>> stack.pop(), len(stack)
    (2, 1)
    >>> double(None)
    Traceback (most recent call last):
      ...
    TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'
    >>> Stack().pop()  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    IndexError: whatever
    >>> list(range(LIMIT * 10))  # doctest: +ELLIPSIS
    [0, 1, ..., 29]
    >>> stack.nothing
    >>> double(1)  # doctest: +SKIP
    3
";
    let report = suite(&judge(), ScriptForm::Doctest, PROGRAM, text);
    gives(
        &report,
        &[
            ("5", "passed"),
            ("8", "wrong_answer"),
            ("11", "passed"),
            ("13", "passed"),
            ("17", "passed"),
            ("20", "passed"),
            ("22", "runtime_error"),
        ],
    );
    let eighth = &report.results[1];
    assert_eq!(
        (
            eighth.input.as_str(),
            eighth.expected.as_str(),
            eighth.actual.as_deref()
        ),
        ("double(3)", "6\n", Some("doubling 3\n6\n"))
    );
}

#[test]
fn coroutines_of_the_program() {
    let code = "
import asyncio, unittest
from solution import later

class Later(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.one = await later(0)
    async def test_await(self):
        self.assertEqual(await later(self.one), 2)
    async def test_gather(self):
        self.assertEqual(await asyncio.gather(later(1), later(2)), [2, 3])
    async def test_wait(self):
        self.assertEqual(await asyncio.wait_for(asyncio.create_task(later(5)), 10), 7)
    def test_run(self):
        self.assertEqual(asyncio.run(later(1)), 2)
    async def test_callback(self):
        async def mine(x):
            await asyncio.sleep(0)
            return x * 10
        self.assertEqual(await solution_calls(mine), 30)
";
    let program = format!("{PROGRAM}\nasync def solution_calls(f):\n    return await f(3)\n");
    let code = code.replace("import later", "import later, solution_calls");
    let report = suite(&judge(), ScriptForm::Unittest, &program, &code);
    gives(
        &report,
        &[
            ("Later.test_await", "passed"),
            ("Later.test_callback", "passed"),
            ("Later.test_gather", "passed"),
            ("Later.test_run", "passed"),
            ("Later.test_wait", "wrong_answer"),
        ],
    );
}

#[test]
fn a_test_that_ends_the_program_doesnt_take_the_others_along() {
    let program = "
import os, time

class Box:
    def __init__(self):
        self.content = []
    def put(self, x):
        if x == 'end':
            os._exit(0)
        while x == 'spin':
            pass
        self.content.append(x)
        return len(self.content)
";
    let code = "
import unittest
from solution import Box

class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.box = Box()
    def test_1(self):
        self.assertEqual(self.box.put(1), 1)
    def test_2(self):
        self.box.put('end')
    def test_3(self):
        self.assertEqual(self.box.put(3), 1)
    def test_4(self):
        self.box.put('spin')
    def test_5(self):
        self.assertEqual(self.box.put(5), 1)
";
    let limits = redraft::task::Limits {
        cpu_ms: 1_000,
        ..limits()
    };
    let report = script_with(&judge(), program, code, ScriptForm::Unittest, None, &limits);
    gives(
        &report,
        &[
            ("T.test_1", "passed"),
            ("T.test_2", "runtime_error"),
            ("T.test_3", "passed"),
            ("T.test_4", "timed_out"),
            ("T.test_5", "passed"),
        ],
    );
    let second = report.results[1].error.as_deref().unwrap_or_default();
    assert!(
        second.contains("exited before the test finished (status 0)"),
        "{second}"
    );
}

#[test]
fn what_isnt_run_is_never_a_pass() {
    let judge = judge();
    let harness = [
        (
            ScriptForm::Unittest,
            "import unittest\nclass T(unittest.TestCase):\n    pass\n",
            "hold no test method",
        ),
        (
            ScriptForm::Unittest,
            "import unittest\nclass T(unittest.TestCase):\n    def test(self) pass\n",
            "aren't valid Python",
        ),
        (
            ScriptForm::Unittest,
            "import unittest, nothing_like_it\nclass T(unittest.TestCase):\n    def test(self): pass\n",
            "nothing_like_it",
        ),
        (
            ScriptForm::Unittest,
            "import unittest\nclass T(unittest.TestCase):\n    @unittest.skip('x')\n    def test(self): pass\n",
            "all 1 are left out",
        ),
        (ScriptForm::Doctest, "Just prose.\n", "no example"),
        (
            ScriptForm::Doctest,
            ">>> x = 1\n",
            "no example with an expected output",
        ),
        (ScriptForm::Pytest, "def check():\n    pass\n", "hold no test"),
        (
            ScriptForm::Pytest,
            "import pytest\ndef test(nothing):\n    pass\n",
            "nothing",
        ),
        (
            ScriptForm::Pytest,
            "import pytest\npytest.skip('all', allow_module_level=True)\ndef test(): pass\n",
            "leaves itself out: all",
        ),
    ];
    for (form, code, what) in harness {
        if form == ScriptForm::Pytest && !has_pytest(&judge) {
            continue;
        }
        let report = suite(&judge, form, PROGRAM, code);
        let error = report.results[0].error.clone().unwrap_or_default();
        if code.contains("def test(nothing)") {
            assert_ne!(report.verdict, Verdict::Passed, "{code}: {report:#?}");
            continue;
        }
        assert_eq!(report.verdict, Verdict::HarnessError, "{code}: {report:#?}");
        assert!(error.contains(what), "{code}: {error}");
    }
}

#[test]
fn a_program_that_cant_be_loaded_fails_every_test() {
    let code = "
import unittest
from solution import area
class T(unittest.TestCase):
    def test_one(self):
        self.assertEqual(area(1, 1), 1)
    def test_two(self):
        self.assertEqual(area(2, 1), 2)
";
    for (program, verdict) in [
        ("def area(w, h)\n    return w * h\n", "compile_error"),
        ("def other():\n    pass\n", "runtime_error"),
        ("raise SystemExit\n", "runtime_error"),
        ("import os\nos._exit(0)\n", "runtime_error"),
        (
            "import unittest\nraise unittest.SkipTest('no')\n",
            "runtime_error",
        ),
    ] {
        let report = suite(&judge(), ScriptForm::Unittest, program, code);
        gives(&report, &[("T.test_one", verdict), ("T.test_two", verdict)]);
    }
}
