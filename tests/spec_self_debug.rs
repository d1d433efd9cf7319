//! Self-Debug: a test for each line of the specification.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use redraft::cycle::{self, Desk, Outcome, Sampling};
use redraft::journal::{Event, Journal, Stopped, attempts};
use redraft::judge::{Judge, Options};
use redraft::model::{ChatModel, ChatReply, ChatRequest, ModelError, TokenUsage};
use redraft::patterns::{SelfDebug, self_debug};
use redraft::prompts::Prompts;
use redraft::task::{Brief, Language, Limits, ScriptForm, Test, TestKind};

/// A model that answers from a list and keeps what it was asked.
#[derive(Debug)]
struct Stub {
    replies: Mutex<Vec<String>>,
    asked: Mutex<Vec<String>>,
}

impl Stub {
    fn new(replies: &[&str]) -> Arc<Self> {
        let replies = replies.iter().rev().map(|reply| (*reply).to_owned()).collect();
        Arc::new(Self {
            replies: Mutex::new(replies),
            asked: Mutex::default(),
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl ChatModel for Stub {
    fn name(&self) -> &'static str {
        "stub"
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        assert_eq!(request.messages.len(), 1, "each step is a prompt of its own");
        self.asked
            .lock()
            .unwrap()
            .push(request.messages[0].content.clone());
        let content = self
            .replies
            .lock()
            .unwrap()
            .pop()
            .expect("the stub is asked no more than it holds");
        Ok(ChatReply {
            content,
            finish_reason: None,
            usage: TokenUsage::default(),
            latency_ms: 0,
            ..ChatReply::default()
        })
    }
}

fn test(number: usize, code: &str) -> Test {
    let kind = TestKind::Script {
        code: code.to_owned(),
        form: ScriptForm::Asserts,
        entry: Some("double".to_owned()),
    };
    Test {
        name: format!("visible-{number}"),
        kind,
    }
}

fn brief() -> Brief {
    Brief {
        language: Language::PYTHON,
        statement: "Write double(n), which returns twice n.".to_owned(),
        entry_point: Some("double".to_owned()),
        starter_code: String::new(),
        visible: vec![
            test(1, "assert double(0) == 0"),
            test(2, "assert double(2) == 4"),
            test(3, "assert double(5) == 10"),
        ],
        limits: Limits {
            cpu_ms: 1_000,
            ..Limits::default()
        },
    }
}

fn program(body: &str) -> String {
    format!("```python\ndef double(n):\n    {body}\n```")
}

async fn run(settings: SelfDebug, stub: &Arc<Stub>) -> (Outcome, Vec<Event>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&events);
    let journal =
        Journal::in_memory().listened_by(Box::new(move |event| sink.lock().unwrap().push(event.clone())));
    let judge = Arc::new(Judge::new(Options::default()).unwrap());
    let pattern = self_debug(
        settings,
        Arc::new(brief()),
        None,
        judge,
        Arc::new(Prompts::bundled()),
    );
    let desk = Desk {
        task: "t",
        sample: 0,
        model: Arc::clone(stub) as Arc<dyn ChatModel>,
        sampling: Sampling::default(),
        journal: &journal,
        purse: std::sync::Arc::default(),
    };
    let outcome = cycle::run(pattern, &desk).await.unwrap();
    let events = events.lock().unwrap().clone();
    (outcome, events)
}

fn roles(events: &[Event]) -> Vec<String> {
    let roles = events.iter().filter_map(|event| match event {
        Event::Exchange { role, .. } => Some(role.clone()),
        _ => None,
    });
    roles.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn stub_test_the_first_program_fails_one_test_and_the_second_passes_all() {
    let stub = Stub::new(&[
        &program("return n * n"),
        "It squares n.",
        &program("return n + n"),
    ]);
    let (outcome, events) = run(SelfDebug::default(), &stub).await;

    assert_eq!(roles(&events), ["draft", "explain", "fix"]);
    let runs = events
        .iter()
        .filter(|event| matches!(event, Event::Report { .. }))
        .count();
    assert_eq!(runs, 2, "two test runs");
    assert_eq!(outcome.chosen, 1);
    assert_eq!(outcome.stopped, Stopped::Satisfied);
    let returned = outcome.versions[1].draft.as_program().unwrap();
    assert_eq!(returned.source, "def double(n):\n    return n + n\n");
    assert_eq!(
        outcome.versions[1].draft.explanation.as_deref(),
        Some("It squares n.")
    );

    let first = outcome.versions[0].findings.report.as_ref().unwrap();
    assert_eq!((first.passed, first.total), (2, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_4_and_5_the_prompts_carry_task_code_every_failure_and_the_explanation() {
    let stub = Stub::new(&[
        &program("return n - 1"),
        "It subtracts.",
        &program("return n + n"),
    ]);
    run(SelfDebug::default(), &stub).await;
    let asked = stub.asked();

    assert!(
        asked[0].contains("twice n") && asked[0].contains("assert double(2) == 4"),
        "{}",
        asked[0]
    );
    let code = "<code>def double(n):\n    return n - 1</code>";
    let failures = "<failures>Input: double(0)\nExpected: 0\nActual: -1\n\nInput: double(2)\nExpected: 4\n\
                    Actual: 1\n\nInput: double(5)\nExpected: 10\nActual: 4</failures>";
    for prompt in &asked[1..] {
        assert!(
            prompt.contains("<task>Write double(n), which returns twice n.</task>"),
            "{prompt}"
        );
        assert!(prompt.contains(code), "{prompt}");
        assert!(prompt.contains(failures), "{prompt}");
    }
    assert!(asked[1].ends_with("Do not write code."), "{}", asked[1]);
    assert!(
        asked[2].contains("<explanation>It subtracts.</explanation>"),
        "{}",
        asked[2]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn requirement_1_a_timeout_is_a_failing_test_that_says_timed_out() {
    let stub = Stub::new(&[
        &program("while n: pass\n    return 0"),
        "It loops.",
        &program("return 2 * n"),
    ]);
    let (outcome, _) = run(SelfDebug::default(), &stub).await;
    let report = outcome.versions[0].findings.report.as_ref().unwrap();
    let errors: Vec<_> = report
        .results
        .iter()
        .map(|result| result.error.as_deref())
        .collect();
    assert_eq!(errors, [None, Some("timed out"), Some("timed out")]);
    assert!(
        stub.asked()[1].contains("Input: double(2)\nExpected: 4\nError: timed out"),
        "{}",
        stub.asked()[1]
    );
    assert_eq!(outcome.chosen, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_after_3_rounds_with_the_version_that_passed_the_most_and_what_still_fails() {
    let wrong = [
        program("return 1"),
        program("return n * n"),
        program("return 2"),
        program("return 3"),
    ];
    let stub = Stub::new(&[&wrong[0], "a", &wrong[1], "b", &wrong[2], "c", &wrong[3]]);
    let (outcome, events) = run(SelfDebug::default(), &stub).await;
    assert_eq!(outcome.stopped, Stopped::Rounds);
    assert_eq!(roles(&events).iter().filter(|role| *role == "fix").count(), 3);
    assert_eq!(
        outcome.chosen, 1,
        "the version with the most visible tests passed"
    );
    let report = outcome.versions[1].findings.report.as_ref().unwrap();
    let remaining: Vec<_> = report.failures().map(|result| result.input.as_str()).collect();
    assert_eq!(remaining, ["double(5)"]);
    assert_eq!(outcome.versions.len(), 4, "every version is kept");
    assert!(
        outcome
            .versions
            .iter()
            .all(|version| version.findings.report.is_some())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn requirement_3_the_earliest_of_equally_good_versions_is_returned() {
    let stub = Stub::new(&[
        &program("return 1"),
        "a",
        &program("return 3"),
        "b",
        &program("return 7"),
    ]);
    let (outcome, _) = run(
        SelfDebug {
            rounds: 2,
            ..SelfDebug::default()
        },
        &stub,
    )
    .await;
    assert_eq!(outcome.chosen, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_twice_in_a_row_ends_the_loop() {
    let same = program("return 1");
    let stub = Stub::new(&[&same, "a", &same, "b", &same]);
    let (outcome, _) = run(
        SelfDebug {
            rounds: 9,
            ..SelfDebug::default()
        },
        &stub,
    )
    .await;
    assert_eq!(outcome.stopped, Stopped::Unchanged);
    assert_eq!(outcome.versions.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_without_a_program_is_a_version_without_one() {
    let stub = Stub::new(&[
        "I would rather not.",
        "There is no code.",
        &program("return n + n"),
    ]);
    let (outcome, _) = run(SelfDebug::default(), &stub).await;
    assert_eq!(outcome.versions[0].draft.artifact, None);
    assert!(
        stub.asked()[1].contains("Error: no program was found in the reply"),
        "{}",
        stub.asked()[1]
    );
    assert_eq!(outcome.chosen, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_explanation_step_can_be_left_out() {
    let stub = Stub::new(&[&program("return 1"), &program("return n + n")]);
    let (outcome, events) = run(
        SelfDebug {
            explain: false,
            ..SelfDebug::default()
        },
        &stub,
    )
    .await;
    assert_eq!(roles(&events), ["draft", "fix"]);
    assert!(!stub.asked()[1].contains("explanation"), "{}", stub.asked()[1]);
    assert_eq!(outcome.chosen, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_when_every_visible_test_passes() {
    let stub = Stub::new(&[&program("return n + n")]);
    let (outcome, events) = run(SelfDebug::default(), &stub).await;
    assert_eq!((outcome.chosen, outcome.stopped), (0, Stopped::Satisfied));
    assert_eq!(roles(&events), ["draft"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn requirement_1_memory_is_limited() {
    let stub = Stub::new(&[
        &program("return n * 2 if n == 0 else len('x' * (1 << 40))"),
        "It fills the memory.",
        &program("return n + n"),
    ]);
    let (outcome, _) = run(SelfDebug::default(), &stub).await;
    let report = outcome.versions[0].findings.report.as_ref().unwrap();
    let passed: Vec<bool> = report
        .results
        .iter()
        .map(|result| result.verdict.passed())
        .collect();
    assert_eq!(passed, [true, false, false]);
    let error = report.results[1].error.as_deref().unwrap();
    assert!(error.to_lowercase().contains("memory"), "{error}");
    assert_eq!(outcome.chosen, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requirement_2_actual_and_expected_output_of_every_failing_test() {
    let stub = Stub::new(&[&program("return n - 1"), "a", &program("return n + n")]);
    run(SelfDebug::default(), &stub).await;
    for prompt in &stub.asked()[1..] {
        for (input, expected, actual) in [(0, 0, -1), (2, 4, 1), (5, 10, 4)] {
            let failure = format!("Input: double({input})\nExpected: {expected}\nActual: {actual}");
            assert!(prompt.contains(&failure), "{prompt}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requirement_3_every_version_its_test_results_and_its_explanation_are_kept() {
    let stub = Stub::new(&[
        &program("return 1"),
        "first",
        &program("return n * n"),
        "second",
        &program("return 3"),
    ]);
    let settings = SelfDebug {
        rounds: 2,
        ..SelfDebug::default()
    };
    let (outcome, events) = run(settings, &stub).await;
    assert_eq!(outcome.chosen, 1, "the best");
    let records = attempts(&events);
    let kept: Vec<_> = records[0]
        .versions
        .iter()
        .map(|version| {
            let report = version.report.as_ref().unwrap();
            (
                version.source.as_deref().unwrap(),
                report.passed,
                version.explanation.as_deref(),
            )
        })
        .collect();
    let source = |body: &str| format!("def double(n):\n    {body}\n");
    assert_eq!(
        kept,
        [
            (&*source("return 1"), 0, None),
            (&*source("return n * n"), 2, Some("first")),
            (&*source("return 3"), 0, Some("second"))
        ]
    );
}
