//! Verifier in the loop: a test for each line that the specification says of it, in its order, through the program and a
//! scripted OpenAI-compatible server on loopback. The line stands in front of its test.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/mock_server.rs"]
mod mock_server;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_server::{Act, MockServer};
use serde_json::{Value, json};

const GIVEN: &str =
    "def half(n):\n    return n // 3\n\n\ndef test_half():\n    assert half(4) == 2\n\n\ntest_half()\n";

fn mended() -> String {
    GIVEN.replace("// 3", "// 2")
}

fn block(source: &str) -> String {
    format!("```python\n{source}```")
}

/// What came of it: the result, what was said, and the prompts that the server saw.
struct Told {
    code: Option<i32>,
    result: Value,
    talk: String,
    prompts: Vec<String>,
}

impl Told {
    fn version(&self, number: usize) -> &Value {
        &self.result["versions"][number]
    }

    fn count(&self) -> usize {
        self.result["versions"].as_array().unwrap().len()
    }
}

/// Repairs a program with a server that gives these replies, one after the other.
fn repair(given: &str, replies: &[String], more: &[&str]) -> Told {
    let folder = tempfile::tempdir().unwrap();
    repair_in(folder.path(), given, "python3 {file}", replies, more)
}

fn repair_in(folder: &Path, given: &str, check: &str, replies: &[String], more: &[&str]) -> Told {
    std::fs::write(folder.join("half.py"), given).unwrap();
    let (replies, next) = (replies.to_vec(), AtomicUsize::new(0));
    let server = MockServer::answering(move |_| {
        let at = next.fetch_add(1, Ordering::SeqCst);
        replies
            .get(at)
            .map_or_else(|| Act::error(404, "no more replies"), |reply| Act::reply(reply))
    });
    let model = server.spec("mock");
    let output = Command::new(env!("CARGO_BIN_EXE_redraft"))
        .args(["repair", "half.py", "--check", check, "--model", &model, "--json"])
        .args(more)
        .current_dir(folder)
        .output()
        .unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    let prompt = |seen: &mock_server::Seen| Some(seen.body["messages"][0]["content"].as_str()?.to_owned());
    Told {
        code: output.status.code(),
        result: serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {talk}")),
        prompts: server.seen().iter().filter_map(prompt).collect(),
        talk,
    }
}

// "The model should receive the original, the attempted proof, the diagnostic, and a bounded correction budget."

#[test]
fn the_model_receives_the_program_the_attempt_and_the_diagnostic() {
    let attempt = GIVEN.replace("// 3", "// 4");
    let told = repair(
        GIVEN,
        &[block(&attempt), block(&mended())],
        &["--task", "Half of a number."],
    );
    assert_eq!(told.code, Some(0), "{}", told.talk);
    assert_eq!(told.prompts.len(), 2);
    for says in ["Half of a number.", "return n // 3", "AssertionError", "half.py"] {
        assert!(told.prompts[0].contains(says), "{says}: {}", told.prompts[0]);
    }
    assert!(
        told.prompts[1].contains("return n // 4"),
        "the attempt: {}",
        told.prompts[1]
    );
}

#[test]
fn the_budget_of_corrections_is_bounded() {
    let attempts: Vec<String> = (4..20)
        .map(|n| block(&GIVEN.replace("// 3", &format!("// {n}"))))
        .collect();
    let told = repair(GIVEN, &attempts, &[]);
    assert_eq!(
        (told.prompts.len(), told.count()),
        (3, 4),
        "three rounds, if nothing is said"
    );
    assert_eq!(told.result["stopped"], "rounds");
    for (flag, calls) in [
        (["--max-calls", "2"], 2),
        (["--max-tokens", "15"], 1),
        (["--rounds", "1"], 1),
    ] {
        let told = repair(GIVEN, &attempts, &[&flag[..], &["--seed", "1"]].concat());
        assert_eq!(told.prompts.len(), calls, "{flag:?}: {}", told.talk);
    }
}

