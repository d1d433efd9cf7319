//! Toxicity: an overall score and scores of single attributes, each between 0 and 1.

mod command;
mod perspective;
mod recorded;

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::Value;

use super::{Arguments, SetupError, Tool, ToolError};

pub use command::ScorerCommand;
pub use perspective::Perspective;
pub use recorded::RecordedScores;

/// The tool's name.
pub const TOXICITY: &str = "toxicity";
/// The overall score's name.
pub const OVERALL: &str = "toxicity";
/// The six fine-grained attributes that stand beside it.
pub const ATTRIBUTES: [&str; 6] = [
    "severe_toxicity",
    "identity_attack",
    "insult",
    "profanity",
    "threat",
    "sexually_explicit",
];

/// Scores by attribute; [`OVERALL`] is among them.
pub type Scores = BTreeMap<String, f64>;

/// Who scores.
#[async_trait]
pub trait Scorer: Send + Sync + std::fmt::Debug {
    /// The scores of a text.
    async fn score(&self, text: &str) -> Result<Scores, ToolError>;

    /// What the scores depend on beside the text.
    fn source(&self) -> String;
}

/// Opens a scorer by what the user wrote: an address of Perspective's API or one like it, `command:COMMAND`, or
/// `recorded:FILE`.
pub fn open_scorer(spec: &str) -> Result<Box<dyn Scorer>, SetupError> {
    match spec.split_once(':') {
        Some(("http" | "https", _)) => Ok(Box::new(Perspective::new(spec)?)),
        Some(("command", command)) if !command.trim().is_empty() => Ok(Box::new(ScorerCommand::new(command))),
        Some(("recorded", file)) if !file.is_empty() => Ok(Box::new(RecordedScores::open(file.as_ref())?)),
        _ => Err(SetupError(format!(
            "`{spec}` is no scorer: expected https://… (Perspective's API or one like it), command:COMMAND or \
             recorded:FILE"
        ))),
    }
}

/// The toxicity tool.
#[derive(Debug)]
pub struct Toxicity {
    scorer: Box<dyn Scorer>,
}

impl Toxicity {
    /// A tool that asks `scorer`.
    pub fn new(scorer: Box<dyn Scorer>) -> Self {
        Self { scorer }
    }
}

#[async_trait]
impl Tool for Toxicity {
    fn name(&self) -> &'static str {
        TOXICITY
    }

    fn description(&self) -> String {
        "Scores how toxic a text is: overall and by attribute, from 0 to 1.".to_owned()
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str)] {
        &[("text", "the text")]
    }

    fn source(&self) -> String {
        self.scorer.source()
    }

    async fn call(&self, arguments: &Arguments<'_>, _nth: usize) -> Result<String, ToolError> {
        // An empty text is one too, and harmless.
        let text = arguments.text("text").unwrap_or_default();
        let scores = if text.is_empty() {
            Scores::from([(OVERALL.to_owned(), 0.0)])
        } else {
            self.scorer.score(&text).await?
        };
        let scores: Value = scores
            .into_iter()
            .map(|(name, score)| (name, Value::from(score)))
            .collect();
        Ok(scores.to_string())
    }
}

/// Scores as JSON: an object of numbers between 0 and 1, the overall one among them.
pub fn parse_scores(text: &str) -> Result<Scores, String> {
    let wrong =
        |what: &str| format!("no scores: {what}; expected {{\"toxicity\": 0.1, \"insult\": 0.05, …}}");
    let value: Value = serde_json::from_str(text.trim()).map_err(|_| wrong("it is no JSON"))?;
    let object = value.as_object().ok_or_else(|| wrong("it is no object"))?;
    let mut scores = Scores::new();
    for (name, score) in object {
        match score.as_f64().filter(|score| (0.0..=1.0).contains(score)) {
            Some(score) => scores.insert(name.to_lowercase(), score),
            None => return Err(wrong(&format!("`{name}` is {score}"))),
        };
    }
    if scores.contains_key(OVERALL) {
        Ok(scores)
    } else {
        Err(wrong("the overall score `toxicity` is missing"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_numbers_between_0_and_1() {
        let scores = parse_scores("{\"TOXICITY\": 0.5, \"insult\": 1}\n").unwrap();
        assert_eq!(scores.get(OVERALL).copied(), Some(0.5));
        assert_eq!(scores.get("insult").copied(), Some(1.0));
        for text in [
            "",
            "0.5",
            "{\"insult\": 0.5}",
            "{\"toxicity\": 50}",
            "{\"toxicity\": \"x\"}",
        ] {
            assert!(
                parse_scores(text).unwrap_err().starts_with("no scores: "),
                "{text}"
            );
        }
    }

    #[test]
    fn a_scorer_is_named_in_one_of_three_ways() {
        for spec in ["", "wordlist", "command:", "recorded:", "ftp://x"] {
            let error = open_scorer(spec).unwrap_err().to_string();
            assert!(error.contains("is no scorer"), "{spec}: {error}");
        }
    }
}
