//! Tests that contradict what they asked before, so that no honest program passes them.

mod python;
mod text;
mod values;

use serde::{Deserialize, Serialize};

use super::{Language, ScriptForm, Test, TestKind};

/// How tests are made impossible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// A question gets two different answers. No program that answers the same question alike passes both.
    #[default]
    Conflict,
    /// A question gets a wrong answer in place of the right one. A wrong program may give it by chance.
    OneOff,
}

/// `tests` with one of them made impossible; `None` if no way is known for any of them.
pub fn contradict(tests: &[Test], language: Language, how: How) -> Option<Vec<Test>> {
    for (at, test) in tests.iter().enumerate() {
        let Some(kind) = contradicted(&test.kind, language, how) else {
            continue;
        };
        let mut all = tests.to_vec();
        // Code holds both answers itself.
        if how == How::OneOff || matches!(kind, TestKind::Script { .. }) {
            all[at].kind = kind;
        } else {
            let name = format!("{}-contradicted", test.name);
            all.insert(at + 1, Test { name, kind });
        }
        return Some(all);
    }
    None
}

/// The same question with another answer; code with both answers, or with the other one alone.
fn contradicted(kind: &TestKind, language: Language, how: How) -> Option<TestKind> {
    let mut other = kind.clone();
    match &mut other {
        TestKind::Call { expected, .. } => values::change(expected),
        TestKind::Stdin { expected, .. } => *expected = text::other(expected),
        TestKind::Files {
            expected_files,
            expected_stdout,
            ..
        } => {
            let file = expected_files.values_mut().next().or(expected_stdout.as_mut())?;
            *file = text::other(file);
        }
        TestKind::Answer { accepted, .. } => {
            for answer in accepted {
                *answer = text::other(answer);
            }
        }
        TestKind::Script { code, form, .. } => {
            *code = if language == Language::PYTHON {
                match form {
                    ScriptForm::Doctest => python::examples(code, how)?,
                    _ => python::assertion(code, how)?,
                }
            } else {
                text::assertion(code, how)?
            };
        }
        // Only their checkers know what is right.
        TestKind::Checked { .. } | TestKind::Interactive { .. } => return None,
    }
    Some(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{How, contradict};
    use crate::task::{Compare, Language, Test, TestKind};

    #[test]
    fn a_question_with_two_answers_or_a_wrong_one() {
        let call = Test {
            name: "a".to_owned(),
            kind: TestKind::Call {
                entry: "f".to_owned(),
                args: vec![json!(1)],
                expected: json!(2),
                compare: Compare::Trim,
            },
        };
        let checked = Test {
            name: "b".to_owned(),
            kind: TestKind::Checked {
                stdin: String::new(),
                answer: String::new(),
                checker: crate::task::Program::python(""),
            },
        };
        let tests = [checked.clone(), call];
        let expected = |tests: &[Test]| -> Vec<serde_json::Value> {
            let value = |test: &Test| match &test.kind {
                TestKind::Call { expected, .. } => expected.clone(),
                _ => json!(null),
            };
            tests.iter().map(value).collect()
        };
        let conflict = contradict(&tests, Language::PYTHON, How::Conflict).unwrap();
        assert_eq!(expected(&conflict), [json!(null), json!(2), json!(3)]);
        assert_eq!(conflict[2].name, "a-contradicted");
        let one_off = contradict(&tests, Language::PYTHON, How::OneOff).unwrap();
        assert_eq!(expected(&one_off), [json!(null), json!(3)]);
        assert_eq!(contradict(&[checked], Language::PYTHON, How::Conflict), None);
    }
}