// "The external verifier remains the authority for acceptance." "Do not treat model self-assessment as proof."

#[test]
fn the_verifier_and_not_the_model_says_what_is_accepted() {
    let sure = format!(
        "This is verified and correct. STOP\n{}",
        block(&GIVEN.replace("// 3", "// 5"))
    );
    let told = repair(GIVEN, &[sure], &["--rounds", "1"]);
    assert_eq!(told.code, Some(1));
    assert_eq!(told.result["status"], "not verified");
    let unsure = format!("I doubt it works.\n{}", block(&mended()));
    let told = repair(GIVEN, &[unsure], &[]);
    assert_eq!((told.code, &told.result["status"]), (Some(0), &json!("verified")));
}

// "Feed the complete diagnostic text into the next prompt."

#[test]
fn the_diagnostic_text_is_in_the_prompt() {
    let told = repair(GIVEN, &[block(&mended())], &[]);
    let output = "Traceback (most recent call last):\n  File ";
    assert!(told.prompts[0].contains(output), "{}", told.prompts[0]);
}

// "A successful verifier run is a stopping signal; a failed run is a critique."

#[test]
fn a_successful_run_stops_and_a_failed_run_is_a_critique() {
    let told = repair(GIVEN, &[block(&mended()), block("never asked for")], &[]);
    assert_eq!(
        (told.prompts.len(), &told.result["stopped"]),
        (1, &json!("satisfied"))
    );
    assert_eq!(told.version(0)["check"]["ended"], json!({"exited": 1}));
    assert_eq!(told.version(1)["check"]["ended"], json!({"exited": 0}));
    let told = repair(&mended(), &[], &[]);
    assert_eq!(
        (told.prompts.len(), told.code),
        (0, Some(0)),
        "nothing is asked of what is accepted"
    );
}

// "A useful prompt should distinguish parse/type errors, failed requires, failed ensures, invariant failures, and
// timeout/resource failures." "A critique should preserve the diagnostic category and source location."

#[test]
fn the_prompt_tells_categories_apart_and_keeps_the_place() {
    let says = |line: &str| {
        let folder = tempfile::tempdir().unwrap();
        let check = format!("grep -q good {{file}} || {{ echo '{line}'; exit 1; }}");
        let told = repair_in(folder.path(), "bad = 1\n", &check, &[block("good = 1\n")], &[]);
        told.prompts[0].clone()
    };
    let cases = [
        (
            "half.py(3,4): Error: invalid syntax",
            "syntax, half.py:3:4",
            "can't be read as a program yet",
        ),
        (
            "half.py:3: error: Incompatible types  [assignment]",
            "type, half.py:3",
            "make the code fit its declarations",
        ),
        (
            "half.py(3,4): Error: A precondition for this call might not hold.",
            "precondition, half.py:3:4",
            "establish it before the call",
        ),
        (
            "half.py(3,4): Error: A postcondition might not hold on this return path.",
            "postcondition, half.py:3:4",
            "do what is promised",
        ),
        (
            "half.py(3,4): Error: This loop invariant might not be maintained by the loop.",
            "invariant, half.py:3:4",
            "make the code keep it",
        ),
        (
            "half.py(3,4): Error: assertion violation",
            "assertion, half.py:3:4",
            "so that it holds",
        ),
        (
            "half.py(3,4): Error: decreases expression might not decrease",
            "termination, half.py:3:4",
            "a measure that decreases",
        ),
    ];
    for (line, finding, advice) in cases {
        let prompt = says(line);
        assert!(prompt.contains(finding), "{line}: {prompt}");
        assert!(prompt.contains(advice), "{line}: {prompt}");
        let others = cases.iter().filter(|other| other.2 != advice);
        for (_, _, other) in others {
            assert!(!prompt.contains(other), "{line}: {other}");
        }
    }
    let endless = format!("{GIVEN}\nwhile True: pass\n").replace("test_half()\n\nwhile", "while");
    let told = repair(&endless, &[block(&mended())], &["--cpu", "300ms"]);
    assert!(
        told.prompts[0].contains("1. timeout:") && told.prompts[0].contains("used up its time or memory")
    );
}

