//! Evaluator-optimizer with one model: a test for each line of the specification, in its order.

#[path = "support/stub.rs"]
mod stub;

use std::sync::Arc;

use redraft::cycle::{Outcome, Status};
use redraft::journal::{Event, Stopped};
use redraft::model::Message;
use redraft::patterns::{Assignment, evaluator_same};
use redraft::prompts::Prompts;
use stub::{Stub, roles, run, say, texts};

async fn write(rounds: usize, stub: &Arc<Stub>) -> (Outcome, Vec<Event>) {
    let assignment = Arc::new(Assignment {
        task: "Announce the release.".to_owned(),
        criteria: "Names the version.".to_owned(),
        artifact: "release note".to_owned(),
    });
    run(
        evaluator_same(rounds, assignment, Arc::new(Prompts::bundled())),
        stub,
    )
    .await
}

// The stub test of the specification.

#[tokio::test]
async fn stub_test_one_problem_then_stop() {
    let stub = Stub::new([
        say("first"),
        say("It names no version: add it."),
        say("second"),
        say("STOP"),
    ]);
    let (outcome, events) = write(3, &stub).await;
    assert_eq!(texts(&outcome), ["first", "second"], "two drafts were written");
    assert_eq!(outcome.chosen, 1, "the second is returned");
    assert_eq!(roles(&events), ["draft", "evaluate", "refine", "evaluate"]);
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Satisfied, Some(Status::NoProblemsLeft))
    );
    assert!(stub.is_done());
}

// How it works.

#[tokio::test]
async fn step_1_the_draft_prompt_has_the_task() {
    let stub = Stub::new([say("first"), say("STOP")]);
    write(3, &stub).await;
    assert_eq!(
        stub.asked()[0].messages,
        [Message::user(
            "You are writing release note for the task below.\n\n<task>Announce the release.</task>\n\n\
             Return only the release note, with no commentary."
        )]
    );
}

#[tokio::test]
async fn step_2_the_critique_prompt_has_draft_and_criteria() {
    let stub = Stub::new([say("first"), say("STOP")]);
    write(3, &stub).await;
    assert_eq!(
        stub.asked()[1].messages,
        [Message::user(
            "You wrote the draft below. Review it as a strict editor, against each criterion.\n\n\
             <criteria>Names the version.</criteria>\n<draft>first</draft>\n\n\
             List every concrete problem, one per line, each with the fix it needs.\n\
             If every criterion is fully met, reply with exactly: STOP"
        )]
    );
}

#[tokio::test]
async fn step_3_at_stop_the_current_draft_is_returned() {
    let stub = Stub::new([say("first"), say(" STOP\n")]);
    let (outcome, _) = write(3, &stub).await;
    assert_eq!(texts(&outcome), ["first"]);
}

#[tokio::test]
async fn steps_4_and_5_the_refine_prompt_has_the_task_and_the_whole_history() {
    let stub = Stub::new([
        say("first"),
        say("feedback one"),
        say("second"),
        say("feedback two"),
        say("third"),
        say("STOP"),
    ]);
    write(3, &stub).await;
    assert_eq!(
        stub.asked()[4].messages,
        [Message::user(
            "Improve your release note using the feedback on each earlier version.\n\n\
             <task>Announce the release.</task>\n<history>Draft 1:\nfirst\n\nFeedback on draft 1:\nfeedback one\n\n\
             Draft 2:\nsecond\n\nFeedback on draft 2:\nfeedback two</history>\n\n\
             Fix every listed problem without bringing back an earlier one.\n\
             Return only the revised release note, with no commentary."
        )]
    );
}

// Stop rule.

#[tokio::test]
async fn stop_when_the_feedback_is_stop() {
    let stub = Stub::new([say("first"), say("STOP")]);
    let (outcome, events) = write(3, &stub).await;
    assert_eq!(roles(&events), ["draft", "evaluate"]);
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Satisfied, Some(Status::NoProblemsLeft))
    );
}

#[tokio::test]
async fn stop_after_3_refinements_with_the_latest_draft_its_feedback_and_a_status() {
    let stub = Stub::new((0..8).map(|n| say(&n.to_string())));
    let (outcome, events) = write(3, &stub).await;
    assert_eq!(roles(&events).iter().filter(|role| **role == "refine").count(), 3);
    assert_eq!(texts(&outcome)[outcome.chosen], "6", "the latest draft");
    assert_eq!(
        outcome.versions[outcome.chosen].findings.critique.as_deref(),
        Some("7"),
        "its last feedback"
    );
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Rounds, Some(Status::StillFindingProblems))
    );
    assert_eq!(Status::StillFindingProblems.words(), "still finding problems");
    assert!(stub.is_done());
}

// Requirements.

#[tokio::test]
async fn requirement_1_one_client_for_all_three_prompts() {
    let stub = Stub::new([say("first"), say("problem"), say("second"), say("STOP")]);
    let (_, events) = write(3, &stub).await;
    for event in &events {
        if let Event::Exchange { model, request, .. } = event {
            assert_eq!((model.as_str(), request.temperature.to_bits()), ("stub", 0));
        }
    }
    assert_eq!(stub.asked().len(), 4);
}

#[tokio::test]
async fn requirement_2_refinements_are_capped_with_a_limit_that_can_be_set() {
    for rounds in [0, 1, 5] {
        let stub = Stub::new((0..2 * (rounds + 1)).map(|n| say(&n.to_string())));
        let (outcome, _) = write(rounds, &stub).await;
        assert_eq!(outcome.versions.len(), rounds + 1);
        assert!(stub.is_done());
    }
}

#[tokio::test]
async fn requirement_3_every_earlier_draft_and_its_feedback_goes_into_the_refine_prompt_oldest_first() {
    let stub = Stub::new((0..8).map(|n| say(&format!("text {n}"))));
    write(3, &stub).await;
    let prompt = &stub.asked()[6].messages[0].content;
    let places: Vec<usize> = (0..6)
        .map(|n| prompt.find(&format!("text {n}")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{prompt}");
}

#[tokio::test]
async fn requirement_4_stop_only_as_the_exact_word() {
    for feedback in [
        "STOP.",
        "stop",
        "Stop",
        "**STOP**",
        "There is nothing left, so STOP",
        "STOP\nBut the version is missing.",
        "Don't STOP here: name the version.",
        "\"STOP\"",
    ] {
        let stub = Stub::new([say("first"), say(feedback), say("second"), say("\t STOP \n")]);
        let (outcome, _) = write(3, &stub).await;
        assert_eq!(texts(&outcome), ["first", "second"], "{feedback}");
        assert_eq!(outcome.versions[0].findings.critique.as_deref(), Some(feedback));
        assert!(stub.is_done());
    }
}
