//! Whose operators count: those of objects that the test itself has made, never those of what came as an answer.

mod judged;

use judged::{gives, has, has_pytest, judge, passes, script, suite};
use redraft::task::{ScriptForm, Verdict};

/// A class whose objects are near everything.
const LIAR: &str = "
class Liar:
    def __init__(self, n=0): pass
    def answer(self, n): return self
    def __sub__(self, other): return 0.0
    __rsub__ = __mod__ = __sub__
    def __lt__(self, other): return True
    __gt__ = __le__ = __ge__ = __lt__
    def __eq__(self, other): return True
    def __hash__(self): return 15
    def __abs__(self): return 0.0
    def __contains__(self, other): return True
    def __bool__(self): return True
class Sly(Liar):
    def __sub__(self, other): return self
    __rsub__ = __mod__ = __sub__
sum_to_n = Liar
def total(n): return Sly()
";

#[test]
fn an_answer_stands_for_no_number() {
    let judge = judge();
    for test in [
        "assert abs(sum_to_n(5) - 15) < 1e-6",
        "assert abs(total(5) - 15) < 1e-6",
        "assert not abs(total(5) - 15) > 1e-6",
        "assert abs(Liar().answer(5) - 15) < 1e-6",
        "assert abs(15 - Liar().answer(5)) < 1e-6",
        "assert abs(Sly().answer(5) - 15) < 1e-6",
        "assert 15 <= Liar().answer(5) <= 15",
        "assert 15 in Liar().answer(5)",
        "assert Liar().answer(5) == 15",
        "assert Liar().answer(5) in (15,)",
        "assert round(Sly().answer(5) - 15, 5) == 0",
        "assert not (Sly().answer(5) - 15)",
        "assert (Sly().answer(5) - 15) < 1e-6",
        "made = Sly()\nassert abs(made.answer(5) - 15) < 1e-6",
        "import unittest\nunittest.TestCase().assertAlmostEqual(Liar().answer(5), 15)",
    ] {
        let report = script(&judge, LIAR, test);
        assert!(
            !report.verdict.passed() && report.verdict != Verdict::HarnessError,
            "{test}: {:#?}",
            report.results
        );
    }
}

