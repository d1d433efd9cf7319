//! Values keep their kind, shape and identity on the way between a program and its tests.

mod judged;

use judged::{judge, passes, script};

#[test]
fn every_kind_there_and_back() {
    passes(
        "def same(x):\n    return x\n\ndef kind(x):\n    return type(x).__name__\n",
        r#"
import collections, datetime, decimal, fractions, math, pathlib, uuid
Point = collections.namedtuple("Point", "x y")
for value in [
    None, True, False, 0, -1, 2**53 - 1, 2**53, -2**53, 2**63, -2**64, 10**5000,
    0.0, 1.5, -2.25, 1e300, 5e-324, 0.1, 1e16, math.inf, -math.inf,
    1j, complex(1.5, -2), "", "text", "ünï ✓ \U0001f600", "\u2028\x00\x1f", "\ud800 alone",
    b"", b"\x00\xff", bytearray(b"ab"), [], [1, [2, [3]]], (), (1,), (1, (2, [3])), {}, {"a": 1, 2: [3], (4,): None},
    set(), {1, 2}, frozenset({3}), {frozenset({1}), frozenset()}, range(3), range(5, 0, -2), slice(1, None, 2),
    Ellipsis, NotImplemented, collections.deque([1, 2], 5), collections.Counter("aab"),
    collections.OrderedDict([("b", 1), ("a", 2)]), collections.defaultdict(int, a=1), Point(1, 2),
    decimal.Decimal("1.10"), fractions.Fraction(1, 3), datetime.date(2024, 2, 29), datetime.timedelta(1, 2, 3),
    datetime.datetime(2024, 2, 29, 1, 2, 3, 4), datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),
    datetime.time(1, 2), uuid.UUID(int=5), pathlib.Path("a/b"), int, str, ValueError,
]:
    back = same(value)
    assert type(back) is type(value), kind(value)
    assert back == value
    assert kind(value) == type(value).__name__
nan = same(math.nan)
assert nan != nan and type(nan) is float
assert math.copysign(1, same(-0.0)) == -1
assert same(collections.deque([1], 5)).maxlen == 5
assert same(collections.defaultdict(list))["new"] == []
assert list(same({"b": 1, "a": 2})) == ["b", "a"]
assert same({1: 2}.keys()) == {1} and list(same({1: 2}.values())) == [2] and list(same({1: 2}.items())) == [(1, 2)]
"#,
    );
}

#[test]
fn shared_cyclic_and_deep() {
    passes(
        r"
def same(x):
    return x

def twins():
    inner = [1]
    return [inner, inner, (inner,)]

def loop():
    a = [1]
    a.append(a)
    return a

def knot():
    t = ([], 1)
    t[0].append((t, t))
    return t

def deep(n):
    x = []
    for _ in range(n):
        x = [x]
    return x

def dag(n):
    x = [0]
    for _ in range(n):
        x = [x, x]
    return x
",
        r"
a = twins()
assert a[0] is a[1] and a[2][0] is a[0]
b = loop()
assert b[1] is b and b[0] == 1
t = knot()
assert t[0][0][0] is t and t[0][0][1] is t
x = deep(50000)
depth = 0
while x:
    x, depth = x[0], depth + 1
assert depth == 50000
assert len(dag(100)) == 2
mine = []
mine.append(mine)
back = same(mine)
assert back is mine
",
    );
}

#[test]
fn arguments_change_in_place() {
    passes(
        r"
import collections

def change(l, d, s, b, q):
    l.append(4)
    d['new'] = l
    s.add(9)
    b.extend(b'!')
    q.rotate(1)
    return l

def sort_inner(rows):
    for row in rows:
        row.sort()

def fail(l):
    l.clear()
    raise ValueError(l)
",
        r"
import collections
l, d, s, b, q = [1], {}, {1}, bytearray(b'a'), collections.deque([1, 2, 3])
alias = [l]
got = change(l, d, s, b, q)
assert got is l and l == [1, 4] and alias[0] is l
assert d == {'new': [1, 4]} and d['new'] is l
assert s == {1, 9} and b == b'a!' and list(q) == [3, 1, 2]
rows = [[2, 1], [4, 3]]
first = rows[0]
assert sort_inner(rows) is None
assert rows == [[1, 2], [3, 4]] and rows[0] is first
lost = [1]
try:
    fail(lost)
except ValueError as error:
    assert error.args[0] is lost
assert lost == []
",
    );
}

#[test]
fn exceptions() {
    passes(
        r"
class MyError(ValueError):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code

class Odd(Exception):
    def __str__(self):
        return 'odd indeed'

def fail(what):
    if what == 'mine':
        raise MyError('bad', 7)
    if what == 'odd':
        raise Odd(1, 2)
    if what == 'key':
        return {}['k']
    if what == 'zero':
        return 1 // 0
    if what == 'exit':
        raise SystemExit(3)
    if what == 'interrupt':
        raise KeyboardInterrupt
    if what == 'unicode':
        return b'\xff'.decode()
    if what == 'json':
        import json
        return json.loads('{')
    return ValueError('as a value')
",
        r"
import json
def caught(what):
    try:
        fail(what)
    except BaseException as error:
        return error
error = caught('mine')
assert isinstance(error, MyError) and isinstance(error, ValueError) and error.code == 7 and str(error) == 'bad'
try:
    fail('mine')
    assert False
except MyError as error:
    assert error.args == ('bad',)
assert str(caught('odd')) == 'odd indeed' and type(caught('odd')).__name__ == 'Odd'
assert type(caught('odd')) is type(caught('odd'))
assert type(caught('key')) is KeyError and caught('key').args == ('k',)
assert type(caught('zero')) is ZeroDivisionError and str(caught('zero')) == 'integer division or modulo by zero'
assert type(caught('exit')) is SystemExit and caught('exit').code == 3
assert type(caught('interrupt')) is KeyboardInterrupt
assert type(caught('unicode')) is UnicodeDecodeError and caught('unicode').reason == 'invalid start byte'
assert isinstance(caught('json'), json.JSONDecodeError)
value = fail('none')
assert isinstance(value, ValueError) and value.args == ('as a value',)
",
    );
}

