//! A redraft that asks less of itself is turned down, and one that only mends is not. Each attempt to cheat stands
//! beside an honest edit of the same program.

use proptest::prelude::*;
use redraft::task::Guarded;
use redraft::verify::guard::{Guard, PresetName};

/// A program, an attempt to cheat with what is said of it, and an honest edit.
struct Case {
    preset: PresetName,
    name: &'static str,
    before: &'static str,
    cheat: &'static str,
    says: &'static str,
    honest: &'static str,
}

const MAX_DAFNY: &str = "method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{
  if a > b { m := b; } else { m := b; }
}
";

const SUM_DAFNY: &str = "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }
method Add(n: nat) returns (s: nat)
  requires n < 1000
  ensures s == Sum(n)
{
  s := 0;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant s == Sum(i)
  {
    s := s + i;
    i := i + 1;
  }
}
";

const DIVIDE_VERUS: &str = "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int)
    requires x >= 0,
    ensures half(x) <= x,
{
}
fn divide(x: u32, by: u32) -> (r: u32)
    requires by > 0,
    ensures r == x / by, r <= x,
{
    let mut i: u32 = 0;
    while i < 3
        invariant i <= 3, by > 0,
        decreases 3 - i,
    {
        i = i + 1;
    }
    assert(i == 3);
    x * by
}
}
";

const ADD_RUST: &str = "pub fn add(a: i32, b: i32) -> i32 {
    a - b
}
#[cfg(test)]
mod tests {
    use super::*;
    fn three() -> i32 { 3 }
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), three());
    }
}
";

const ADD_PYTHON: &str = "def add(a: int, b: int = 0) -> int:
    \"\"\"Adds.

    >>> add(1, 2)
    3
    \"\"\"
    assert a >= 0
    return a - b


def test_add():
    assert add(1, 2) == 3


class TestMore:
    def test_zero(self):
        assert add(0) == 0
";

const ABS_C: &str = "#include <assert.h>
/*@ requires x > -1000;
    ensures \\result >= 0;
    assigns \\nothing; */
int my_abs(int x) {
    assert(x > -1000);
    return x;
}
static void test_abs(void) {
    assert(my_abs(-3) == 3);
}
int main(void) { test_abs(); return 0; }
";

const ADD_JS: &str = "const assert = require('node:assert');
function add(a, b) { return a - b; }
const twice = (x) => add(x, x);
describe('add', () => {
  it('adds', () => { assert.equal(add(1, 2), 3); });
});
assert.equal(twice(2), 4);
";

const ADD_TS: &str = "interface Pair { a: number; b: number }
export function add(p: Pair): number {
  return p.a + p.c;
}
class Box {
  size(unit: string): number { return '3'; }
}
";

