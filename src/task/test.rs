//! One question to a program, with its answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Program;

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
        /// Positional arguments as JSON. What JSON has no word for is an object with one key: `{"$int": "…"}` is an integer
        /// of any size, `{"$ListNode": […]}` and `{"$TreeNode": […]}` are linked lists and trees, made of the program's
        /// own classes.
        args: Vec<serde_json::Value>,
        /// The right result as JSON, with the same words.
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
    /// As [`Self::Stdin`], for an input that has many right answers: a program of the test's own decides.
    Checked {
        /// Everything the program can read.
        stdin: String,
        /// What the checker gets as the answer to compare with.
        #[serde(default)]
        answer: String,
        /// Called with the names of the files that hold input, output and answer. Exit status 0 accepts and 1 rejects;
        /// anything else is the checker's own failure.
        checker: Program,
    },
    /// The program converses with another one, the talker, whose exit status decides as a checker's does.
    Interactive {
        /// What the talker finds in the file that its first argument names.
        #[serde(default)]
        input: String,
        /// What the talker finds in the file that its second argument names.
        #[serde(default)]
        answer: String,
        /// Its stdout is the program's stdin, and the other way round.
        talker: Program,
    },
    /// Run the whole program beside files, and compare those that it leaves.
    Files {
        /// Everything the program can read from stdin.
        #[serde(default)]
        stdin: String,
        /// Files in the working directory, by their relative paths.
        files: BTreeMap<String, String>,
        /// The files that must be there afterwards.
        expected_files: BTreeMap<String, String>,
        /// The right output, where it matters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected_stdout: Option<String>,
        /// How files and outputs are compared.
        #[serde(default)]
        compare: Compare,
    },
    /// Test code that calls the program: a list of asserts, a `check(candidate)` function, or a test framework's file.
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
    /// Classes of Python's `unittest`; each test method is a result of its own.
    Unittest,
    /// A file of `pytest`'s; each test, with each set of its parameters, is a result of its own.
    Pytest,
    /// Text with examples as Python's `doctest` knows them; each is a result of its own.
    Doctest,
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
