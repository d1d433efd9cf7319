//! Whatever a file holds, the readers of suites give a suite or one clear error: they don't panic and don't hang.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use redraft::judge::impossible;
use redraft::task::{How, Task, suites};
use serde_json::{Value, json};

/// Reads it; what comes of it has to be whole.
fn read(bytes: Vec<u8>) {
    let begun = Instant::now();
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
    match suites::from_bytes(Path::new("some/suite.jsonl"), bytes) {
        Ok(suite) => {
            assert!(!suite.tasks.is_empty(), "{shown}");
            assert_eq!(suite.hash.len(), 64);
            let ids: BTreeSet<&str> = suite.tasks.iter().map(|task| task.id.as_str()).collect();
            assert_eq!(ids.len(), suite.tasks.len(), "{shown}");
            for task in &suite.tasks {
                written_is_read(task);
                let tests: BTreeSet<&str> =
                    task.brief.visible.iter().map(|test| test.name.as_str()).collect();
                assert_eq!(tests.len(), task.brief.visible.len(), "{shown}");
            }
        }
        Err(error) => {
            let error = error.to_string();
            assert!(error.starts_with("some/suite.jsonl"), "{error}");
        }
    }
    // So much that no busy machine comes near it.
    assert!(begun.elapsed() < Duration::from_mins(2), "{shown}");
}

/// A task that was made impossible and written is the same when it is read.
fn written_is_read(task: &Task) {
    for how in [How::Conflict, How::OneOff] {
        let Some(written) = impossible(task, how) else {
            continue;
        };
        let line = serde_json::to_string(&written).unwrap();
        let suite = suites::from_bytes(Path::new("written.jsonl"), line.clone().into_bytes()).unwrap();
        assert!(suite.impossible);
        let read = &suite.tasks[0];
        assert_eq!(read.id, task.id);
        assert_eq!(read.brief, written.brief);
        assert_eq!(read.hidden.len(), written.hidden.len(), "{line}");
    }
}

/// A task of each format.
fn tasks() -> Vec<Value> {
    let stdin = json!([{"input": "1\n", "output": "2\n", "testtype": "stdin"}]).to_string();
    vec![
        json!({"task_id": "H/1", "prompt": "def f(n):\n    \"\"\"f(1) is 2.\n\n    >>> f(1)\n    2\n    \"\"\"\n", "entry_point": "f", "test": "def check(candidate):\n    assert candidate(1) == 2\n", "canonical_solution": "    return n + 1\n", "given_tests": ["assert f(1) == 2"], "solution": "    return 0\n"}),
        json!({"task_id": "H/2", "prompt": "def f(n):\n", "entry_point": "f", "canonical_solution": "    return n\n", "base_input": [[1]], "plus_input": [[2.5], [{"a": null}]], "atol": 0, "contract": ""}),
        json!({"task_id": 3, "text": "One more.", "code": "def f(n):\n    return n + 1\n", "test_list": ["assert f(1) == 2", "assert f(2) == 3"], "test_setup_code": "", "challenge_test_list": []}),
        json!({"task_id": "CPP/1", "prompt": "int f(int n) {\n", "declaration": "int f(int n) {\n", "canonical_solution": "return n; }\n", "test": "int main() { assert(f(1) == 1); }\n", "example_test": "int main() { assert(f(1) == 1); }\n"}),
        json!({"name": "HumanEval_1_f", "language": "py", "prompt": "def f(n):\n", "tests": "def check(candidate):\n    assert candidate(1) == 1\n", "stop_tokens": ["\ndef"]}),
        json!({"task_id": "M/1", "language": "python", "prompt": "def f(n):\n", "test": "def check(candidate):\n    assert candidate(1) == 1\n", "entry_point": "f", "canonical_solution": "    return n\n"}),
        json!({"task_id": "B/1", "complete_prompt": "def f(n):\n", "instruct_prompt": "x", "code_prompt": "def f(n):\n", "canonical_solution": "    return n\n", "test": "class T(unittest.TestCase):\n    def test(self): pass\n", "entry_point": "f"}),
        json!({"question_title": "t", "question_content": "c", "question_id": "q", "starter_code": "class Solution:\n    def f(self, n: int) -> int:\n        ", "public_test_cases": stdin, "private_test_cases": "[]", "metadata": "{\"func_name\": null}"}),
        json!({"problem_id": 1, "question": "q", "input_output": json!({"inputs": ["1\n", "2\n"], "outputs": ["2\n", ["3"]]}).to_string(), "solutions": "[\"print(1)\"]", "starter_code": ""}),
        json!({"id": 1, "description": "d", "sample_io": [{"input": "1", "output": ["2"]}], "test_list": [{"input": "1", "output": [2.0, null]}]}),
        json!({"name": "c", "description": "d", "public_tests": {"input": ["1"], "output": ["2"]}, "private_tests": [{"input": "1", "output": "2"}], "solutions": [{"language": "PYTHON3", "solution": "print(2)"}], "time_limit": {"seconds": 1}}),
        json!({"name": "gcd", "buggy": "def gcd(a, b): return a", "correct": "def gcd(a, b): return b", "cases": [[[1, 2], 1], [[3, 4], 1], [[3, 4], 1]]}),
        json!({"question": "How many?", "answer": "So #### 18"}),
        json!({"Body": "Ten apples", "Question": "How many?", "Answer": 10.0}),
        json!({"prompt": {"text": "Once upon"}, "continuation": {}}),
        json!({"redraft_task": 1, "id": "r", "brief": {"language": "python", "statement": "s", "visible": []}, "hidden": [{"name": "t", "type": "stdin", "stdin": "1", "expected": "2"}]}),
    ]
}

