use super::super::Message;
use super::*;

fn request(texts: &[&str]) -> ChatRequest {
    ChatRequest {
        messages: texts.iter().map(|text| Message::user(*text)).collect(),
        temperature: 0.0,
        max_tokens: 10,
        seed: 0,
        ..ChatRequest::default()
    }
}

fn script(json: &str) -> Result<ScriptModel, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    std::fs::write(&path, json).unwrap();
    ScriptModel::load(&path).map_err(|error| {
        assert!(error.is_input());
        error.to_string().rsplit_once("/s.json: ").unwrap().1.to_owned()
    })
}

async fn ask(model: &ScriptModel, texts: &[&str]) -> Result<String, String> {
    let reply = model.chat(&request(texts)).await;
    reply.map(|reply| reply.content).map_err(|error| {
        assert!(!error.is_input());
        error.to_string()
    })
}

#[tokio::test]
async fn a_list_is_given_in_order_and_then_fails() {
    let model = script(r#"["one", {"content": "two", "usage": {"prompt": 3, "completion": 4}}]"#).unwrap();
    assert_eq!(model.name(), "script:s.json");
    assert_eq!(ask(&model, &["a"]).await.unwrap(), "one");
    assert_eq!(model.left(), 1);
    let second = model.chat(&request(&["b"])).await.unwrap();
    assert_eq!((second.usage.prompt, second.usage.completion), (3, 4));
    assert_eq!(second.finish_reason.as_deref(), Some("stop"));
    let error = ask(&model, &["c"]).await.unwrap_err();
    assert!(
        error.ends_with("s.json holds 2 replies and was asked for one more"),
        "{error}"
    );
    assert_eq!(model.left(), 0);
}

#[tokio::test]
async fn entries_keep_tasks_apart() {
    let model = script(
        r#"{"by": [{"contains": "add", "last": "Explain", "replies": ["because"]},
                   {"contains": ["add", "def"], "replies": ["add 1", "add 2"]},
                   {"replies": ["rest"]}]}"#,
    )
    .unwrap();
    assert_eq!(ask(&model, &["def add"]).await.unwrap(), "add 1");
    assert_eq!(ask(&model, &["sub"]).await.unwrap(), "rest");
    assert_eq!(ask(&model, &["def add", "Explain"]).await.unwrap(), "because");
    assert_eq!(
        ask(&model, &["def add", "Explain", "fix"]).await.unwrap(),
        "add 2"
    );
    let error = ask(&model, &["def add"]).await.unwrap_err();
    assert!(
        error.starts_with("entry 2 of ") && error.contains("holds 2 replies"),
        "{error}"
    );
}

#[tokio::test]
async fn a_request_that_the_script_does_not_expect_fails() {
    let model = script(r#"["x", {"content": "y", "contains": "Fix it"}]"#).unwrap();
    ask(&model, &["a"]).await.unwrap();
    let error = ask(&model, &["\nExplain it\nmore"]).await.unwrap_err();
    assert!(
        error.ends_with("s.json: reply 2 expects `Fix it` in the request, which says `Explain it`"),
        "{error}"
    );

    let model = script(r#"{"by": [{"contains": "add", "replies": []}]}"#).unwrap();
    let error = ask(&model, &["sub"]).await.unwrap_err();
    assert!(
        error.ends_with("s.json: none of its 1 entries takes the request `sub`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_resumed_run_goes_on_where_it_was() {
    let model = ScriptModel::of(["one", "two"]);
    model.skip(&request(&["a"]));
    assert_eq!(ask(&model, &["b"]).await.unwrap(), "two");
}

#[tokio::test(start_paused = true)]
async fn a_delay_is_kept_and_told() {
    let model = script(r#"[{"content": "late", "delay_ms": 5000}]"#).unwrap();
    let start = tokio::time::Instant::now();
    assert_eq!(model.chat(&request(&[])).await.unwrap().latency_ms, 5000);
    assert_eq!(start.elapsed(), Duration::from_secs(5));
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (json, says) in [
        (
            "[\"a\",",
            "is no JSON: EOF while parsing a value at line 1 column 5",
        ),
        (
            "3",
            "a script is a list of replies, or {\"by\": [{\"contains\": …, \"replies\": […]}, …]}",
        ),
        ("[\"a\", 2]", "reply 2 must be a text or an object with `content`"),
        ("[{}]", "reply 1 has no text `content`"),
        (
            r#"[{"content": "", "text": 1}]"#,
            "reply 1 has an unknown key `text`; known: content, contains, finish_reason, usage, delay_ms, tool_calls",
        ),
        (
            r#"[{"content": "", "delay_ms": -1}]"#,
            "reply 1: `delay_ms` must be a whole number",
        ),
        (
            r#"[{"content": "", "usage": 3}]"#,
            "reply 1: `usage` must be an object with `prompt` and `completion`",
        ),
        (
            r#"[{"content": "", "contains": [1]}]"#,
            "reply 1: `contains` must be a text or a list of texts",
        ),
        (
            "{}",
            "`by` must be a list of entries with `contains` and `replies`",
        ),
        (r#"{"bye": []}"#, "the script has an unknown key `bye`; known: by"),
        (
            r#"{"by": [{"contains": "a"}]}"#,
            "entry 1 has no list of `replies`",
        ),
        (
            r#"{"by": [{"replies": ["a", {}]}]}"#,
            "entry 1, reply 2 has no text `content`",
        ),
    ] {
        assert_eq!(script(json).unwrap_err(), says, "{json}");
    }
}
