//! CRITIC, search and code: a test for each line of the specification, in its order.

#[path = "support/stub.rs"]
mod stub;

use std::sync::Arc;
use std::time::Duration;

use redraft::cycle::{Outcome, Status};
use redraft::journal::{Event, Stopped, attempts};
use redraft::model::Message;
use redraft::patterns::{CriticSearch, critic_search};
use redraft::prompts::Prompts;
use redraft::tools::{Tool, Toolbox};
use stub::{FakeTool, Say, Stub, roles, run, say, search, texts, told};

const QUESTION: &str = "When did the Golden Gate Bridge open?";

fn toolbox(tool: &Arc<FakeTool>) -> Toolbox {
    Toolbox::new(vec![Arc::clone(tool) as Arc<dyn Tool>])
}

async fn answer(settings: CriticSearch, stub: &Arc<Stub>, tool: &Arc<FakeTool>) -> (Outcome, Vec<Event>) {
    with(settings, stub, toolbox(tool)).await
}

async fn with(settings: CriticSearch, stub: &Arc<Stub>, toolbox: Toolbox) -> (Outcome, Vec<Event>) {
    let pattern = critic_search(
        settings,
        QUESTION,
        Arc::new(toolbox),
        Arc::new(Prompts::bundled()),
    );
    run(pattern, stub).await
}

/// Revises `times` times, each time contradicted.
fn always_wrong(times: usize) -> Vec<Say> {
    let mut replies = vec![say("It opened in 1936.")];
    for round in 0..=times {
        replies.push(search("golden gate bridge"));
        replies.push(say("WRONG: the search says 1937"));
        if round < times {
            replies.push(say(&format!("It opened in 19{}.", round + 40)));
        }
    }
    replies
}

// The stub test of the specification.

#[tokio::test]
async fn stub_test_1936_becomes_1937() {
    let stub = Stub::new([
        say("1936"),
        search("Golden Gate Bridge opening year"),
        say("WRONG: the answer says 1936, the search says 1937"),
        say("1937"),
        search("Golden Gate Bridge opening year"),
        say("OK"),
    ]);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let (outcome, events) = answer(CriticSearch::default(), &stub, &tool).await;

    let critique = outcome.versions[0].findings.critique.as_deref().unwrap();
    assert!(critique.contains("1937"), "the critique quotes 1937: {critique}");
    let revisions = roles(&events).iter().filter(|role| **role == "revise").count();
    assert_eq!(revisions, 1, "one revision happens");
    assert_eq!(
        texts(&outcome)[outcome.chosen],
        "1937",
        "the returned answer says 1937"
    );
    assert_eq!(outcome.status, Some(Status::Verified));
    assert!(stub.is_done());
}

// How it works.

#[tokio::test]
async fn step_1_the_model_is_called_with_the_question() {
    let stub = Stub::new([say("1937"), say("OK")]);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    answer(CriticSearch::default(), &stub, &tool).await;
    let first = &stub.asked()[0];
    assert_eq!(first.messages, [Message::user(QUESTION)]);
    assert!(first.tools.is_empty());
}

#[tokio::test]
async fn step_2_the_verification_prompt_has_question_answer_and_tool_definitions() {
    let stub = Stub::new([say("It opened in 1936."), say("OK")]);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    answer(CriticSearch::default(), &stub, &tool).await;
    let request = &stub.asked()[1];
    assert_eq!(
        request.messages[0].content,
        "Check the answer below before it is shown to anyone. You have tools.\n\n\
         <question>When did the Golden Gate Bridge open?</question>\n<answer>It opened in 1936.</answer>\n\n\
         1. List every claim in the answer that a tool could check: dates, numbers,\n   names, quotations, calculations.\n\
         2. Use the tools to check each one. Do not rely on memory.\n\
         3. Then reply with exactly one of:\n   OK\n   or\n   \
         WRONG: one line per wrong claim, with the tool evidence that contradicts it."
    );
    assert_eq!(request.tools.len(), 1);
    assert_eq!(request.tools[0].name, "search");
    assert!(request.tools[0].parameters["properties"]["query"].is_object());
}

