//! A file that is no suite gets one sentence: which file, which line, which field, and what would be right.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use redraft::task::suites;

/// The error on opening a file of this content, with the file's path as `FILE`.
fn error(content: impl AsRef<[u8]>) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let path = file.path().to_str().unwrap();
    suites::open(path).unwrap_err().to_string().replace(path, "FILE")
}

const GOOD: &str = r#"{"task_id": "T/1", "prompt": "def f():\n", "entry_point": "f", "test": "def check(c):\n    assert c() == 1\n", "canonical_solution": "    return 1\n"}"#;

#[test]
fn a_name_that_nobody_knows() {
    assert_eq!(
        suites::open("humanevil").unwrap_err().to_string(),
        "there is no suite and no file named `humanevil`; the suites are redraft, humaneval, or give the path of a file"
    );
}

#[test]
fn nothing_in_it() {
    assert_eq!(error(""), "FILE: is empty; a suite holds at least one task");
    assert_eq!(error(" \n\n"), "FILE: is empty; a suite holds at least one task");
    assert_eq!(error("[]"), "FILE: holds no task");
}

#[test]
fn a_broken_line() {
    let broken = GOOD.replace("\"T/1\",", "\"T/2\"");
    assert_eq!(
        error(format!("{GOOD}\n\n{broken}\n")),
        "FILE, line 3: each line has to be one JSON object, and this one isn't: expected `,` or `}` at column 19"
    );
    assert_eq!(
        error(format!("{GOOD}\n7\n")),
        "FILE, line 2: each line has to be one JSON object, and this one isn't: \
         invalid type: integer `7`, expected a map at column 1"
    );
}

#[test]
fn a_line_is_ended_by_a_line_feed_alone() {
    let odd = GOOD.replace("return 1", "return '\u{2028}\u{85}'");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{odd}\r\n{}\n", GOOD.replace("T/1", "T/2"))).unwrap();
    let suite = suites::open(file.path().to_str().unwrap()).unwrap();
    assert_eq!(suite.tasks.len(), 2);
    assert!(suite.tasks[0].references[0].source.contains('\u{2028}'));
}

#[test]
fn a_missing_or_wrong_field() {
    let missing = GOOD.replace("\"task_id\": \"T/1\", ", "");
    assert_eq!(
        error(format!("{GOOD}\n{missing}")),
        "FILE, line 2: the field `task_id` (a string) is missing"
    );
    let null = GOOD.replace("\"f\"", "null");
    assert_eq!(
        error(format!("{GOOD}\n{null}")),
        "FILE, line 2: the field `entry_point` (a string) is missing"
    );
    let number = GOOD.replace("\"f\"", "7");
    assert_eq!(
        error(format!("{number}\n")),
        "FILE, line 1: the field `entry_point` has to be a string, and there is a number"
    );
}

#[test]
fn no_test_in_a_task() {
    let empty = GOOD.replace("def check(c):\\n    assert c() == 1\\n", " ");
    assert_eq!(
        error(empty),
        "FILE, line 1: the field `test` is empty: there would be nothing to check a program on"
    );
    assert_eq!(
        error(r#"{"task_id": 1, "text": "t", "code": "c", "test_list": []}"#),
        "FILE, line 1: the field `test_list` is empty: there would be nothing to check a program on"
    );
}

#[test]
fn two_tasks_of_one_name() {
    assert_eq!(
        error(format!("{GOOD}\n{GOOD}\n")),
        "FILE, line 2: the task `T/1` is there already, at line 1"
    );
}

#[test]
fn a_format_that_nobody_knows() {
    let known = "is in no format that redraft knows; known are JSON (a list, or an object a line, also gzipped) of human-eval, \
                 HumanEval-X, EvalPlus, MBPP, MultiPL-E, mxeval, BigCodeBench, LiveCodeBench, CodeContests, APPS and QuixBugs, and \
                 redraft's own TOML; docs/suites.md tells which fields each of them has";
    assert_eq!(
        error(r#"{"riddle": "1 + 1?", "answer": "2"}"#),
        format!("FILE, line 1: {known}")
    );
    assert_eq!(error("id,text\n1,hello\n"), format!("FILE: {known}"));
}

#[test]
fn bytes_that_are_no_text() {
    assert_eq!(error(b"{}\n\xff\xfe\n"), "FILE, line 2: is not UTF-8 text");
    let damaged = error(b"\x1f\x8b\x08\x00garbage");
    assert!(
        damaged.starts_with("FILE: the gzip data is damaged ("),
        "{damaged}"
    );
}

#[test]
fn a_folder_without_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let error = suites::open(folder.path().to_str().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with(
            "holds no task; a folder is a suite if it holds redraft's TOML files, JSON files of one format, or folders of APPS \
             problems (see docs/suites.md)"
        ),
        "{error}"
    );
}

const TOML: &str = "id = \"t\"\nstatement = \"s\"\nentry = \"f\"\nhidden = [\"assert f() == 1\"]\n";

#[test]
fn toml_that_is_none() {
    assert_eq!(
        error("id = \"t\"\nstatement = \n"),
        "FILE, line 2: is no TOML: string values must be quoted, expected literal string"
    );
}

#[test]
fn toml_with_a_field_that_is_wrong() {
    assert_eq!(
        error(TOML.replace("entry", "entri")),
        "FILE, the task: there is no field `entri`; the fields are id, statement, entry, starter, language, limits, \
         visible, hidden, reference, references, wrong"
    );
    assert_eq!(
        error(TOML.replace("\"s\"", "1")),
        "FILE, task `t`: the field `statement` has to be a string, and there is a number"
    );
    assert_eq!(
        error(TOML.replace("assert ", "")),
        "FILE, task `t`: hidden test 1 holds no `assert`"
    );
    assert_eq!(
        error(TOML.replace("\"assert f() == 1\"", "")),
        "FILE, task `t`: the field `hidden` holds no test: there would be nothing to check a program on"
    );
    assert_eq!(
        error(format!("{TOML}limits = {{ cpu = \"10\" }}")),
        "FILE, task `t`, `limits`: the field `cpu` has to be a duration such as \"10s\" or \"500ms\", and is \"10\""
    );
    assert_eq!(
        error(TOML.replace("\"assert f() == 1\"", "{ args = [1] }")),
        "FILE, task `t`, hidden test 1: the field `expected` (the right result) is missing"
    );
    assert_eq!(
        error(TOML.replace(
            "\"assert f() == 1\"",
            "{ stdin = \"\", stdout = \"\", compare = \"roughly\" }"
        )),
        "FILE, task `t`, hidden test 1: `compare` is \"trim\", \"exact\", \"tokens\", \"unordered\" or \
         { mode = \"float\", abs = 1e-9, rel = 0 }"
    );
}

#[test]
fn toml_with_two_tasks_of_one_name() {
    let list = format!("[[task]]\n{TOML}[[task]]\n{TOML}");
    assert_eq!(
        error(list),
        "FILE, task 2: the id `t` is there already, at task 1"
    );
}