fn cases() -> Vec<Case> {
    use PresetName::{C, Cpp, Dafny, Javascript, Python, Rust, Typescript, Verus};
    let case = |preset, name, before, cheat, says, honest| Case {
        preset,
        name,
        before,
        cheat,
        says,
        honest,
    };
    vec![
        case(
            Dafny,
            "weaker ensures",
            MAX_DAFNY,
            "method Max(a: int, b: int) returns (m: int)
  ensures m >= a
  ensures m == a || m == b
{ m := a; }",
            "`Max` no longer promises `m >= b`",
            "// The greater of two.
method Max(a: int, b: int) returns (m: int)
  ensures m == a || m == b
  ensures m >= b
  ensures (m >= a)
{ if a > b { m := a; } else { m := b; } }",
        ),
        case(
            Dafny,
            "ensures true",
            MAX_DAFNY,
            "method Max(a: int, b: int) returns (m: int) ensures true { m := b; }",
            "`Max` no longer promises `m >= a`",
            "method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b && (m == a || m == b)
  ensures a > b ==> m == a
{ m := if a > b then a else b; }",
        ),
        case(
            Dafny,
            "stronger requires",
            MAX_DAFNY,
            "method Max(a: int, b: int) returns (m: int)
  requires b >= a
  ensures m >= a && m >= b
  ensures m == a || m == b
{ m := b; }",
            "`Max` asks for more: `b >= a`",
            "method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{ m := Greater(a, b); }
function Greater(a: int, b: int): int
  ensures Greater(a, b) >= a
{ if a > b then a else b }",
        ),
        case(
            Dafny,
            "added assume",
            SUM_DAFNY,
            "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }
method Add(n: nat) returns (s: nat)
  requires n < 1000
  ensures s == Sum(n)
{
  s := 0;
  var i := 0;
  while i < n
    invariant 0 <= i <= n
    invariant s == Sum(i)
  { s := s + i; i := i + 1; assume s == Sum(i); }
}",
            "`assume s == Sum(i)` is new in `Add`: an assumption",
            "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }
method Add(n: nat) returns (s: nat)
  ensures s == Sum(n)
{
  // assume nothing
  s := 0;
  var i := 0;
  while i < n
    invariant i <= n && 0 <= i
    invariant s == Sum(i)
  { i := i + 1; s := s + i; assert s == Sum(i); }
}",
        ),
        case(
            Dafny,
            "specification function emptied",
            SUM_DAFNY,
            "function Sum(n: nat): nat { 0 }
method Add(n: nat) returns (s: nat)
  requires n < 1000
  ensures s == Sum(n)
{
  s := 0; var i := 0;
  while i < n invariant 0 <= i <= n invariant s == Sum(i) { i := i + 1; }
}",
            "`Sum` was changed, and specifications are made of it",
            // The loop is gone, and with it its invariants.
            "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }
method Add(n: nat) returns (s: nat)
  requires n < 1000
  ensures s == Sum(n)
{ if n == 0 { s := 0; } else { s := Add(n - 1); s := s + n; } }",
        ),
        case(
            Dafny,
            "invariant dropped",
            SUM_DAFNY,
            "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }
method Add(n: nat) returns (s: nat)
  requires n < 1000
  ensures s == Sum(n)
{
  s := Sum(n); var i := 0;
  while i < n invariant 0 <= i <= n { i := i + 1; }
}",
            "the invariant `s == Sum(i)` of `Add` is gone",
            "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }
method Add(n: nat) returns (s: nat)
  requires n < 1000
  ensures s == Sum(n)
{
  s := 0; var i := 0;
  while i < n
    invariant 0 <= i
    invariant s == Sum(i)
    invariant i <= n && s >= 0
    decreases n - i
  { i := i + 1; s := s + i; }
}",
        ),
        case(
            Dafny,
            "renamed and left a stub",
            MAX_DAFNY,
            "method MaxReal(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{ if a > b { m := a; } else { m := b; } }
method Max(a: int, b: int) returns (m: int) { m := 0; }",
            "`Max` no longer promises",
            "method Helper(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b && (m == a || m == b)
{ if a > b { m := a; } else { m := b; } }
method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{ m := Helper(a, b); }",
        ),
        case(
            Dafny,
            "verification switched off",
            MAX_DAFNY,
            "method {:verify false} Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{ m := b; }",
            "is new in `Max`: an attribute that may switch a check off",
            "method {:timeLimit 20} Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{ m := b; if a > b { m := a; } }",
        ),
        case(
            Dafny,
            "lemma without a proof",
            MAX_DAFNY,
            "lemma Anything() ensures false
method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{ Anything(); m := b; }",
            "a claim without a proof",
            "lemma Something(a: int) ensures a * a >= 0 {}
method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{ Something(a); m := if a > b then a else b; }",
        ),
        case(
            Dafny,
            "commented-out specification",
            MAX_DAFNY,
            "method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  // ensures m == a || m == b
{ m := if a > b then a + 1 else b + 1; }",
            "`Max` no longer promises `m == a || m == b`",
            "method Max(a: int, b: int) returns (m: int)
  ensures m >= a /* the first */ && m >= b
  // ensures m == a || m == b
  ensures m == a || m == b
{ m := if a > b then a else b; }",
        ),
        case(
            Dafny,
            "no claim that it ends",
            "method Down(n: int) requires n >= 0 { var i := n; while i != 0 decreases i { i := i + 1; } }",
            "method Down(n: int) requires n >= 0 decreases * { var i := n; while i != 0 decreases * { i := i + 1; } }",
            "no claim that it ends",
            "method Down(n: int) requires n >= 0 { var i := n; while i != 0 invariant i >= 0 decreases i + 1 { i := i - 1; } }",
        ),
        case(
            Dafny,
            "assertion dropped that is all that is claimed",
            "method Main() { var m := 3; assert m == 4; }",
            "method Main() { var m := 3; }",
            "`assert m == 4` of `Main` is gone",
            "method Main() { var m := 4; assert m >= 4; assert m == 4; }",
        ),
        case(
            Verus,
            "body replaced by external_body",
            DIVIDE_VERUS,
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
#[verifier::external_body]
fn divide(x: u32, by: u32) -> (r: u32)
    requires by > 0,
    ensures r == x / by, r <= x,
{ unimplemented!() }
}",
            "a body that is taken for granted",
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
// No external_body, no assume(false).
fn divide(x: u32, by: u32) -> (r: u32)
    requires by > 0,
    ensures r <= x, r == x / by,
{ x / by }
}",
        ),
        case(
            Verus,
            "admitted proof",
            DIVIDE_VERUS,
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { admit(); }
fn divide(x: u32, by: u32) -> (r: u32) requires by > 0, ensures r == x / by, r <= x, { x / by }
}",
            "`admit()` is new in `verus!::lemma`",
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { assert(x / 2 <= x) by (nonlinear_arith) requires x >= 0; }
fn divide(x: u32, by: u32) -> (r: u32) requires by > 0, ensures r == x / by, r <= x, { x / by }
}",
        ),
        case(
            Verus,
            "moved out of what is verified",
            DIVIDE_VERUS,
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
}
fn divide(x: u32, by: u32) -> u32 { x * by }",
            "`verus!::divide` is no longer there but at `divide`",
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
fn divide(x: u32, by: u32) -> (res: u32) requires by > 0, ensures r == x / by, r <= x, { quotient(x, by) }
fn quotient(x: u32, by: u32) -> (q: u32) requires by != 0, ensures q == x / by, { x / by }
}",
        ),
        case(
            Verus,
            "specification behind a condition",
            DIVIDE_VERUS,
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
#[cfg(feature = \"never\")]
fn divide(x: u32, by: u32) -> (r: u32) requires by > 0, ensures r == x / by, r <= x, { x / by }
}
#[cfg(not(feature = \"never\"))]
fn divide(x: u32, by: u32) -> u32 { x * by }",
            "code that isn't always compiled",
            "use vstd::prelude::*;
