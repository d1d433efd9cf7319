//! Evaluator-optimizer with tools: a test for each line of the specification, in its order.

#[path = "support/stub.rs"]
mod stub;

use std::sync::Arc;
use std::time::Duration;

use redraft::cycle::{Outcome, Status};
use redraft::journal::{Event, Stopped, attempts};
use redraft::model::Message;
use redraft::patterns::{Assignment, EvaluatorTools, evaluator_tools};
use redraft::prompts::Prompts;
use redraft::task::ClaimVerdict;
use redraft::tools::{Tool, Toolbox};
use stub::{FakeTool, Say, Stub, roles, run, say, search, texts, told};

const PASS: &str = r#"{"passed": true, "critique": ""}"#;

fn fail(critique: &str) -> Say {
    say(&serde_json::json!({ "passed": false, "critique": critique }).to_string())
}

fn toolbox(tool: &Arc<FakeTool>) -> Toolbox {
    Toolbox::new(vec![Arc::clone(tool) as Arc<dyn Tool>])
}

async fn write(settings: EvaluatorTools, stub: &Arc<Stub>, toolbox: Toolbox) -> (Outcome, Vec<Event>) {
    let assignment = Arc::new(Assignment {
        task: "Report the sales of May.".to_owned(),
        criteria: "Every figure is right.".to_owned(),
        artifact: "report".to_owned(),
    });
    let prompts = Arc::new(Prompts::bundled());
    run(
        evaluator_tools(settings, assignment, None, Arc::new(toolbox), prompts),
        stub,
    )
    .await
}

async fn by_default(stub: &Arc<Stub>, tool: &Arc<FakeTool>) -> (Outcome, Vec<Event>) {
    write(EvaluatorTools::default(), stub, toolbox(tool)).await
}

// The stub test of the specification.

#[tokio::test]
async fn stub_test_the_tools_figure_is_quoted_and_the_second_draft_passes() {
    let stub = Stub::new([
        say("Sales were 1200."),
        search("sales in May"),
        fail("The draft says 1200, the search says 1350. Correct it."),
        say("Sales were 1350."),
        search("sales in May"),
        say(PASS),
    ]);
    let tool = FakeTool::new("search", &[Ok("total of May: 1350")]);
    let (outcome, _) = by_default(&stub, &tool).await;
    let critique = outcome.versions[0].findings.critique.as_deref().unwrap();
    assert!(
        critique.contains("1350"),
        "the critique quotes the tool's figure: {critique}"
    );
    assert_eq!(texts(&outcome)[outcome.chosen], "Sales were 1350.");
    assert!(outcome.versions[1].findings.satisfied, "the second draft passes");
    assert_eq!(outcome.status, Some(Status::Passed));
    assert!(stub.is_done());
}

// How it works.

#[tokio::test]
async fn step_1_the_generator_has_the_task_and_then_the_latest_critique_but_never_the_criteria() {
    let stub = Stub::new([
        say("one"),
        search("x"),
        fail("it is 11"),
        say("two"),
        search("x"),
        fail("it is 22"),
        say("three"),
        say(PASS),
    ]);
    let tool = FakeTool::new("search", &[Ok("11"), Ok("22")]);
    let (_, events) = by_default(&stub, &tool).await;
    let prompts: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            Event::Exchange { role, request, .. } if role == "generate" => {
                Some(request.messages[0].content.clone())
            }
            _ => None,
        })
        .collect();
    assert!(
        prompts
            .iter()
            .all(|prompt| !prompt.contains("Every figure is right."))
    );
    assert_eq!(
        prompts[2],
        "You are writing report for the task below.\n\n<task>Report the sales of May.</task>\n\n\
         A reviewer checked your previous draft against the data and rejected it.\n\
         Fix every point, using the evidence they quote:\n<feedback>Draft 2: it is 22</feedback>\n\n\
         Return only the report, with no commentary."
    );
}

