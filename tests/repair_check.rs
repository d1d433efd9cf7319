//! `redraft repair FILE --check 'CMD {file}'`: any command is the examiner, guards hold, and what was reached is kept.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A program that its own assertions fail.
const GIVEN: &str =
    "def add(a, b):\n    return a - b\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ntest_add()\n";
const MENDED: &str =
    "def add(a, b):\n    return a + b\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ntest_add()\n";
/// The test is made to fit the program.
const CHEAT: &str =
    "def add(a, b):\n    return a - b\n\n\ndef test_add():\n    assert add(1, 2) == -1\n\n\ntest_add()\n";
/// Another wrong program.
const OTHER: &str =
    "def add(a, b):\n    return a * b\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ntest_add()\n";

const CHECK: &str = "python3 {file}";

fn block(source: &str) -> String {
    format!("Here it is:\n```python\n{source}```\n")
}

fn redraft(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// A folder with the program, and a model that answers so.
fn prepare(replies: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("prog.py"), GIVEN).unwrap();
    std::fs::write(folder.path().join("script.json"), replies.to_string()).unwrap();
    folder
}

/// Exit code, the result, and what was said.
fn repair(folder: &Path, more: &[&str]) -> (Option<i32>, Value, String) {
    let mut args = vec![
        "repair",
        "prog.py",
        "--check",
        CHECK,
        "--model",
        "script:script.json",
        "--json",
    ];
    args.extend(more);
    let output = redraft(folder, &args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let result = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    (output.status.code(), result, stderr)
}

#[test]
fn the_command_examines_and_its_words_are_the_critique() {
    let says = [
        "Command: python3 prog.py",
        "Version: Python 3.",
        "Result: exit status 1",
        "1. assertion, prog.py:6: AssertionError",
        "    6 |     assert add(1, 2) == 3",
        "An assertion doesn't hold",
        "return a - b",
        "Adds two numbers.",
    ];
    let folder = prepare(&json!([{"content": block(MENDED), "contains": says}]));
    let (code, result, stderr) = repair(folder.path(), &["--task", "Adds two numbers."]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(result["repaired"], true);
    assert_eq!(result["status"], "verified");
    assert_eq!(result["stopped"], "satisfied");
    assert_eq!(result["returned"], 1);
    assert_eq!(result["program"], MENDED);
    assert_eq!(result["command"], "python3 prog.py");
    assert_eq!(result["guard"], "python");
    assert_eq!(result["versions"][0]["check"]["ended"], json!({"exited": 1}));
    assert_eq!(
        result["versions"][0]["check"]["diagnostics"][0]["category"],
        "assertion"
    );
    assert_eq!(
        result["versions"][0]["check"]["diagnostics"][0]["place"],
        json!({"file": "prog.py", "line": 6})
    );
    assert!(result["versions"][1]["check"]["isolation"]["layers"].is_object());
    assert!(stderr.contains("is mended after round 1"), "{stderr}");
}

#[test]
fn what_weakens_is_rejected_whatever_the_command_says_and_the_reason_is_told() {
    let folder = prepare(&json!([
        {"content": block(CHEAT)},
        {"content": block(MENDED), "contains": ["<rejected>", "the test `test_add` was changed", "return a - b"]},
    ]));
    // The command itself would be content.
    std::fs::write(folder.path().join("cheat.py"), CHEAT).unwrap();
    let (code, result, stderr) = repair(folder.path(), &[]);
    assert_eq!(code, Some(0), "{stderr}");
    let cheat = &result["versions"][1];
    assert_eq!(cheat["accepted"], false);
    assert_eq!(cheat["check"]["breaches"][0]["guarded"], "tests");
    assert_eq!(cheat["check"]["ended"], Value::Null);
    // It is no ground to go on from.
    assert_eq!(result["versions"][2]["parent"], 0);
    assert_eq!(result["returned"], 2);
    assert!(
        stderr.contains("round 1: rejected\n    the test `test_add` was changed"),
        "{stderr}"
    );
}

#[test]
fn a_rejected_version_is_never_returned_or_written() {
    let folder = prepare(&json!([block(CHEAT)]));
    let (code, result, _) = repair(folder.path(), &["--rounds", "1", "--write", "--to", "out.py"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        (&result["returned"], &result["written"]),
        (&json!(0), &json!(false))
    );
    assert_eq!(result["status"], "not verified");
    for file in ["prog.py", "out.py"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(file)).unwrap(), GIVEN);
    }
}

#[test]
fn the_user_can_let_go_of_what_is_guarded() {
    let folder = prepare(&json!([block(CHEAT)]));
    let (code, result, _) = repair(folder.path(), &["--may-change", "tests"]);
    assert_eq!((code, &result["returned"]), (Some(0), &json!(1)));
    let folder = prepare(&json!([block(CHEAT)]));
    let (code, result, stderr) = repair(folder.path(), &["--guard", "none", "--write"]);
    assert_eq!((code, &result["guard"]), (Some(0), &Value::Null));
    assert!(stderr.contains("guard: none"), "{stderr}");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("prog.py")).unwrap(),
        CHEAT
    );
}

