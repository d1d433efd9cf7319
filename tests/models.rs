//! Models answer, are asked again where that helps, and say plainly what went wrong; keys are never shown.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/mock_server.rs"]
mod mock_server;

use std::time::Duration;

use mock_server::{Act, MockServer};
use redraft::model::{
    ChatModel, ChatRequest, Environment, HttpModel, Message, ModelError, ModelSettings, RetryPolicy, open,
};
use serde_json::json;
use tokio::net::TcpSocket;

const KEY: &str = "sk-very-secret-0123456789";

fn request(text: &str) -> ChatRequest {
    ChatRequest {
        messages: vec![Message::user(text)],
        temperature: 0.25,
        max_tokens: 77,
        seed: 5,
        ..ChatRequest::default()
    }
}

/// Settings that don't wait, with just these environment variables.
fn settings(variables: &[(&str, &str)]) -> ModelSettings {
    ModelSettings {
        retry: RetryPolicy {
            first_wait: Duration::ZERO,
            ..RetryPolicy::default()
        },
        environment: Environment::of(variables.iter().copied()),
        ..ModelSettings::default()
    }
}

async fn model(server: &MockServer) -> HttpModel {
    HttpModel::open(&server.spec("m"), &settings(&[("REDRAFT_API_KEY", KEY)]))
        .await
        .unwrap()
}

/// Asks a server that does these acts, and gives the error with the number of requests.
async fn failure(acts: Vec<Act>) -> (ModelError, usize) {
    let server = MockServer::start(acts);
    let error = model(&server).await.chat(&request("hi")).await.unwrap_err();
    assert!(!error.is_input(), "{error}");
    (error, server.seen().len())
}

/// An address where nobody listens, and nobody else will while the socket is kept.
fn nobody() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/v1", socket.local_addr().unwrap());
    (socket, url)
}

#[tokio::test]
async fn a_reply_comes_with_its_usage() {
    let server = MockServer::start([Act::reply("hello")]);
    let model = model(&server).await;
    let reply = model.chat(&request("hi")).await.unwrap();
    assert_eq!((model.name(), reply.content.as_str()), ("m", "hello"));
    assert_eq!(reply.finish_reason.as_deref(), Some("stop"));
    assert_eq!((reply.usage.prompt, reply.usage.completion), (12, 3));
}

#[tokio::test]
async fn the_request_says_all_that_determines_the_reply() {
    let server = MockServer::start([Act::reply("hello")]);
    model(&server).await.chat(&request("hi")).await.unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].line, "POST /v1/chat/completions");
    assert_eq!(
        seen[0].authorization.as_deref(),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert_eq!(
        seen[0].body,
        json!({
            "model": "m",
            "messages": [{"role": "user", "content": "hi"}],
            "temperature": 0.25,
            "max_tokens": 77,
            "seed": 5,
        })
    );
}

#[tokio::test]
async fn without_a_key_none_is_sent_and_tokens_not_counted_are_none() {
    let server = MockServer::start([Act::json(
        200,
        &json!({"choices": [{"message": {"content": "x"}}]}),
    )]);
    let model = open(&server.spec("m"), &settings(&[])).await.unwrap();
    let reply = model.chat(&request("hi")).await.unwrap();
    assert_eq!(
        (reply.usage.prompt, reply.usage.completion, reply.finish_reason),
        (0, 0, None)
    );
    assert_eq!(server.seen()[0].authorization, None);
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let server = MockServer::start([
        Act::error(429, "slow down").with("Retry-After", "0"),
        Act::error(503, "loading"),
        Act::BreakOff,
        Act::reply("at last"),
    ]);
    assert_eq!(
        model(&server).await.chat(&request("hi")).await.unwrap().content,
        "at last"
    );
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|one| one.body == seen[0].body));
}

#[tokio::test]
async fn a_server_that_stays_broken_is_given_up() {
    let (error, asked) = failure(vec![Act::error(500, "out of order"); 9]).await;
    assert_eq!(asked, 5);
    let text = error.to_string();
    assert!(
        text.ends_with("refuses with status 500 after 5 tries: out of order"),
        "{text}"
    );
}