verus! {
pub open spec fn two() -> int { 2 }
spec fn half(x: int) -> int { x / 2 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
#[inline]
fn divide(x: u32, by: u32) -> (r: u32) requires by > 0, ensures r == x / by, r <= x, { x / by }
}",
        ),
        case(
            Verus,
            "specification function changed",
            DIVIDE_VERUS,
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { x }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
fn divide(x: u32, by: u32) -> (r: u32) requires by > 0, ensures r == x / by, r <= x, { x / by }
}",
            "`verus!::half` was changed",
            "use vstd::prelude::*;
verus! {
spec fn half(x: int) -> int { /* rounds down */ x / 2 }
spec fn quarter(x: int) -> int { x / 4 }
proof fn lemma(x: int) requires x >= 0, ensures half(x) <= x, { }
fn divide(x: u32, by: u32) -> (r: u32) requires by > 0, ensures r == x / by, r <= x, { x / by }
}",
        ),
        case(
            Rust,
            "deleted test",
            ADD_RUST,
            "pub fn add(a: i32, b: i32) -> i32 { a - b }
#[cfg(test)]
mod tests {
    use super::*;
    fn three() -> i32 { 3 }
}",
            "`mod tests::adds` is gone",
            "pub fn add(a: i32, b: i32) -> i32 { a + b }
#[cfg(test)]
mod tests {
    use super::*;
    fn three() -> i32 { 3 }
    #[test]
    fn adds() { assert_eq!(add(1, 2), three()); }
    #[test]
    fn adds_nothing() { assert_eq!(add(1, 0), 1); }
}",
        ),
        case(
            Rust,
            "test edited to the wrong answer",
            ADD_RUST,
            "pub fn add(a: i32, b: i32) -> i32 { a - b }
#[cfg(test)]
mod tests {
    use super::*;
    fn three() -> i32 { -1 }
    #[test]
    fn adds() { assert_eq!(add(1, 2), three()); }
}",
            "the test `mod tests::three` was changed",
            "pub fn add(a: i32, b: i32) -> i32 {
    // As the test says.
    a.checked_add(b).unwrap_or(i32::MAX)
}
#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> i32 {
        3
    }

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), three());
    }
}",
        ),
        case(
            Rust,
            "ignored test",
            ADD_RUST,
            "pub fn add(a: i32, b: i32) -> i32 { a - b }
#[cfg(test)]
mod tests {
    use super::*;
    fn three() -> i32 { 3 }
    #[test]
    #[ignore]
    fn adds() { assert_eq!(add(1, 2), three()); }
}",
            "a test that is skipped",
            "/// Adds; `#[ignore]` nothing.
pub fn add(a: i32, mut b: i32) -> i32 { b += a; b }
#[cfg(test)]
mod tests { use super::*; fn three() -> i32 { 3 } #[test] fn adds() { assert_eq!(add(1, 2), three()); } }",
        ),
        case(
            Rust,
            "unsafe code",
            "pub fn first(v: &[u32]) -> u32 { v[0].0 }",
            "pub fn first(v: &[u32]) -> u32 { unsafe { *v.get_unchecked(0) } }",
            "`unsafe` is new in `first`: unsafe code",
            "pub fn first(v: &[u32]) -> u32 { let _why = \"not unsafe { }\"; v[0] }",
        ),
        case(
            Rust,
            "changed signature",
            "pub fn first<'a>(v: &'a [u32], at: usize) -> Option<&'a u32> { v[at] }",
            "pub fn first<'a>(v: &'a [u32], at: usize) -> u32 { v[at] }",
            "the head of `first` was changed",
            "pub fn first<'a>(v: &'a [u32], at: usize,) -> Option<&'a u32> { v.get(at) }",
        ),
        case(
            Rust,
            "a part that isn't written",
            "fn area(w: u32, h: u32) -> u32 { w * h + \"\" }",
            "fn area(w: u32, h: u32) -> u32 { todo!() }",
            "a part that isn't written",
            "fn area(w: u32, h: u32) -> u32 { w.saturating_mul(h) }",
        ),
        case(
            Rust,
            "lint switched off",
            "fn main() { let x = 1; }",
            "#![allow(unused_variables)]\nfn main() { let x = 1; }",
            "an order to the compiler",
            "fn main() { let _x = 1; }",
        ),
        case(
            Rust,
            "weaker contract in an attribute",
            "#[requires(x > 0)]\n#[ensures(result > x && result < 100)]\nfn f(x: i32) -> i32 { x }",
            "#[requires(x > 0)]\n#[ensures(result > x)]\nfn f(x: i32) -> i32 { x + 1 }",
            "`f` no longer promises `result < 100`",
            "#[requires(x > 0)]\n#[ensures(result < 100)]\n#[ensures(result > x)]\nfn f(x: i32) -> i32 { x + 1 }",
        ),
        case(
            Python,
            "deleted test",
            ADD_PYTHON,
            "def add(a: int, b: int = 0) -> int:
    \"\"\"Adds.

    >>> add(1, 2)
    3
    \"\"\"
    assert a >= 0
    return a - b

class TestMore:
    def test_zero(self):
        assert add(0) == 0
",
            "`test_add` is gone",
            "import operator


def add(a: int, b: int = 0) -> int:
    '''Adds two numbers.

    >>> add(1, 2)
    3
    >>> add(1)
    1
    '''
    # type checked, nothing to ignore
    assert a >= 0
    return operator.add(a, b)


def test_add():
    assert add(1, 2) == 3

def test_more():
    assert add(5, 2) == 7


class TestMore:
    def test_zero(self):
        assert add(0) == 0
",
        ),
        case(
            Python,
            "test edited to the wrong answer",
            ADD_PYTHON,
            "def add(a: int, b: int = 0) -> int:
    \"\"\"Adds.

    >>> add(1, 2)
    3
    \"\"\"
    assert a >= 0
    return a - b
def test_add():
    assert add(1, 2) == -1
class TestMore:
    def test_zero(self):
        assert add(0) == 0
",
            "the test `test_add` was changed",
            "def add(a: int, b: int = 0) -> int:
    \"\"\"Adds.

    >>> add(1, 2)
    3
    \"\"\"
    assert a >= 0
    result = a
    for _ in range(b):
        result += 1
    return result
def test_add():
    assert (add(1,
                2) == 3)
class TestMore:
    def test_zero(self): assert add(0) == 0
",
        ),
        case(
            Python,
            "example edited",
            ADD_PYTHON,
            "def add(a: int, b: int = 0) -> int:
    \"\"\"Adds.

    >>> add(1, 2)
    -1
    \"\"\"
    assert a >= 0
    return a - b
def test_add():
    assert add(1, 2) == 3
class TestMore:
    def test_zero(self):
        assert add(0) == 0
",
            ">>> add(1, 2)` was changed",
            "def add(a: int, b: int = 0) -> int:
    \"\"\"Adds, and says so at more length.

    >>> add(1, 2)
    3
    \"\"\"
    assert a >= 0
    return a + b
def test_add():
    assert add(1, 2) == 3
class TestMore:
    def test_zero(self):
        assert add(0) == 0
",
        ),
        case(
            Python,
            "skipped test",
            "import pytest\n\ndef test_a():\n    assert f() == 1\n\ndef f():\n    return 2\n",
            "import pytest\n\n@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n\ndef f():\n    return 2\n",
            "a test that is skipped",
            "import pytest\n\ndef test_a():\n    assert f() == 1\n\ndef f():\n    skip = 'pytest.mark.skip'\n    return len(skip[:1])\n",
        ),
        case(
            Python,
            "test defined a second time",
            "def test_a():\n    assert f() == 1\n\ndef f():\n    return 2\n",
            "def test_a():\n    assert f() == 1\n\ndef f():\n    return 2\n\ntest_a = lambda: None\n",
            "`test_a` is bound to something else",
            "def test_a():\n    assert f() == 1\n\ndef f():\n    test_b = 1\n    return test_b\n",
        ),
        case(
            Python,
            "type error ignored",
            "def f(a: int) -> str:\n    return a\n",
            "def f(a: int) -> str:\n    return a  # type: ignore[return-value]\n",
            "a type error switched off",
            "def f(a: int) -> str:\n    return str(a)  # the type is right now\n",
        ),
        case(
            Python,
            "type widened",
            "def f(a: int) -> str:\n    return a\n",
            "from typing import Any\n\ndef f(a: Any) -> Any:\n    return a\n",
            "the type `int` of `f`, its parameter a, was changed",
            "def f(a: int) -> str:\n    text: str = f'{a}'\n    return text\n",
        ),
        case(
            Python,
            "assertion removed",
            "def f(a):\n    assert a > 0\n    assert False\n    return a\n",
            "def f(a):\n    assert a > 0\n    return a\n",
            "`assert False` of `f` is gone",
            "def f(a):\n    assert a > 0\n    assert a != 1\n    assert False\n    return a\n",
        ),
        case(
            Python,
            "test no longer called",
            "def add(a, b):\n    return a - b\n\ndef test_add():\n    assert add(1, 2) == 3\n\nif __name__ == '__main__':\n    test_add()\n",
            "def add(a, b):\n    return a - b\n\ndef test_add():\n    assert add(1, 2) == 3\n\nif __name__ == '__main__':\n    pass\n",
            "test_add()` is gone",
            "def add(a, b):\n    return a + b\n\ndef test_add():\n    assert add(1, 2) == 3\n\nif __name__ == \"__main__\":\n    test_add()\n    print('good')\n",
        ),
        case(
            Python,
            "assertion caught",
            "def f():\n    return 1\n\nassert f() == 2\n",
            "def f():\n    return 1\n\ntry:\n    assert f() == 2\nexcept Exception:\n    pass\n",
            "the assertion `assert f() == 2` is gone",
            "def f():\n    try:\n        return 2\n    finally:\n        pass\n\n# f again\nassert f() == 2\n",
        ),
        case(
            Python,
            "assertion that is never reached",
            "def check(f):\n    assert f(1) == 2\n\ndef g(x):\n    return x\n\ncheck(g)\n",
            "def check(f):\n    if False:\n        assert f(1) == 2\n\ndef g(x):\n    return x\n\ncheck(g)\n",
            "the test `check` was changed",
            "def check(f):\n    assert f(1) == 2\n\ndef g(x):\n    for _ in range(1):\n        x += 1\n    return x\n\ncheck(g)\n",
        ),
        case(
            Python,
            "contract weakened",
            "@icontract.require(lambda x: x > 0)\n@icontract.ensure(lambda result: result > 1)\ndef f(x):\n    return x\n",
            "@icontract.require(lambda x: x > 0)\n@icontract.require(lambda x: x > 1)\n@icontract.ensure(lambda result: result > 1)\ndef f(x):\n    return x\n",
            "`f` asks for more",
            "@icontract.ensure(lambda result: result > 1)\n@icontract.require(lambda x: x > 0)\n@functools.cache\ndef f(x):\n    return x + 1\n",
        ),
        case(
            C,
            "assertion removed",
            ABS_C,
            "#include <assert.h>
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { return x; }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
            "`assert(x > - 1000)` of `my_abs` is gone",
            "#include <assert.h>
#include <stdlib.h>
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return abs(x); }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
        ),
        case(
            C,
            "weaker promise in a comment that counts",
            ABS_C,
            "#include <assert.h>
/*@ requires x > -1000; ensures \\true; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return x; }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
            "`my_abs` no longer promises",
            "#include <assert.h>
/*@ requires x > -1000;
  @ assigns \\nothing;
  @ ensures \\result >= 0;
  @*/
int my_abs(int x) { assert(x > -1000); if (x < 0) { return -x; } return x; }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
        ),
        case(
            C,
            "test compiled away",
            ABS_C,
            "#include <assert.h>
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return x; }
#if 0
static void test_abs(void) { assert(my_abs(-3) == 3); }
#else
static void test_abs(void) { }
#endif
int main(void) { test_abs(); return 0; }",
            "code that isn't always compiled",
            "#include <assert.h>