/// Any JSON, flat enough to be read by people.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|float| json!(float)),
        any::<String>().prop_map(Value::from),
        "[\\[\\]{}\"',:>= \n().a-f0-9_]{0,40}".prop_map(Value::from),
        Just(Value::from("assert f(1) == 2")),
        Just(json!({"$int": "12x"})),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-z_]{1,12}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(bytes);
    }

    #[test]
    fn any_text(text in "[\\[{]?\\PC{0,200}") {
        read(text.into_bytes());
    }

    /// A task of a known format with one field gone, doubled, or of another kind.
    #[test]
    fn broken_tasks(
        which in 0_usize..16,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), proptest::option::of(any_json())), 0..3),
        repeated in any::<bool>(),
        listed in any::<bool>(),
    ) {
        let mut task = tasks()[which].clone();
        let fields = task.as_object_mut().unwrap();
        for (index, value) in changes {
            if fields.is_empty() { break; }
            let name = fields.keys().nth(index.index(fields.len())).unwrap().clone();
            match value {
                Some(value) => { fields.insert(name, value); }
                None => { fields.shift_remove(&name); }
            }
        }
        let times = if repeated { 2 } else { 1 };
        let text = if listed {
            Value::from(vec![task; times]).to_string()
        } else {
            vec![task.to_string(); times].join("\n")
        };
        read(text.into_bytes());
    }

    /// A file that was cut off or damaged, plain and packed.
    #[test]
    fn damaged_files(which in 0_usize..16, at in any::<prop::sample::Index>(), byte in proptest::option::of(any::<u8>()), packed in any::<bool>()) {
        let mut bytes = tasks()[which].to_string().into_bytes();
        if packed {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(&bytes).unwrap();
            bytes = writer.finish().unwrap();
        }
        let at = at.index(bytes.len());
        match byte {
            Some(byte) => bytes[at] = byte,
            None => bytes.truncate(at),
        }
        read(bytes);
    }

    /// What LiveCodeBench packs: any pickle is data or refused.
    #[test]
    fn any_pickle(
        pickle in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..200),
            proptest::collection::vec(proptest::sample::select(b"(]}.lduteasq0hjrRNKMJIFGVSUXC\x80\x8c\x94\x88\x89\x85\x86\x87\x95\x02\x00\x01\n1".to_vec()), 0..60),
        ],
    ) {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(&pickle).unwrap();
        let mut task = tasks()[7].clone();
        task["private_test_cases"] = Value::from(base64(&writer.finish().unwrap()));
        read(task.to_string().into_bytes());
    }

    /// redraft's own TOML.
    #[test]
    fn any_toml(key in "(id|statement|entry|hidden|visible|limits|language|task|[a-z]{1,5})", value in "(\"\\PC{0,20}\"|\\[\\PC{0,30}\\]|\\{\\PC{0,30}\\}|[0-9.e-]{1,8}|true)", rest in "\\PC{0,30}") {
        let whole = format!("id = 'a'\nstatement = 'b'\nentry = 'f'\nhidden = ['assert f(1) == 2']\n{key} = {value}\n{rest}\n");
        read(whole.into_bytes());
        read(format!("{key} = {value}\n").into_bytes());
    }
}

/// The formats as they are, so that what is damaged above was whole.
#[test]
fn each_task_is_read() {
    for task in tasks() {
        let suite = suites::from_bytes(Path::new("s.jsonl"), task.to_string().into_bytes());
        assert_eq!(suite.unwrap().tasks.len(), 1, "{task}");
    }
}

/// Depth and size end in an error, not in a crash.
#[test]
fn deep_and_large() {
    for open in ["[", "{\"a\":", "{\"test_list\":[[", "[{\"prompt\":"] {
        read(open.repeat(200_000).into_bytes());
    }
    let nested = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let task = tasks()[1].to_string().replace("[[1]]", &format!("[[{nested}]]"));
    read(task.into_bytes());
    for code in [
        "(".repeat(5000),
        "-".repeat(50_000),
        "lambda:".repeat(5000),
        "not ".repeat(20_000),
    ] {
        let mut task = tasks()[0].clone();
        task["prompt"] = Value::from(format!(
            "def f(n):\n    \"\"\"\n    >>> f({code})\n    2\n    \"\"\"\n"
        ));
        read(task.to_string().into_bytes());
    }
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