#[tokio::test]
async fn step_3_each_call_is_run_and_its_result_or_error_returned() {
    let stub = Stub::new([
        say("1936"),
        Say::Call(vec![
            ("search", serde_json::json!({ "query": "a" })),
            ("search", serde_json::json!({ "query": "b" })),
            ("divine", serde_json::json!({})),
        ]),
        say("OK"),
    ]);
    let tool = FakeTool::new("search", &[Ok("found"), Err("the engine is down")]);
    answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(
        told(&stub.asked()[2]),
        [
            "found",
            "error: the engine is down",
            "error: there is no tool `divine`; there is search"
        ]
    );
}

#[tokio::test]
async fn step_4_the_verdict_is_ok_or_a_critique() {
    let tool = FakeTool::new("search", &[Ok("It opened in 1937.")]);
    let stub = Stub::new([say("1936"), search("x"), say("Claims: one.\n\nOK")]);
    let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(
        (outcome.versions.len(), outcome.status),
        (1, Some(Status::Verified))
    );

    let verdict = "The year was checked.\nWRONG: 1936 - the search says \"opened in 1937\"\nnothing else";
    let stub = Stub::new([say("1936"), search("x"), say(verdict), say("1937"), say("OK")]);
    let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(
        outcome.versions[0].findings.critique.as_deref(),
        Some("WRONG: 1936 - the search says \"opened in 1937\"\nnothing else")
    );
}

#[tokio::test]
async fn step_5_the_revision_prompt_has_question_answer_and_critique_and_the_revised_answer_is_verified_from_the_start()
 {
    let stub = Stub::new([
        say("It opened in 1936."),
        search("x"),
        say("WRONG: the search says 1937"),
        say("It opened in 1937."),
        search("x"),
        say("OK"),
    ]);
    let tool = FakeTool::new("search", &[Ok("opened 1937")]);
    let (_, events) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(
        stub.asked()[3].messages,
        [Message::user(
            "Your answer contained claims that the evidence contradicts.\n\n\
             <question>When did the Golden Gate Bridge open?</question>\n<answer>It opened in 1936.</answer>\n\
             <critique>WRONG: the search says 1937</critique>\n\n\
             Rewrite the answer so that every claim agrees with the evidence.\n\
             Keep everything that was not criticised. Return only the revised answer."
        )]
    );
    let again = &stub.asked()[4];
    assert_eq!(again.messages.len(), 1, "from the start");
    assert!(
        again.messages[0]
            .content
            .contains("<answer>It opened in 1937.</answer>")
    );
    assert_eq!(
        roles(&events),
        ["answer", "verify", "verify", "revise", "verify", "verify"]
    );
}

// Stop rule.

#[tokio::test]
async fn stop_when_a_round_finds_no_wrong_claim() {
    let stub = Stub::new([say("1937"), search("x"), say("OK")]);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(outcome.stopped, Stopped::Satisfied);
    assert_eq!(outcome.status, Some(Status::Verified));
}

#[tokio::test]
async fn stop_after_3_revisions_with_the_last_answer_its_unresolved_critique_and_a_status() {
    let stub = Stub::new(always_wrong(3));
    let tool = FakeTool::new("search", &[Ok("opened 1937")]);
    let (outcome, events) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(outcome.stopped, Stopped::Rounds);
    assert_eq!(roles(&events).iter().filter(|role| **role == "revise").count(), 3);
    assert_eq!(texts(&outcome)[outcome.chosen], "It opened in 1942.");
    let last = &outcome.versions[outcome.chosen].findings;
    assert_eq!(last.critique.as_deref(), Some("WRONG: the search says 1937"));
    assert_eq!(outcome.status, Some(Status::NotVerified));
    assert_eq!(Status::NotVerified.words(), "not verified");
    assert!(stub.is_done());
}

#[tokio::test]
async fn an_unchanged_answer_is_verified_again_as_the_stop_rule_says_nothing_of_it() {
    let wrong = [say("1936"), search("x"), say("WRONG: 1937")];
    let replies: Vec<Say> = wrong.iter().cycle().take(12).cloned().collect();
    let stub = Stub::new(replies);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!((outcome.stopped, outcome.versions.len()), (Stopped::Rounds, 4));
}

