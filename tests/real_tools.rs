//! Real tools in the loop: Dafny on six programs with a broken body, and rustc, mypy, pytest and gcc on two programs
//! each. The tools and their findings are real; the model is scripted, since the small local ones are too weak for
//! proofs. Each reply of the script is bound to what the critique must say, so that a repair only comes about if the
//! tool's words arrive. In each set one reply tries to cheat first and is rejected.
//!
//! A tool that isn't there is skipped, and said so.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "who skips something says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Whether a tool is in `PATH`. Where nothing may be skipped its absence is a failure, but for Dafny, which not every
/// Debian has.
fn there(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if !found {
        assert!(
            tool == "dafny" || std::env::var_os("REDRAFT_NO_SKIP").is_none(),
            "{tool} is missing, and REDRAFT_NO_SKIP is set"
        );
        eprintln!("skipped: {tool} is not installed");
    }
    found
}

struct Broken {
    file: &'static str,
    check: &'static str,
    given: &'static str,
    /// Replies, each with what the prompt must say.
    replies: &'static [(&'static str, &'static [&'static str])],
    companion: Option<(&'static str, &'static str)>,
}

/// Repairs it; the result.
fn mended(broken: &Broken) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    std::fs::write(path(broken.file), broken.given).unwrap();
    let replies: Vec<Value> = broken
        .replies
        .iter()
        .map(|(source, says)| json!({"content": format!("```\n{source}```"), "contains": says}))
        .collect();
    std::fs::write(path("script.json"), json!(replies).to_string()).unwrap();
    let mut args = vec![
        "repair",
        broken.file,
        "--check",
        broken.check,
        "--model",
        "script:script.json",
        "--json",
    ];
    if let Some((name, text)) = broken.companion {
        std::fs::write(path(name), text).unwrap();
        args.extend(["--with", name]);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(&args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}: {stderr}", broken.file);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["repaired"], true, "{}: {stderr}", broken.file);
    assert_eq!(result["returned"], json!(broken.replies.len()), "{}", broken.file);
    assert_eq!(result["trusted"], json!([]), "{}", broken.file);
    assert!(result["version"].is_string(), "{}", broken.file);
    assert!(Path::new(broken.file).extension().is_some());
    result
}

const DAFNY: &str = "dafny /compile:0 {file}";

