//! The suites of the ecosystem that can't be had here, each written small in its own shape: they are read, their references pass,
//! and a wrong program doesn't.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write as _;
use std::path::Path;

use redraft::judge::{Judge, Options};
use redraft::task::{Compare, Program, Suite, Task, Test, TestKind, Verdict, suites};
use serde_json::{Value, json};

fn read(lines: &[Value]) -> Suite {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    read_text(&text.join("\n"))
}

fn read_text(text: &str) -> Suite {
    let file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    suites::open(file.path().to_str().unwrap()).unwrap()
}

fn error(line: &Value) -> String {
    let file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
    std::fs::write(file.path(), line.to_string()).unwrap();
    let error = suites::open(file.path().to_str().unwrap())
        .unwrap_err()
        .to_string();
    let name = file.path().display().to_string();
    assert!(error.starts_with(&name), "{error}");
    error.replace(&name, "FILE")
}

fn judge(suite: &Suite) -> Judge {
    Judge::new(Options {
        common_imports: suite.common_imports,
        ..Options::default()
    })
    .unwrap()
}

/// The verdict on hidden tests, and how many of them passed.
fn judged(judge: &Judge, task: &Task, source: &str) -> (Verdict, usize, usize) {
    let report = judge.test_hidden(
        &Program::new(task.brief.language, source),
        &task.hidden,
        &task.brief.limits,
    );
    (report.verdict, report.passed, report.total)
}

fn names(tests: &[Test]) -> Vec<&str> {
    tests.iter().map(|test| test.name.as_str()).collect()
}

fn evalplus(id: &str, entry: &str, solution: &str, base: impl Into<Value>, plus: impl Into<Value>) -> Value {
    let (base, plus): (Value, Value) = (base.into(), plus.into());
    json!({
        "task_id": id, "entry_point": entry, "canonical_solution": solution, "contract": "\n    assert True\n",
        "prompt": format!("def {entry}(*args):\n    \"\"\"Do it.\n\n    >>> {entry}(2)\n    4\n    \"\"\"\n"),
        "base_input": base, "plus_input": plus, "atol": 0,
    })
}

#[test]
fn evalplus_expects_what_its_solution_gives() {
    let suite = read(&[evalplus(
        "HumanEval/900",
        "double",
        "    return args[0] * 2\n",
        json!([[1], [2]]),
        json!([[10], ["ab"], [[1.5]]]),
    )]);
    let task = &suite.tasks[0];
    assert_eq!(names(&task.brief.visible), ["visible-1"]);
    let judge = judge(&suite);
    assert_eq!(
        judged(&judge, task, &task.references[0].source),
        (Verdict::Passed, 5, 5)
    );
    let wrong = "def double(n):\n    return n * 2 if n != 10 else 0\n";
    let report = judge.test_hidden(&Program::python(wrong), &task.hidden, &task.brief.limits);
    assert_eq!((report.verdict, report.passed), (Verdict::WrongAnswer, 4));
    let failed = report.failures().next().unwrap();
    assert!(failed.name.starts_with("plus"), "{}", failed.name);
    assert_eq!(
        (failed.expected.as_str(), failed.actual.as_deref()),
        ("20", Some("0"))
    );
    // What the reference gives isn't in the program's hands: it can't change its argument for it.
    let cheat =
        "class Same(list):\n    def __eq__(self, other): return True\ndef double(n):\n    return Same()\n";
    assert_ne!(judged(&judge, task, cheat).0, Verdict::Passed);
}

#[test]
fn evalplus_is_close_where_floats_are_expected() {
    let suite = read(&[
        evalplus(
            "HumanEval/901",
            "half",
            "    return args[0] / 2\n",
            json!([[1], [3]]),
            json!([]),
        ),
        evalplus(
            "HumanEval/902",
            "count",
            "    return args[0]\n",
            json!([[1], [3]]),
            json!([]),
        ),
    ]);
    let judge = judge(&suite);
    let near = "def half(n):\n    return n / 2 + 1e-9\n";
    assert_eq!(judged(&judge, &suite.tasks[0], near).0, Verdict::Passed);
    assert_eq!(
        judged(&judge, &suite.tasks[0], "def half(n):\n    return n / 2 + 1e-4\n").0,
        Verdict::WrongAnswer
    );
    assert_eq!(
        judged(&judge, &suite.tasks[1], "def count(n):\n    return n + 1e-9\n").0,
        Verdict::WrongAnswer
    );
}

