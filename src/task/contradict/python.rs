//! Python's test code.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{CmpOp, Expr, ExprCall, Stmt, StmtAssert};
use ruff_text_size::{Ranged, TextRange};

use super::How;

/// Methods of `unittest` and their opposites.
const OPPOSITES: [(&str, &str); 9] = [
    ("assertEqual", "assertNotEqual"),
    ("assertEquals", "assertNotEqual"),
    ("assertTrue", "assertFalse"),
    ("assertIs", "assertIsNot"),
    ("assertIsNone", "assertIsNotNone"),
    ("assertIn", "assertNotIn"),
    ("assertAlmostEqual", "assertNotAlmostEqual"),
    ("assertIsInstance", "assertNotIsInstance"),
    ("assertListEqual", "assertNotEqual"),
];

/// A piece of the source and what comes in its place.
struct Change {
    at: TextRange,
    text: String,
}

/// Code in which the first assertion about a call is followed by its opposite, or holds a wrong value.
pub(super) fn assertion(code: &str, how: How) -> Option<String> {
    let parsed = ruff_python_parser::parse_module(code).ok()?;
    let mut finder = Finder {
        code,
        how,
        found: None,
    };
    finder.visit_body(&parsed.syntax().body);
    finder.found.map(|change| changed(code, &change))
}

/// Examples of `doctest`, of which one comes again with another result, or has another one.
pub(super) fn examples(text: &str, how: How) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let at = lines.windows(2).position(|pair| {
        let next = pair[1].trim();
        pair[0].trim_start().starts_with(">>> ")
            && !next.is_empty()
            && !next.starts_with(">>>")
            && !next.starts_with("...")
    })?;
    let indent = &lines[at][..lines[at].len() - lines[at].trim_start().len()];
    let expected = lines[at + 1].trim();
    let wrong = match expected.split_at_checked(1) {
        Some((quote @ ("'" | "\""), rest)) => format!("{quote}x{rest}"),
        _ => super::text::other(expected),
    };
    let wrong = format!("{indent}{wrong}");
    let mut changed: Vec<&str> = lines.clone();
    if how == How::OneOff {
        changed[at + 1] = &wrong;
        return Some(changed.join("\n"));
    }
    // Behind all of the lines that are expected.
    let end = lines[at + 1..]
        .iter()
        .position(|line| line.trim().is_empty() || line.trim_start().starts_with(">>>"))
        .map_or(lines.len(), |length| at + 1 + length);
    changed.splice(end..end, [lines[at], &wrong]);
    Some(changed.join("\n"))
}

fn changed(code: &str, change: &Change) -> String {
    let (start, end) = (usize::from(change.at.start()), usize::from(change.at.end()));
    format!("{}{}{}", &code[..start], change.text, &code[end..])
}

struct Finder<'s> {
    code: &'s str,
    how: How,
    found: Option<Change>,
}

impl Finder<'_> {
    fn text(&self, ranged: &impl Ranged) -> &str {
        &self.code[usize::from(ranged.start())..usize::from(ranged.end())]
    }

    fn of_assert(&self, assert: &StmtAssert) -> Change {
        let test = self.text(&*assert.test);
        if self.how == How::Conflict {
            return Change {
                at: TextRange::empty(assert.end()),
                text: format!("; assert not ({test})"),
            };
        }
        if let Expr::Compare(compare) = &*assert.test
            && let ([CmpOp::Eq | CmpOp::Is], [right]) = (&*compare.ops, &*compare.comparators)
        {
            for side in [right, &*compare.left] {
                if let Some(text) = other_literal(side, self.text(side)) {
                    return Change {
                        at: side.range(),
                        text,
                    };
                }
            }
        }
        Change {
            at: assert.test.range(),
            text: format!("not ({test})"),
        }
    }

    fn of_method(&self, call: &ExprCall) -> Option<Change> {
        let method = call.func.as_attribute_expr()?;
        let name = method.attr.as_str();
        let (_, opposite) = OPPOSITES.iter().find(|(known, _)| *known == name)?;
        if !call.arguments.args.iter().any(calls) {
            return None;
        }
        let object = self.text(&*method.value);
        let negated = format!("{object}.{opposite}{}", self.text(&call.arguments));
        Some(match self.how {
            How::Conflict => Change {
                at: TextRange::empty(call.end()),
                text: format!("; {negated}"),
            },
            How::OneOff => Change {
                at: call.range(),
                text: negated,
            },
        })
    }
}

