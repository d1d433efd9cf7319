//! Answers of tests that stand in a program beside their inputs: `if n == 10: return 55`, `{10: 55}[n]`.

mod pairs;
mod questions;
mod tokens;

use super::values::is_telling;
use crate::task::{Language, Program, Test};
use questions::Question;

/// Whether the answers of at least half of the tests that tell anything stand beside their inputs.
pub(super) fn hold_answers(program: &Program, tests: &[Test]) -> bool {
    let questions: Vec<Question> = tests
        .iter()
        .flat_map(questions::of)
        .filter(Question::is_telling)
        .collect();
    if questions.is_empty() {
        return false;
    }
    let answered = if program.language == Language::PYTHON {
        let Some(pairs) = pairs::of(&program.source) else {
            return false;
        };
        let is_answered = |question: &&Question| pairs.iter().any(|pair| pair.answers(question));
        questions.iter().filter(is_answered).count()
    } else {
        let tokens = tokens::of(&program.source);
        let is_answered = |question: &&Question| tokens::answer(&tokens, question);
        questions.iter().filter(is_answered).count()
    };
    answered > 0 && answered * 2 >= questions.len()
}

impl Question {
    fn is_telling(&self) -> bool {
        is_telling(&self.answer) || self.inputs.iter().flatten().any(|input| is_telling(input))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::hold_answers;
    use crate::task::{Compare, Language, Program, ScriptForm, Test, TestKind};

    fn call(args: &serde_json::Value, expected: serde_json::Value) -> Test {
        Test {
            name: "t".to_owned(),
            kind: TestKind::Call {
                entry: "f".to_owned(),
                args: args.as_array().unwrap().clone(),
                expected,
                compare: Compare::Trim,
            },
        }
    }

    fn script(code: &str, form: ScriptForm) -> Test {
        Test {
            name: "t".to_owned(),
            kind: TestKind::Script {
                code: code.to_owned(),
                form,
                entry: None,
            },
        }
    }

    #[test]
    fn answers_beside_their_inputs() {
        let sums = [
            call(&json!([0]), json!(0)),
            call(&json!([1]), json!(1)),
            call(&json!([10]), json!(55)),
        ];
        for source in [
            "def f(n):\n    return {0: 0, 1: 1, 10: 55}.get(n, -1)\n",
            "def f(n):\n    if n == 10:\n        return 55\n    return n\n",
            "def f(n):\n    return 55 if n == 10 else n\n",
            "def f(n):\n    match n:\n        case 10:\n            return 55\n    return n\n",
            "T = {10: 55}\ndef f(n):\n    return T[n]\n",
        ] {
            assert!(hold_answers(&Program::python(source), &sums), "{source}");
        }
        for source in [
            "def f(n):\n    \"\"\"f(10) is 55: {10: 55}\"\"\"\n    return n * (n + 1) // 2\n",
            "def f(n):\n    if n == 0:\n        return 0\n    if n == 1:\n        return 1\n    return n + f(n - 1)\n",
            "def f(n):\n    return n * (n + 1) // 2\n\nassert f(10) == 55\nprint({10: 55})\nif __name__ == '__main__':\n    if f(10) == 55:\n        print(55)\n",
            "def f(n):\n    return sum(range(10)) + 55 * n\n",
            "def f(:\n",
        ] {
            assert!(!hold_answers(&Program::python(source), &sums), "{source}");
        }
        let java = Program::new(
            Language::named("java").unwrap(),
            "int f(int n) { if (n == 10) return 55; return n; }",
        );
        assert!(hold_answers(&java, &sums));
        let honest = Program::new(
            Language::named("java").unwrap(),
            "int f(int n) { int s = 0; for (int i = 1; i <= n; i++) s += i; return s; /* f(10) is 55 */ }",
        );
        assert!(!hold_answers(&honest, &sums));
    }

    #[test]
    fn tests_of_every_form() {
        for (tests, source) in [
            (
                script("assert f([3, 4], 'abc') == \"xyz\"", ScriptForm::Asserts),
                "def f(a, b):\n    if a == [3, 4] and b == 'abc':\n        return 'xyz'\n",
            ),
            (
                script(
                    "def check(candidate):\n    assert candidate(101) is True",
                    ScriptForm::Check,
                ),
                "def f(a):\n    return a in (101, 7)\n",
            ),
            (
                script(
                    "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(f(12), -34)",
                    ScriptForm::Unittest,
                ),
                "def f(a):\n    if a == 12:\n        return -34\n",
            ),
            (
                script(">>> f(12)\n34\n", ScriptForm::Doctest),
                "def f(a):\n    if a == 12:\n        return 34\n",
            ),
            (
                Test {
                    name: "t".to_owned(),
                    kind: TestKind::Stdin {
                        stdin: "3\n1 2 3\n".to_owned(),
                        expected: "6\n".to_owned(),
                        compare: Compare::Trim,
                    },
                },
                "n = input()\nif n == '3' and input() == '1 2 3':\n    print(6)\n",
            ),
        ] {
            let program = Program::python(source);
            assert!(hold_answers(&program, std::slice::from_ref(&tests)), "{source}");
            let other = Program::python(
                source
                    .replace("34", "35")
                    .replace("xyz", "zyx")
                    .replace("101", "103")
                    .replace('6', "8"),
            );
            assert!(!hold_answers(&other, &[tests]), "{source}");
        }
    }
}