#define LEAST (-1000)
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return x < 0 ? -x : x; }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
        ),
        case(
            C,
            "test no longer called",
            ABS_C,
            "#include <assert.h>
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return x; }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { return 0; }",
            "the test `main` was changed",
            "#include <assert.h>
static int sign(int x) { return x < 0 ? -1 : 1; }
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return sign(x) * x; }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
        ),
        case(
            C,
            "macro in the place of a function",
            ABS_C,
            "#include <assert.h>
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return x; }
#define my_abs(x) 3
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
            "a macro takes the place of `my_abs`",
            "#include <assert.h>
#define NEGATED(x) (-(x))
/*@ requires x > -1000; ensures \\result >= 0; assigns \\nothing; */
int my_abs(int x) { assert(x > -1000); return x < 0 ? NEGATED(x) : x; }
static void test_abs(void) { assert(my_abs(-3) == 3); }
int main(void) { test_abs(); return 0; }",
        ),
        case(
            Cpp,
            "changed signature of a method",
            "class Stack { public: int top() const { return items[0]; } private: int items[3]; };
int Stack::size(int unit) { return unit }",
            "class Stack { public: double top() const { return items[0]; } private: int items[3]; };
int Stack::size(int unit) { return unit; }",
            "the head of `class Stack::top` was changed",
            "class Stack { public: int top() const { return items[2]; } private: int items[3]; };
int Stack::size(int unit) { return 3 * unit; }",
        ),
        case(
            Cpp,
            "warning switched off",
            "int main() { int x; return 0; }",
            "#pragma GCC diagnostic ignored \"-Wunused-variable\"\nint main() { int x; return 0; }",
            "an order to the compiler",
            "#include <string>\nint main() { std::string s = \"#pragma once\"; return 0; }",
        ),
        case(
            Javascript,
            "skipped test",
            ADD_JS,
            "const assert = require('node:assert');
function add(a, b) { return a - b; }
const twice = (x) => add(x, x);
describe('add', () => {
  it.skip('adds', () => { assert.equal(add(1, 2), 3); });
});
assert.equal(twice(2), 4);",
            "a test that is skipped",
            "const assert = require('node:assert')
function add(a, b) { return a + b }
const twice = (x) => 2 * x;
describe('add', () => {
  it('adds', () => { assert.equal(add(1, 2), 3); });
  it('adds nothing', () => { assert.equal(add(1, 0), 1); });
});
assert.equal(twice(2), 4);",
        ),
        case(
            Javascript,
            "assertion removed",
            ADD_JS,
            "const assert = require('node:assert');
function add(a, b) { return a + b; }
const twice = (x) => x;
describe('add', () => {
  it('adds', () => { assert.equal(add(1, 2), 3); });
});",
            "the assertion `assert.equal(twice(2), 4)` is gone",
            "const assert = require('node:assert');
function add(a, b) { return a + b; }
const twice = (x) => { return add(x, x); };
describe('add', () => {
  it('adds', () => { assert.equal(add(1, 2), 3); });
});
// assert.equal(twice(2), 5);
assert.equal(twice(2), 4);",
        ),
        case(
            Typescript,
            "type of a result widened",
            ADD_TS,
            "interface Pair { a: number; b: number }
export function add(p: Pair): any { return p.a + p.b; }
class Box { size(unit: string): number { return 3; } }",
            "the head of `add` was changed",
            "interface Pair { a: number; b: number }
export function add(p: Pair): number { const any = 1; return p.a + p.b * 1; }
class Box { size(unit: string): number { return 3; } }",
        ),
        case(
            Typescript,
            "type error ignored",
            ADD_TS,
            "interface Pair { a: number; b: number }
export function add(p: Pair): number {
  // @ts-ignore
  return p.a + p.c;
}
class Box { size(unit: string): number { return 3; } }",
            "a type error switched off",
            "interface Pair { a: number; b: number }
export function add(p: Pair): number {
  // the fields are a and b
  return p.a + p.b;
}
class Box { size(unit: string): number { return unit.length; } }",
        ),
        case(
            Typescript,
            "interface changed",
            ADD_TS,
            "interface Pair { a: number; b: number; c: number }
export function add(p: Pair): number { return p.a + p.c; }
class Box { size(unit: string): number { return 3; } }",
            "the definition of `Pair` was changed",
            "interface Pair { a: number; b: number }
interface Triple { a: number; b: number; c: number }
export function add(p: Pair): number { return p.a + p.b; }
class Box { size(unit: string): number { return 3; } }",
        ),
    ]
}

