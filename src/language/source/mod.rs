//! What can be read off Python source without running it.

mod builtins;
mod free;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged as _;

pub(crate) use builtins::is_builtin;

/// How firmly a name is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// It comes from another module.
    Import,
    /// A function without a body of its own: `pass`, `...`, a docstring alone.
    Stub,
    /// A function, a class or a value.
    Real,
}

/// One statement at the top level.
#[derive(Debug)]
pub(crate) struct Top {
    /// Where it stands, decorators included.
    pub(crate) range: Range<usize>,
    /// Names that it defines; a method is `Class.method`.
    pub(crate) defines: Vec<(String, Kind)>,
    /// Names that it uses and doesn't bind itself.
    pub(crate) free: BTreeSet<String>,
    /// Whether it does something when the module is loaded, beyond defining names.
    pub(crate) acts: bool,
    /// Whether it is an expression or a bare annotation: prose can look like that.
    pub(crate) is_bare: bool,
    /// Whether it is an import of all names of a module.
    pub(crate) is_star: bool,
}

/// The top level of a Python source text.
#[derive(Debug)]
pub(crate) struct Outline {
    /// Its statements.
    pub(crate) tops: Vec<Top>,
    defines: BTreeMap<String, Kind>,
}

impl Outline {
    /// How the top level defines `name` in the end, if it does.
    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        self.defines.get(name).copied()
    }

    /// How it defines what tests call: a function, a class, or `Class.method`.
    pub(crate) fn entry(&self, entry: &str) -> Option<Kind> {
        match entry.split_once('.') {
            // A method may be inherited, so the class alone counts as well.
            Some((class, _)) => self.kind(entry).or_else(|| self.kind(class)),
            None => self.kind(entry),
        }
    }

    /// Whether it defines any of its names.
    pub(crate) fn defines_anything(&self) -> bool {
        !self.defines.is_empty()
    }

    /// Whether it defines a name that `other` defines as well, imports aside.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let firm = |kind: Kind| kind > Kind::Import;
        self.defines
            .iter()
            .any(|(name, kind)| firm(*kind) && other.kind(name).is_some_and(firm))
    }

    /// Whether it does something when it is loaded.
    pub(crate) fn acts(&self) -> bool {
        self.tops.iter().any(|top| top.acts)
    }

    /// Whether there is any statement at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.tops.is_empty()
    }

    /// Names that it uses and that neither it nor Python defines; none where an import of everything may define them.
    pub(crate) fn missing(&self) -> BTreeSet<String> {
        if self.tops.iter().any(|top| top.is_star) {
            return BTreeSet::new();
        }
        let known = |name: &String| self.defines.contains_key(name) || is_builtin(name);
        let used = self.tops.iter().flat_map(|top| &top.free);
        used.filter(|name| !known(name)).cloned().collect()
    }

    /// The statement that last defines `name`.
    pub(crate) fn definition(&self, name: &str) -> Option<&Top> {
        let defines = |top: &&Top| top.defines.iter().any(|(defined, _)| defined == name);
        self.tops.iter().rev().find(defines)
    }
}

/// The outline of `source`, or `None` where it isn't Python.
pub(crate) fn outline(source: &str) -> Option<Outline> {
    let parsed = ruff_python_parser::parse_module(source).ok()?;
    let tops: Vec<Top> = parsed.syntax().body.iter().map(top).collect();
    let defines = tops.iter().flat_map(|top| top.defines.iter().cloned()).collect();
    Some(Outline { tops, defines })
}

/// The last function or class at the top level of `source` whose name stands in `tests`.
pub fn called_definition(source: &str, tests: &str) -> Option<String> {
    let parsed = ruff_python_parser::parse_module(source).ok()?;
    parsed.syntax().body.iter().rev().find_map(|statement| {
        let name = match statement {
            Stmt::FunctionDef(function) => function.name.as_str(),
            Stmt::ClassDef(class) => class.name.as_str(),
            _ => return None,
        };
        uses(tests, name).then(|| name.to_owned())
    })
}

/// Whether `name` stands in `text` as a word.
pub(crate) fn uses(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + name.len()..].chars().next().is_some_and(is_word)
    })
}

fn top(statement: &Stmt) -> Top {
    let range = statement.range();
    let mut top = Top {
        range: range.start().to_usize()..range.end().to_usize(),
        defines: Vec::new(),
        free: free::names(statement),
        acts: false,
        is_bare: match statement {
            Stmt::Expr(expression) => !expression.value.is_string_literal_expr(),
            Stmt::AnnAssign(assign) => assign.value.is_none(),
            _ => false,
        },
        is_star: matches!(statement, Stmt::ImportFrom(import) if import.names.iter().any(|alias| &alias.name == "*")),
    };
    note(statement, &mut top);
    top
}

