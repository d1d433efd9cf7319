//! Which tests can't be kept apart from their program, as far as their source tells: those that patch it or a library
//! under it, put classes below its own, read its source, or share files and other surroundings with it.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Parameters, Stmt};

use crate::task::ScriptForm;

/// Libraries that are about files, other processes, or the insides of code.
const LIBRARIES: [&str; 15] = [
    "dis",
    "fileinput",
    "gc",
    "glob",
    "importlib",
    "linecache",
    "multiprocessing",
    "pytest_mock",
    "runpy",
    "shelve",
    "shutil",
    "sqlite3",
    "subprocess",
    "tempfile",
    "zipfile",
];
/// Fixtures of pytest's that are.
const FIXTURES: [&str; 11] = [
    "class_mocker",
    "mocker",
    "module_mocker",
    "monkeypatch",
    "package_mocker",
    "pytester",
    "session_mocker",
    "tmp_path",
    "tmp_path_factory",
    "tmpdir",
    "tmpdir_factory",
];
/// Functions and attributes of a module that are. The module's others are harmless.
const MEMBERS: [(&str, &[&str]); 5] = [
    (
        "os",
        &[
            "chdir",
            "chmod",
            "environ",
            "getcwd",
            "getenv",
            "link",
            "listdir",
            "makedirs",
            "mkdir",
            "open",
            "popen",
            "putenv",
            "remove",
            "removedirs",
            "rename",
            "replace",
            "rmdir",
            "scandir",
            "stat",
            "symlink",
            "system",
            "unlink",
            "unsetenv",
            "walk",
        ],
    ),
    (
        "path",
        &["exists", "getmtime", "getsize", "isdir", "isfile", "islink"],
    ),
    ("sys", &["argv", "modules", "path", "stdin"]),
    (
        "inspect",
        &[
            "getsource",
            "getsourcelines",
            "getsourcefile",
            "getfile",
            "getmodule",
            "getcomments",
        ],
    ),
    ("random", &["seed", "setstate", "getstate"]),
];
/// Methods of paths that no other common object has.
const PATH_METHODS: [&str; 13] = [
    "is_dir",
    "is_file",
    "iterdir",
    "mkdir",
    "read_bytes",
    "read_text",
    "rglob",
    "rmdir",
    "samefile",
    "touch",
    "unlink",
    "write_bytes",
    "write_text",
];
/// What changes a container in place.
const CHANGING: [&str; 16] = [
    "add",
    "append",
    "appendleft",
    "clear",
    "discard",
    "extend",
    "extendleft",
    "insert",
    "move_to_end",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
];
/// Attributes that are the insides of a function, class or module.
const INSIDES: [&str; 6] = [
    "__closure__",
    "__code__",
    "__defaults__",
    "__file__",
    "__globals__",
    "__kwdefaults__",
];

/// Whether tests with this code have to be in one sandbox with the program, which they import under these names.
pub(crate) fn reaches_in(code: &str, form: ScriptForm, names: &[String]) -> bool {
    let examples;
    let code = if form == ScriptForm::Doctest {
        examples = examples_of(code);
        &examples
    } else {
        code
    };
    let Ok(parsed) = ruff_python_parser::parse_module(code) else {
        return false;
    };
    let module = parsed.into_syntax();
    let mut reach = Reach {
        known: Known::of(&module, names),
        found: false,
    };
    reach.visit_body(&module.body);
    reach.found
}

/// The code of a text's examples.
fn examples_of(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix(">>> ").or_else(|| line.strip_prefix("... ")) {
            code.push_str(rest);
            code.push('\n');
        }
    }
    code
}

/// What the names of a file stand for.
#[derive(Debug, Default)]
struct Known {
    /// Names of the program itself: of what it is imported as.
    programs: BTreeSet<String>,
    /// Names that the file takes from the program.
    taken: BTreeSet<String>,
    /// Names of libraries' modules.
    libraries: BTreeSet<String>,
    /// Names that the file defines or imports from elsewhere.
    own: BTreeSet<String>,
    /// Whether it uses what a library of `LIBRARIES` has.
    uses_library: bool,
    /// Names that stand for `unittest.mock.patch`.
    patches: BTreeSet<String>,
}

impl Known {
    fn of(module: &ModModule, names: &[String]) -> Self {
        let mut known = Self::default();
        let mut collector = Collector {
            known: &mut known,
            names,
        };
        collector.visit_body(&module.body);
        known
    }
}