#[test]
fn generators_iterators_and_callables() {
    passes(
        r"
import itertools

def count(n):
    got = 0
    while got < n:
        got += (yield got) or 1

def forever():
    return itertools.count(5)

def apply(f, *args, **named):
    return f(*args, **named)

def adder(n):
    return lambda x: x + n

def total(xs):
    return sum(xs)

def take(it, n):
    return [next(it) for _ in range(n)]

def nested(f, n):
    return f(f, n - 1) if n else 'done'

def sort_by(xs, key):
    return sorted(xs, key=key)

def swallow(f):
    try:
        f()
    except LookupError as error:
        return type(error).__name__, error.args
",
        r"
import itertools
g = count(5)
assert iter(g) is g and next(g) == 0 and g.send(3) == 3
assert list(g) == [4] and list(g) == []
assert list(itertools.islice(forever(), 3)) == [5, 6, 7]
assert apply(len, [1, 2]) == 2 and apply(max, 3, 4) == 4 and apply(int, '12') == 12
assert apply(lambda a, b=0: a - b, 5, b=2) == 3
seen = []
assert apply(seen.append, 3) is None
assert seen == [3]
assert adder(2)(3) == 5 and apply(adder(10), 1) == 11
assert total(x * x for x in range(4)) == 14 and total(map(int, '123')) == 6
it = iter([1, 2, 3])
assert take(it, 2) == [1, 2] and next(it) == 3
assert nested(lambda f, n: nested(f, n), 20) == 'done'
assert sort_by(['bb', 'a'], len) == ['a', 'bb'] and sort_by([1, 2], lambda x: -x) == [2, 1]
def fails():
    raise KeyError('k')
assert swallow(fails) == ('KeyError', ('k',))
",
    );
}

#[test]
fn lies_are_no_values() {
    let program = r"
class Yes:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0
    def __rsub__(self, other): return 0
    def __lt__(self, other): return True
    def __gt__(self, other): return True
    def __contains__(self, item): return True
    def __hash__(self): return 0
    @property
    def __class__(self): return int

class Int(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0
    def __index__(self): return 55
    def __hash__(self): return hash(55)

class List(list):
    def __eq__(self, other): return True
    def __iter__(self): return iter([1, 2])
    def __len__(self): return 2

class Name(str):
    def __eq__(self, other): return True
    def __str__(self): return 'right'

def f(what):
    return {'yes': Yes(), 'int': Int(3), 'list': List([7]), 'name': Name('wrong')}[what]
";
    let tests = r"
assert f('yes') == 5
assert not f('yes') != 5
assert abs(f('yes') - 10) < 1e-9
assert 5 in f('yes')
assert f('yes') < 5
assert isinstance(f('yes'), int)
assert f('yes') in [5]
assert {f('yes'): 1}.get(5) == 1
assert f('int') == 55
assert abs(f('int') - 55) < 1
assert f('list') == [1, 2]
assert f('name') == 'right'
";
    let report = script(&judge(), program, tests);
    assert_eq!(report.passed, 0, "{:#?}", report.results);
    // The value that such an object really holds is what counts.
    passes(
        program,
        "assert f('int') == 3\nassert f('list') == [7]\nassert f('name') == 'wrong'",
    );
}

#[test]
fn names_of_arguments_are_free() {
    passes(
        "def f(**named):\n    return sorted(named.items())\n\ndef g(g, **named):\n    return g(**named)\n",
        "
assert f(op=1, self=2, function=3, name=4, _=5) == [('_', 5), ('function', 3), ('name', 4), ('op', 1), ('self', 2)]
assert g(lambda **named: named, op=1, self=2, function=3) == {'op': 1, 'self': 2, 'function': 3}
",
    );
}

#[test]
fn an_exception_of_the_tests_comes_back_as_itself() {
    passes(
        "def call(f):\n    try:\n        return f()\n    finally:\n        pass\n",
        "
class Mine(Exception):
    pass
mine = Mine('once')
def fail():
    raise mine
try:
    call(fail)
    assert False
except Mine as error:
    assert error is mine
",
    );
}

#[test]
fn the_program_can_be_imported() {
    passes(
        "def f(x):\n    return x\nclass C:\n    y = 3\n",
        "
import solution
from solution import f as g, C
assert solution.f(1) == 1 and g(2) == 2 and C().y == 3
try:
    from solution import missing
    assert False
except ImportError:
    pass
",
    );
}

#[test]
fn sets_keep_their_order() {
    passes(
        "def order(x):\n    return tuple(x)\n\ndef made(n):\n    return {k for k in range(n, n + 5)}\n",
        "
for items in [{12, 13, 14, 15, 16}, frozenset({12, 13, 14, 15, 16}), set(range(12, 17)), set('programming')]:
    assert order(items) == tuple(items)
for n in range(1, 20):
    assert tuple(made(n)) == tuple({k for k in range(n, n + 5)})
",
    );
}
