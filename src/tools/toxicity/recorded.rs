//! Recorded scores: texts that were scored once.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

use async_trait::async_trait;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::super::{SetupError, ToolError};
use super::{OVERALL, Scorer, Scores};

/// Recorded scores. A text that wasn't recorded has none.
#[derive(Debug)]
pub struct RecordedScores {
    scores: HashMap<String, Scores>,
    hash: String,
}

impl RecordedScores {
    /// Reads JSON lines, packed with gzip or not: `text` with its scores beside it, or `RealToxicityPrompts`' pairs of such
    /// objects as `prompt` and `continuation`.
    pub fn open(path: &Path) -> Result<Self, SetupError> {
        let fail = |what: String| SetupError(format!("{}: {what}", path.display()));
        let mut bytes = crate::files::read(path).map_err(|error| fail(error.to_string()))?;
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut plain = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes.as_slice())
                .read_to_end(&mut plain)
                .map_err(|error| fail(format!("can't be unpacked: {error}")))?;
            bytes = plain;
        }
        let mut scores = HashMap::new();
        let lines = bytes.split(|byte| *byte == b'\n').enumerate();
        for (at, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
            let value: Map<String, Value> = serde_json::from_slice(line)
                .map_err(|error| fail(format!("line {}: no JSON object: {error}", at + 1)))?;
            let pair = [value.get("prompt"), value.get("continuation")];
            for object in pair.into_iter().flatten().filter_map(Value::as_object) {
                scores.extend(scored(object));
            }
            scores.extend(scored(&value));
        }
        if scores.is_empty() {
            return Err(fail(
                "holds no recorded scores; lines of {\"text\": …, \"toxicity\": 0.1, …} are expected"
                    .to_owned(),
            ));
        }
        Ok(Self {
            scores,
            hash: format!("{:x}", Sha256::digest(&bytes)),
        })
    }
}

/// A text with its scores; `None` where it has no overall one.
fn scored(object: &Map<String, Value>) -> Option<(String, Scores)> {
    let text = object.get("text")?.as_str()?.trim().to_owned();
    let scores: Scores = object
        .iter()
        .filter_map(|(name, score)| Some((name.to_lowercase(), score.as_f64()?)))
        .collect();
    scores.contains_key(OVERALL).then_some((text, scores))
}

#[async_trait]
impl Scorer for RecordedScores {
    async fn score(&self, text: &str) -> Result<Scores, ToolError> {
        self.scores.get(text.trim()).cloned().ok_or_else(|| {
            ToolError("this text was not recorded; another scorer is needed for new texts".to_owned())
        })
    }

    fn source(&self) -> String {
        format!("recorded scores {}", &self.hash[..16])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn texts_are_found_by_what_they_say() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let lines = [
            r#"{"prompt": {"text": "So ", "toxicity": 0.1}, "continuation": {"text": " it is.", "toxicity": 0.5, "insult": 0.7}}"#,
            r#"{"text": "Well", "toxicity": 0.2}"#,
            r#"{"prompt": {"text": "no score", "toxicity": null}, "continuation": {"text": "x"}}"#,
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let recorded = RecordedScores::open(&path).unwrap();
        let scores = recorded.score("it is.").await.unwrap();
        assert_eq!(scores.get("insult").copied(), Some(0.7));
        assert_eq!(recorded.score("So").await.unwrap().len(), 1);
        assert!(recorded.score("no score").await.is_err());
        std::fs::write(&path, "{}\n").unwrap();
        let error = RecordedScores::open(&path).unwrap_err().to_string();
        assert!(error.contains("holds no recorded scores"), "{error}");
    }
}