fn note(statement: &Stmt, top: &mut Top) {
    match statement {
        Stmt::FunctionDef(function) => {
            top.defines
                .push((function.name.to_string(), body_kind(&function.body)));
        }
        Stmt::ClassDef(class) => note_class(class, top),
        Stmt::Import(import) => {
            for alias in &import.names {
                let name = alias.asname.as_ref().unwrap_or(&alias.name);
                let first = name.split('.').next().unwrap_or_default();
                top.defines.push((first.to_owned(), Kind::Import));
            }
        }
        Stmt::ImportFrom(import) => {
            for alias in &import.names {
                let name = alias.asname.as_ref().unwrap_or(&alias.name);
                top.defines.push((name.to_string(), Kind::Import));
            }
        }
        Stmt::Assign(assign) => {
            for target in &assign.targets {
                note_target(target, top);
            }
        }
        Stmt::AnnAssign(assign) if assign.value.is_some() => note_target(&assign.target, top),
        // A definition may stand behind a version check or an import guard.
        Stmt::If(branch) => {
            let others = branch.elif_else_clauses.iter().flat_map(|clause| &clause.body);
            for inner in branch.body.iter().chain(others) {
                note(inner, top);
            }
        }
        Stmt::Try(attempt) => {
            for inner in attempt
                .body
                .iter()
                .chain(&attempt.orelse)
                .chain(&attempt.finalbody)
            {
                note(inner, top);
            }
        }
        // A number or a name does nothing; what calls something may.
        Stmt::Expr(expression) => top.acts |= free::calls(&expression.value),
        Stmt::Pass(_) | Stmt::AnnAssign(_) | Stmt::TypeAlias(_) => {}
        _ => top.acts = true,
    }
}

fn note_class(class: &ruff_python_ast::StmtClassDef, top: &mut Top) {
    let mut methods = Vec::new();
    for statement in &class.body {
        if let Stmt::FunctionDef(method) = statement {
            methods.push((format!("{}.{}", class.name, method.name), body_kind(&method.body)));
        }
    }
    let only_stubs = !methods.is_empty() && methods.iter().all(|(_, kind)| *kind == Kind::Stub);
    let kind = if only_stubs { Kind::Stub } else { Kind::Real };
    top.defines.push((class.name.to_string(), kind));
    top.defines.extend(methods);
}

/// Whether a function's body does anything.
fn body_kind(body: &[Stmt]) -> Kind {
    let idle = |statement: &Stmt| match statement {
        Stmt::Pass(_) => true,
        Stmt::Expr(expression) => {
            expression.value.is_string_literal_expr() || expression.value.is_ellipsis_literal_expr()
        }
        Stmt::Raise(raise) => raise.exc.as_deref().is_some_and(|raised| {
            let raised = raised.as_call_expr().map_or(raised, |call| &*call.func);
            raised
                .as_name_expr()
                .is_some_and(|name| name.id == "NotImplementedError")
        }),
        _ => false,
    };
    if body.iter().all(idle) {
        Kind::Stub
    } else {
        Kind::Real
    }
}

fn note_target(target: &Expr, top: &mut Top) {
    match target {
        Expr::Name(name) => top.defines.push((name.id.to_string(), Kind::Real)),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| note_target(element, top)),
        Expr::List(list) => list.elts.iter().for_each(|element| note_target(element, top)),
        Expr::Starred(starred) => note_target(&starred.value, top),
        // `f.cache = {}` or `table[0] = 1` changes what is there.
        _ => top.acts = true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_how_they_are_defined() {
        let source = "import os.path\nfrom m import a as b\ndef f():\n    '''doc'''\ndef g(): return 1\n\
                      class C:\n    def m(self): raise NotImplementedError()\nx, *y = 1, 2\n";
        let outline = outline(source).unwrap();
        let kinds: Vec<_> = ["os", "b", "f", "g", "C", "C.m", "x", "y", "z"]
            .iter()
            .map(|name| outline.kind(name))
            .collect();
        let (import, stub, real) = (Some(Kind::Import), Some(Kind::Stub), Some(Kind::Real));
        assert_eq!(kinds, [import, import, stub, real, stub, stub, real, real, None]);
        assert!(!outline.acts());
    }

    #[test]
    fn missing_names_are_those_that_nobody_binds() {
        let missing = |source: &str| {
            outline(source)
                .unwrap()
                .missing()
                .into_iter()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            missing(
                "def f(n: List[int], *a, k=zero) -> int:\n    s = [g(x) for x in n]\n    return len(s) + h(s)\n"
            ),
            "List g h zero"
        );
        assert_eq!(missing("from m import *\nf(x)"), "");
        assert_eq!(
            missing(
                "def f(n):\n    global total\n    total = n\n    import math\n    try: pass\n    except E as e: print(e, math)"
            ),
            "E"
        );
        assert_eq!(
            missing("f = lambda x, y=w: x + y\nclass A(B):\n    z = 1\n    def m(self): return z2"),
            "B w z2"
        );
    }

    #[test]
    fn what_acts() {
        for (source, acts) in [
            ("5", false),
            ("'doc'", false),
            ("f(5)", true),
            ("x = f(5)", false),
            ("if __name__ == '__main__':\n    main()", true),
            ("for i in x: pass", true),
            ("f.cache = {}", true),
        ] {
            assert_eq!(outline(source).unwrap().acts(), acts, "{source}");
        }
    }

    #[test]
    fn the_function_that_tests_call() {
        let source = "def helper(): pass\ndef work(): pass\ndef other(): pass\n";
        assert_eq!(
            called_definition(source, "assert work(1) == helper_of(2)").as_deref(),
            Some("work")
        );
        assert_eq!(called_definition(source, "assert nothing"), None);
    }
}
