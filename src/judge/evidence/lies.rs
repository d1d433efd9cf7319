//! Objects that lie: an equality that never looks at what it is asked about, or a class that claims to be another.

use ruff_python_ast::visitor::{Visitor, walk_body, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Parameters, Stmt};

use crate::task::{Language, Program};

/// Whether the source defines one.
pub(super) fn are_in(program: &Program) -> bool {
    if program.language == Language::PYTHON {
        let Ok(module) = ruff_python_parser::parse_module(&program.source) else {
            return false;
        };
        let mut lies = Lies::default();
        lies.visit_body(&module.syntax().body);
        lies.found
    } else {
        in_other_languages(&program.source)
    }
}

#[derive(Default)]
struct Lies {
    found: bool,
    class: usize,
}

/// Whether a method of that name compares.
fn compares(name: &str) -> bool {
    name == "__eq__" || name == "__ne__"
}

impl<'a> Visitor<'a> for Lies {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                let name = function.name.as_str();
                let in_class = self.class > 0;
                self.found |= compares(name) && ignores(&function.parameters, Code::Body(&function.body));
                self.found |= in_class && name == "__class__";
            }
            Stmt::ClassDef(_) => {
                self.class += 1;
                walk_stmt(self, stmt);
                self.class -= 1;
                return;
            }
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    let name = match target {
                        Expr::Name(name) => name.id.as_str(),
                        Expr::Attribute(attribute) => attribute.attr.as_str(),
                        _ => continue,
                    };
                    self.found |= compares(name) && is_lying(&assign.value);
                    self.found |= self.class > 0 && name == "__class__";
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Dict(dict) => {
                for item in &dict.items {
                    self.found |= item.key.as_ref().is_some_and(is_comparison) && is_lying(&item.value);
                }
            }
            // `setattr(Kind, "__eq__", lambda …)`
            Expr::Call(call) => {
                let arguments = &call.arguments.args;
                self.found |= arguments
                    .windows(2)
                    .any(|pair| is_comparison(&pair[0]) && is_lying(&pair[1]));
                self.found |= call.arguments.keywords.iter().any(|keyword| {
                    keyword.arg.as_ref().is_some_and(|name| compares(name.as_str()))
                        && is_lying(&keyword.value)
                });
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}

fn is_comparison(expr: &Expr) -> bool {
    expr.as_string_literal_expr()
        .is_some_and(|text| compares(text.value.to_str()))
}

fn is_lying(expr: &Expr) -> bool {
    expr.as_lambda_expr().is_some_and(|lambda| {
        lambda
            .parameters
            .as_ref()
            .is_some_and(|parameters| ignores(parameters, Code::Expr(&lambda.body)))
    })
}

/// What a function does.
#[derive(Clone, Copy)]
enum Code<'a> {
    Body(&'a [Stmt]),
    Expr(&'a Expr),
}

/// Whether a comparison never looks at what it compares with, and gives an answer all the same.
fn ignores(parameters: &Parameters, code: Code<'_>) -> bool {
    let mut positional = parameters
        .posonlyargs
        .iter()
        .chain(&parameters.args)
        .map(|parameter| parameter.parameter.name.as_str());
    let other = positional.nth(1).or_else(|| {
        parameters
            .vararg
            .as_ref()
            .map(|parameter| parameter.name.as_str())
    });
    let Some(other) = other else {
        return false;
    };
    let mut reads = Reads {
        name: other,
        looks: false,
        answers: false,
    };
    match code {
        Code::Body(body) => walk_body(&mut reads, body),
        Code::Expr(expr) => {
            reads.answers = is_answer(expr);
            reads.visit_expr(expr);
        }
    }
    reads.answers && !reads.looks
}

/// Anything but "I don't know".
fn is_answer(expr: &Expr) -> bool {
    expr.as_name_expr()
        .is_none_or(|name| name.id.as_str() != "NotImplemented")
}

struct Reads<'a> {
    name: &'a str,
    looks: bool,
    answers: bool,
}

impl<'a> Visitor<'a> for Reads<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if let Stmt::Return(returned) = stmt {
            self.answers |= returned.value.as_deref().is_some_and(is_answer);
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            // `super()` and `locals()` may look at it in secret.
            self.looks |= [self.name, "super", "locals"].contains(&name.id.as_str());
        }
        walk_expr(self, expr);
    }
}

/// Heads of comparisons in other languages, and what follows where nothing is compared.
fn in_other_languages(source: &str) -> bool {
    const HEADS: [(&str, char); 7] = [
        ("boolean equals(", '{'),
        ("operator==(", '{'),
        ("operator ==(", '{'),
        ("fn eq(", '{'),
        ("def ==(", ')'),
        ("__eq = function(", ')'),
        ("__eq=function(", ')'),
    ];
    HEADS.iter().any(|(head, before)| {
        source.match_indices(head).any(|(at, _)| {
            let rest = &source[at + head.len()..];
            let body = rest.split_once(*before).map_or("", |(_, body)| body).trim_start();
            ["return true", "true", "return 1"].iter().any(|truth| {
                body.strip_prefix(truth).is_some_and(|rest| {
                    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
                        && !rest.trim_start().starts_with(['&', '|', '=', '.', '?'])
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::are_in;
    use crate::task::{Language, Program};

    #[test]
    fn lies_in_python() {
        for lie in [
            "class Y:\n    def __eq__(self, other): return True\n",
            "class Y(int):\n    def __ne__(self, *args):\n        'x'\n        return False\n",
            "class Y:\n    __eq__ = lambda self, other: True\n",
            "class Y: pass\nY.__eq__ = lambda a, b: 1 == 1\n",
            "f = type('Y', (), {'__eq__': lambda s, o: True})()\n",
            "setattr(Y, '__eq__', lambda s, o: True)\n",
            "def f():\n    class Y:\n        @property\n        def __class__(self): return int\n    return Y()\n",
            "class Y:\n    __class__ = int\n",
        ] {
            assert!(are_in(&Program::python(lie)), "{lie}");
        }
        for honest in [
            "class P:\n    def __eq__(self, other):\n        return self.x == other.x\n",
            "class P:\n    def __eq__(self, other):\n        return NotImplemented\n",
            "class P:\n    def __eq__(self, other):\n        raise TypeError\n",
            "class P(Q):\n    def __eq__(self, other):\n        return super().__eq__(*[1])\n",
            "class P:\n    def __lt__(self, other): return True\n",
            "def f(x):\n    return x.__class__\n",
            "def __eq__(:\n",
        ] {
            assert!(!are_in(&Program::python(honest)), "{honest}");
        }
    }

    #[test]
    fn lies_in_other_languages() {
        let named = |name: &str| Language::named(name).unwrap();
        for (language, source, lies) in [
            (
                "java",
                "class A { public boolean equals(Object o) { return true; } }",
                true,
            ),
            (
                "java",
                "class A { public boolean equals(Object o) { return o instanceof A; } }",
                false,
            ),
            (
                "cpp",
                "bool operator==(const A&, const B&) {\n  return true;\n}",
                true,
            ),
            (
                "cpp",
                "bool operator==(const A& a, const A& b) { return a.x == b.x; }",
                false,
            ),
            ("ruby", "class A\n  def ==(other)\n    true\n  end\nend", true),
            (
                "rust",
                "impl PartialEq for A { fn eq(&self, _: &A) -> bool { true } }",
                true,
            ),
        ] {
            assert_eq!(are_in(&Program::new(named(language), source)), lies, "{source}");
        }
    }
}
