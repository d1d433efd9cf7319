//! Which of several blocks is the program, and what it needs from the others.

use std::collections::BTreeSet;

use super::kinds::Kind as BlockKind;
use super::readings::{Reading, read};
use super::{Rule, tidy};
use crate::language::source::{Kind, Outline, Top, outline};
use crate::task::Brief;

/// A block, read.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) kind: BlockKind,
    pub(super) raw: String,
    pub(super) source: String,
    pub(super) outline: Option<Outline>,
}

impl Part {
    pub(super) fn new(kind: BlockKind, raw: String) -> Self {
        let Reading { source, outline } = read(&raw);
        Self {
            kind,
            raw,
            source,
            outline,
        }
    }

    fn entry(&self, entry: &str) -> Option<Kind> {
        self.outline.as_ref()?.entry(entry)
    }
}

/// The program that the parts make, if one of them or all together define what is asked for.
pub(super) fn program(parts: &[&Part], brief: &Brief) -> Option<(String, Rule)> {
    let main = match &brief.entry_point {
        Some(entry) => main_of_entry(parts, entry),
        None => main_of_script(parts),
    };
    if let Some(main) = main {
        return Some(with_suppliers(parts, main, brief));
    }
    split_program(parts, brief).map(|source| (source, Rule::Blocks))
}

/// The last part that defines the entry point; one that only names it (a stub, an import in an example) where there is
/// no other.
fn main_of_entry(parts: &[&Part], entry: &str) -> Option<usize> {
    let last = |least: Kind| {
        parts
            .iter()
            .rposition(|part| part.entry(entry).is_some_and(|kind| kind >= least))
    };
    let main = last(Kind::Real).or_else(|| last(Kind::Stub))?;
    // The whole program once more with a demonstration behind it: without is safer.
    let definition = |part: &Part| {
        let top = part.outline.as_ref()?.definition(entry)?;
        part.source
            .get(top.range.clone())
            .map(|text| text.trim_end().to_owned())
    };
    let acts = |part: &Part| part.outline.as_ref().is_some_and(Outline::acts);
    if acts(parts[main]) {
        let wanted = definition(parts[main]);
        let same = |part: &&Part| {
            wanted.is_some() && definition(part) == wanted && !acts(part) && lacks_nothing(part)
        };
        if let Some(quiet) = parts[..main].iter().rposition(same) {
            return Some(quiet);
        }
    }
    Some(main)
}

fn lacks_nothing(part: &Part) -> bool {
    part.outline
        .as_ref()
        .is_some_and(|outline| outline.missing().is_empty())
}

/// For a program that reads stdin: the last block that reads its input, else one that does something.
fn main_of_script(parts: &[&Part]) -> Option<usize> {
    let valid = |index: &usize| {
        let outline = parts[*index].outline.as_ref();
        outline.is_some_and(|outline| outline.acts() || outline.defines_anything())
    };
    let reads = |index: &usize| {
        let words = ["input(", "stdin", "open(0", "fileinput", "os.read(0"];
        words.iter().any(|word| parts[*index].source.contains(word))
    };
    let acts = |index: &usize| parts[*index].outline.as_ref().is_some_and(Outline::acts);
    let all = || (0..parts.len()).filter(valid);
    all()
        .rfind(|index| reads(index) && acts(index))
        .or_else(|| {
            // What reads may be a function that another block calls.
            let reader = all().rfind(reads)?;
            let outline = parts[reader].outline.as_ref()?;
            let calls = |index: &usize| {
                let other = parts[*index].outline.as_ref();
                other.is_some_and(|other| other.missing().iter().any(|name| outline.kind(name).is_some()))
            };
            all().rfind(|index| acts(index) && calls(index)).or(Some(reader))
        })
        .or_else(|| all().rfind(acts))
        .or_else(|| all().next_back())
}

/// The main part, behind those parts that define names which it uses and doesn't define. What no part defines, the
/// starter code may.
fn with_suppliers(parts: &[&Part], main: usize, brief: &Brief) -> (String, Rule) {
    let mut text = parts[main].source.clone();
    let Some(own) = &parts[main].outline else {
        return (text, Rule::Block);
    };
    let mut missing = own.missing();
    let mut taken = false;
    // From the last to the first: a later definition replaces an earlier one.
    for (index, part) in parts.iter().enumerate().rev() {
        let Some(supplier) = &part.outline else { continue };
        if index == main || !missing.iter().any(|name| supplier.kind(name).is_some()) {
            continue;
        }
        let whole = !supplier.acts() && !supplier.repeats(own);
        let supply = if whole {
            part.source.clone()
        } else {
            pick(&part.source, supplier, &missing)
        };
        text = format!("{}\n{text}", supply.trim_end_matches('\n'));
        taken = true;
        missing = outline(&text)
            .map(|outline| outline.missing())
            .unwrap_or_default();
    }
    let rule = match (taken, parts.len()) {
        (true, _) => Rule::Blocks,
        (false, 1) => Rule::Block,
        (false, _) => Rule::LastBlock,
    };
    (with_starter(&text, brief).unwrap_or(text), rule)
}

/// A program with what it lacks and the starter code has: its imports and helpers. `None` if it lacks nothing.
pub(super) fn with_starter(source: &str, brief: &Brief) -> Option<String> {
    let missing = outline(source)?.missing();
    if missing.is_empty() || brief.starter_code.is_empty() {
        return None;
    }
    let starter = outline(&brief.starter_code)?;
    let supply = pick(&brief.starter_code, &starter, &missing);
    (!supply.is_empty()).then(|| format!("{supply}{source}"))
}

/// The statements of `source` that define `wanted`, with those that they need themselves.
fn pick(source: &str, outline: &Outline, wanted: &BTreeSet<String>) -> String {
    let mut names: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let defines = |top: &Top, names: &BTreeSet<&str>| {
        top.defines
            .iter()
            .any(|(name, kind)| *kind != Kind::Stub && names.contains(name.as_str()))
    };
    loop {
        let before = names.len();
        for top in outline.tops.iter().filter(|top| !top.acts) {
            if defines(top, &names) {
                names.extend(top.free.iter().map(String::as_str));
            }
        }
        if names.len() == before {
            break;
        }
    }
    let kept = outline
        .tops
        .iter()
        .filter(|top| top.is_star || (!top.acts && defines(top, &names)))
        .filter_map(|top| source.get(top.range.clone()));
    tidy::lines(kept.map(str::trim_end))
}

/// One program that was cut into several blocks, none of which stands alone.
fn split_program(parts: &[&Part], brief: &Brief) -> Option<String> {
    if parts.len() < 2 {
        return None;
    }
    let mut joined = String::new();
    for part in parts {
        joined.push_str(part.raw.trim_end_matches('\n'));
        joined.push('\n');
    }
    let reading = read(&joined);
    let outline = reading.outline?;
    match &brief.entry_point {
        Some(entry) => outline.entry(entry) == Some(Kind::Real),
        None => outline.acts(),
    }
    .then_some(reading.source)
}
