//! How a model is told of tools: natively, or in words where it takes none or doesn't see them.

#[path = "support/stub.rs"]
mod stub;

use std::sync::Arc;

use redraft::cycle::{Outcome, Status, ToolProtocol};
use redraft::patterns::{CriticSearch, critic_search};
use redraft::prompts::Prompts;
use redraft::tools::{Tool, Toolbox};
use stub::{FakeTool, Stub, run, say, texts};

async fn answer(settings: CriticSearch, stub: &Arc<Stub>, tool: &Arc<FakeTool>) -> Outcome {
    let toolbox = Toolbox::new(vec![Arc::clone(tool) as Arc<dyn Tool>]);
    let prompts = Arc::new(Prompts::bundled());
    let pattern = critic_search(
        settings,
        "When did the Golden Gate Bridge open?",
        Arc::new(toolbox),
        prompts,
    );
    run(pattern, stub).await.0
}

#[tokio::test]
async fn a_model_that_takes_no_tools_is_told_of_them_in_words() {
    let stub = Stub::without_tools([
        say("1936"),
        say(
            "1. It opened in 1936.\nCALL search {\"claim\": \"opened in 1936\", \"query\": \"x\"}\nResult: 1936\nOK",
        ),
        say("WRONG: the search says 1937"),
        say("1937"),
        say("OK"),
    ]);
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let outcome = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(texts(&outcome), ["1936", "1937"]);
    let asked = stub.asked();
    let prompt = &asked[1].messages[0].content;
    assert!(prompt.starts_with("Check the answer below"), "{prompt}");
    assert!(prompt.contains("\nCALL search {\"claim\": "), "{prompt}");
    let chat: Vec<&str> = asked[2].messages[1..]
        .iter()
        .map(|message| message.content.as_str())
        .collect();
    assert!(
        chat[0].ends_with("CALL search {\"claim\": \"opened in 1936\", \"query\": \"x\"}")
            || chat[0].contains("CALL search")
    );
    assert!(
        !chat[0].contains("Result: 1936"),
        "what the model imagined is left out: {}",
        chat[0]
    );
    assert!(chat[1].contains("search {\"query\":\"x\"}\n1937"), "{}", chat[1]);
    let evidence = &outcome.versions[0].findings.evidence;
    assert_eq!(evidence[0].claim.as_deref(), Some("opened in 1936"));
}

#[tokio::test]
async fn a_model_that_neither_calls_nor_judges_is_asked_again_in_words() {
    let stub = Stub::new([
        say("1936"),
        say("To check this I would search the web."),
        say("CALL search {\"query\": \"x\"}"),
        say("OK"),
    ]);
    let tool = FakeTool::new("search", &[Ok("1936")]);
    let outcome = answer(CriticSearch::default(), &stub, &tool).await;
    assert_eq!(outcome.status, Some(Status::Verified));
    assert_eq!(tool.calls().len(), 1);
    let asked = stub.asked();
    assert!(!asked[1].tools.is_empty() && asked[2].tools.is_empty());
}

#[tokio::test]
async fn the_protocol_can_be_set() {
    for (protocol, native) in [(ToolProtocol::Native, true), (ToolProtocol::Text, false)] {
        let stub = Stub::new([say("1936"), say("To check this I would search the web.")]);
        let tool = FakeTool::new("search", &[Ok("1936")]);
        let settings = CriticSearch {
            protocol,
            ..CriticSearch::default()
        };
        answer(settings, &stub, &tool).await;
        assert_eq!(!stub.asked()[1].tools.is_empty(), native);
    }
}

#[tokio::test]
async fn an_answer_that_is_ok_without_a_tool_is_told_apart() {
    let tool = FakeTool::new("search", &[Ok("1937")]);
    let outcome = answer(
        CriticSearch::default(),
        &Stub::new([say("1937"), say("OK")]),
        &tool,
    )
    .await;
    let note = outcome.versions[0].findings.note.as_deref();
    assert_eq!(
        note,
        Some("no tool was called: the verdict is the model's own opinion")
    );
}
