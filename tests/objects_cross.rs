//! Objects of the program's classes stay in the program and can be used by its tests; and the other way round.

mod judged;

use judged::{passes, verdicts};
use redraft::task::Verdict;

#[test]
fn objects_stay_where_they_are_and_come_back() {
    passes(
        r"
import enum, dataclasses
from collections import namedtuple

Point = namedtuple('Point', 'x y')
LIMIT = 3
counter = 0

class Node:
    made = 0

    def __init__(self, value):
        self.value, self.left, self.right = value, None, None
        Node.made += 1

    @staticmethod
    def name():
        return 'node'

def depth(node):
    return 0 if node is None else 1 + max(depth(node.left), depth(node.right))

def left(node):
    return node.left

class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)
    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __eq__(self, other):
        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)
    def __hash__(self):
        return hash((self.x, self.y))
    def __lt__(self, other):
        return self.x < other.x
    def __len__(self):
        return 2
    def __iter__(self):
        return iter((self.x, self.y))
    def __getitem__(self, at):
        return (self.x, self.y)[at]
    def __contains__(self, x):
        return x in (self.x, self.y)
    def __bool__(self):
        return bool(self.x or self.y)
    def __repr__(self):
        return f'Vector({self.x}, {self.y})'
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.x = 0

class Stack(list):
    def push(self, x):
        self.append(x)

class Color(enum.Enum):
    RED = 1
    BLUE = 2

@dataclasses.dataclass
class Pair:
    a: int
    b: list

def opposite(color):
    return Color.BLUE if color is Color.RED else Color.RED

def middle(p, q):
    return Point((p.x + q.x) / 2, (p.y + q.y) / 2)

def bump():
    global counter
    counter += 1

def of_test(thing):
    thing.seen = thing.value * 2
    return thing

def total(things):
    return sum(thing.value for thing in sorted(things))
",
        r"
root = Node(1)
root.left = Node(2)
root.left.right = Node(3)
assert depth(root) == 3 and left(root) is root.left and left(root).value == 2
assert Node.name() == 'node' and Node.made == 3 and isinstance(root, Node) and not isinstance(5, Node)
v = Vector(1, 2)
assert v + Vector(1, 1) == Vector(2, 3) and v * 3 == 3 * v and v != Vector(0, 0)
assert v < Vector(2, 0) and len(v) == 2 and list(v) == [1, 2] and v[1] == 2 and 2 in v and 7 not in v
assert bool(v) and not Vector(0, 0) and {v: 'x'}[Vector(1, 2)] == 'x' and repr(v) == 'Vector(1, 2)'
with v as same:
    assert same is v
assert v.x == 0
x, y = Vector(5, 6)
assert (x, y) == (5, 6) and sorted([Vector(2, 0), Vector(1, 0)])[0].x == 1
s = Stack()
s.push(4)
assert len(s) == 1 and s[0] == 4 and s.pop() == 4
assert opposite(Color.RED) is Color.BLUE and [c.name for c in Color] == ['RED', 'BLUE'] and Color['RED'].value == 1
assert Color(2) is Color.BLUE and len(Color) == 2
assert Pair(1, [2]) == Pair(1, [2]) and Pair(1, [2]).b == [2]
assert middle(Point(0, 0), Point(2, 4)) == Point(1, 2) == (1, 2)
assert LIMIT == 3 and counter == 0
bump()
assert counter == 1
class Thing:
    def __init__(self, value):
        self.value = value
    def __lt__(self, other):
        return self.value < other.value
thing = Thing(4)
assert of_test(thing) is thing and thing.seen == 8
assert total([Thing(2), Thing(1)]) == 3
",
    );
}

#[test]
fn a_program_gets_no_more_than_it_was_handed() {
    let program = r"
def pry(f):
    try:
        return f.__globals__
    except AttributeError:
        pass
    found = []
    for name in ('__code__', 'gi_frame', '__self__', '__closure__', '__class__', '__init__', '_secret'):
        try:
            found.append(getattr(f, name))
        except Exception as error:
            found.append(type(error).__name__)
    return [str(each) for each in found if each is not None]

def replace(thing):
    type(thing)
    try:
        thing.check = lambda: True
    except AttributeError:
        return 'refused'
";
    let tests = r"
SECRET = 'the expected value'
class Thing:
    _secret = SECRET
    def check(self):
        return SECRET
thing = Thing()
assert SECRET not in str(pry(lambda: SECRET))
assert SECRET not in str(pry(x for x in [1]))
assert SECRET not in str(pry(thing))
assert SECRET not in str(pry(thing.check))
assert replace(thing) == 'refused' and thing.check() is SECRET
";
    passes(program, tests);
}

#[test]
fn numpy_values_cross() {
    if verdicts("import numpy\n\ndef f():\n    return 1\n", "assert f() == 1") != [Verdict::Passed] {
        eprintln!("skipped: the interpreter has no numpy (name one that has in REDRAFT_PYTHON)");
        return;
    }
    passes(
        r"
import numpy as np

def scalar(x):
    return np.int64(x)

def array(n):
    return np.arange(n) / 2

def double(a):
    a *= 2
",
        r"
import numpy as np
assert scalar(3) == 3 and type(scalar(3)) is np.int64
assert np.allclose(array(3), [0, 0.5, 1]) and array(3).dtype == float
a = np.array([[1, 2], [3, 4]])
assert double(a) is None
assert a.tolist() == [[2, 4], [6, 8]]
",
    );
}
