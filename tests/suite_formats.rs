//! Every known format is told by its content and read into the same tasks.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write as _;

use redraft::task::{Compare, ScriptForm, Suite, Task, Test, TestKind, suites};

fn read(content: &[u8]) -> Suite {
    let file = tempfile::Builder::new().suffix(".data").tempfile().unwrap();
    std::fs::write(file.path(), content).unwrap();
    suites::open(file.path().to_str().unwrap()).unwrap()
}

fn only(content: &str) -> Task {
    let mut tasks = read(content.as_bytes()).tasks;
    assert_eq!(tasks.len(), 1);
    tasks.remove(0)
}

fn code(test: &Test) -> &str {
    match &test.kind {
        TestKind::Script { code, .. } => code,
        other => panic!("{other:?}"),
    }
}

const HUMAN_EVAL: &str = r#"{"task_id": "T/1", "prompt": "def f(x):\n    \"\"\"Twice.\n    >>> f(2)\n    4\n    \"\"\"\n", "entry_point": "f", "canonical_solution": "    return 2 * x\n", "test": "def check(candidate):\n    assert candidate(3) == 6\n", "more": [1]}"#;

#[test]
fn human_eval() {
    let task = only(HUMAN_EVAL);
    assert_eq!(task.id, "T/1");
    assert_eq!(task.brief.entry_point.as_deref(), Some("f"));
    assert_eq!(task.brief.starter_code, task.brief.statement);
    assert_eq!(code(&task.brief.visible[0]), "assert f(2) == 4");
    assert_eq!(task.brief.visible[0].name, "visible-1");
    assert_eq!(
        task.references[0].source,
        format!("{}    return 2 * x\n", task.brief.starter_code)
    );
    assert!(task.wrong.is_empty());
}

#[test]
fn human_eval_with_given_tests_and_a_buggy_program() {
    let line = HUMAN_EVAL.replace(
        "\"more\": [1]",
        r#""given_tests": ["assert f(0) == 0", "assert f(1) == 2"], "solution": "def f(x):\n    return 3 * x\n""#,
    );
    let task = only(&line);
    let codes: Vec<&str> = task.brief.visible.iter().map(code).collect();
    assert_eq!(codes, ["assert f(0) == 0", "assert f(1) == 2"]);
    assert_eq!(task.wrong[0].source, "def f(x):\n    return 3 * x\n");
}

#[test]
fn gzip_and_line_ends_are_no_matter() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(HUMAN_EVAL.as_bytes()).unwrap();
    let packed = read(&packed.finish().unwrap());
    let plain = read(HUMAN_EVAL.as_bytes());
    assert_eq!(packed.hash, plain.hash);
    assert_eq!(packed.tasks[0].brief, plain.tasks[0].brief);
    assert_eq!(
        read(format!("\n{HUMAN_EVAL}\r\n\r\n").as_bytes()).tasks[0].brief,
        plain.tasks[0].brief
    );
}

const MBPP: &str = r#"{"text": "Write a function to find the common elements.", "code": "def helper(x):\r\n  return x\r\ndef common(a, b):\r\n  return tuple(set(a) & set(b))", "task_id": 2, "test_setup_code": "", "test_list": ["assert set(common((3, 4), (4, 5))) == {4}", "assert common((), ()) == ()"], "challenge_test_list": ["assert common((1,), (1,)) == (1,)"]}"#;

#[test]
fn mbpp() {
    let task = only(MBPP);
    assert_eq!(task.id, "MBPP/2");
    assert_eq!(
        task.brief.statement,
        "Write a function to find the common elements."
    );
    assert_eq!(task.brief.entry_point.as_deref(), Some("common"));
    assert_eq!(task.brief.starter_code, "");
    let codes: Vec<&str> = task.brief.visible.iter().map(code).collect();
    assert_eq!(codes, ["assert set(common((3, 4), (4, 5))) == {4}"]);
    assert_eq!(task.hidden.len(), 1);
    assert!(task.references[0].source.starts_with("def helper"));
}

#[test]
fn mbpp_sanitized_is_a_json_list_with_imports_and_other_names() {
    let item = MBPP
        .replace("\"text\"", "\"prompt\"")
        .replace("\"test_setup_code\": \"\"", "\"test_imports\": [\"import math\"]");
    let suite = read(
        format!(
            "[\n  {item},\n  {}\n]\n",
            item.replace("\"task_id\": 2", "\"task_id\": 3")
        )
        .as_bytes(),
    );
    let ids: Vec<&str> = suite.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["MBPP/2", "MBPP/3"]);
    let first = code(&suite.tasks[0].brief.visible[0]);
    assert_eq!(first, "import math\nassert set(common((3, 4), (4, 5))) == {4}");
}