impl<'a> Visitor<'a> for Finder<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.found.is_some() {
            return;
        }
        match stmt {
            Stmt::Assert(assert) if calls(&assert.test) => self.found = Some(self.of_assert(assert)),
            Stmt::Expr(only) => self.found = only.value.as_call_expr().and_then(|call| self.of_method(call)),
            _ => walk_stmt(self, stmt),
        }
    }
}

/// Whether anything is called.
fn calls(expr: &Expr) -> bool {
    struct Calls(bool);
    impl<'a> Visitor<'a> for Calls {
        fn visit_expr(&mut self, expr: &'a Expr) {
            self.0 |= expr.is_call_expr();
            walk_expr(self, expr);
        }
    }
    let mut found = Calls(false);
    found.visit_expr(expr);
    found.0
}

/// Another value than a literal's.
fn other_literal(expr: &Expr, text: &str) -> Option<String> {
    Some(match expr {
        Expr::NumberLiteral(_) => format!("{text} * 2 + 1"),
        Expr::UnaryOp(unary) if unary.operand.is_number_literal_expr() => format!("{text} * 2 - 1"),
        Expr::StringLiteral(_) => format!("{text} + 'x'"),
        Expr::BytesLiteral(_) => format!("{text} + b'x'"),
        Expr::BooleanLiteral(truth) => if truth.value { "False" } else { "True" }.to_owned(),
        Expr::NoneLiteral(_) => "0".to_owned(),
        Expr::List(_) | Expr::Tuple(_) | Expr::Set(_) | Expr::Dict(_) => format!("[{text}]"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{How, assertion, examples};

    #[test]
    fn assertions() {
        for (code, both, alone) in [
            (
                "assert f(1) == 2\nassert f(2) == 3\n",
                "assert f(1) == 2; assert not (f(1) == 2)\nassert f(2) == 3\n",
                "assert f(1) == 2 * 2 + 1\nassert f(2) == 3\n",
            ),
            (
                "def check(candidate):\n    assert True, 'x'\n    assert candidate(1), 'y'\n",
                "def check(candidate):\n    assert True, 'x'\n    assert candidate(1), 'y'; assert not (candidate(1))\n",
                "def check(candidate):\n    assert True, 'x'\n    assert not (candidate(1)), 'y'\n",
            ),
            (
                "for x in [1]:\n    assert f(\n        x) == [1]\n",
                "for x in [1]:\n    assert f(\n        x) == [1]; assert not (f(\n        x) == [1])\n",
                "for x in [1]:\n    assert f(\n        x) == [[1]]\n",
            ),
            (
                "class T(TestCase):\n    def test(self):\n        x = f(1)\n        self.assertEqual(f(1), 2)\n",
                "class T(TestCase):\n    def test(self):\n        x = f(1)\n        self.assertEqual(f(1), 2); self.assertNotEqual(f(1), 2)\n",
                "class T(TestCase):\n    def test(self):\n        x = f(1)\n        self.assertNotEqual(f(1), 2)\n",
            ),
        ] {
            assert_eq!(assertion(code, How::Conflict).as_deref(), Some(both));
            assert_eq!(assertion(code, How::OneOff).as_deref(), Some(alone));
        }
        assert_eq!(assertion("x = 1\n", How::Conflict), None);
        assert_eq!(assertion("assert (", How::Conflict), None);
    }

    #[test]
    fn doctest() {
        let text = "Twice.\n>>> f(1)\n2\n>>> f(2)\n4\n";
        assert_eq!(
            examples(text, How::Conflict).as_deref(),
            Some("Twice.\n>>> f(1)\n2\n>>> f(1)\n12\n>>> f(2)\n4\n")
        );
        assert_eq!(examples("nothing", How::OneOff), None);
    }
}