#[tokio::test]
async fn step_2_the_evaluator_has_draft_criteria_and_tool_definitions() {
    let stub = Stub::new([say("one"), say(PASS)]);
    let tool = FakeTool::new("search", &[Ok("x")]);
    by_default(&stub, &tool).await;
    let request = &stub.asked()[1];
    assert_eq!(
        request.messages,
        [Message::user(
            "You are a strict reviewer with tools. Before judging, use the tools to check\n\
             every number, name and date in the draft that they can confirm.\n\n\
             <criteria>Every figure is right.</criteria>\n<draft>one</draft>\n\n\
             When you have checked the claims, respond in JSON:\n\
             {\"passed\": true|false, \"critique\": \"each failed claim, the tool evidence, and the fix; empty if passed\"}\n\
             Fail the draft if any checked claim disagrees with the evidence."
        )]
    );
    assert_eq!(request.tools[0].name, "search");
}

#[tokio::test]
async fn step_3_every_result_or_its_error_goes_to_the_evaluator() {
    let stub = Stub::new([say("one"), search("a"), search("b"), say(PASS)]);
    let tool = FakeTool::new("search", &[Ok("found"), Err("locked")]);
    by_default(&stub, &tool).await;
    assert_eq!(told(&stub.asked()[3]), ["found", "error: locked"]);
}

#[tokio::test]
async fn step_4_the_verdict_is_read_from_the_final_json_reply() {
    let stub = Stub::new([say("one"), say("Let me see."), say(PASS)]);
    let tool = FakeTool::new("search", &[Ok("x")]);
    let (outcome, _) = by_default(&stub, &tool).await;
    assert_eq!(
        outcome.status,
        Some(Status::Passed),
        "a reply that is no verdict is asked for again"
    );
}

#[tokio::test]
async fn step_5_a_critique_starts_another_round() {
    let stub = Stub::new([say("one"), search("x"), fail("it is 1350"), say("two"), say(PASS)]);
    let tool = FakeTool::new("search", &[Ok("1350")]);
    let (outcome, events) = by_default(&stub, &tool).await;
    assert_eq!(texts(&outcome), ["one", "two"]);
    assert_eq!(
        roles(&events),
        ["generate", "evaluate", "evaluate", "generate", "evaluate"]
    );
}

// Stop rule.

#[tokio::test]
async fn stop_when_the_evaluator_passes_a_draft() {
    let stub = Stub::new([say("one"), search("x"), say(PASS)]);
    let (outcome, events) = by_default(&stub, &FakeTool::new("search", &[Ok("1350")])).await;
    assert_eq!(roles(&events), ["generate", "evaluate", "evaluate"]);
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Satisfied, Some(Status::Passed))
    );
}

#[tokio::test]
async fn a_draft_that_is_passed_without_a_tool_is_told_apart() {
    let tool = FakeTool::new("search", &[Ok("1350")]);
    let (outcome, _) = by_default(&Stub::new([say("one"), say(PASS)]), &tool).await;
    let note = outcome.versions[0].findings.note.as_deref();
    assert_eq!(
        note,
        Some("no tool was called: the verdict is the model's own opinion")
    );
    let (outcome, _) = by_default(&Stub::new([say("one"), search("x"), say(PASS)]), &tool).await;
    assert_eq!(outcome.versions[0].findings.note, None);
}

#[tokio::test]
async fn stop_after_3_rounds_with_the_last_draft_its_critique_the_evidence_and_a_status() {
    let round = |n: usize| [say(&n.to_string()), search("x"), fail("it is 1350")];
    let stub = Stub::new((0..3).flat_map(round));
    let tool = FakeTool::new("search", &[Ok("1350")]);
    let (outcome, _) = by_default(&stub, &tool).await;
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Rounds, Some(Status::DidNotPass))
    );
    assert_eq!(texts(&outcome)[outcome.chosen], "2");
    let findings = &outcome.versions[outcome.chosen].findings;
    assert_eq!(findings.critique.as_deref(), Some("it is 1350"));
    assert_eq!(findings.evidence[0].result, "1350");
    assert!(stub.is_done());
}

// Requirements.

#[tokio::test(start_paused = true)]
async fn requirement_1_a_timed_out_call_is_told_as_an_error_and_not_made_again() {
    let stub = Stub::new([say("one"), search("x"), say(PASS)]);
    let tool = FakeTool::hanging();
    let toolbox = toolbox(&tool).with_timeout(Duration::from_secs(3));
    write(EvaluatorTools::default(), &stub, toolbox).await;
    assert_eq!(told(&stub.asked()[2]), ["error: timed out after 3 s"]);
    assert_eq!(tool.calls().len(), 1);
}

