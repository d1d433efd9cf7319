//! CRITIC, toxicity: what the paper and the issue ask for, line by line.

#[path = "support/stub.rs"]
mod stub;

use std::sync::Arc;

use async_trait::async_trait;
use redraft::cycle::{Outcome, Status};
use redraft::journal::{Event, Stopped};
use redraft::patterns::{CriticToxicity, critic_toxicity};
use redraft::prompts::Prompts;
use redraft::tools::{Scorer, Scores, ToolError, Toolbox, Toxicity};
use stub::{Stub, roles, run, say, texts};

/// Scores a text by the numbers in it: `0.8 insult 0.9 threat 0.1`.
#[derive(Debug)]
struct Fake;

#[async_trait]
impl Scorer for Fake {
    async fn score(&self, text: &str) -> Result<Scores, ToolError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |word: &str| {
            word.parse()
                .map_err(|_| ToolError(format!("no score for {text}")))
        };
        let mut scores = Scores::from([("toxicity".to_owned(), number(words[0])?)]);
        for pair in words[1..].chunks(2) {
            scores.insert(pair[0].to_owned(), number(pair[1])?);
        }
        Ok(scores)
    }

    fn source(&self) -> String {
        "fake".to_owned()
    }
}

async fn detox(settings: CriticToxicity, stub: &Arc<Stub>) -> (Outcome, Vec<Event>) {
    let toolbox = Toolbox::new(vec![Arc::new(Toxicity::new(Box::new(Fake)))]);
    let prompts = Arc::new(Prompts::bundled());
    run(
        critic_toxicity(settings, "So he said", Arc::new(toolbox), prompts),
        stub,
    )
    .await
}

#[tokio::test]
async fn the_attribute_with_the_highest_score_makes_the_critique() {
    let stub = Stub::new([
        say("0.8 insult 0.653 severe_toxicity 0.9 threat 0.1"),
        say("0.05"),
    ]);
    let (outcome, events) = detox(CriticToxicity::default(), &stub).await;
    let first = &outcome.versions[0].findings;
    assert_eq!(
        first.critique.as_deref(),
        Some("The text has 90.0% toxicity of severe toxicity")
    );
    assert_eq!(first.scores.get("insult").copied(), Some(0.653));
    let prompt = &stub.prompts()[1];
    for piece in [
        "So he said",
        "0.8 insult 0.653",
        "The text has 90.0% toxicity of severe toxicity",
    ] {
        assert!(prompt.contains(piece), "{prompt}");
    }
    assert_eq!(roles(&events), ["draft", "rewrite"]);
    let scored = events
        .iter()
        .filter(|event| matches!(event, Event::Tool { .. }))
        .count();
    assert_eq!(scored, 2, "each score is written down");
}

#[tokio::test]
async fn below_10_percent_stops() {
    let stub = Stub::new([say("0.1 insult 0.1"), say("0.0999 insult 0.9")]);
    let (outcome, _) = detox(CriticToxicity::default(), &stub).await;
    assert_eq!(outcome.versions.len(), 2, "10 % itself is not below");
    assert_eq!(
        (outcome.stopped, outcome.status),
        (Stopped::Satisfied, Some(Status::BelowLimit))
    );
    assert_eq!(
        texts(&outcome)[outcome.chosen],
        "0.0999 insult 0.9",
        "the overall score decides"
    );
}

#[tokio::test]
async fn at_most_4_rewrites_and_the_least_toxic_is_returned() {
    assert_eq!(CriticToxicity::default().rounds, 4);
    let stub = Stub::new(["0.9", "0.7", "0.3", "0.8", "0.5"].map(say));
    let (outcome, _) = detox(CriticToxicity::default(), &stub).await;
    assert_eq!((outcome.stopped, outcome.versions.len()), (Stopped::Rounds, 5));
    assert_eq!(texts(&outcome)[outcome.chosen], "0.3");
    assert_eq!(outcome.status, Some(Status::NotBelowLimit));
    assert_eq!(outcome.by_round, [0, 1, 2, 2, 2]);
    assert!(stub.is_done());
}

#[tokio::test]
async fn a_more_toxic_text_never_replaces_a_less_toxic_one() {
    let stub = Stub::new(["0.5 insult 0.6", "0.9 threat 0.95", "0.5 insult 0.7", "0.05"].map(say));
    let (outcome, _) = detox(CriticToxicity::default(), &stub).await;
    // The one that got worse, and the one that is as good, are thrown away: what is rewritten stays the first.
    for prompt in &stub.prompts()[2..] {
        assert!(prompt.contains("Continuation: 0.5 insult 0.6"), "{prompt}");
        assert!(prompt.contains("60.0% toxicity of insult"), "{prompt}");
    }
    let parents: Vec<_> = outcome.versions.iter().map(|version| version.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0), Some(0)]);
    assert_eq!(texts(&outcome)[outcome.chosen], "0.05");
}

#[tokio::test]
async fn an_attribute_that_is_none_of_the_six_makes_no_critique() {
    let critique = async |first: &str| {
        let stub = Stub::new([say(first), say("0.05")]);
        let (outcome, _) = detox(CriticToxicity::default(), &stub).await;
        outcome.versions[0].findings.critique.clone().unwrap()
    };
    assert_eq!(
        critique("0.8 flirtation 0.9 insult 0.5").await,
        "The text has 50.0% toxicity of insult"
    );
    // A scorer may have attributes of its own, or none.
    assert_eq!(
        critique("0.8 rudeness 0.7 noise 0.9").await,
        "The text has 90.0% toxicity of noise"
    );
    assert_eq!(critique("0.8").await, "The text has 80.0% toxicity of toxicity");
}
