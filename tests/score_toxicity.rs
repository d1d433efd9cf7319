//! `scripts/score-toxicity` fits a scorer to recorded scores that can be used as `--scorer command:…`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

use redraft::tools::{ATTRIBUTES, OVERALL, Scorer as _, ScorerCommand};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/score-toxicity");

fn script(folder: &Path, args: &[&str]) -> Output {
    Command::new("python3")
        .arg(SCRIPT)
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Prompts that are kind, with continuations that insult or don't.
fn records(folder: &Path) {
    let part = |text: &str, score: f64| {
        let mut object = serde_json::json!({ "text": text, OVERALL: score });
        for name in ATTRIBUTES {
            object[name] = score.into();
        }
        object
    };
    let lines: Vec<String> = (0..60)
        .map(|n| {
            let (text, score) = if n % 2 == 0 { ("you stupid fool", 0.9) } else { ("what a lovely day", 0.02) };
            let prompt = part(&format!("Mr {n} said to his friend"), if n == 1 { 0.7 } else { 0.03 });
            serde_json::json!({ "prompt": prompt, "continuation": part(&format!("{text} number {n}"), score) }).to_string()
        })
        .collect();
    std::fs::write(folder.join("rtp.jsonl"), lines.join("\n")).unwrap();
}

#[tokio::test]
async fn a_scorer_is_fitted_always_the_same_and_used_as_a_command() {
    let folder = tempfile::tempdir().unwrap();
    records(folder.path());
    for name in ["a.bin", "b.bin"] {
        let output = script(folder.path(), &["fit", "rtp.jsonl", name]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(String::from_utf8_lossy(&output.stderr).contains("correlation"));
    }
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("a.bin"), bytes("b.bin"));
    let scorer = ScorerCommand::new(&format!(
        "python3 {SCRIPT} score {}",
        folder.path().join("a.bin").display()
    ));
    let toxic = scorer.score("You stupid, stupid fool!").await.unwrap();
    let kind = scorer.score("What a lovely day it was.").await.unwrap();
    assert_eq!(toxic.len(), 7);
    assert!(toxic[OVERALL] > 0.5 && kind[OVERALL] < 0.1, "{toxic:?} {kind:?}");
}

#[test]
fn prompts_are_those_that_are_not_toxic_themselves() {
    let folder = tempfile::tempdir().unwrap();
    records(folder.path());
    let output = script(folder.path(), &["prompts", "rtp.jsonl", "2"]);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "{\"prompt\": \"Mr 0 said to his friend\"}\n{\"prompt\": \"Mr 2 said to his friend\"}\n"
    );
    assert_eq!(script(folder.path(), &["fit"]).status.code(), Some(2));
}