// Requirements.

#[tokio::test]
async fn requirement_1_one_model_for_answering_verifying_and_revising() {
    let stub = Stub::new(always_wrong(1));
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let settings = CriticSearch {
        rounds: 1,
        ..CriticSearch::default()
    };
    let (_, events) = answer(settings, &stub, &tool).await;
    for event in &events {
        if let Event::Exchange { model, request, .. } = event {
            assert_eq!(model, "stub");
            assert_eq!(
                (request.temperature.to_bits(), request.seed),
                (0, 0),
                "only the prompt changes"
            );
        }
    }
    assert_eq!(stub.asked().len(), 6, "all of them were put to it");
}

#[tokio::test(start_paused = true)]
async fn requirement_2_tools_have_timeouts() {
    let stub = Stub::new([say("1936"), search("x"), say("OK")]);
    let tool = FakeTool::hanging();
    let toolbox = toolbox(&tool).with_timeout(Duration::from_secs(7));
    with(CriticSearch::default(), &stub, toolbox).await;
    assert_eq!(told(&stub.asked()[2]), ["error: timed out after 7 s"]);
    assert_eq!(tool.calls().len(), 1, "and isn't called again in silence");
}

#[tokio::test]
async fn requirement_2_calls_are_capped_at_5_a_round() {
    assert_eq!(CriticSearch::default().calls, 5);
    let many = (0..7).map(|n| ("search", serde_json::json!({ "query": n.to_string() })));
    let stub = Stub::new([say("1936"), Say::Call(many.collect()), say("OK")]);
    let tool = FakeTool::new("search", &[Ok("x")]);
    let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(tool.calls().len(), 5);
    let asked = stub.asked();
    let refused = "error: not called: the limit of 5 tool calls is reached; give your verdict now";
    assert_eq!(told(&asked[2])[5..], [refused, refused]);
    let log = &outcome.versions[0].findings.evidence;
    assert_eq!((log.len(), log.iter().filter(|call| call.failed).count()), (7, 2));
}

#[tokio::test]
async fn requirement_2_a_model_that_calls_on_and_on_is_cut_off() {
    let mut replies = vec![say("1936")];
    replies.extend((0..7).map(|n| search(&n.to_string())));
    let stub = Stub::new(replies);
    let tool = FakeTool::new("search", &[Ok("x")]);
    let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(
        tool.calls().len(),
        5,
        "five are made, the sixth is refused, the seventh ends the round"
    );
    assert!(
        outcome.versions[0].findings.note.is_some(),
        "there was no verdict, and that is said"
    );
}

#[tokio::test]
async fn requirement_2_each_round_has_calls_of_its_own_and_the_same_query_gives_the_next_result() {
    let stub = Stub::new([
        say("1936"),
        search("x"),
        search("x"),
        say("WRONG: 1937"),
        say("1937"),
        search("x"),
        say("OK"),
    ]);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let settings = CriticSearch {
        calls: 2,
        ..CriticSearch::default()
    };
    answer(settings, &stub, &tool).await;
    let query = |nth: usize| ("x".to_owned(), nth);
    assert_eq!(tool.calls(), [query(0), query(1), query(0)]);
}

#[tokio::test]
async fn requirement_2_revisions_are_capped_at_3_and_the_cap_can_be_set() {
    assert_eq!(CriticSearch::default().rounds, 3);
    for rounds in [0, 1, 5] {
        let stub = Stub::new(always_wrong(rounds));
        let tool = FakeTool::new("search", &[Ok("1937")]);
        let settings = CriticSearch {
            rounds,
            ..CriticSearch::default()
        };
        let (outcome, _) = answer(settings, &stub, &tool).await;
        assert_eq!(outcome.versions.len(), rounds + 1);
        assert!(stub.is_done());
    }
}