// "Include the verifier command and version in the critique so a later model cannot silently change the checked
// environment."

#[test]
fn command_and_version_are_in_the_critique_and_stay_the_same() {
    let attempt = GIVEN.replace("// 3", "// 4");
    let told = repair(GIVEN, &[block(&attempt), block(&mended())], &[]);
    for prompt in &told.prompts {
        assert!(
            prompt.contains("Command: python3 half.py\nVersion: Python 3."),
            "{prompt}"
        );
    }
    let of = |number: usize, what: &str| told.version(number)["check"][what].clone();
    assert_eq!(of(0, "command"), of(2, "command"));
    assert_eq!(of(0, "version"), of(2, "version"));
}

// "Preserve the candidate's specification." "A prerequisite check before accepting any correction must compare
// specifications and trusted assumptions before and after each correction."

#[test]
fn what_weakens_is_rejected_with_the_reason_whatever_the_verifier_says() {
    let weaker = GIVEN.replace("== 2", "== 1");
    let skipped = GIVEN.replace("    return n // 3", "    import sys\n    sys.exit(0)");
    let told = repair(GIVEN, &[block(&weaker), block(&skipped), block(&mended())], &[]);
    assert_eq!(told.code, Some(0), "{}", told.talk);
    for number in [1, 2] {
        assert_eq!(told.version(number)["accepted"], false);
        assert!(
            !told.version(number)["check"]["breaches"]
                .as_array()
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            told.version(number)["check"]["ended"],
            Value::Null,
            "it isn't even run"
        );
    }
    assert!(
        told.prompts[1].contains("the test `test_half` was changed"),
        "{}",
        told.prompts[1]
    );
    assert!(
        told.prompts[2].contains("an end of the whole process"),
        "{}",
        told.prompts[2]
    );
    assert!(
        told.prompts[2].contains("return n // 3"),
        "the program before it is the ground: {}",
        told.prompts[2]
    );
}

// "Retain the last verified candidate and reject a correction that turns a passing proof into a failing one."

#[test]
fn a_worse_version_never_takes_the_place_of_a_better_one() {
    let syntax = GIVEN.replace("return n // 3", "return n //");
    let told = repair(GIVEN, &[block(&syntax)], &["--rounds", "1", "--write"]);
    assert_eq!(
        (&told.result["returned"], &told.result["written"]),
        (&json!(0), &json!(false))
    );
    assert_eq!(told.result["program"], GIVEN);
}

// "Cap iterations and stop on repeated proof states to avoid spending tokens on unchanged failures."

#[test]
fn a_repeated_state_stops_and_so_does_the_cap() {
    let other = GIVEN.replace("// 3", "// 4");
    let told = repair(
        GIVEN,
        &[
            block(&other),
            block(&format!("# again\n{GIVEN}")),
            block(&mended()),
        ],
        &["--rounds", "9"],
    );
    assert_eq!(
        (told.prompts.len(), &told.result["stopped"]),
        (2, &json!("repeated"))
    );
    let told = repair(GIVEN, &[block(GIVEN), block(&mended())], &["--rounds", "9"]);
    assert_eq!(
        (told.prompts.len(), &told.result["stopped"]),
        (1, &json!("repeated")),
        "unchanged is repeated"
    );
}

// "External-body axioms, admitted lemmas, unsafe code, and unchecked FFI remain trusted and must be reported separately."

#[test]
fn what_stays_trusted_is_reported_separately() {
    let given = format!("import ctypes\n{GIVEN}");
    let told = repair(&given, &[block(&given.replace("// 3", "// 2"))], &[]);
    assert_eq!(told.code, Some(0), "{}", told.talk);
    assert_eq!(told.result["trusted"][0]["what"], "foreign code");
    assert!(
        told.talk
            .contains("taken for granted: foreign code (line 1): ctypes"),
        "{}",
        told.talk
    );
}
