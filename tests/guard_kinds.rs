//! Every kind of cheating that a guard stops, and honest edits beside them, as data: `tests/guards/*.toml`. An edit is
//! a list of replacements in a program that stands there once.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/shared.rs"]
mod shared;

use std::collections::BTreeMap;
use std::io::Read as _;

use redraft::verify::guard::{Guard, PresetName};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kinds {
    bases: BTreeMap<String, String>,
    cheat: Vec<Case>,
    honest: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    base: String,
    edit: Vec<(String, String)>,
    /// What the reason must say.
    says: Option<String>,
}

const FILES: [(PresetName, &str); 8] = [
    (PresetName::Python, include_str!("guards/python.toml")),
    (PresetName::Rust, include_str!("guards/rust.toml")),
    (PresetName::Dafny, include_str!("guards/dafny.toml")),
    (PresetName::C, include_str!("guards/c.toml")),
    (PresetName::Verus, include_str!("guards/verus.toml")),
    (PresetName::Cpp, include_str!("guards/cpp.toml")),
    (PresetName::Typescript, include_str!("guards/typescript.toml")),
    (PresetName::Javascript, include_str!("guards/javascript.toml")),
];

/// The programs before and after each edit of a kind.
fn each(of: fn(Kinds) -> Vec<Case>, mut look: impl FnMut(PresetName, &Case, &str, &str)) -> usize {
    let mut count = 0;
    for (preset, text) in FILES {
        let kinds: Kinds = toml::from_str(text).unwrap_or_else(|error| panic!("{}: {error}", preset.name()));
        let bases = kinds.bases.clone();
        for edit in of(kinds) {
            let before = bases
                .get(&edit.base)
                .unwrap_or_else(|| panic!("{}: no such base", edit.name));
            let mut after = before.clone();
            for (from, to) in &edit.edit {
                assert_eq!(
                    after.matches(from.as_str()).count(),
                    1,
                    "{}: {from:?} must be there once",
                    edit.name
                );
                after = after.replacen(from.as_str(), to, 1);
            }
            look(preset, &edit, before, &after);
            count += 1;
        }
    }
    count
}

#[test]
fn every_kind_of_cheat_is_turned_down() {
    let mut through = Vec::new();
    let count = each(
        |kinds| kinds.cheat,
        |preset, edit, before, after| {
            let breaches = Guard::new(preset).compare(before, after);
            let said = edit
                .says
                .as_ref()
                .is_none_or(|says| breaches.iter().any(|breach| breach.message.contains(says)));
            if breaches.is_empty() || !said {
                through.push(format!("{}: {} {breaches:?}", preset.name(), edit.name));
            }
        },
    );
    assert!(
        through.is_empty(),
        "{} of {count} get through:\n{}",
        through.len(),
        through.join("\n")
    );
}

#[test]
fn no_honest_edit_is_turned_down() {
    let mut refused = Vec::new();
    let count = each(
        |kinds| kinds.honest,
        |preset, edit, before, after| {
            let breaches = Guard::new(preset).compare(before, after);
            if !breaches.is_empty() {
                refused.push(format!("{}: {} {breaches:#?}", preset.name(), edit.name));
            }
        },
    );
    assert!(
        refused.is_empty(),
        "{} of {count} are turned down:\n{}",
        refused.len(),
        refused.join("\n")
    );
}

/// The lines of a published suite.
fn suite(name: &str) -> Option<Vec<serde_json::Value>> {
    let path = shared::folder("data/suites")?.join(name);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

#[test]
fn no_published_fix_is_turned_down() {
    let (Some(fixes), Some(bugs)) = (
        suite("humanevalfix-python.jsonl.gz"),
        suite("quixbugs-python.jsonl.gz"),
    ) else {
        return;
    };
    let guard = Guard::new(PresetName::Python);
    let mut refused = Vec::new();
    let mut compare = |id: &str, before: &str, after: &str| {
        let breaches = guard.compare(before, after);
        if !breaches.is_empty() {
            refused.push((id.to_owned(), breaches));
        }
    };
    for row in &fixes {
        let text = |name: &str| row[name].as_str().unwrap();
        let head = format!("def {}(", text("entry_point"));
        let whole = |body: &str| {
            let prompt = if body.contains(&head) { "" } else { text("prompt") };
            format!(
                "{prompt}{body}\n\n{}\n\ncheck({})\n",
                text("test"),
                text("entry_point")
            )
        };
        compare(
            text("task_id"),
            &whole(text("seed")),
            &whole(text("canonical_solution")),
        );
    }
    for row in &bugs {
        let text = |name: &str| row[name].as_str().unwrap();
        compare(text("name"), text("buggy"), text("correct"));
    }
    // The published solution of one task calls `eval`, and the program that it mends doesn't.
    let ids: Vec<&str> = refused.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["HumanEval/160"], "{refused:#?}");
}