#[test]
fn mbpp_tests_may_need_code_of_their_own() {
    let setup = r#""test_setup_code": "class Pair:\n    pass""#;
    let task = only(&MBPP.replace("\"test_setup_code\": \"\"", setup));
    assert!(code(&task.brief.visible[0]).starts_with("class Pair:\n    pass\nassert set("));
}

#[test]
fn quixbugs() {
    let line = r#"{"name": "sqrt", "buggy": "def sqrt(x, epsilon):\n    return x\n\"\"\"\nSquare Root\n\"\"\"\n", "correct": "def sqrt(x, epsilon):\n    return x ** 0.5\n", "cases": [[[4, 0.1], 2.0], [[9, 0.1], 3]]}"#;
    let task = only(line);
    assert_eq!(
        task.brief.statement,
        "Write a function `sqrt(x, epsilon)`.\n\nSquare Root"
    );
    let TestKind::Call {
        entry,
        args,
        expected,
        compare,
    } = &task.brief.visible[0].kind
    else {
        panic!()
    };
    assert_eq!(
        (entry.as_str(), args.len(), expected.as_f64()),
        ("sqrt", 2, Some(2.0))
    );
    assert_eq!(*compare, Compare::Float { abs: 0.1, rel: 0.0 });
    assert_eq!(task.wrong.len(), 1);
}

const TOML: &str = r#"
# A comment first.
id = "t"
statement = """
Do it.
"""
entry = "f"
starter = "import math\n"
limits = { cpu = "1500ms", wall = "1m", memory = "64MiB", processes = 3 }
visible = [
  "assert f(1) == 1",
  { args = [1, "a", [true, 2.5]], expected = { k = 1 }, compare = "unordered" },
]
hidden = [
  { stdin = "1\n", stdout = "2\n", name = "two", compare = { mode = "float", abs = 1 } },
  { args = [], expected = 3, entry = "g" },
]
reference = "def f(n): return n"
wrong = ["", "pass"]
"#;

#[test]
fn toml() {
    let task = only(TOML);
    assert_eq!((task.id.as_str(), task.brief.statement.as_str()), ("t", "Do it."));
    assert_eq!(task.brief.starter_code, "import math\n");
    let limits = task.brief.limits;
    assert_eq!(
        (
            limits.cpu_ms,
            limits.wall_ms,
            limits.memory_bytes,
            limits.processes
        ),
        (1500, 60_000, 64 << 20, 3)
    );
    let TestKind::Script {
        form: ScriptForm::Asserts,
        ..
    } = &task.brief.visible[0].kind
    else {
        panic!()
    };
    let TestKind::Call {
        args,
        expected,
        compare,
        ..
    } = &task.brief.visible[1].kind
    else {
        panic!()
    };
    assert_eq!(serde_json::json!(args), serde_json::json!([1, "a", [true, 2.5]]));
    assert_eq!(
        (expected, compare),
        (&serde_json::json!({"k": 1}), &Compare::Unordered)
    );
    assert_eq!(
        (task.hidden.len(), task.references.len(), task.wrong.len()),
        (2, 1, 2)
    );
}

#[test]
fn toml_with_several_tasks_and_folders_of_it() {
    let two = format!("[[task]]{TOML}[[task]]{}", TOML.replace("\"t\"", "\"u\""));
    let ids = |suite: &Suite| suite.tasks.iter().map(|task| task.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&read(two.as_bytes())), ["t", "u"]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.toml"), TOML).unwrap();
    std::fs::write(folder.path().join("a.toml"), TOML.replace("\"t\"", "\"u\"")).unwrap();
    std::fs::write(folder.path().join("README.md"), "not a task").unwrap();
    let suite = suites::open(folder.path().to_str().unwrap()).unwrap();
    assert_eq!(ids(&suite), ["u", "t"]);
    std::fs::write(folder.path().join("c.toml"), TOML).unwrap();
    let error = suites::open(folder.path().to_str().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("c.toml: the task `t` is in another file of the folder too"),
        "{error}"
    );
}

/// The example in tasks/README.md is a task.
#[test]
fn the_documented_example_is_read() {
    let readme = include_str!("../tasks/README.md");
    let example = readme
        .split("```toml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let task = only(example);
    assert_eq!(
        (task.id.as_str(), task.brief.visible.len(), task.hidden.len()),
        ("double", 1, 3)
    );
}