#[test]
fn a_repeated_state_stops() {
    // The first program again, laid out in another way, behind another one.
    let again = GIVEN.replace("    return a - b\n", "    # the difference\n    return (a - b)\n");
    let folder = prepare(&json!([block(OTHER), block(&again), "not asked for any more"]));
    let (code, result, stderr) = repair(folder.path(), &["--rounds", "5"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert_eq!(result["stopped"], "repeated");
    assert_eq!(result["versions"].as_array().unwrap().len(), 3);
    assert!(
        stderr.contains("a draft came back that had been there before"),
        "{stderr}"
    );
}

#[test]
fn rounds_are_capped_and_the_fewest_findings_are_returned() {
    let findings = |count: usize, mark: &str| {
        let lines: Vec<String> = (1..=count).map(|n| format!("prog.txt:{n}: error: bad")).collect();
        let lines = lines.join("\n");
        format!("{lines}\n# {mark}\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("prog.txt"), findings(3, "given")).unwrap();
    let replies = json!([
        format!("```\n{}```", findings(2, "better")),
        format!("```\n{}```", findings(3, "worse")),
        format!("```\n{}```", findings(2, "as good, and later")),
    ]);
    std::fs::write(path("script.json"), replies.to_string()).unwrap();
    let args = [
        "repair",
        "prog.txt",
        "--check",
        "! grep error {file}",
        "--model",
        "script:script.json",
        "--rounds",
        "3",
        "--to",
        "out.txt",
    ];
    let output = redraft(folder.path(), &args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("all rounds were used; the version of round 1 has the fewest findings"),
        "{stderr}"
    );
    assert_eq!(
        std::fs::read_to_string(path("out.txt")).unwrap(),
        findings(2, "better")
    );
}

#[test]
fn a_reply_without_a_program_costs_a_round() {
    let folder = prepare(&json!([
        "I can't do that.",
        {"content": block(MENDED), "contains": ["no program was found in the reply", "return a - b"]},
    ]));
    let (code, result, stderr) = repair(folder.path(), &[]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(result["versions"][1]["source"], Value::Null);
    assert_eq!(result["returned"], 2);
}

#[test]
fn a_program_that_is_accepted_is_left_as_it_is() {
    let folder = prepare(&json!([]));
    std::fs::write(folder.path().join("prog.py"), MENDED).unwrap();
    let (code, result, stderr) = repair(folder.path(), &["--write"]);
    assert_eq!(
        (code, &result["returned"], &result["written"]),
        (Some(0), &json!(0), &json!(false))
    );
    assert!(stderr.contains("is accepted as it is"), "{stderr}");
}

#[test]
fn what_is_taken_for_granted_is_listed_with_the_result() {
    let folder = prepare(&json!([]));
    let source = "import ctypes\n\nx: int = 1  # type: ignore\n";
    std::fs::write(folder.path().join("prog.py"), source).unwrap();
    let (code, result, stderr) = repair(folder.path(), &[]);
    assert_eq!(code, Some(0));
    assert_eq!(result["trusted"].as_array().unwrap().len(), 2, "{result}");
    assert!(
        stderr.contains("taken for granted: foreign code (line 1): ctypes"),
        "{stderr}"
    );
}

#[test]
fn companions_stand_beside_the_program() {
    let folder = prepare(&json!([block(MENDED)]));
    let tests = "import prog\n\nassert prog.add(2, 2) == 4\n";
    std::fs::create_dir(folder.path().join("tests")).unwrap();
    std::fs::write(folder.path().join("tests/check_prog.py"), tests).unwrap();
    let args = [
        "repair",
        "prog.py",
        "--check",
        "PYTHONPATH=. python3 tests/check_prog.py",
        "--with",
        "tests",
        "--model",
        "script:script.json",
    ];
    let output = redraft(folder.path(), &args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let diff = String::from_utf8(output.stdout).unwrap();
    assert!(diff.contains("-    return a - b\n+    return a + b"), "{diff}");
}

#[test]
fn a_check_that_never_ends_is_a_timeout_in_the_critique() {
    let endless = format!("{GIVEN}while True: pass\n");
    let folder = prepare(&json!([
        {"content": block(MENDED), "contains": ["1. timeout: the check used up its time (0.5 s of CPU time)"]},
    ]));
    std::fs::write(
        folder.path().join("prog.py"),
        endless.replace("test_add()\nwhile", "while"),
    )
    .unwrap();
    let (code, result, stderr) = repair(folder.path(), &["--cpu", "500ms"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(result["versions"][0]["check"]["ended"], "timed_out");
}

#[test]
fn the_budget_ends_the_loop_and_what_there_is_is_returned() {
    let folder = prepare(&json!([block(OTHER), "not asked for any more"]));
    let (code, result, stderr) = repair(folder.path(), &["--max-calls", "1", "--rounds", "5"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert_eq!(result["stopped"], "used_up");
    assert_eq!(result["versions"].as_array().unwrap().len(), 2);
    assert_eq!(result["returned"], 0);
    let usage = json!({"content": block(OTHER), "usage": {"prompt": 90, "completion": 10}});
    let folder = prepare(&json!([usage]));
    let (_, result, _) = repair(folder.path(), &["--max-tokens", "100", "--rounds", "5"]);
    assert_eq!(result["stopped"], "used_up");
}

#[test]
fn bad_input_is_one_sentence() {
    let folder = prepare(&json!([]));
    std::fs::write(folder.path().join("bytes.py"), [0xff, 0xfe]).unwrap();
    let model = ["--model", "script:script.json"];
    for (args, says) in [
        (
            &["repair", "prog.py", "--check", "python3 prog.py"][..],
            "put {file} there",
        ),
        (
            &["repair", "prog.py", "--check", "no-such-tool {file}"],
            "no-such-tool is not in PATH",
        ),
        (
            &["repair", "nowhere.py", "--check", CHECK],
            "nowhere.py: No such file",
        ),
        (&["repair", "bytes.py", "--check", CHECK], "isn't UTF-8 text"),
        (
            &["repair", "prog.py", "--check", CHECK, "--with", "nowhere"],
            "--with nowhere",
        ),
        (
            &["repair", "prog.py", "--check", CHECK, "--with", "prog.py"],
            "in the program's place",
        ),
        (
            &["repair", "prog.py", "--check", CHECK, "--readable", "/nowhere"],
            "/nowhere",
        ),
    ] {
        let output = redraft(folder.path(), &[args, &model].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(
            stderr.starts_with("error: ") && stderr.contains(says),
            "{args:?}: {stderr}"
        );
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    }
    for (args, says) in [
        (&["repair", "prog.py"][..], "--tests"),
        (
            &["repair", "prog.py", "--check", CHECK, "--tests", "x.py"],
            "cannot be used with",
        ),
        (
            &["repair", "prog.py", "--check", CHECK, "--guard", "cobol"],
            "expected one of python, rust",
        ),
        (
            &["repair", "prog.py", "--check", CHECK, "--may-change", "x"],
            "expected one of signatures",
        ),
        (
            &["repair", "prog.py", "--tests", "t.py", "--guard", "rust"],
            "--check",
        ),
        (
            &["repair", "prog.py", "--check", CHECK, "--max-calls", "0"],
            "0 is not in 1..",
        ),
    ] {
        let output = redraft(folder.path(), &[args, &model].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(says), "{args:?}: {stderr}");
    }
}

#[test]
fn a_command_that_cannot_start_inside_is_told_before_any_model_is_asked() {
    let folder = prepare(&json!([]));
    // The tool is there, and what it runs is not.
    let script = folder.path().join("tool");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let command = format!("{} {{file}}", script.display());
    let args = [
        "repair",
        "prog.py",
        "--check",
        &command,
        "--model",
        "script:script.json",
    ];
    let output = redraft(folder.path(), &args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("can't be run (exit status 127)") && stderr.contains("--readable"),
        "{stderr}"
    );
}