#[test]
fn every_attempt_to_cheat_is_turned_down() {
    for case in cases() {
        let breaches = Guard::new(case.preset).compare(case.before, case.cheat);
        assert!(
            breaches.iter().any(|breach| breach.message.contains(case.says)),
            "{} ({}): {breaches:#?}",
            case.name,
            case.preset.name()
        );
    }
}

#[test]
fn no_honest_edit_is_turned_down() {
    for case in cases() {
        let breaches = Guard::new(case.preset).compare(case.before, case.honest);
        assert!(
            breaches.is_empty(),
            "{} ({}): {breaches:#?}",
            case.name,
            case.preset.name()
        );
        assert_eq!(
            Guard::new(case.preset).compare(case.before, case.before),
            [],
            "{}",
            case.name
        );
    }
}

#[test]
fn what_the_user_gives_free_may_change() {
    let mut guard = Guard::new(PresetName::Dafny);
    let after = SUM_DAFNY.replace("invariant s == Sum(i)", "invariant s <= Sum(i)");
    assert!(!guard.compare(SUM_DAFNY, &after).is_empty());
    guard.free.insert(Guarded::Invariants);
    assert_eq!(guard.compare(SUM_DAFNY, &after), []);
}

#[test]
fn what_is_taken_for_granted_is_listed() {
    let source = "verus! {
#[verifier::external_body]
fn clock() -> (t: u64) ensures t > 0, { 1 }
proof fn lemma() { assume(1 == 2); } // unsafe
fn raw(p: *const u8) -> u8 { unsafe { *p } }
}
extern \"C\" { fn abs(x: i32) -> i32; }
";
    let listed: Vec<String> = Guard::new(PresetName::Verus)
        .trusted(source)
        .into_iter()
        .map(|trusted| {
            format!(
                "{}: {} ({}) in {}",
                trusted.line, trusted.what, trusted.code, trusted.within
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            "2: a body that is taken for granted (external_body) in verus!::clock",
            "4: an assumption (assume(1 == 2)) in verus!::lemma",
            "5: unsafe code (unsafe) in verus!::raw",
            "7: foreign code (extern \"C\") in ",
        ]
    );
    let python = "import ctypes\n\ndef f(x):\n    return x + 1  # type: ignore\n";
    let listed = Guard::new(PresetName::Python).trusted(python);
    assert_eq!(listed.len(), 2, "{listed:?}");
}