#[tokio::test]
async fn what_cannot_help_is_not_tried() {
    let (error, asked) = failure(vec![Act::error(400, &"too long ".repeat(200))]).await;
    assert_eq!(asked, 1);
    let text = error.to_string();
    assert!(text.ends_with('…') && text.chars().count() < 400, "{text}");

    let empty_account = json!({"error": {"message": "no credit", "code": "insufficient_quota"}});
    assert_eq!(failure(vec![Act::json(429, &empty_account); 2]).await.1, 1);

    let (error, _) = failure(vec![Act::error(301, "").with("Location", "http://elsewhere/")]).await;
    assert!(
        error
            .to_string()
            .contains("it redirects to http://elsewhere/; give that address"),
        "{error}"
    );
}

#[tokio::test]
async fn a_failure_behind_status_200_is_one_too() {
    let upstream = |code: u16| Act::json(200, &json!({"error": {"message": "upstream", "code": code}}));
    let server = MockServer::start([upstream(502), Act::reply("x")]);
    assert_eq!(
        model(&server).await.chat(&request("hi")).await.unwrap().content,
        "x"
    );
    let (error, asked) = failure(vec![upstream(403)]).await;
    assert!(
        error.to_string().ends_with("refuses with status 403: upstream"),
        "{error}"
    );
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_reply_that_is_none_is_told_as_it_is() {
    for (act, problem) in [
        (
            Act::Say(200, vec![], "<html>".to_owned()),
            "it is no JSON (expected value at line 1 column 1): <html>",
        ),
        (Act::json(200, &json!({"choices": []})), "its `choices` are empty"),
        (
            Act::json(200, &json!({"choices": [{"message": {"content": null}}]})),
            "its message has no content",
        ),
    ] {
        let (error, asked) = failure(vec![act]).await;
        assert!(matches!(error, ModelError::BadReply { .. }));
        assert!(error.to_string().ends_with(problem), "{error}");
        assert_eq!(asked, 1);
    }
}

#[tokio::test]
async fn the_newer_name_of_the_limit_is_learnt_once() {
    let server = MockServer::start([
        Act::error(
            400,
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ),
        Act::reply("a"),
        Act::reply("b"),
        Act::error(400, "max_completion_tokens is too large"),
    ]);
    let model = model(&server).await;
    assert_eq!(model.chat(&request("hi")).await.unwrap().content, "a");
    assert_eq!(model.chat(&request("hi")).await.unwrap().content, "b");
    assert!(
        model
            .chat(&request("hi"))
            .await
            .unwrap_err()
            .to_string()
            .contains("too large")
    );
    let limits: Vec<_> = server
        .seen()
        .iter()
        .map(|one| one.body.get("max_completion_tokens").cloned())
        .collect();
    assert_eq!(limits, [None, Some(json!(77)), Some(json!(77)), Some(json!(77))]);
}

#[tokio::test]
async fn a_server_that_hangs_is_left() {
    let server = MockServer::start([Act::Hang, Act::Hang]);
    let brief = ModelSettings {
        timeout: Duration::from_millis(50),
        ..settings(&[])
    };
    let model = open(&server.spec("m"), &brief).await.unwrap();
    let error = model.chat(&request("hi")).await.unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("gave no reply within 0.05 s; a longer --model-timeout may help"),
        "{error}"
    );
    // On a busy machine the server may notice the request after it was given up.
    for _ in 0..1000 {
        if !server.seen().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(server.seen().len(), 1, "it is not asked again");
    let error = model.check().await.unwrap_err();
    assert!(error.is_input());
    assert!(
        error
            .to_string()
            .contains("it accepts connections but doesn't answer"),
        "{error}"
    );
}

#[tokio::test]
async fn a_model_that_is_down_is_found_before_the_first_question() {
    let (_socket, url) = nobody();
    let model = open(&format!("{url}#m"), &settings(&[])).await.unwrap();
    let error = model.check().await.unwrap_err();
    assert!(error.is_input());
    assert_eq!(
        error.to_string(),
        format!("no model answers at {url}: connection refused; is the server running?")
    );
    let error = model.chat(&request("hi")).await.unwrap_err();
    assert!(!error.is_input());
    assert_eq!(
        error.to_string(),
        format!("the model at {url} doesn't answer any more: connection refused (tried 5 times)")
    );
}

#[tokio::test]
async fn a_check_asks_for_the_list_and_nothing_more() {
    for (act, fine) in [
        (Act::models(&["other"]), true),
        (Act::error(404, "no such page"), true),
        (Act::error(429, "busy"), true),
        (Act::Say(200, vec![], "hello".to_owned()), true),
        (Act::error(401, "who are you?"), false),
    ] {
        let server = MockServer::start([act]);
        let result = model(&server).await.check().await;
        assert_eq!(result.is_ok(), fine);
        assert!(result.err().is_none_or(|error| error.is_input()));
        let lines: Vec<_> = server.seen().into_iter().map(|one| one.line).collect();
        assert_eq!(lines, ["GET /v1/models"]);
    }
}

#[tokio::test]
async fn ollama_says_which_models_it_has() {
    let server = MockServer::start([
        Act::models(&["qwen:1b", "phi:latest"]),
        Act::models(&["qwen:1b", "phi:latest"]),
    ]);
    let host = server.spec("").replace("/v1", "");
    let settings = settings(&[("OLLAMA_HOST", &host)]);
    let error = open("ollama:gpt", &settings)
        .await
        .unwrap()
        .check()
        .await
        .unwrap_err();
    assert!(error.is_input());
    assert!(
        error
            .to_string()
            .ends_with("there is no model `gpt`; there is qwen:1b, phi:latest"),
        "{error}"
    );
    open("ollama:phi", &settings)
        .await
        .unwrap()
        .check()
        .await
        .unwrap();
}

#[tokio::test]
async fn an_address_without_a_name_means_the_only_model() {
    let one = MockServer::start([Act::models(&["only"])]);
    assert_eq!(open(&one.spec(""), &settings(&[])).await.unwrap().name(), "only");
    for (act, problem) in [
        (
            Act::models(&["a", "b"]),
            "name the model after a `#`; the server has a, b",
        ),
        (
            Act::models(&[]),
            "name the model after a `#`; the server lists none",
        ),
        (
            Act::error(404, ""),
            "name the model after a `#`; the server lists none",
        ),
    ] {
        let server = MockServer::start([act]);
        let error = open(&server.spec(""), &settings(&[])).await.unwrap_err();
        assert!(error.is_input());
        assert!(error.to_string().ends_with(problem), "{error}");
    }
}

#[tokio::test]
async fn the_key_is_never_shown() {
    let echo = format!("invalid key '{KEY}' in \"Bearer {KEY}\"");
    let padded = format!("{}{KEY}", "x".repeat(290));
    for act in [
        Act::error(401, &echo),
        Act::error(401, &padded),
        Act::Say(400, vec![], echo.clone()),
        Act::Say(200, vec![], echo.clone()),
        Act::json(200, &json!({"error": echo})),
        Act::json(200, &json!({"choices": [{"message": {"refusal": echo}}]})),
        Act::error(302, "").with("Location", &format!("http://h/?key={KEY}")),
    ] {
        let server = MockServer::start([act.clone(), act]);
        let model = model(&server).await;
        let chat = model.chat(&request("hi")).await.unwrap_err();
        let check = model.check().await;
        let shown = format!(
            "{chat} {chat:?} {check:?} {model:?} {:?}",
            settings(&[("REDRAFT_API_KEY", KEY)])
        );
        assert!(!shown.contains("sk-very"), "{shown}");
        assert!(server.seen().iter().all(|one| one.authorization.is_some()));
    }
}

#[tokio::test]
async fn what_names_no_model_is_told_with_all_that_does() {
    for spec in ["", "gpt-4", "mistral:7b", "ftp://h/v1#m"] {
        let error = open(spec, &settings(&[])).await.unwrap_err();
        assert!(error.is_input());
        let text = error.to_string();
        for form in [
            "openai:NAME",
            "ollama:NAME",
            "http://HOST:PORT/v1#NAME",
            "script:FILE.json",
            "replay:PATH",
        ] {
            assert!(text.contains(form), "{text}");
        }
    }
    for (spec, problem) in [
        ("script:", "a path must follow the colon"),
        (
            "script:/nowhere.json",
            "/nowhere.json: the script can't be read: entity not found",
        ),
        (
            "replay:/nowhere",
            "/nowhere: the recording can't be read: entity not found",
        ),
    ] {
        let error = open(spec, &settings(&[])).await.unwrap_err();
        assert!(error.is_input());
        assert!(error.to_string().ends_with(problem), "{error}");
    }
}