const ALGEBRA: &str = "
import functools
class Vector:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return Vector(self.x + o.x, self.y + o.y)
    def __mul__(self, k): return Vector(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __sub__(self, o): return self + o * -1 if isinstance(o, Vector) else Vector(self.x - o, self.y - o)
    def __eq__(self, o): return isinstance(o, Vector) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** .5
    def __bool__(self): return bool(self.x or self.y)
    def __getitem__(self, at): return (self.x, self.y)[at]
    def __len__(self): return 2
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __neg__(self): return self * -1
    def unit(self): return self * (1 / abs(self))
@functools.total_ordering
class Version:
    def __init__(self, text): self.text = text
    def __eq__(self, o): return self.text == (o if isinstance(o, str) else o.text)
    def __lt__(self, o): return self.text < (o if isinstance(o, str) else o.text)
class money:
    def __init__(self, n): self.n = n
    def __add__(self, o): return money(self.n + (o if isinstance(o, int) else o.n))
    __radd__ = __add__
    def __gt__(self, o): return self.n > o
class Bag:
    def __init__(self, items): self.items = list(items)
    def __contains__(self, x): return x in self.items
    def __or__(self, o): return Bag(self.items + list(o))
    def __iadd__(self, o):
        self.items += list(o)
        return self
    def __len__(self): return len(self.items)
class Polynomial:
    def __init__(self, *c): self.c = c
    def __call__(self, x): return sum(a * x ** i for i, a in enumerate(self.c))
    def __pow__(self, n): return Polynomial(*(a ** n for a in self.c))
    def __divmod__(self, o): return Polynomial(1), Polynomial(2)
    def __round__(self, n=None): return 7
    def __float__(self): return 1.5
";

#[test]
fn what_the_test_makes_has_its_operators() {
    passes(
        ALGEBRA,
        "
import copy
v = Vector(3, 4)
assert abs(v) == 5 and abs(v * 2) == 10
assert v * 2 == Vector(6, 8) and 2 * v == Vector(6, 8)
assert v + Vector(1, 1) == Vector(4, 5)
assert abs(v - Vector(3, 4)) == 0 and abs(v - 1) == 13 ** .5
assert abs(abs(v.unit()) - 1) < 1e-9
assert (v.unit() * 5)[1] == 4
assert v @ v == 25 and -v == Vector(-3, -4) and not Vector(0, 0)
assert v[0] == 3 and len(v) == 2
assert sum([Vector(1, 1), Vector(2, 2)], Vector(0, 0)) == Vector(3, 3)
assert Version('1') < Version('2') and Version('1') < '2' <= Version('2')
assert max([Version('1'), Version('3')]) == Version('3')
assert sorted([Version('b'), Version('a')])[0] == Version('a')
m = money(3)
assert (m + 2).n == 5 and m > 2 and (m + m) > 5
assert sum([money(1), money(2)]).n == 3
b = Bag([1, 2])
assert 2 in b and 3 not in b
b += [5]
assert 5 in b and len(b | [1]) == 4
assert Polynomial(1, 2)(3) == 7 and round(Polynomial(1)) == 7 and float(Polynomial(1)) == 1.5
assert (Polynomial(2) ** 2)(0) == 4 and divmod(Polynomial(1), 3)[0](5) == 1
assert abs(copy.copy(v)) == 5 and copy.deepcopy(v) * 2 == Vector(6, 8)
assert {Vector(1, 2): 3}[Vector(1, 2)] == 3
",
    );
}

/// Libraries compare each element, of which there may be none.
#[test]
fn nothing_is_close_to_something() {
    let judge = judge();
    if !has(&judge, "numpy") {
        return;
    }
    let program = "import numpy as np\ndef nothing(n):\n    return np.array([])\ndef empty(n):\n    return []\n\
                   class Odd:\n    def __array__(self, *args, **named):\n        return np.array([])\ndef odd(n):\n    return Odd()\n\
                   def right(n):\n    return np.array([n, n])\n";
    for name in ["nothing", "empty", "odd"] {
        for test in [
            "import numpy as np\nassert np.allclose(NAME(5), 15)",
            "import numpy\nassert numpy.allclose(NAME(5), [15])",
            "import numpy as np\nnp.testing.assert_allclose(NAME(5), 15)",
            "from numpy.testing import assert_array_equal\nassert_array_equal(NAME(5), 15)",
        ] {
            let report = script(&judge, program, &test.replace("NAME", name));
            assert!(
                !report.verdict.passed() && report.verdict != Verdict::HarnessError,
                "{name} in {test}: {:#?}",
                report.results
            );
        }
    }
    passes(
        program,
        "import numpy as np\nassert np.allclose(right(5), 5)\nassert np.allclose(nothing(1), [])\nnp.testing.assert_allclose(right(2), [2, 2])\n",
    );
    if has_pytest(&judge) {
        let code = "import pytest\nfrom solution import nothing, right\n\
                    def test_nothing():\n    assert nothing(5) == pytest.approx(15)\n\
                    def test_right():\n    assert right(5) == pytest.approx(5)\n";
        let report = suite(&judge, ScriptForm::Pytest, program, code);
        gives(
            &report,
            &[("test_nothing", "wrong_answer"), ("test_right", "passed")],
        );
    }
}

/// What frameworks take for an order to stop is the failure of the test in which the program raised it.
#[test]
fn what_is_meant_to_end_everything_ends_one_test() {
    let judge = judge();
    let unittest = "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    def test_1(self):\n        \
                    self.assertEqual(f(1), 1)\n    def test_2(self):\n        self.assertEqual(f(2), 2)\n    def test_3(self):\n        \
                    self.assertEqual(f(3), 3)\n";
    let doctest = ">>> f(1)\n1\n>>> f(2)\n2\n>>> f(3)\n3\n";
    for raised in [
        "KeyboardInterrupt",
        "GeneratorExit",
        "SystemExit",
        "asyncio.CancelledError",
    ] {
        let program =
            format!("import asyncio\ndef f(x):\n    if x == 2:\n        raise {raised}\n    return x\n");
        let report = suite(&judge, ScriptForm::Unittest, &program, unittest);
        gives(
            &report,
            &[
                ("T.test_1", "passed"),
                ("T.test_2", "runtime_error"),
                ("T.test_3", "passed"),
            ],
        );
        let report = suite(&judge, ScriptForm::Doctest, &program, doctest);
        gives(
            &report,
            &[("1", "passed"), ("3", "runtime_error"), ("5", "passed")],
        );
    }
}