#[test]
fn evalplus_has_tasks_with_more_than_one_right_answer_and_with_tuples() {
    let suite = read(&[
        // A root of 1 - x^2 is 1, or -1.
        evalplus(
            "HumanEval/32",
            "find_zero",
            "    return 1.0\n",
            json!([[[1, 0, -1]]]),
            json!([]),
        ),
        evalplus(
            "Mbpp/2",
            "similar_elements",
            "    return tuple(set(args[0]) & set(args[1]))\n",
            json!([[[3, 4, 5], [5, 4]]]),
            json!([]),
        ),
        evalplus(
            "Mbpp/615",
            "kind",
            "    return type(args[0][0]).__name__\n",
            json!([[[[1], [2]]]]),
            json!([]),
        ),
    ]);
    let judge = judge(&suite);
    for (task, right, wrong) in [
        (
            0,
            "def find_zero(xs):\n    return -1.0\n",
            "def find_zero(xs):\n    return 0.5\n",
        ),
        (
            1,
            "def similar_elements(a, b):\n    return [5, 4, 5]\n",
            "def similar_elements(a, b):\n    return (5,)\n",
        ),
        (
            2,
            "def kind(x):\n    return 'tuple' if type(x) is tuple else '?'\n",
            "def kind(x):\n    return 'list'\n",
        ),
    ] {
        assert_eq!(
            judged(&judge, &suite.tasks[task], right).0,
            Verdict::Passed,
            "{task}"
        );
        assert_eq!(
            judged(&judge, &suite.tasks[task], wrong).0,
            Verdict::WrongAnswer,
            "{task}"
        );
    }
}

/// Numbers that JSON readers round or refuse are kept.
#[test]
fn evalplus_has_odd_numbers() {
    let text = evalplus(
        "HumanEval/903",
        "same",
        "    return str(args[0])\n",
        json!([["X"], ["Y"], ["Z"]]),
        json!([]),
    )
    .to_string()
    .replace("\"X\"", "123456789012345678901234567890")
    .replace("\"Y\"", "NaN")
    .replace("\"Z\"", "-Infinity");
    let suite = read_text(&text);
    let right = "def same(n):\n    return {'nan': 'nan', '-inf': '-inf'}.get(str(n), '123456789012345678901234567890')\n";
    assert_eq!(
        judged(&judge(&suite), &suite.tasks[0], right),
        (Verdict::Passed, 3, 3)
    );
}

#[test]
fn evalplus_says_what_is_wrong() {
    let mut task = evalplus("HumanEval/1", "f", "    return 1\n", json!([[1], 2]), json!([]));
    assert_eq!(
        error(&task),
        "FILE, line 1: each of `base_input` has to be a list of arguments, and number 2 isn't"
    );
    task["base_input"] = json!([]);
    assert!(error(&task).contains("hold no input"));
    task["atol"] = json!("x");
    assert!(error(&task).contains("the field `atol` has to be a number from 0"));
}