/// Goes through the file for its imports and definitions.
struct Collector<'a> {
    known: &'a mut Known,
    names: &'a [String],
}

impl Visitor<'_> for Collector<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let module = alias.name.as_str();
                    let root = module.split('.').next().unwrap_or_default();
                    let name = alias
                        .asname
                        .as_ref()
                        .map_or(root, |name| name.as_str())
                        .to_owned();
                    self.note_module(root, name);
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                let root = module.split('.').next().unwrap_or_default();
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).to_string();
                    if self.names.iter().any(|own| own == root) {
                        self.known.taken.insert(name);
                        continue;
                    }
                    self.known.uses_library |= LIBRARIES.contains(&root);
                    match (module, alias.name.as_str()) {
                        ("unittest.mock" | "mock", "patch") => {
                            self.known.patches.insert(name.clone());
                        }
                        // As if the module had been named.
                        (_, member) if is_member(root, member) => self.known.uses_library = true,
                        ("unittest", "mock") | ("os", "path") => {
                            self.known.libraries.insert(name.clone());
                        }
                        _ => {}
                    }
                    self.known.own.insert(name);
                }
            }
            Stmt::FunctionDef(function) => {
                self.known.own.insert(function.name.to_string());
            }
            Stmt::ClassDef(class) => {
                self.known.own.insert(class.name.to_string());
            }
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    if let Expr::Name(name) = target {
                        self.known.own.insert(name.id.to_string());
                    }
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}

impl Collector<'_> {
    fn note_module(&mut self, root: &str, name: String) {
        if self.names.iter().any(|own| own == root) {
            self.known.programs.insert(name);
            return;
        }
        self.known.uses_library |= LIBRARIES.contains(&root);
        self.known.own.insert(name.clone());
        self.known.libraries.insert(name);
    }
}

fn is_member(module: &str, name: &str) -> bool {
    MEMBERS
        .iter()
        .any(|(known, members)| *known == module && members.contains(&name))
}

/// Goes through the file for what reaches into the program.
struct Reach {
    known: Known,
    found: bool,
}

impl Reach {
    /// Whether an expression is the program, or something in it.
    fn is_in_program(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => self.known.programs.contains(name.id.as_str()),
            Expr::Attribute(attribute) => self.is_in_program(&attribute.value),
            _ => false,
        }
    }

    /// Whether it is something of the program's under its own name.
    fn is_programs(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => self.known.taken.contains(name.id.as_str()),
            Expr::Attribute(attribute) => self.is_in_program(&attribute.value),
            _ => false,
        }
    }

    /// Whether it is a module of a library's, or something in it.
    fn is_in_library(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => self.known.libraries.contains(name.id.as_str()),
            Expr::Attribute(attribute) => self.is_in_library(&attribute.value),
            _ => false,
        }
    }

    /// Whether a class can only be the program's.
    fn is_programs_class(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => {
                let name = name.id.as_str();
                let free = !self.known.own.contains(name) && !is_builtin_class(name);
                self.known.taken.contains(name) || free
            }
            other => self.is_programs(other),
        }
    }

    fn note_target(&mut self, target: &Expr) {
        self.found |= match target {
            Expr::Attribute(attribute) => {
                self.is_in_program(&attribute.value) || self.is_in_library(&attribute.value)
            }
            Expr::Subscript(subscript) => self.is_programs(&subscript.value),
            _ => false,
        };
    }

    fn note_parameters(&mut self, parameters: &Parameters) {
        self.found |= parameters
            .iter()
            .any(|parameter| FIXTURES.contains(&parameter.name().as_str()));
    }
}

