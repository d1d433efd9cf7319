//! Tests that reach into the program run in one sandbox with it, say so, and see what they would in one process.

mod judged;

use judged::{gives, has, has_pytest, judge, script, suite};
use redraft::task::{Mode, Report, ScriptForm, Verdict};

const PROGRAM: &str = r#"
import json, os, random, time
from abc import ABC, abstractmethod

LIMIT = 3
CACHE = {}

def helper(x):
    return x + 1

def use(x):
    return helper(x) * LIMIT

def wait():
    time.sleep(100)
    return "waited"

def greet():
    name = input("Name? ")
    print("Hello", name)
    return name.upper()

def read(path):
    with open(path) as file:
        return json.load(file)

def write(path, value):
    with open(path, "w") as file:
        json.dump(value, file)

def setting():
    return os.environ.get("SETTING", "none")

def cached(key):
    if key not in CACHE:
        CACHE[key] = len(CACHE)
    return CACHE[key]

def roll():
    return random.randint(1, 6)

class Animal:
    sound = "?"
    def __init__(self, name):
        self.name = name
    def speak(self):
        return self.sound
    def describe(self):
        return f"{self.name} says {self.speak()}"
    @property
    def loud(self):
        return self.speak().upper()

class Shape(ABC):
    @abstractmethod
    def area(self): ...
    def double(self):
        return 2 * self.area()

async def fetch():
    return 1

async def twice():
    return await fetch() * 2

class Service:
    def client(self):
        raise RuntimeError("no network")
    def get(self):
        return self.client().get("u").json()

if __name__ == "__main__":
    import sys
    print(sum(map(int, sys.stdin.read().split())), sys.argv[1:])
"#;

/// All pass, in one sandbox.
fn passes(report: &Report) {
    let failures: Vec<_> = report.failures().collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!((report.verdict, report.mode), (Verdict::Passed, Mode::Shared));
    assert!(report.results.iter().all(|result| result.mode == Mode::Shared));
}

#[test]
fn what_is_patched_is_patched_for_the_program() {
    let code = r#"
import builtins, io, os, sys, unittest
from pathlib import Path
from unittest import mock
from unittest.mock import AsyncMock, MagicMock, mock_open, patch
import solution
from solution import Animal, Service, use

class T(unittest.IsolatedAsyncioTestCase):
    def test_a_function(self):
        with patch("solution.helper", return_value=10) as helper:
            self.assertEqual(use(1), 30)
            helper.assert_called_once_with(1)
        self.assertEqual(use(1), 6)

    @patch("solution.LIMIT", 5)
    def test_b_constant(self):
        self.assertEqual(use(1), 10)

    def test_c_is_put_back(self):
        self.assertEqual((use(1), solution.LIMIT), (6, 3))

    @patch("solution.time.sleep")
    def test_d_library_by_the_program(self, sleep):
        self.assertEqual(solution.wait(), "waited")
        sleep.assert_called_once_with(100)

    @patch("time.sleep")
    def test_e_library(self, sleep):
        self.assertEqual(solution.wait(), "waited")

    def test_f_open(self):
        with patch("builtins.open", mock_open(read_data='{"a": 1}')) as opened:
            self.assertEqual(solution.read("nowhere"), {"a": 1})
        opened.assert_called_once_with("nowhere")

    def test_g_object(self):
        client = MagicMock()
        client.get.return_value.json.return_value = {"k": [1]}
        with patch.object(Service, "client", return_value=client):
            self.assertEqual(Service().get(), {"k": [1]})
        client.get.assert_called_once_with("u")
        with self.assertRaises(RuntimeError):
            Service().get()

    async def test_h_coroutine(self):
        self.assertEqual(await solution.twice(), 2)
        with patch("solution.fetch", new_callable=AsyncMock) as fetch:
            fetch.return_value = 21
            self.assertEqual(await solution.twice(), 42)
        self.assertEqual(await solution.twice(), 2)

    def test_i_environment(self):
        with patch.dict(os.environ, {"SETTING": "x"}):
            self.assertEqual(solution.setting(), "x")
        self.assertEqual(solution.setting(), "none")

    def test_j_input_and_output(self):
        with patch("builtins.input", side_effect=["ann"]), patch("sys.stdout", new_callable=io.StringIO) as out:
            self.assertEqual(solution.greet(), "ANN")
        self.assertEqual(out.getvalue(), "Hello ann\n")

    def test_k_stdin(self):
        before, sys.stdin = sys.stdin, io.StringIO("zoe\n")
        try:
            self.assertEqual(solution.greet(), "ZOE")
        finally:
            sys.stdin = before
        with self.assertRaises(EOFError):
            solution.greet()

    def test_l_new_name(self):
        with patch("solution.nothing", create=True, new=4):
            self.assertEqual(solution.nothing, 4)
        self.assertFalse(hasattr(solution, "nothing"))

    def test_m_side_effect(self):
        with patch("solution.helper", side_effect=KeyError("k")):
            with self.assertRaises(KeyError):
                use(1)

    def test_n_container(self):
        solution.CACHE.clear()
        self.assertEqual((solution.cached("a"), solution.cached("b")), (0, 1))
        self.assertEqual(solution.CACHE, {"a": 0, "b": 1})
        with patch.dict(solution.CACHE, {"c": 9}):
            self.assertEqual(solution.cached("c"), 9)
        self.assertEqual(solution.cached("c"), 2)
"#;
    passes(&suite(&judge(), ScriptForm::Unittest, PROGRAM, code));
}