#[tokio::test]
async fn requirement_1_a_failed_call_is_told_as_an_error_and_not_made_again() {
    let stub = Stub::new([say("one"), search("x"), say(PASS)]);
    let tool = FakeTool::new("search", &[Err("the database is locked")]);
    by_default(&stub, &tool).await;
    assert_eq!(told(&stub.asked()[2]), ["error: the database is locked"]);
    assert_eq!(tool.calls().len(), 1);
}

#[tokio::test]
async fn requirement_2_calls_are_capped_at_5_a_round_and_rounds_at_3() {
    let defaults = EvaluatorTools::default();
    assert_eq!((defaults.calls, defaults.rounds), (5, 3));
    let many = (0..8).map(|n| ("search", serde_json::json!({ "query": n.to_string() })));
    let stub = Stub::new([say("one"), Say::Call(many.collect()), say(PASS)]);
    let tool = FakeTool::new("search", &[Ok("x")]);
    by_default(&stub, &tool).await;
    assert_eq!(tool.calls().len(), 5);

    let stub = Stub::new([say("one"), search("x"), search("y"), say(PASS)]);
    let tool = FakeTool::new("search", &[Ok("x")]);
    let settings = EvaluatorTools { calls: 1, ..defaults };
    write(settings, &stub, toolbox(&tool)).await;
    assert_eq!(tool.calls().len(), 1);
}

#[tokio::test]
async fn requirement_3_a_failing_verdict_that_quotes_no_result_is_rejected_and_the_evaluator_retried_once() {
    let stub = Stub::new([
        say("one"),
        search("x"),
        fail("I doubt the figure."),
        fail("the search says 1350"),
        say("two"),
        say(PASS),
    ]);
    let tool = FakeTool::new("search", &[Ok("1350")]);
    let (outcome, _) = by_default(&stub, &tool).await;
    let critique = outcome.versions[0].findings.critique.as_deref();
    assert_eq!(
        critique,
        Some("the search says 1350"),
        "the second verdict counts"
    );
    let again = &stub.asked()[3].messages;
    assert!(
        again[again.len() - 1]
            .content
            .starts_with("Your critique quotes no tool result.")
    );

    // It may also come to another verdict, or quote nothing again: then the round has failed all the same.
    let stub = Stub::new([say("one"), search("x"), fail("I doubt it."), say(PASS)]);
    let (outcome, _) = by_default(&stub, &FakeTool::new("search", &[Ok("1350")])).await;
    assert_eq!(outcome.status, Some(Status::Passed));
    let stub = Stub::new([
        say("one"),
        search("x"),
        fail("I doubt it."),
        fail("I still doubt it."),
        say("two"),
        say(PASS),
    ]);
    let (outcome, _) = by_default(&stub, &FakeTool::new("search", &[Ok("1350")])).await;
    let first = &outcome.versions[0].findings;
    assert_eq!(
        (first.satisfied, first.critique.as_deref()),
        (false, Some("I still doubt it."))
    );
    assert!(first.note.is_some());
    assert!(stub.is_done(), "one retry and no more");
}

#[tokio::test]
async fn requirement_4_every_call_is_logged_with_arguments_and_result_next_to_the_verdict() {
    let stub = Stub::new([
        say("Sales were 1200 in 3 shops."),
        search("sales"),
        search("shops"),
        fail("it is 1350"),
        say("two"),
        say(PASS),
    ]);
    let tool = FakeTool::new("search", &[Ok("1350"), Ok("3 shops")]);
    let (_, events) = by_default(&stub, &tool).await;
    let records = attempts(&events);
    let findings = records[0].versions[0].findings.as_ref().unwrap();
    assert!(!findings.satisfied);
    let log: Vec<_> = findings
        .evidence
        .iter()
        .map(|call| {
            (
                call.arguments["query"].as_str().unwrap(),
                call.result.as_str(),
                call.verdict.unwrap(),
            )
        })
        .collect();
    assert_eq!(
        log,
        [
            ("sales", "1350", ClaimVerdict::Wrong),
            ("shops", "3 shops", ClaimVerdict::Ok)
        ]
    );
}
