//! Verdicts of models, read from their replies.

use serde_json::Value;

use crate::cycle::Findings;
use crate::task::{ClaimVerdict, ToolUse};
use crate::tools::parse_calls;

/// A verdict as JSON: `{"passed": true|false, "critique": "…"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonVerdict {
    pub(super) passed: bool,
    pub(super) critique: String,
}

impl JsonVerdict {
    /// The verdict in a reply: the whole reply, or the whole of a fenced block that the reply consists of.
    pub(super) fn read(reply: &str) -> Option<Self> {
        let text = reply.trim();
        let fenced = text
            .strip_prefix("```")
            .and_then(|text| text.strip_suffix("```"))
            .map(|text| text.trim_start_matches("json").trim());
        let value: Value = serde_json::from_str(fenced.unwrap_or(text)).ok()?;
        let critique = match value.get("critique") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Array(points)) => {
                let points: Option<Vec<&str>> = points.iter().map(Value::as_str).collect();
                points?.join("\n")
            }
            Some(_) => return None,
        };
        Some(Self {
            passed: value.get("passed")?.as_bool()?,
            critique,
        })
    }

    /// What it comes to. A failing verdict that gives no reason is a critique as it stands.
    pub(super) fn findings(self, reply: &str) -> Findings {
        let critique = if self.critique.is_empty() {
            reply.trim().to_owned()
        } else {
            self.critique
        };
        Findings {
            satisfied: self.passed,
            critique: (!self.passed).then_some(critique),
            ..Findings::default()
        }
    }
}

/// Each call beside the verdict that it supported: `quotes` are the results that the critique quotes.
pub(super) fn judged(mut evidence: Vec<ToolUse>, quotes: &[(usize, String)]) -> Vec<ToolUse> {
    for (at, call) in evidence.iter_mut().enumerate() {
        call.verdict = Some(if quotes.iter().any(|(quoted, _)| *quoted == at) {
            ClaimVerdict::Wrong
        } else if call.failed {
            ClaimVerdict::Unchecked
        } else {
            ClaimVerdict::Ok
        });
    }
    evidence
}

/// What is said of a verdict that finds nothing wrong and rests on no tool at all.
pub(super) const UNCHECKED: &str = "no tool was called: the verdict is the model's own opinion";

/// What is said of one that rests on calls which all failed.
pub(super) const ALL_FAILED: &str = "every tool call failed: the verdict is the model's own opinion";

/// A line without the marks that models put around it.
fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '.' | '!' | '#' | '>' | '-')
    })
}

/// Whether the verdict is OK: the whole reply, or its first or last line.
pub(super) fn is_ok(reply: &str) -> bool {
    if critique_in(reply).is_some() {
        return false;
    }
    let mut lines = reply.lines().filter(|line| !bare(line).is_empty());
    let first = lines.next();
    let last = lines.next_back();
    [first, last]
        .into_iter()
        .flatten()
        .any(|line| bare(line).eq_ignore_ascii_case("ok"))
}

/// The critique in a reply: from the line on that begins with WRONG.
pub(super) fn critique_in(reply: &str) -> Option<&str> {
    let mut at = 0;
    for line in reply.split_inclusive('\n') {
        let word = bare(line);
        if word
            .strip_prefix("WRONG")
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        {
            return Some(reply[at..].trim());
        }
        at += line.len();
    }
    None
}

/// Words that find fault, and words that approve.
const FAULT: &[&str] = &[
    "wrong",
    "incorrect",
    "incorrectly",
    "inaccurate",
    "false",
    "contradict",
    "contradicts",
    "contradicted",
    "mistaken",
    "untrue",
    "differs",
    "disagrees",
    "but",
    "however",
    "instead",
    "not",
];
const APPROVAL: &[&str] = &[
    "correct",
    "correctly",
    "right",
    "accurate",
    "confirmed",
    "confirms",
    "supported",
    "supports",
    "agrees",
    "consistent",
    "true",
    "verified",
    "ok",
];

/// The critique in a reply that wasn't given the form that was asked for: prose that finds fault and approves of nothing. What
/// only tells what was found, or asks for one more call, is no verdict.
pub(super) fn critique_in_prose(reply: &str) -> Option<&str> {
    let lower = reply.to_lowercase().replace("n't", " not").replace("n’t", " not");
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let denied = |at: usize| at > 0 && ["not", "no", "nothing"].contains(&words[at - 1]);
    let says = |list: &[&str]| (0..words.len()).any(|at| list.contains(&words[at]) && !denied(at));
    let is_call = !parse_calls(reply).0.is_empty();
    (!is_call && says(FAULT) && !says(APPROVAL)).then_some(reply.trim())
}

#[cfg(test)]
mod tests {
    use super::{JsonVerdict, critique_in, critique_in_prose, is_ok};

    fn json(reply: &str) -> Option<(bool, String)> {
        JsonVerdict::read(reply).map(|verdict| (verdict.passed, verdict.critique))
    }

    #[test]
    fn a_json_verdict_is_the_whole_reply_or_a_whole_fence() {
        let failed = Some((false, "Shorten it.".to_owned()));
        assert_eq!(json(r#"{"passed": false, "critique": "Shorten it."}"#), failed);
        assert_eq!(
            json("```json\n{\"passed\": false, \"critique\": \"Shorten it.\"}\n```"),
            failed
        );
        assert_eq!(json(r#"{"passed": false, "critique": ["Shorten it."]}"#), failed);
        assert_eq!(json(r#" {"passed": true} "#), Some((true, String::new())));
        for reply in [
            "",
            "passed",
            r#"{"passed": "yes"}"#,
            r#"{"critique": ""}"#,
            r#"So: {"passed": true}"#,
            "[]",
        ] {
            assert_eq!(json(reply), None, "{reply}");
        }
    }

    #[test]
    fn verdicts_are_read_however_they_are_set() {
        for reply in [
            "OK",
            " ok.\n",
            "**OK**",
            "I checked two claims.\n\nOK",
            "OK\nAll is well.",
        ] {
            assert!(is_ok(reply), "{reply}");
        }
        for reply in ["", "It looks OK to me.", "WRONG: x\nOK", "OKAY", "NOT OK"] {
            assert!(!is_ok(reply), "{reply}");
        }
        assert_eq!(
            critique_in("Claims:\n- one\n**WRONG**: it is 2\n"),
            Some("**WRONG**: it is 2")
        );
        assert_eq!(critique_in("WRONGLY said"), None);
        assert_eq!(critique_in("What is WRONG: x"), None);
    }
    #[test]
    fn prose_is_a_critique_only_if_it_finds_fault() {
        for reply in [
            "The answer says 1936, but the search says 1937.",
            "The year is incorrect: \"opened in 1937\".",
            "The claim isn't correct, it was 1937.",
        ] {
            assert_eq!(critique_in_prose(reply), Some(reply));
        }
        for reply in [
            "",
            "I am unsure.",
            "The search says that it opened in 1937.",
            "The answer is correct: it opened in 1937, not earlier.",
            "There is nothing wrong with 1937.",
            "CALL search {\"query\": \"not 1936 but 1937\"}",
        ] {
            assert_eq!(critique_in_prose(reply), None, "{reply}");
        }
    }
}