#[test]
fn monkeypatch_and_files_of_pytest() {
    let judge = judge();
    if !has_pytest(&judge) {
        return;
    }
    let code = r#"
import random, subprocess, sys
from pathlib import Path
import pytest, solution
from solution import Animal, use

def test_a_attribute(monkeypatch):
    monkeypatch.setattr(solution, "LIMIT", 100)
    assert use(0) == 100
    monkeypatch.setattr("builtins.input", lambda prompt="": "bob")
    assert solution.greet() == "BOB"
    monkeypatch.setenv("SETTING", "x")
    assert solution.setting() == "x"

def test_b_is_put_back():
    assert solution.setting() == "none" and use(0) == 3

def test_c_method(monkeypatch):
    monkeypatch.setattr(Animal, "speak", lambda self: self.name + "?")
    assert Animal("a").describe() == "a says a?"

def test_d_is_put_back():
    assert Animal("a").describe() == "a says ?"

def test_e_files(tmp_path):
    (tmp_path / "in.json").write_text("[1, 2]")
    assert solution.read(tmp_path / "in.json") == [1, 2]
    solution.write(str(tmp_path / "out.json"), {"a": None})
    assert (tmp_path / "out.json").read_text() == '{"a": null}'

def test_f_working_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("q.json").write_text("[1]")
    assert solution.read("q.json") == [1]

def test_g_as_a_process():
    done = subprocess.run([sys.executable, "solution.py", "z"], input="1 2 3", capture_output=True, text=True)
    assert done.stdout == "6 ['z']\n"

def test_h_random():
    random.seed(7)
    assert solution.roll() == random.Random(7).randint(1, 6)

def test_i_printed(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: print(prompt, end="") or "eve")
    solution.greet()
    assert capsys.readouterr().out == "Name? Hello eve\n"
"#;
    passes(&suite(&judge, ScriptForm::Pytest, PROGRAM, code));
}

#[test]
fn classes_below_the_programs() {
    let code = r#"
class Dog(Animal):
    sound = "woof"
    def __init__(self, name, age):
        super().__init__(name)
        self.age = age
    def speak(self):
        return super().speak() + "!"

d = Dog("rex", 3)
assert d.describe() == "rex says woof!"
assert (d.age, d.name) == (3, "rex")
assert isinstance(d, Animal) and isinstance(d, Dog) and issubclass(Dog, Animal)
assert not isinstance(Animal("x"), Dog)
assert d.loud == "WOOF!"

class Square(Shape):
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side ** 2

assert Square(3).double() == 18

class Half(Shape):
    pass

try:
    Half()
    assert False
except TypeError as error:
    assert "abstract" in str(error)
"#;
    passes(&script(&judge(), PROGRAM, code));
}

#[test]
fn the_programs_source_and_signatures() {
    let code = "
import importlib, inspect, sys
import solution
assert 'LIMIT' in inspect.getsource(solution.use)
assert inspect.getsource(solution).startswith('\\nimport json')
assert list(inspect.signature(solution.use).parameters) == ['x']
assert 'helper' in solution.use.__code__.co_names
assert 'use' in dir(solution)
solution.LIMIT = 5
assert solution.use(1) == 10
importlib.reload(solution)
assert solution.use(1) == 6
del sys.modules['solution']
import solution
assert solution.use(1) == 6
";
    passes(&script(&judge(), PROGRAM, code));
}

#[test]
fn what_only_shows_when_it_runs_is_found() {
    // Nothing in the source says that a name of the program's is replaced, or that a class is the program's.
    let code = "
import unittest
import solution
class T(unittest.TestCase):
    def test_a(self):
        module = solution
        module.LIMIT = 10
        self.assertEqual(solution.use(0), 10)
    def test_b(self):
        base = solution.Animal
        kind = type('Cat', (base,), {'sound': 'meow'})
        self.assertEqual(kind('tom').describe(), 'tom says meow')
";
    passes(&suite(&judge(), ScriptForm::Unittest, PROGRAM, code));
}

#[test]
fn failures_are_told_as_elsewhere() {
    let code = "
import unittest
from unittest.mock import patch
from solution import use
class T(unittest.TestCase):
    @patch('solution.helper', return_value=1)
    def test_wrong(self, helper):
        self.assertEqual(use(5), 4)
    @patch('solution.helper', return_value=1)
    def test_right(self, helper):
        self.assertEqual(use(5), 3)
";
    let report = suite(&judge(), ScriptForm::Unittest, PROGRAM, code);
    gives(
        &report,
        &[("T.test_right", "passed"), ("T.test_wrong", "wrong_answer")],
    );
    let wrong = &report.results[1];
    assert_eq!(
        (
            wrong.input.as_str(),
            wrong.expected.as_str(),
            wrong.actual.as_deref()
        ),
        ("use(5)", "4", Some("3"))
    );
    assert_eq!(report.mode, Mode::Shared);
}