impl Visitor<'_> for Reach {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        self.found |= self.known.uses_library;
        match stmt {
            Stmt::ClassDef(class) => {
                self.found |= class.bases().iter().any(|base| self.is_programs_class(base));
            }
            Stmt::FunctionDef(function) => self.note_parameters(&function.parameters),
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.note_target(target)),
            Stmt::AugAssign(assign) => self.note_target(&assign.target),
            Stmt::Delete(delete) => delete.targets.iter().for_each(|target| self.note_target(target)),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        self.found |= match expr {
            Expr::Name(name) => self.known.patches.contains(name.id.as_str()),
            Expr::Attribute(attribute) => {
                let name = attribute.attr.as_str();
                let of = match &*attribute.value {
                    Expr::Name(module) => Some(module.id.as_str()),
                    Expr::Attribute(inner) => Some(inner.attr.as_str()),
                    _ => None,
                };
                INSIDES.contains(&name)
                    || PATH_METHODS.contains(&name)
                    || (name == "patch" && of == Some("mock"))
                    || name == "MonkeyPatch"
                    || of.is_some_and(|module| is_member(module, name))
            }
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => match name.id.as_str() {
                    "open" => !self.known.own.contains("open") && !self.known.taken.contains("open"),
                    "setattr" | "delattr" => call
                        .arguments
                        .args
                        .first()
                        .is_some_and(|target| self.is_in_program(target) || self.is_in_library(target)),
                    _ => false,
                },
                Expr::Attribute(attribute) => {
                    CHANGING.contains(&attribute.attr.as_str()) && self.is_programs(&attribute.value)
                }
                _ => false,
            },
            _ => false,
        };
        walk_expr(self, expr);
    }
}

/// Classes that need no import.
fn is_builtin_class(name: &str) -> bool {
    let plain = [
        "bool",
        "bytearray",
        "bytes",
        "complex",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "object",
        "set",
        "str",
        "tuple",
        "type",
    ];
    plain.contains(&name)
        || ["Error", "Exception", "Exit", "Interrupt", "Iteration", "Warning"]
            .iter()
            .any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaches(code: &str) -> bool {
        reaches_in(code, ScriptForm::Pytest, &["solution".to_owned()])
    }

    #[test]
    fn tests_that_only_call_are_kept_apart() {
        for code in [
            "from solution import f\ndef test_f():\n    assert f(1) == 1\n",
            "import solution as s\ndef test_f(capsys):\n    s.f()\n    assert capsys.readouterr().out == ''\n",
            "import os, sys, random\nxs = [1]\nxs.remove(1)\nassert f(os.path.join('a', 'b')) == sys.maxsize\nrandom.random()\n",
            "from unittest.mock import MagicMock\nassert f(MagicMock()) == 1\n",
            "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.x = f(1)\n        self.assertRaises(ValueError, f)\n",
            "class Point:\n    pass\nclass Point3(Point):\n    pass\nclass Wrong(Exception):\n    pass\nassert f(Point3()) == 1\n",
            "import inspect\nassert list(inspect.signature(f).parameters) == ['x']\n",
            "s = Stack()\ns.pop()\ns.items.append(1)\ns.size = 3\n",
            "assert f(1) ==",
        ] {
            assert!(!reaches(code), "{code}");
        }
    }

    #[test]
    fn tests_that_reach_in_are_not() {
        for code in [
            "from unittest.mock import patch\n@patch('solution.g')\ndef test_f(g): pass\n",
            "from unittest import mock\ndef test_f():\n    with mock.patch('time.sleep'): pass\n",
            "import unittest.mock\nwith unittest.mock.patch('time.sleep'): pass\n",
            "def test_f(monkeypatch): pass\n",
            "def test_f(tmp_path): pass\n",
            "import solution\nsolution.limit = 3\n",
            "import solution as s\nsetattr(s, 'limit', 3)\n",
            "import solution\nsolution.cache.clear()\n",
            "from solution import cache\ncache['a'] = 1\n",
            "from solution import Animal\nclass Dog(Animal): pass\n",
            "import solution\nclass Dog(solution.Animal): pass\n",
            "class Dog(Animal): pass\n",
            "import sys, io\nsys.stdin = io.StringIO('1')\n",
            "import builtins\nbuiltins.input = lambda: '1'\n",
            "import tempfile\n",
            "from subprocess import run\n",
            "open('a').read()\n",
            "import os\nos.environ['A'] = '1'\n",
            "from os import environ\n",
            "import os.path\nos.path.exists('a')\n",
            "from pathlib import Path\nPath('a').write_text('b')\n",
            "import inspect\ninspect.getsource(f)\n",
            "import random\nrandom.seed(1)\n",
            "f.__code__\n",
            "import importlib, solution\nimportlib.reload(solution)\n",
        ] {
            assert!(reaches(code), "{code}");
        }
        let text = "Prose.\n>>> open('a').read()\n''\n";
        assert!(reaches_in(text, ScriptForm::Doctest, &["solution".to_owned()]));
        assert!(!reaches_in(
            ">>> f(1)\n1\n",
            ScriptForm::Doctest,
            &["solution".to_owned()]
        ));
    }
}