/// What `LiveCodeBench` calls a private test, as it packs them.
fn packed(cases: &Value) -> String {
    // A pickle of protocol 2 that holds one text.
    let text = cases.to_string();
    let mut pickle = vec![0x80, 2, b'X'];
    pickle.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    pickle.extend(text.as_bytes());
    pickle.extend(*b"q\x00.");
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    zlib.write_all(&pickle).unwrap();
    base64(&zlib.finish().unwrap())
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0_u32, |group, byte| (group << 8) | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = LETTERS[((group >> (18 - 6 * at)) & 63) as usize] as char;
            text.push(if at <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

fn live_code_bench() -> Value {
    json!({
        "question_title": "Sum", "question_content": "Read n numbers and print their sum.", "platform": "atcoder",
        "question_id": "abc999_a", "contest_id": "abc999", "contest_date": "2026-01-01T00:00:00", "starter_code": "",
        "difficulty": "easy", "metadata": "{}",
        "public_test_cases": json!([{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}]).to_string(),
        "private_test_cases": packed(&json!([{"input": "5 5\n", "output": "10", "testtype": "stdin"}])),
    })
}

#[test]
fn live_code_bench_with_stdin() {
    let suite = read(&[live_code_bench()]);
    let task = &suite.tasks[0];
    assert_eq!(
        (names(&task.brief.visible), task.hidden.len()),
        (vec!["public-1"], 2)
    );
    assert!(suite.common_imports);
    let judge = judge(&suite);
    let right = "print(float(sum(map(int, input().split()))))";
    assert_eq!(judged(&judge, task, right), (Verdict::Passed, 2, 2));
    assert_eq!(judged(&judge, task, "input()\nprint(3)").0, Verdict::WrongAnswer);
}

#[test]
fn live_code_bench_with_functions() {
    let mut line = live_code_bench();
    line["starter_code"] =
        json!("class Solution:\n    def total(self, xs: List[int], by: int) -> List[int]:\n        ");
    line["metadata"] = json!("{\"func_name\": \"total\"}");
    line["public_test_cases"] =
        json!(json!([{"input": "[1, 2]\n3", "output": "[9]", "testtype": "functional"}]).to_string());
    line["private_test_cases"] =
        json!(json!([{"input": "[]\n3", "output": "[0]", "testtype": "functional"}]).to_string());
    let suite = read(std::slice::from_ref(&line));
    let task = &suite.tasks[0];
    assert_eq!(task.brief.entry_point.as_deref(), Some("Solution.total"));
    assert!(task.brief.statement.contains("class Solution:"));
    // `List` comes with the suite, and a tuple is as good as a list.
    let right = "class Solution:\n    def total(self, xs: List[int], by: int) -> List[int]:\n        return (sum(xs) * by,)\n";
    assert_eq!(judged(&judge(&suite), task, right), (Verdict::Passed, 2, 2));
    line["public_test_cases"] =
        json!("[{\"input\": \"[1\", \"output\": \"1\", \"testtype\": \"functional\"}]");
    assert!(
        error(&line).contains("the field `public_test_cases`, test 1: \"[1\" is no JSON"),
        "{}",
        error(&line)
    );
}

/// A private test that would run code when Python unpickles it is refused by name.
#[test]
fn live_code_bench_never_runs_a_pickle() {
    let mut line = live_code_bench();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    zlib.write_all(b"cos\nsystem\n(S'touch /tmp/x'\ntR.").unwrap();
    line["private_test_cases"] = json!(base64(&zlib.finish().unwrap()));
    assert!(
        error(&line).contains(
            "the field `private_test_cases`: the pickle holds more than data: instruction 0x63 at byte 0"
        ),
        "{}",
        error(&line)
    );
    line["private_test_cases"] = json!("?");
    assert!(error(&line).contains("is neither a JSON list nor base64"));
}

fn multipl_e(language: &str, prompt: &str, tests: &str) -> Value {
    json!({
        "name": "HumanEval_900_add_two", "language": language, "prompt": prompt, "doctests": "transform",
        "original": "x.py", "prompt_terminology": "reworded", "tests": tests, "stop_tokens": ["\ndef"],
    })
}

#[test]
fn multipl_e_in_python() {
    let suite = read(&[multipl_e(
        "py",
        "def add_two(n: int) -> int:\n    \"\"\"Two more.\n    >>> add_two(1)\n    3\n    \"\"\"\n",
        "def check(candidate):\n    assert candidate(1) == 3\n    assert candidate(5) == 7\n\ndef test_check():\n    check(add_two)\n\ntest_check()\n",
    )]);
    let task = &suite.tasks[0];
    assert_eq!(
        (task.id.as_str(), task.brief.entry_point.as_deref()),
        ("HumanEval_900_add_two", Some("add_two"))
    );
    let judge = judge(&suite);
    let program = |body: &str| format!("{}{body}", task.brief.starter_code);
    assert_eq!(
        judged(&judge, task, &program("    return n + 2\n")),
        (Verdict::Passed, 2, 2)
    );
    assert_eq!(
        judged(&judge, task, &program("    return 3\n")),
        (Verdict::WrongAnswer, 1, 2)
    );
}

#[test]
fn mxeval() {
    let line = json!({
        "task_id": "MBPP/900", "language": "python", "entry_point": "add_two",
        "prompt": "def add_two(n: int) -> int:\n    \"\"\"Two more.\n    >>> add_two(1)\n    3\n    \"\"\"\n",
        "description": "Two more.", "canonical_solution": "    return n + 2\n",
        "test": "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate(5) == 7\n",
    });
    let suite = read(std::slice::from_ref(&line));
    let task = &suite.tasks[0];
    let judge = judge(&suite);
    assert_eq!(
        judged(&judge, task, &task.references[0].source),
        (Verdict::Passed, 1, 1)
    );
    assert_eq!(
        judged(&judge, task, "def add_two(n):\n    return n\n").0,
        Verdict::WrongAnswer
    );
    let mut unknown = line;
    unknown["language"] = json!("cobol");
    assert!(error(&unknown).contains("the language \"cobol\" isn't known"));
}

#[test]
fn apps_as_lines_and_folders() {
    let io = json!({"inputs": ["1 2\n", "3 4\n", "5 5\n"], "outputs": ["3\n", ["7", ""], "10\n"]});
    let call = json!({"fn_name": "add", "inputs": [[1, 2], [3, 4]], "outputs": [[3], 7]});
    let line = |id: i32, io: &Value| {
        json!({
            "problem_id": id, "question": "Add two numbers.", "input_output": io.to_string(),
            "solutions": json!(["print(sum(map(int, input().split())))"]).to_string(), "difficulty": "introductory",
            "starter_code": if io.get("fn_name").is_some() { "def add(a, b):\n    " } else { "" },
        })
    };
    let suite = read(&[line(1, &io), line(2, &call)]);
    let first = &suite.tasks[0];
    assert_eq!((first.brief.visible.len(), first.hidden.len()), (2, 3));
    let judge = judge(&suite);
    assert_eq!(
        judged(&judge, first, &first.references[0].source),
        (Verdict::Passed, 3, 3)
    );
    assert_eq!(
        judged(&judge, first, "input(); print(3)"),
        (Verdict::WrongAnswer, 1, 3)
    );
    assert_eq!(
        judged(&judge, &suite.tasks[1], "def add(a, b):\n    return a + b\n"),
        (Verdict::Passed, 2, 2)
    );

    let folder = tempfile::tempdir().unwrap();
    for name in ["0000", "0001"] {
        let problem = folder.path().join(name);
        std::fs::create_dir(&problem).unwrap();
        std::fs::write(problem.join("question.txt"), "Add.").unwrap();
        std::fs::write(problem.join("input_output.json"), io.to_string()).unwrap();
        std::fs::write(problem.join("metadata.json"), "{}").unwrap();
    }
    let open = |path: &Path| suites::open(path.to_str().unwrap()).unwrap();
    let suite = open(folder.path());
    assert_eq!(suite.tasks.len(), 2);
    assert_eq!(suite.tasks[1].id, "0001");
    assert_eq!(open(&folder.path().join("0000")).tasks.len(), 1);

    let mut broken = line(1, &json!({"inputs": ["1"], "outputs": []}));
    assert!(error(&broken).contains("the field `input_output` has 1 inputs and 0 outputs"));
    broken["input_output"] = json!("{");
    assert!(error(&broken).contains("the field `input_output` is no JSON"));
}

#[test]
fn code_contests() {
    let line = json!({
        "name": "900_A. Half", "description": "Halve it.", "source": 2, "difficulty": 7,
        "public_tests": {"input": ["1\n"], "output": ["0.5\n"]},
        "private_tests": [{"input": "3\n", "output": "1.5"}],
        "generated_tests": {"input": ["9\n"], "output": ["4.5"]},
        "solutions": {"language": [2, 3], "solution": ["int main(){}", "print(int(input()) / 2 + 1e-9)"]},
        "incorrect_solutions": {"language": [3], "solution": ["print(0.5)"]},
        "time_limit": {"seconds": 20, "nanos": 500_000_000}, "memory_limit_bytes": 1_073_741_824_u64,
        "input_file": "", "output_file": "",
    });
    let suite = read(std::slice::from_ref(&line));
    let task = &suite.tasks[0];
    assert_eq!(
        (task.references.len(), task.wrong.len(), task.hidden.len()),
        (1, 1, 3)
    );
    assert_eq!(
        (task.brief.limits.cpu_ms, task.brief.limits.memory_bytes),
        (61_500, 1 << 30)
    );
    let TestKind::Stdin { compare, .. } = task.brief.visible[0].kind else {
        panic!()
    };
    assert_eq!(compare, Compare::Float { abs: 1e-5, rel: 1e-5 });
    let judge = judge(&suite);
    assert_eq!(
        judged(&judge, task, &task.references[0].source),
        (Verdict::Passed, 3, 3)
    );
    assert_eq!(
        judged(&judge, task, &task.wrong[0].source),
        (Verdict::WrongAnswer, 1, 3)
    );
    let mut broken = line;
    broken["public_tests"] = json!({"input": ["1"], "output": []});
    assert!(
        error(&broken)
            .contains("the field `public_tests` has to be a list of objects with `input` and `output`")
    );
}

#[test]
fn big_code_bench() {
    let suite = read(&[json!({
        "task_id": "BigCodeBench/900", "entry_point": "task_func", "libs": "['json']",
        "complete_prompt": "import json\n\ndef task_func(text):\n    \"\"\"Keys of an object.\"\"\"\n",
        "instruct_prompt": "Write it.", "code_prompt": "import json\ndef task_func(text):\n",
        "canonical_solution": "    return sorted(json.loads(text))\n",
        "test": "import unittest\nclass TestCases(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(task_func('{\"b\": 1, \"a\": 2}'), ['a', 'b'])\n\
                 \x20   def test_none(self):\n        self.assertEqual(task_func('{}'), [])\n",
    })]);
    let task = &suite.tasks[0];
    let judge = judge(&suite);
    assert_eq!(
        judged(&judge, task, &task.references[0].source).0,
        Verdict::Passed
    );
    assert_eq!(
        judged(&judge, task, "def task_func(text):\n    return []\n").0,
        Verdict::WrongAnswer
    );
}
