//! Evaluator-optimizer with a separate judge: a test for each line of the specification, in its order.

#[path = "support/stub.rs"]
mod stub;

use std::sync::Arc;

use redraft::cycle::{Outcome, Sampling, Status, Voice};
use redraft::journal::{Event, Stopped, attempts};
use redraft::model::{ChatModel, Message};
use redraft::patterns::{Assignment, evaluator_separate};
use redraft::prompts::Prompts;
use stub::{Say, Stub, roles, run, say, texts};

const PASS: &str = r#"{"passed": true, "critique": ""}"#;

fn fail(critique: &str) -> Say {
    say(&serde_json::json!({ "passed": false, "critique": critique }).to_string())
}

fn assignment() -> Arc<Assignment> {
    Arc::new(Assignment {
        task: "Announce the release.".to_owned(),
        criteria: "1. At most 20 words.\n2. Names the version.".to_owned(),
        artifact: "release note".to_owned(),
    })
}

/// The judge with a name, a model and a temperature of its own.
fn voice(judge: &Arc<Stub>) -> Voice {
    Voice {
        model: Arc::clone(judge) as Arc<dyn ChatModel>,
        sampling: Sampling {
            temperature: 0.25,
            ..Sampling::default()
        },
    }
}

async fn write(rounds: usize, generator: &Arc<Stub>, judge: &Arc<Stub>) -> (Outcome, Vec<Event>) {
    let pattern = evaluator_separate(
        rounds,
        assignment(),
        Some(voice(judge)),
        Arc::new(Prompts::bundled()),
    );
    run(pattern, generator).await
}

fn judge(replies: impl IntoIterator<Item = Say>) -> Arc<Stub> {
    Stub::named("judge", replies)
}

// The stub test of the specification.

#[tokio::test]
async fn stub_test_two_are_rejected_and_the_third_passes() {
    let generator = Stub::new([say("one"), say("two"), say("three")]);
    let judge = judge([fail("too short"), fail("no version"), say(PASS)]);
    let (outcome, events) = write(3, &generator, &judge).await;
    assert_eq!(
        roles(&events).iter().filter(|role| **role == "generate").count(),
        3,
        "three generator calls"
    );
    assert_eq!(
        texts(&outcome)[outcome.chosen],
        "three",
        "the third draft is returned"
    );
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Satisfied, Some(Status::Passed))
    );
    assert!(generator.is_done() && judge.is_done());
}

// How it works.