#[test]
fn dafny_on_six_programs() {
    if !there("dafny") {
        return;
    }
    let programs = [
        // A postcondition.
        Broken {
            file: "max.dfy",
            check: DAFNY,
            given: "method Max(a: int, b: int) returns (m: int)\n  ensures m >= a && m >= b\n  ensures m == a || m == b\n{\n  \
                    if a > b { m := b; } else { m := b; }\n}\n",
            replies: &[
                (
                    "method Max(a: int, b: int) returns (m: int)\n  ensures m >= b\n  ensures m == a || m == b\n{\n  m := b;\n}\n",
                    &[
                        "postcondition, max.dfy:5:",
                        "A postcondition might not hold",
                        "ensures m >= a && m >= b",
                    ],
                ),
                (
                    "method Max(a: int, b: int) returns (m: int)\n  ensures m >= a && m >= b\n  ensures m == a || m == b\n{\n  \
                     if a > b { m := a; } else { m := b; }\n}\n",
                    &["<rejected>", "`Max` no longer promises `m >= a`"],
                ),
            ],
            companion: None,
        },
        // A loop whose invariant isn't kept.
        Broken {
            file: "sum.dfy",
            check: DAFNY,
            given: "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }\n\nmethod Add(n: nat) returns (s: nat)\n  \
                    ensures s == Sum(n)\n{\n  s := 0;\n  var i := 0;\n  while i < n\n    invariant 0 <= i <= n\n    \
                    invariant s == Sum(i)\n  {\n    s := s + i;\n    i := i + 1;\n  }\n}\n",
            replies: &[
                (
                    "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }\n\nmethod Add(n: nat) returns (s: nat)\n  \
                     ensures s == Sum(n)\n{\n  s := 0;\n  var i := 0;\n  while i < n\n    invariant 0 <= i <= n\n    \
                     invariant s == Sum(i)\n  {\n    s := s + i;\n    i := i + 1;\n    assume s == Sum(i);\n  }\n}\n",
                    &[
                        "invariant, sum.dfy:10:",
                        "An invariant doesn't hold on entry or isn't kept",
                    ],
                ),
                (
                    "function Sum(n: nat): nat { if n == 0 then 0 else n + Sum(n - 1) }\n\nmethod Add(n: nat) returns (s: nat)\n  \
                     ensures s == Sum(n)\n{\n  s := 0;\n  var i := 0;\n  while i < n\n    invariant 0 <= i <= n\n    \
                     invariant s == Sum(i)\n  {\n    i := i + 1;\n    s := s + i;\n  }\n}\n",
                    &["`assume s == Sum(i)` is new in `Add`: an assumption"],
                ),
            ],
            companion: None,
        },
        // A precondition of a call.
        Broken {
            file: "half.dfy",
            check: DAFNY,
            given: "method Half(x: int) returns (h: int)\n  requires x >= 0\n  ensures 0 <= h <= x\n{\n  h := x / 2;\n}\n\n\
                    method Distance(a: int, b: int) returns (d: int)\n  ensures d >= 0\n{\n  d := Half(a - b);\n}\n",
            replies: &[(
                "method Half(x: int) returns (h: int)\n  requires x >= 0\n  ensures 0 <= h <= x\n{\n  h := x / 2;\n}\n\n\
                 method Distance(a: int, b: int) returns (d: int)\n  ensures d >= 0\n{\n  \
                 var gap := if a > b then a - b else b - a;\n  d := Half(gap);\n}\n",
                &["precondition, half.dfy:11:", "half.dfy:2:", "requires x >= 0"],
            )],
            companion: None,
        },
        // A recursion that doesn't end.
        Broken {
            file: "power.dfy",
            check: DAFNY,
            given: "function Power(b: int, n: nat): int { if n == 0 then 1 else b * Power(b, n - 1) }\n\n\
                    method Raise(b: int, n: nat) returns (p: int)\n  ensures p == Power(b, n)\n{\n  if n == 0 {\n    p := 1;\n  \
                    } else {\n    p := Raise(b, n);\n  }\n}\n",
            replies: &[(
                "function Power(b: int, n: nat): int { if n == 0 then 1 else b * Power(b, n - 1) }\n\n\
                 method Raise(b: int, n: nat) returns (p: int)\n  ensures p == Power(b, n)\n{\n  if n == 0 {\n    p := 1;\n  \
                 } else {\n    p := Raise(b, n - 1);\n    p := b * p;\n  }\n}\n",
                &["termination, power.dfy:9:", "make it end, and give a measure"],
            )],
            companion: None,
        },
        // An index and a search.
        Broken {
            file: "find.dfy",
            check: DAFNY,
            given: "method Find(a: array<int>, key: int) returns (at: int)\n  ensures 0 <= at ==> at < a.Length && a[at] == key\n  \
                    ensures at < 0 ==> forall k :: 0 <= k < a.Length ==> a[k] != key\n{\n  at := 0;\n  while at <= a.Length\n    \
                    invariant 0 <= at <= a.Length\n    invariant forall k :: 0 <= k < at ==> a[k] != key\n  {\n    \
                    if a[at] == key { return; }\n    at := at + 1;\n  }\n  at := -1;\n}\n",
            replies: &[(
                "method Find(a: array<int>, key: int) returns (at: int)\n  ensures 0 <= at ==> at < a.Length && a[at] == key\n  \
                 ensures at < 0 ==> forall k :: 0 <= k < a.Length ==> a[k] != key\n{\n  at := 0;\n  while at < a.Length\n    \
                 invariant 0 <= at <= a.Length\n    invariant forall k :: 0 <= k < at ==> a[k] != key\n  {\n    \
                 if a[at] == key { return; }\n    at := at + 1;\n  }\n  at := -1;\n}\n",
                &["find.dfy:10:", "index out of range"],
            )],
            companion: None,
        },
        // First it can't be read, then it can't be shown.
        Broken {
            file: "abs.dfy",
            check: DAFNY,
            given: "method Abs(x: int) returns (y: int)\n  ensures y >= 0\n  ensures y == x || y == -x\n{\n  if x < 0 {\n    \
                    y := x\n  }\n}\n",
            replies: &[
                (
                    "method Abs(x: int) returns (y: int)\n  ensures y >= 0\n  ensures y == x || y == -x\n{\n  if x < 0 {\n    \
                     y := x;\n  } else {\n    y := x;\n  }\n}\n",
                    &["syntax, abs.dfy:", "The text can't be read as a program yet"],
                ),
                (
                    "method Abs(x: int) returns (y: int)\n  ensures y >= 0\n  ensures y == x || y == -x\n{\n  if x < 0 {\n    \
                     y := -x;\n  } else {\n    y := x;\n  }\n}\n",
                    &["postcondition, abs.dfy:", "ensures y >= 0"],
                ),
            ],
            companion: None,
        },
    ];
    for program in &programs {
        let result = mended(program);
        assert_eq!(result["guard"], "dafny");
        assert!(
            result["version"].as_str().unwrap().starts_with("Dafny"),
            "{result}"
        );
    }
}