#[tokio::test]
async fn requirement_3_a_critique_without_evidence_counts_as_ok() {
    for (results, verdict) in [
        // No tool was called.
        (None, "WRONG: it was 1938."),
        // The critique says something that no tool said.
        (
            Some(Ok("It opened in 1937.")),
            "WRONG: I remember that it was 1938.",
        ),
        // What the answer says itself contradicts nothing.
        (Some(Ok("It opened in 1937, not in 1936.")), "WRONG: 1936"),
        // An error is no evidence.
        (Some(Err("no result for 1937")), "WRONG: \"no result for 1937\""),
        // No verdict at all.
        (Some(Ok("It opened in 1937.")), "I am not sure."),
    ] {
        let mut replies = vec![say("It opened in 1936.")];
        if results.is_some() {
            replies.push(search("x"));
        }
        replies.push(say(verdict));
        let stub = Stub::new(replies);
        let tool = FakeTool::new("search", &[results.unwrap_or(Ok(""))]);
        let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
        assert_eq!(texts(&outcome), ["It opened in 1936."], "{verdict}");
        // Where no tool told anything, that is said.
        let status = match results {
            Some(Ok(_)) => Status::Verified,
            _ => Status::NotChecked,
        };
        assert_eq!(outcome.status, Some(status), "{verdict}");
        let findings = &outcome.versions[0].findings;
        assert_eq!(findings.critique, None);
        let note = findings.note.as_deref().unwrap();
        assert!(note.ends_with(verdict), "what was set aside is kept: {note}");
    }
}

#[tokio::test]
async fn requirement_3_a_result_of_an_earlier_round_is_no_evidence() {
    let stub = Stub::new([
        say("1936"),
        search("x"),
        say("WRONG: \"opened in 1937\""),
        say("1935"),
        say("WRONG: \"opened in 1937\""),
    ]);
    let tool = FakeTool::new("search", &[Ok("opened in 1937")]);
    let (outcome, _) = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(texts(&outcome), ["1936", "1935"]);
    assert!(outcome.versions[1].findings.satisfied);
}

#[tokio::test]
async fn requirement_4_every_claim_with_its_call_result_and_verdict_is_logged() {
    let call = |claim: &str, query: &str| {
        Say::Call(vec![(
            "search",
            serde_json::json!({ "claim": claim, "query": query }),
        )])
    };
    let stub = Stub::new([
        say("It opened in 1936 and is red."),
        call("it opened in 1936", "opening"),
        call("it is red", "colour"),
        call("it is long", "length"),
        say("WRONG: it opened in 1937"),
        say("It opened in 1937 and is red."),
        say("OK"),
    ]);
    let tool = FakeTool::new(
        "search",
        &[Ok("opened in 1937"), Ok("a shade of red"), Err("engine down")],
    );
    let (_, events) = answer(CriticSearch::default(), &stub, &tool).await;

    let calls = events
        .iter()
        .filter(|event| matches!(event, Event::Tool { .. }))
        .count();
    assert_eq!(calls, 3, "each call is written down as it is made");
    let records = attempts(&events);
    let findings = records[0].versions[0].findings.as_ref().unwrap();
    let log: Vec<String> = findings
        .evidence
        .iter()
        .map(|call| {
            let (claim, query) = (call.claim.as_deref().unwrap(), call.arguments["query"].as_str());
            let verdict = call.verdict.unwrap();
            format!("{claim} | {} | {} | {verdict:?}", query.unwrap(), call.result)
        })
        .collect();
    assert_eq!(
        log,
        [
            "it opened in 1936 | opening | opened in 1937 | Wrong",
            "it is red | colour | a shade of red | Ok",
            "it is long | length | error: engine down | Unchecked",
        ]
    );
}

// The paper's settings of question answering.

#[tokio::test]
async fn paper_7_interactions_and_the_same_answer_twice_in_a_row_ends_it() {
    let settings = CriticSearch::paper();
    assert_eq!(
        (settings.calls, settings.rounds, settings.unchanged),
        (7, 3, Some(2))
    );
    let wrong = [say("1936"), search("x"), say("WRONG: 1937")];
    let replies: Vec<Say> = wrong.iter().cycle().take(9).cloned().collect();
    let stub = Stub::new(replies);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let (outcome, _) = answer(settings, &stub, &tool).await;
    assert_eq!((outcome.stopped, outcome.versions.len()), (Stopped::Unchanged, 3));
    assert_eq!(outcome.status, Some(Status::NotVerified));
}
