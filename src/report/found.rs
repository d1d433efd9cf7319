//! What an examiner found in a version, told as text.

use std::fmt::Write as _;

use crate::journal::VersionRecord;
use crate::task::{ClaimVerdict, Findings, ToolUse};

/// The verdict in a few words.
pub(super) fn verdict(findings: &Findings) -> String {
    let verdict = match (findings.satisfied, &findings.critique) {
        (true, _) => "nothing wrong was found",
        (false, Some(_)) => "something is wrong",
        (false, None) => "not good enough",
    };
    match &findings.result {
        Some(result) => format!("came to {result}"),
        None => verdict.to_owned(),
    }
}

/// Critique, note, scores, and each tool call with its result and the verdict that it supported.
pub(super) fn details(version: &VersionRecord) -> Vec<String> {
    let Some(findings) = &version.findings else {
        return Vec::new();
    };
    let mut lines: Vec<String> = findings.evidence.iter().map(call).collect();
    for (attribute, score) in &findings.scores {
        lines.push(format!("{attribute}: {:.1} %", score * 100.0));
    }
    if let Some(critique) = &findings.critique {
        lines.push(format!("Critique:\n  {}", critique.trim().replace('\n', "\n  ")));
    }
    lines.extend(findings.note.clone());
    let (written, examined) = (version.written, version.examined);
    lines.push(format!(
        "Tokens: {} read and {} written for the draft, {} and {} for the examination.",
        written.prompt, written.completion, examined.prompt, examined.completion
    ));
    lines
}

fn call(call: &ToolUse) -> String {
    let mut text = String::new();
    if let Some(claim) = &call.claim {
        let _ = writeln!(text, "Claim: {claim}");
    }
    let verdict = match call.verdict {
        Some(ClaimVerdict::Ok) => "not contradicted",
        Some(ClaimVerdict::Wrong) => "contradicted",
        Some(ClaimVerdict::Unchecked) => "not checked",
        None => "no verdict",
    };
    let _ = writeln!(text, "{} {} ({} ms)", call.tool, call.arguments, call.ms);
    let _ = write!(
        text,
        "  {}\n  {verdict}",
        call.result.trim().replace('\n', "\n  ")
    );
    text
}