#[test]
fn rustc_on_two_programs() {
    if !there("rustc") {
        return;
    }
    let check = "rustc --edition 2021 --test {file} -o tests && ./tests -q";
    let programs = [
        Broken {
            file: "area.rs",
            check,
            given: "pub fn area(width: u32, height: u32) -> String {\n    width * height\n}\n\n#[test]\nfn is_text() {\n    \
                    assert_eq!(area(2, 3), \"6\");\n}\n",
            replies: &[
                (
                    "pub fn area(width: u32, height: u32) -> String {\n    todo!()\n}\n\n#[test]\n#[ignore]\nfn is_text() {\n    \
                     assert_eq!(area(2, 3), \"6\");\n}\n",
                    &[
                        "type, area.rs:2:5: mismatched types [E0308]",
                        "expected `String`, found `u32`",
                    ],
                ),
                (
                    "pub fn area(width: u32, height: u32) -> String {\n    (width * height).to_string()\n}\n\n#[test]\nfn is_text() {\n    \
                     assert_eq!(area(2, 3), \"6\");\n}\n",
                    &["`todo!()` is new", "a test that is skipped"],
                ),
            ],
            companion: None,
        },
        Broken {
            file: "largest.rs",
            check,
            given: "pub fn largest(values: &[i32]) -> Option<i32> {\n    let mut best = 0;\n    for value in values {\n        \
                    if *value > best {\n            best = *value;\n        }\n    }\n    Some(best)\n}\n\n#[test]\nfn of_negative() {\n    \
                    assert_eq!(largest(&[-3, -2]), Some(-2));\n}\n\n#[test]\nfn of_none() {\n    assert_eq!(largest(&[]), None);\n}\n",
            replies: &[(
                "pub fn largest(values: &[i32]) -> Option<i32> {\n    values.iter().copied().max()\n}\n\n#[test]\nfn of_negative() {\n    \
                 assert_eq!(largest(&[-3, -2]), Some(-2));\n}\n\n#[test]\nfn of_none() {\n    assert_eq!(largest(&[]), None);\n}\n",
                &["test, largest.rs:13:", "of_negative", "of_none", "Tests fail"],
            )],
            companion: None,
        },
    ];
    for program in &programs {
        mended(program);
    }
}

#[test]
fn mypy_on_two_programs() {
    if !there("mypy") {
        return;
    }
    let programs = [
        Broken {
            file: "label.py",
            check: "mypy --strict {file}",
            given: "def label(number: int) -> str:\n    return number\n",
            replies: &[
                (
                    "def label(number: int) -> str:\n    return number  # type: ignore\n",
                    &[
                        "type, label.py:2: Incompatible return value type",
                        "[return-value]",
                        "Version: mypy",
                    ],
                ),
                (
                    "def label(number: int) -> str:\n    return str(number)\n",
                    &["`type: ignore` is new in `label`: a type error switched off"],
                ),
            ],
            companion: None,
        },
        Broken {
            file: "first.py",
            check: "mypy --strict {file}",
            given: "def first(words: list[str]) -> str | None:\n    for word in words:\n        if word.size() > 3:\n            \
                    return word\n    return 0\n",
            replies: &[(
                "def first(words: list[str]) -> str | None:\n    for word in words:\n        if len(word) > 3:\n            \
                 return word\n    return None\n",
                &[
                    "type, first.py:3:",
                    "[attr-defined]",
                    "type, first.py:5:",
                    "[return-value]",
                ],
            )],
            companion: None,
        },
    ];
    for program in &programs {
        mended(program);
    }
}

