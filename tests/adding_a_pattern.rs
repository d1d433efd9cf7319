//! The worked example of ARCHITECTURE.md: a pattern of one's own, from the library.

#[path = "support/stub.rs"]
mod stub;

use async_trait::async_trait;
use redraft::cycle::{
    Author, Choose, CycleError, Desk, Draft, Examiner, Findings, Pattern, Same, Status, StopRule, Version,
};
use redraft::model::Message;
use stub::{Stub, roles, run, say, texts};

// The example begins.
/// Writes a text for a task, and shortens it until it has at most `most` words.
fn shorten(task: &str, most: usize) -> Pattern {
    Pattern {
        author: Box::new(Writer(task.to_owned())),
        examiner: Box::new(Ruler(most)),
        stop: StopRule {
            rounds: 3,
            unchanged: Some(2),
            same: Same::Draft,
        },
        choose: Choose::Best,
        status: [Status::Passed, Status::DidNotPass],
    }
}

struct Writer(String);

#[async_trait]
impl Author for Writer {
    async fn draft(&mut self, desk: &Desk<'_>) -> Result<Draft, CycleError> {
        let reply = desk.ask("draft", vec![Message::user(&self.0)]).await?;
        Ok(Draft::text(reply.content.trim()))
    }

    async fn redraft(&mut self, desk: &Desk<'_>, versions: &[Version]) -> Result<Draft, CycleError> {
        let last = &versions[versions.len() - 1];
        let text = last.draft.source().unwrap_or_default();
        let critique = last.findings.critique.as_deref().unwrap_or_default();
        let prompt = format!("{}\n\n<draft>{text}</draft>\n\n{critique}", self.0);
        let reply = desk.ask("shorten", vec![Message::user(prompt)]).await?;
        Ok(Draft::text(reply.content.trim()))
    }
}

struct Ruler(usize);

#[async_trait]
impl Examiner for Ruler {
    async fn examine(
        &mut self,
        _desk: &Desk<'_>,
        draft: &Draft,
        _earlier: &[Version],
    ) -> Result<Findings, CycleError> {
        let words = draft.source().unwrap_or_default().split_whitespace().count();
        let satisfied = words <= self.0;
        Ok(Findings {
            satisfied,
            score: -(words as f64),
            critique: (!satisfied).then(|| format!("That is {words} words; at most {} are wanted.", self.0)),
            ..Findings::default()
        })
    }
}
// The example ends.

#[tokio::test]
async fn it_runs_on_the_one_loop() {
    let stub = Stub::new(["one two three four", "one two three", "one two"].map(say));
    let (outcome, events) = run(shorten("Count.", 2), &stub).await;
    assert_eq!(texts(&outcome)[outcome.chosen], "one two");
    assert_eq!(outcome.status, Some(Status::Passed));
    assert_eq!(roles(&events), ["draft", "shorten", "shorten"]);
    assert!(stub.prompts()[1].ends_with("That is 4 words; at most 2 are wanted."));
}

#[tokio::test]
async fn the_cap_and_the_choice_come_with_the_loop() {
    let stub = Stub::new(["a b c d", "a b c", "a b c d e", "a b c f"].map(say));
    let (outcome, _) = run(shorten("Count.", 2), &stub).await;
    assert_eq!(texts(&outcome)[outcome.chosen], "a b c", "the shortest so far");
    assert_eq!(outcome.status, Some(Status::DidNotPass));
}

#[test]
fn architecture_md_shows_this_very_code() {
    let here = include_str!("adding_a_pattern.rs");
    let example = here.split("// The example begins.\n").nth(1).unwrap();
    let example = example.split("// The example ends.\n").next().unwrap();
    let shown = include_str!("../ARCHITECTURE.md");
    assert!(shown.contains(&format!("```rust\n{example}```\n")));
}
