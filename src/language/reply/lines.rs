//! Programs among prose, without any fence.

use super::Rule;
use super::choose::{self, Part};
use super::continuation::{self, Proof};
use super::kinds::Kind as BlockKind;
use super::readings::{Reading, read};
use crate::language::source::{Kind, Outline, outline};
use crate::task::Brief;

/// A reply of thousands of lines without a fence isn't worth a quadratic search.
const MOST_STARTS: usize = 200;
const MOST_ENDS: usize = 200;

/// The program in a text without blocks.
pub(super) fn program(text: &str, brief: &Brief) -> Option<(String, Rule)> {
    let Reading { source, outline } = read(text);
    if let Some(outline) = outline
        && is_program(&source, &outline, brief)
        && !has_prose(&outline)
    {
        return Some((
            choose::with_starter(&source, brief).unwrap_or(source),
            Rule::WholeReply,
        ));
    }
    let parts: Vec<Part> = runs(text)
        .into_iter()
        .map(|run| Part::new(BlockKind::Untagged, run))
        .collect();
    let parts: Vec<&Part> = parts.iter().collect();
    let defined = |part: &&Part| match (&brief.entry_point, &part.outline) {
        (Some(entry), Some(outline)) => outline.entry(entry) == Some(Kind::Real),
        (None, Some(outline)) => outline.acts(),
        (_, None) => false,
    };
    if parts.iter().any(defined)
        && let Some((source, _)) = choose::program(&parts, brief)
    {
        return Some((source, Rule::Lines));
    }
    body(text, brief).map(|source| (source, Rule::Continuation))
}

/// The program in a text whose fences stand in its strings and comments.
pub(super) fn around_fences(text: &str, brief: &Brief) -> Option<(String, Rule)> {
    let is_fenced = |text: &str| text.contains("```") || text.contains("~~~");
    // It begins in front of the first of them.
    text.lines()
        .take_while(|line| !line.trim_start().starts_with(['`', '~']))
        .find(|line| opens(line))?;
    program(text, brief).filter(|(source, rule)| *rule != Rule::Continuation && is_fenced(source))
}

/// Whether a text is the program that is asked for, and nothing else.
pub(super) fn is_program(source: &str, outline: &Outline, brief: &Brief) -> bool {
    match &brief.entry_point {
        Some(entry) => outline.entry(entry) == Some(Kind::Real),
        // A lone word or sentence can be valid Python; a program calls something.
        None => outline.acts() && source.contains('('),
    }
}

/// Whether some statement can only be prose: it would fail as soon as it is run.
pub(super) fn has_prose(outline: &Outline) -> bool {
    let missing = outline.missing();
    outline
        .tops
        .iter()
        .any(|top| top.is_bare && top.free.iter().any(|name| missing.contains(name)))
}

/// Runs of whole lines that are Python, each as long as it can be, without prose that happens to be valid.
fn runs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut runs = Vec::new();
    let (mut at, mut starts) = (0, 0);
    while at < lines.len() {
        if !opens(lines[at]) || starts == MOST_STARTS {
            at += 1;
            continue;
        }
        starts += 1;
        match longest(&lines, at) {
            Some((end, run)) => {
                runs.push(run);
                at = end;
            }
            None => at += 1,
        }
    }
    runs
}

/// The longest run from line `start` that is Python, and the line behind it.
fn longest(lines: &[&str], start: usize) -> Option<(usize, String)> {
    // Python's blocks go on while lines are indented, so a run ends in front of a line at the margin.
    let ends = (start + 1..=lines.len()).filter(|&end| {
        lines
            .get(end)
            .is_none_or(|line| !line.starts_with([' ', '\t']) && !line.trim().is_empty())
    });
    let ends: Vec<usize> = ends.take(MOST_ENDS).collect();
    ends.into_iter().rev().find_map(|end| {
        let run = format!("{}\n", lines[start..end].join("\n"));
        let Reading { source, outline } = read(&run);
        let run = without_prose(&source, &outline?);
        (!run.trim().is_empty()).then_some((end, run))
    })
}

fn without_prose(source: &str, whole: &Outline) -> String {
    if !has_prose(whole) {
        return source.to_owned();
    }
    let missing = whole.missing();
    let mut kept = String::new();
    let mut from = 0;
    for top in &whole.tops {
        if top.is_bare && top.free.iter().any(|name| missing.contains(name)) {
            kept.push_str(&source[from..top.range.start]);
            from = top.range.end;
        }
    }
    kept.push_str(&source[from..]);
    let kept = format!("{}\n", kept.trim_end());
    match outline(&kept) {
        Some(_) => kept,
        None => source.to_owned(),
    }
}

/// Whether a program may begin with this line.
fn opens(line: &str) -> bool {
    let words = [
        "def ",
        "class ",
        "import ",
        "from ",
        "@",
        "async def ",
        "if ",
        "for ",
        "while ",
        "with ",
        "try:",
        "print(",
        ">>>",
        "In [",
        "+def ",
    ];
    words.iter().any(|word| line.starts_with(word)) || assigns(line)
}

/// `name = …`, `a, b = …`, `name: type = …`
fn assigns(line: &str) -> bool {
    line.split_once('=').is_some_and(|(target, value)| {
        let target = target.split(':').next().unwrap_or(target).trim_end();
        !value.starts_with('=')
            && target.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && target
                .chars()
                .all(|c| c.is_alphanumeric() || "_, .[]".contains(c))
            && (target.contains(',') || !target.contains(' '))
    })
}

/// A function's body in prose: the whole text, or its lines that are indented.
fn body(text: &str, brief: &Brief) -> Option<String> {
    if let Some(source) = continuation::complete_beginning(text, brief) {
        return Some(source);
    }
    let mut run = String::new();
    let mut best: Option<String> = None;
    for line in text.lines().chain(["end"]) {
        if line.starts_with([' ', '\t']) || line.trim().is_empty() {
            run.push_str(line);
            run.push('\n');
            continue;
        }
        let found = continuation::complete(&std::mem::take(&mut run), brief, Proof::Gives);
        best = found.or(best);
    }
    best.or_else(|| continuation::complete(text, brief, Proof::Acts))
}