#[test]
fn pytest_on_two_programs() {
    if !there("pytest") {
        return;
    }
    let check = "pytest -q -p no:cacheprovider {file}";
    let programs = [
        Broken {
            file: "test_median.py",
            check,
            given: "def median(values):\n    return sorted(values)[len(values) // 2]\n\n\ndef test_odd():\n    \
                    assert median([3, 1, 2]) == 2\n\n\ndef test_even():\n    assert median([1, 2, 3, 4]) == 2.5\n",
            replies: &[
                (
                    "import pytest\n\n\ndef median(values):\n    return sorted(values)[len(values) // 2]\n\n\ndef test_odd():\n    \
                     assert median([3, 1, 2]) == 2\n\n\n@pytest.mark.xfail\ndef test_even():\n    assert median([1, 2, 3, 4]) == 2.5\n",
                    &["test, test_median.py:10, test_even: assert 3 == 2.5"],
                ),
                (
                    "def median(values):\n    ordered = sorted(values)\n    half = len(ordered) // 2\n    if len(ordered) % 2:\n        \
                     return ordered[half]\n    return (ordered[half - 1] + ordered[half]) / 2\n\n\ndef test_odd():\n    \
                     assert median([3, 1, 2]) == 2\n\n\ndef test_even():\n    assert median([1, 2, 3, 4]) == 2.5\n",
                    &["a test that may fail"],
                ),
            ],
            companion: None,
        },
        Broken {
            file: "stack.py",
            check: "pytest -q -p no:cacheprovider test_stack.py # {file}",
            given: "class Stack:\n    def __init__(self, items=[]):\n        self.items = items\n\n    def push(self, item):\n        \
                    self.items.append(item)\n",
            replies: &[(
                "class Stack:\n    def __init__(self, items=[]):\n        self.items = list(items)\n\n    def push(self, item):\n        \
                 self.items.append(item)\n",
                &["test_stack.py:", "test_fresh"],
            )],
            companion: Some((
                "test_stack.py",
                "from stack import Stack\n\n\ndef test_fresh():\n    Stack().push(1)\n    assert Stack().items == []\n",
            )),
        },
    ];
    for program in &programs {
        mended(program);
    }
}

#[test]
fn gcc_on_two_programs() {
    if !there("gcc") {
        return;
    }
    let programs = [
        Broken {
            file: "count.c",
            check: "gcc -std=c11 -Wall -Wextra -Werror -c {file} -o count.o",
            given: "#include <stddef.h>\n\nsize_t count(const char *text, char wanted) {\n    int found = 0;\n    \
                    for (size_t at = 0; text[at]; at++) {\n        if (text[at] = wanted) found++;\n    }\n    return found\n}\n",
            replies: &[
                (
                    "#include <stddef.h>\n#pragma GCC diagnostic ignored \"-Wall\"\n\nsize_t count(const char *text, char wanted) {\n    \
                     int found = 0;\n    for (size_t at = 0; text[at]; at++) {\n        if (text[at] == wanted) found++;\n    }\n    return found;\n}\n",
                    &["syntax, count.c:8:", "type, count.c:6:", "Version: gcc"],
                ),
                (
                    "#include <stddef.h>\n\nsize_t count(const char *text, char wanted) {\n    size_t found = 0;\n    \
                     for (size_t at = 0; text[at]; at++) {\n        if (text[at] == wanted) found++;\n    }\n    return found;\n}\n",
                    &["an order to the compiler"],
                ),
            ],
            companion: None,
        },
        Broken {
            file: "gcd.c",
            check: "gcc -std=c11 -Wall -Werror {file} -o gcd && ./gcd",
            given: "#include <assert.h>\n\nunsigned gcd(unsigned a, unsigned b) {\n    while (b) {\n        unsigned rest = a % b;\n        \
                    b = a;\n        a = rest;\n        if (a == 0) break;\n    }\n    return a;\n}\n\nint main(void) {\n    \
                    assert(gcd(12, 18) == 6);\n    return 0;\n}\n",
            replies: &[(
                "#include <assert.h>\n\nunsigned gcd(unsigned a, unsigned b) {\n    while (b) {\n        unsigned rest = a % b;\n        \
                 a = b;\n        b = rest;\n    }\n    return a;\n}\n\nint main(void) {\n    assert(gcd(12, 18) == 6);\n    return 0;\n}\n",
                &["assertion", "gcd.c:14", "gcd(12, 18) == 6"],
            )],
            companion: None,
        },
    ];
    for program in &programs {
        mended(program);
    }
}