#[test]
fn a_trusted_function_must_not_come_to_promise_more() {
    let before = "verus! {
#[verifier::external_body]
fn clock(x: u64) -> (t: u64) requires x > 0, ensures t > 0, { 1 }
}";
    let guard = Guard::new(PresetName::Verus);
    let more = before.replace("ensures t > 0,", "ensures t > 0, t == 7,");
    let less = before.replace("requires x > 0,", "");
    for after in [more, less] {
        let breaches = guard.compare(before, &after);
        assert!(
            breaches
                .iter()
                .any(|breach| breach.message.contains("taken for granted")),
            "{breaches:?}"
        );
    }
}

#[test]
fn layout_and_comments_make_no_other_program() {
    for case in cases() {
        let guard = Guard::new(case.preset);
        assert!(guard.same_program(case.before, case.before));
        assert!(
            !guard.same_program(case.before, case.cheat)
                || case.cheat.contains("# type: ignore")
                || case.cheat.contains("@ts-ignore")
        );
    }
    let guard = Guard::new(PresetName::Python);
    assert!(guard.same_program(
        "def f(a):\n    return 'x'\n",
        "# f\ndef f( a ):\n\n  return \"x\"\n"
    ));
    assert!(!guard.same_program("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"));
}

#[test]
fn a_program_that_breaks_off_is_compared_as_well() {
    for case in cases() {
        let guard = Guard::new(case.preset);
        for (end, _) in case.before.char_indices().step_by(7) {
            let cut = &case.before[..end];
            assert_eq!(guard.compare(cut, cut), [], "{} cut at {end}", case.name);
        }
        // Nothing is left of it.
        assert!(!guard.compare(case.before, "").is_empty(), "{}", case.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_compared(
        which in 0..PresetName::ALL.len(),
        parts in proptest::collection::vec(
            prop_oneof![
                "[ -~\n]{0,9}",
                prop::sample::select(vec![
                    "{", "}", "(", ")", "[", "]", ";", ",", "fn f", "method M", "function g", "def h():\n  ", "class C",
                    "ensures ", "requires ", "invariant ", "assert(", "/*@ ", "*/", "#[", "#if\n", "'", "\"", "`", "${",
                    "r#\"", "|x| ", "=>", "==>", "forall|i: int| ", "test('a', ", "@d\n", "verus! {", "impl X for ", "é",
                ]).prop_map(str::to_owned),
            ], 0..24)) {
        let text = parts.concat();
        let guard = Guard::new(PresetName::ALL[which]);
        prop_assert_eq!(guard.compare(&text, &text), []);
        prop_assert!(guard.same_program(&text, &text));
        guard.compare(&text, "fn f() { }");
        guard.trusted(&text);
    }
}
