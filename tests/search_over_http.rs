//! Search in a wiki (`MediaWiki`'s API) and with `SearXNG`: what is asked, and what comes back as evidence.

#[path = "support/mock_server.rs"]
mod mock_server;

use std::sync::Arc;

use mock_server::{Act, MockServer};
use redraft::model::ToolCall;
use redraft::task::ToolUse;
use redraft::tools::{MediaWiki, Search, SearchSource, Searxng, Toolbox};
use serde_json::json;

/// Searches for the same thing so many times.
async fn search(source: impl SearchSource + 'static, query: &str, times: usize) -> Vec<ToolUse> {
    let toolbox = Toolbox::new(vec![Arc::new(Search::new(source))]);
    let call = ToolCall {
        id: String::new(),
        name: "search".to_owned(),
        arguments: json!({ "query": query }).to_string(),
    };
    let mut made = Vec::new();
    for _ in 0..times {
        made.push(toolbox.make(toolbox.read(&call, &made)).await);
    }
    made
}

fn results(made: &[ToolUse]) -> Vec<&str> {
    made.iter().map(|call| call.result.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wiki_is_searched_and_the_pages_text_is_the_evidence() {
    let filler = "Nothing of interest is said in this sentence. ".repeat(30);
    let wiki = MockServer::by(move |seen| {
        assert!(
            seen.line.starts_with("GET /w/api.php?action=query&format=json"),
            "{}",
            seen.line
        );
        if seen.line.contains("list=search") {
            assert!(seen.line.contains("srsearch=bridge+%26+opening"), "{}", seen.line);
            return Act::json(
                200,
                &json!({"query": {"search": [
                    {"title": "Golden Gate Bridge", "snippet": "the <span class=\"searchmatch\">bridge</span> opened &amp; more"},
                    {"title": "Ferry", "snippet": "a <b>ferry</b>"},
                ]}}),
            );
        }
        let extract = if seen.line.contains("titles=Ferry") {
            String::new()
        } else {
            format!("{filler}The bridge opened in 1937 & more. {filler}")
        };
        Act::json(200, &json!({"query": {"pages": [{"extract": extract}]}}))
    });
    let made = search(
        MediaWiki::new(&wiki.url("/w/api.php")).unwrap(),
        "bridge & opening",
        3,
    )
    .await;
    let found = results(&made);
    assert!(found[0].starts_with("Golden Gate Bridge: … "), "{}", found[0]);
    assert!(
        found[0].contains("The bridge opened in 1937 & more."),
        "{}",
        found[0]
    );
    assert!(found[0].chars().count() <= 400, "at most 400 characters");
    assert_eq!(
        found[1], "Ferry: a ferry",
        "the same query again gives the next; a wiki may give no text"
    );
    assert_eq!(
        found[2],
        "error: there are no more results for `bridge & opening`"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn searxng_is_asked_for_json() {
    let engine = MockServer::by(|seen| {
        assert!(
            seen.line.starts_with("GET /search?q=bridge&format=json"),
            "{}",
            seen.line
        );
        Act::json(
            200,
            &json!({"results": [{"title": "Bridge", "content": "It opened in <b>1937</b>.", "url": "https://x"}]}),
        )
    });
    let made = search(Searxng::new(&engine.url("")).unwrap(), "bridge", 1).await;
    assert_eq!(results(&made), ["Bridge: It opened in 1937."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_fails_is_an_error_for_the_model_and_asked_once() {
    let engine = MockServer::by(|_| Act::error(503, "overloaded"));
    let made = search(Searxng::new(&engine.url("")).unwrap(), "bridge", 1).await;
    assert!(
        made[0].failed && made[0].result.starts_with("error: "),
        "{}",
        made[0].result
    );
    assert_eq!(engine.seen().len(), 1, "never asked again in silence");
    let wiki = MockServer::by(|_| {
        Act::json(
            200,
            &json!({"error": {"code": "ratelimited", "info": "too many"}}),
        )
    });
    let made = search(MediaWiki::new(&wiki.url("/w/api.php")).unwrap(), "bridge", 1).await;
    assert_eq!(results(&made), ["error: the wiki refuses: too many"]);
}
