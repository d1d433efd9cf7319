//! What a check said, as text for the author and for people.

use std::fmt::Write as _;

use crate::task::{Breach, CheckReport, Diagnostic, Ended, Place};

/// Findings that are told one by one; of more there is only the number.
const MOST_FINDINGS: usize = 20;
/// Characters of the command's own output.
const MOST_OUTPUT: usize = 4_000;
/// Characters of a quoted line.
const LONGEST_LINE: usize = 200;

/// Command, version, result, findings with their places and the lines there, and the output itself.
pub fn critique(report: &CheckReport, file: &str, source: &str) -> String {
    let mut text = format!("Command: {}\n", report.command);
    if let Some(version) = &report.version {
        push(&mut text, &format!("Version: {version}"));
    }
    push(&mut text, &format!("Result: {}", result(report)));
    let errors: Vec<&Diagnostic> = report.errors().collect();
    if !errors.is_empty() {
        push(&mut text, "Findings:");
    }
    for (at, error) in errors.iter().take(MOST_FINDINGS).enumerate() {
        push(&mut text, &format!("{}. {error}", at + 1));
        quote(&mut text, error.place.as_ref(), file, source);
        for related in &error.related {
            let place = related.place.as_ref().map(|place| format!("{place}: "));
            push(
                &mut text,
                &format!("   {}{}", place.unwrap_or_default(), related.message.trim()),
            );
            if related.place != error.place {
                quote(&mut text, related.place.as_ref(), file, source);
            }
        }
    }
    if errors.len() > MOST_FINDINGS {
        push(&mut text, &format!("… and {} more", errors.len() - MOST_FINDINGS));
    }
    let output = report.output.trim();
    if !output.is_empty() {
        push(&mut text, "Output:");
        push(&mut text, &shortened(output));
    }
    text.truncate(text.trim_end().len());
    text
}

/// How the check ended, in words.
pub fn result(report: &CheckReport) -> String {
    match &report.ended {
        None => "not run".to_owned(),
        Some(Ended::Exited(status)) => format!("exit status {status}"),
        Some(Ended::Signalled(signal)) => format!("ended by signal {signal}"),
        Some(Ended::TimedOut) => "ended, since its time was used up".to_owned(),
        Some(Ended::MemoryLimit) => "ended, since it used too much memory".to_owned(),
        Some(Ended::OutputLimit) => "ended, since it printed too much".to_owned(),
        Some(Ended::ProcessLimit) => "failed, since it needs too many processes".to_owned(),
        Some(Ended::ScratchFull) => "failed, since it writes too many files".to_owned(),
    }
}

/// What was weakened, one a line.
pub fn rejected(breaches: &[Breach]) -> String {
    let mut text = String::new();
    for breach in breaches {
        let line = breach
            .line
            .map(|line| format!(" (line {line})"))
            .unwrap_or_default();
        push(&mut text, &format!("- {}{line}", breach.message));
    }
    text.truncate(text.trim_end().len());
    text
}

/// The line of the program that a place is at.
fn quote(text: &mut String, place: Option<&Place>, file: &str, source: &str) {
    let Some(place) = place else { return };
    let same_file = place.file == file || place.file.ends_with(&format!("/{file}"));
    let Some(number) = place.line.filter(|_| same_file) else {
        return;
    };
    let Some(line) = number.checked_sub(1).and_then(|at| source.lines().nth(at)) else {
        return;
    };
    let line: String = line.trim_end().chars().take(LONGEST_LINE).collect();
    push(text, &format!("   {number:>5} | {line}"));
}

/// Cut in the middle, and the cut marked.
fn shortened(output: &str) -> String {
    let length = output.chars().count();
    if length <= MOST_OUTPUT {
        return output.to_owned();
    }
    let head: String = output.chars().take(MOST_OUTPUT / 2).collect();
    let tail: String = output.chars().skip(length - MOST_OUTPUT / 2).collect();
    format!("{head}\n… {} characters left out …\n{tail}", length - MOST_OUTPUT)
}

fn push(text: &mut String, line: &str) {
    let written = writeln!(text, "{line}");
    debug_assert!(written.is_ok(), "writing to a string can't fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Category, Related};

    fn report() -> CheckReport {
        let place = |line| {
            Some(Place {
                file: "max.dfy".to_owned(),
                line: Some(line),
                column: Some(3),
            })
        };
        let mut error =
            Diagnostic::error(Category::Postcondition, "a postcondition might not hold").at(place(2));
        error.related.push(Related {
            place: place(1),
            message: "this is the postcondition".to_owned(),
        });
        CheckReport {
            command: "dafny /compile:0 max.dfy".to_owned(),
            version: Some("Dafny 2.3.0".to_owned()),
            ended: Some(Ended::Exited(4)),
            diagnostics: vec![error],
            output: "x".repeat(MOST_OUTPUT + 10),
            breaches: Vec::new(),
            trusted: Vec::new(),
            isolation: redraft_sandbox::Isolation::default(),
        }
    }

    #[test]
    fn a_critique_names_command_version_category_and_place() {
        let text = critique(&report(), "max.dfy", "ensures m >= a\n{ m := b; }\n");
        let wanted = "Command: dafny /compile:0 max.dfy\nVersion: Dafny 2.3.0\nResult: exit status 4\nFindings:\n\
                      1. postcondition, max.dfy:2:3: a postcondition might not hold\n       2 | { m := b; }\n   \
                      max.dfy:1:3: this is the postcondition\n       1 | ensures m >= a\nOutput:\nxxx";
        assert!(text.starts_with(wanted), "{text}");
        assert!(text.contains("\n… 10 characters left out …\n"), "{text}");
    }
}