#[tokio::test]
async fn step_1_the_generator_sees_only_the_task_and_the_criteria_go_to_the_evaluator() {
    let generator = Stub::new([say("one"), say("two")]);
    let judge = judge([fail("no version"), say(PASS)]);
    write(3, &generator, &judge).await;
    for request in generator.asked() {
        let text = format!("{:?}", request.messages);
        assert!(
            text.contains("Announce the release.") && !text.contains("20 words"),
            "{text}"
        );
    }
    for request in judge.asked() {
        let text = format!("{:?}", request.messages);
        assert!(
            text.contains("At most 20 words") && !text.contains("Announce"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn step_2_the_generator_prompt_has_the_task_and_after_the_first_round_the_critique() {
    let generator = Stub::new([say("one"), say("two")]);
    let judge = judge([fail("Name the version."), say(PASS)]);
    write(3, &generator, &judge).await;
    let asked = generator.asked();
    assert_eq!(
        asked[0].messages,
        [Message::user(
            "You are writing release note for the task below.\n\n<task>Announce the release.</task>\n\n\
             Return only the release note, with no commentary."
        )]
    );
    assert_eq!(
        asked[1].messages,
        [Message::user(
            "You are writing release note for the task below.\n\n<task>Announce the release.</task>\n\n\
             A reviewer rejected your previous draft. Address every point:\n\
             <feedback>Draft 1: Name the version.</feedback>\n\n\
             Return only the release note, with no commentary."
        )]
    );
}

#[tokio::test]
async fn step_3_the_evaluator_prompt_has_draft_and_criteria_and_its_json_is_read() {
    let generator = Stub::new([say("  one\n"), say("two")]);
    let judge = judge([fail("Name the version."), say(PASS)]);
    let (outcome, _) = write(3, &generator, &judge).await;
    assert_eq!(
        judge.asked()[0].messages,
        [Message::user(
            "You are a strict reviewer. Judge the draft against each criterion.\n\n\
             <criteria>1. At most 20 words.\n2. Names the version.</criteria>\n<draft>one</draft>\n\n\
             Respond in JSON:\n{\"passed\": true|false, \"critique\": \"specific, actionable fixes; empty if passed\"}\n\
             Only pass the draft if every criterion is fully met."
        )]
    );
    let first = &outcome.versions[0].findings;
    assert_eq!(
        (first.satisfied, first.critique.as_deref()),
        (false, Some("Name the version."))
    );
}

#[tokio::test]
async fn step_4_a_draft_that_passes_is_returned() {
    let generator = Stub::new([say("one")]);
    let judge = judge([say(PASS)]);
    let (outcome, _) = write(3, &generator, &judge).await;
    assert_eq!(texts(&outcome), ["one"]);
    assert_eq!(outcome.status, Some(Status::Passed));
}

#[tokio::test]
async fn step_5_every_critique_so_far_goes_to_the_generator_oldest_first() {
    let generator = Stub::new([say("one"), say("two"), say("three")]);
    let judge = judge([fail("first critique"), fail("second critique"), say(PASS)]);
    write(3, &generator, &judge).await;
    let prompt = &generator.asked()[2].messages[0].content;
    assert!(
        prompt.contains("<feedback>Draft 1: first critique\nDraft 2: second critique</feedback>"),
        "{prompt}"
    );
}

// Stop rule.

#[tokio::test]
async fn stop_when_the_evaluator_passes_a_draft() {
    let generator = Stub::new([say("one"), say("two")]);
    let judge = judge([fail("Name the version."), say(PASS)]);
    let (outcome, _) = write(3, &generator, &judge).await;
    assert_eq!(
        (texts(&outcome), outcome.stopped),
        (vec!["one", "two"], Stopped::Satisfied)
    );
    assert!(judge.is_done());
}

#[tokio::test]
async fn stop_after_3_rounds_with_the_last_draft_its_unresolved_critique_and_a_status() {
    let generator = Stub::new([say("one"), say("two"), say("three")]);
    let judge = judge([fail("a"), fail("b"), fail("c")]);
    let (outcome, _) = write(3, &generator, &judge).await;
    assert_eq!(texts(&outcome)[outcome.chosen], "three");
    let findings = &outcome.versions[outcome.chosen].findings;
    assert_eq!(findings.critique.as_deref(), Some("c"));
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Rounds, Some(Status::DidNotPass))
    );
    assert_eq!(Status::DidNotPass.words(), "did not pass");
    assert!(generator.is_done() && judge.is_done());
}

// Requirements.

#[tokio::test]
async fn requirement_1_the_round_cap_is_a_parameter_and_there_is_always_one() {
    for rounds in [1, 2, 5] {
        let generator = Stub::new((0..rounds).map(|n| say(&n.to_string())));
        let judge = judge((0..rounds).map(|_| fail("no")));
        let (outcome, _) = write(rounds, &generator, &judge).await;
        assert_eq!(outcome.versions.len(), rounds);
    }
    let generator = Stub::new([say("one")]);
    let (outcome, _) = write(0, &generator, &judge([fail("no")])).await;
    assert_eq!(
        outcome.versions.len(),
        1,
        "no rounds is one draft, not a loop without end"
    );
}

#[tokio::test]
async fn requirement_2_a_reply_that_is_no_json_is_retried_once() {
    let generator = Stub::new([say("one")]);
    let judge = judge([say("It is fine."), say(PASS)]);
    let (outcome, _) = write(3, &generator, &judge).await;
    assert_eq!(outcome.status, Some(Status::Passed));
    let asked = judge.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[1].messages[0], asked[0].messages[0], "the same call");
    assert_eq!(asked[1].messages[1], Message::assistant("It is fine."));
}

#[tokio::test]
async fn requirement_2_twice_no_json_is_a_failed_round_with_the_raw_reply_as_the_critique() {
    let generator = Stub::new([say("one"), say("two")]);
    let judge = judge([say("It is fine."), say("Really, it needs a version."), say(PASS)]);
    let (outcome, _) = write(3, &generator, &judge).await;
    let first = &outcome.versions[0].findings;
    assert!(!first.satisfied);
    assert_eq!(first.critique.as_deref(), Some("Really, it needs a version."));
    assert!(first.note.is_some());
    let prompt = &generator.asked()[1].messages[0].content;
    assert!(
        prompt.contains("Draft 1: Really, it needs a version."),
        "{prompt}"
    );
    assert!(judge.is_done(), "one retry a round and no more");
}

#[tokio::test]
async fn requirement_3_generator_and_evaluator_have_models_and_temperatures_of_their_own() {
    let generator = Stub::new([say("one")]);
    let judge = judge([say(PASS)]);
    let (_, events) = write(3, &generator, &judge).await;
    let asked: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Exchange {
                role, model, request, ..
            } => Some((role.as_str(), model.as_str(), request.temperature.to_string())),
            _ => None,
        })
        .collect();
    assert_eq!(
        asked,
        [
            ("generate", "stub", "0".to_owned()),
            ("evaluate", "judge", "0.25".to_owned())
        ]
    );
}

#[tokio::test]
async fn requirement_4_each_round_is_logged_with_draft_verdict_critique_and_tokens() {
    let generator = Stub::new([say("one"), say("two")]);
    let judge = judge([say("no JSON"), fail("Name the version."), say(PASS)]);
    let (_, events) = write(3, &generator, &judge).await;
    let records = attempts(&events);
    let log: Vec<_> = records[0]
        .versions
        .iter()
        .map(|version| {
            let findings = version.findings.as_ref().unwrap();
            (
                version.source.as_deref().unwrap(),
                findings.satisfied,
                findings.critique.as_deref(),
                version.written.prompt,
                version.examined.prompt,
            )
        })
        .collect();
    assert_eq!(
        log,
        [
            ("one", false, Some("Name the version."), 10, 20),
            ("two", true, None, 10, 10)
        ],
        "a retried call counts too"
    );
}