#[test]
fn a_program_that_ends_or_hangs_fails_that_test_only() {
    let program = "
import os
def f(x):
    if x == 2:
        os._exit(0)
    if x == 3:
        os.kill(os.getpid(), 11)
    while x == 4:
        pass
    if x == 5:
        os.kill(os.getppid(), 9)
    if x == 6:
        os.kill(-1, 9)
    return x
";
    let code = "
import unittest, tempfile
from solution import f
class T(unittest.TestCase):
    def test_1(self): self.assertEqual(f(1), 1)
    def test_2(self): self.assertEqual(f(2), 2)
    def test_3(self): self.assertEqual(f(3), 3)
    def test_4(self): self.assertEqual(f(4), 4)
    def test_5(self): self.assertEqual(f(5), 5)
    def test_6(self): self.assertEqual(f(6), 6)
    def test_7(self): self.assertEqual(f(7), 7)
";
    let limits = redraft::task::Limits {
        cpu_ms: 2_000,
        ..judged::limits()
    };
    let report = judged::script_with(&judge(), program, code, ScriptForm::Unittest, None, &limits);
    gives(
        &report,
        &[
            ("T.test_1", "passed"),
            ("T.test_2", "runtime_error"),
            ("T.test_3", "runtime_error"),
            ("T.test_4", "timed_out"),
            ("T.test_5", "runtime_error"),
            ("T.test_6", "runtime_error"),
            ("T.test_7", "passed"),
        ],
    );
}

/// What a program tries from within the sandbox that it shares with its tests.
#[test]
fn the_tests_process_is_out_of_reach() {
    let program = r#"
import os, re
def tries(what):
    found = []
    # Also those that aren't listed.
    for pid in map(str, range(2, 300)):
        if int(pid) == os.getpid():
            continue
        try:
            found.append(what(pid))
        except OSError as error:
            found.append(type(error).__name__)
    return found

def attack(kind):
    if kind == "memory":
        return tries(lambda pid: open(f"/proc/{pid}/mem", "rb").read(1))
    if kind == "write":
        return tries(lambda pid: open(f"/proc/{pid}/mem", "r+b").close() or "opened")
    if kind == "channel":
        return tries(lambda pid: os.open(f"/proc/{pid}/fd/3", os.O_RDWR))
    if kind == "descriptors":
        return tries(lambda pid: os.listdir(f"/proc/{pid}/fd"))
    if kind == "environment":
        return tries(lambda pid: open(f"/proc/{pid}/environ").read())
    if kind == "source":
        texts = []
        for folder in ("/tmp", "/box", "/dev/shm"):
            for place, _, files in os.walk(folder):
                for name in files:
                    if name != "solution.py":
                        texts.append(open(os.path.join(place, name), errors="replace").read())
        return "SECRET" in "".join(texts)
    if kind == "plant":
        for name in ("unittest", "json", "ast", "inspect", "conftest", "sitecustomize", "pytest", "mock"):
            for folder in ("/box", "/tmp", os.getcwd()):
                open(f"{folder}/{name}.py", "w").write("raise SystemExit(0)\n")
        return "planted"
"#;
    let code = "
import tempfile
SECRET = 'SECRET'
for kind in ['memory', 'write', 'channel', 'descriptors', 'environment']:
    found = attack(kind)
    assert found and set(found) <= {'PermissionError', 'FileNotFoundError', 'ProcessLookupError', 'OSError'}, (kind, found)
assert attack('source') is False
assert attack('plant') == 'planted'
import mock_that_is_not_there
";
    let report = script(&judge(), program, code);
    let last = report.results.last();
    assert!(
        last.is_some_and(|last| last
            .error
            .as_deref()
            .is_some_and(|error| error.contains("mock_that_is_not_there"))),
        "{report:#?}"
    );
    let failed: Vec<_> = report
        .failures()
        .filter(|result| result.verdict != Verdict::HarnessError)
        .collect();
    assert!(failed.is_empty() && report.passed == 7, "{report:#?}");
    assert_eq!(report.mode, Mode::Shared);
}

#[test]
fn mocker_and_frames_of_libraries() {
    let judge = judge();
    if !has_pytest(&judge) || !has(&judge, "pytest_mock") {
        return;
    }
    let code = "
import solution
def test_mocker(mocker):
    helper = mocker.patch('solution.helper', return_value=2)
    assert solution.use(9) == 6
    helper.assert_called_once_with(9)
    spy = mocker.spy(solution, 'use')
    assert solution.use(1) == 6
def test_put_back():
    assert solution.use(1) == 6
";
    passes(&suite(&judge, ScriptForm::Pytest, PROGRAM, code));
}
