//! The program in a reply, where it is Python.

use super::choose::{self, Part};
use super::continuation::{self, Proof};
use super::kinds::{Kind as BlockKind, kind_of};
use super::{Rule, fences, lines, readings, tags, tidy, wrapped};
use crate::language::source::{Kind, outline};
use crate::task::Brief;

const NAME: &str = "python";

/// Finds the program.
pub(super) fn find(reply: &str, brief: &Brief) -> Option<(String, Rule)> {
    find_within(reply, brief, true)
}

/// `unwrap` says whether texts inside of JSON are looked at, which is done once.
fn find_within(reply: &str, brief: &Brief, unwrap: bool) -> Option<(String, Rule)> {
    // A reply that is the program stays as it is, whatever its strings and comments hold.
    let raw = reply.trim_start_matches('\u{feff}');
    if let Some(outline) = outline(raw)
        && lines::is_program(raw, &outline, brief)
        && !lines::has_prose(&outline)
        && readings::read(raw).source == raw
    {
        let source = choose::with_starter(raw, brief).unwrap_or_else(|| raw.to_owned());
        return Some((source, Rule::WholeReply));
    }
    let (answer, unended) = tidy::without_thoughts(&tidy::tidy(reply));
    let found = answer_in(&answer, brief, unwrap);
    match (found, unended) {
        (Some(found), _) => Some(found),
        (None, Some(thoughts)) => {
            let (source, rule) = answer_in(&thoughts, brief, unwrap)?;
            (rule != Rule::Invalid).then_some((source, Rule::Thought))
        }
        (None, None) => None,
    }
}

fn answer_in(text: &str, brief: &Brief, unwrap: bool) -> Option<(String, Rule)> {
    if unwrap && let Some(source) = unwrapped(text, brief) {
        return Some((source, Rule::Json));
    }
    if let Some(found) = lines::around_fences(text, brief) {
        return Some(found);
    }
    let is_python = |source: &str| readings::read(source).outline.is_some();
    let mut blocks = fences::blocks(text, |info| kind_of(info, NAME), is_python);
    if blocks.is_empty() {
        blocks = tags::blocks(text, NAME);
    }
    let parts: Vec<Part> = blocks
        .into_iter()
        .map(|block| Part::new(block.kind, block.source))
        .collect();
    if parts.is_empty() {
        return lines::program(text, brief);
    }
    from_blocks(&parts, text, brief, unwrap).or_else(|| leftover(&parts, brief))
}

fn unwrapped(text: &str, brief: &Brief) -> Option<String> {
    let found = |text: &String| find_within(text, brief, false);
    let good = |(_, rule): &(String, Rule)| *rule != Rule::Invalid && *rule != Rule::Thought;
    wrapped::texts(text)
        .iter()
        .filter_map(found)
        .find(good)
        .filter(|(source, _)| defines_entry(source, brief))
        .map(|(source, _)| source)
}

fn from_blocks(parts: &[Part], text: &str, brief: &Brief, unwrap: bool) -> Option<(String, Rule)> {
    let ours: Vec<&Part> = parts
        .iter()
        .filter(|part| part.kind != BlockKind::Other)
        .collect();
    let all: Vec<&Part> = parts.iter().collect();
    let bodies = |proof: Proof| {
        ours.iter()
            .rev()
            .find_map(|part| continuation::complete(&part.raw, brief, proof))
            .map(|source| (source, Rule::Continuation))
    };
    let real = |found: &(String, Rule)| defines_entry(&found.0, brief);
    choose::program(&ours, brief)
        .filter(real)
        // Fences that hold only usage or output: the program may stand outside of them, or have them in a docstring.
        .or_else(|| lines::program(text, brief).filter(|(_, rule)| *rule != Rule::Continuation))
        .or_else(|| bodies(Proof::Gives))
        // Blocks tagged with another language count only where nothing else is there.
        .or_else(|| choose::program(&all, brief).filter(real))
        .or_else(|| {
            let inside = all.iter().filter(|_| unwrap).rev();
            let mut found = inside.filter_map(|part| unwrapped(&part.raw, brief));
            found.next().map(|source| (source, Rule::Json))
        })
        .or_else(|| bodies(Proof::Acts))
        .or_else(|| choose::program(&ours, brief))
}

fn defines_entry(source: &str, brief: &Brief) -> bool {
    let Some(outline) = outline(source) else {
        return false;
    };
    match &brief.entry_point {
        Some(entry) => outline.entry(entry) == Some(Kind::Real),
        None => outline.acts() || outline.defines_anything(),
    }
}

/// Nothing fits: the longest block, so that its own error is what the model is shown.
fn leftover(parts: &[Part], brief: &Brief) -> Option<(String, Rule)> {
    let ours = || parts.iter().filter(|part| part.kind != BlockKind::Other);
    let longest = ours()
        .max_by_key(|part| part.source.len())
        .or_else(|| parts.iter().max_by_key(|part| part.source.len()))?;
    // A valid block that lacks the entry point is still the model's answer: the tests say what is missing.
    let rule = if longest.outline.is_some() && brief.entry_point.is_some() {
        Rule::Block
    } else {
        Rule::Invalid
    };
    Some((longest.source.clone(), rule))
}
