//! `docs/spec-tests.md` holds the specification beside the tests: every test that it names exists, no test of a specification is
//! missing there, and no line of the specification is.

#[path = "support/shared.rs"]
mod shared;

use std::collections::BTreeSet;
use std::path::Path;

const MAP: &str = include_str!("../docs/spec-tests.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `file::name` of every test in the map.
fn named() -> BTreeSet<(String, String)> {
    let pieces = MAP.split('`').skip(1).step_by(2);
    let tests = pieces.filter_map(|piece| piece.split_once("::"));
    tests
        .filter(|(file, _)| *file != "file")
        .map(|(file, name)| (file.to_owned(), name.to_owned()))
        .collect()
}

/// Names of the tests in a file.
fn tests_in(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if is_test || line.contains(" in ") {
            let from = line.strip_prefix("async ").unwrap_or(line);
            let name = from
                .strip_prefix("fn ")
                .and_then(|rest| rest.split(['(', '<']).next());
            names.extend(name.map(str::to_owned));
            is_test = is_test && name.is_none();
        }
    }
    names
}

#[test]
fn every_test_in_the_map_exists() {
    assert!(named().len() > 60);
    for (file, name) in named() {
        let path = if file.starts_with("src/") {
            file.clone()
        } else {
            format!("tests/{file}.rs")
        };
        let text =
            std::fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(tests_in(&text).contains(&name), "{path} has no test {name}");
    }
}

#[test]
fn every_test_of_a_line_of_the_specification_is_in_the_map() {
    let named = named();
    for entry in std::fs::read_dir(root().join("tests")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !stem.starts_with("spec_") || stem == "spec_map" || !path.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for name in tests_in(&text) {
            let of_a_line = ["stub_test", "stop_", "requirement_", "paper_"]
                .iter()
                .any(|start| name.starts_with(start));
            if of_a_line {
                assert!(
                    named.contains(&(stem.clone(), name.clone())),
                    "{stem}::{name} is not in docs/spec-tests.md"
                );
            }
        }
    }
}

/// The sentences of each "Stop rule" and the items of each "Requirements" section.
fn lines_of(specification: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut section = "";
    for line in specification.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        } else if section == "Requirements" {
            lines.extend(line.strip_prefix("- ").map(|item| item.trim().to_owned()));
        } else if section == "Stop rule" && !line.trim().is_empty() {
            lines.extend(
                line.split_inclusive(". ")
                    .map(|sentence| sentence.trim().to_owned()),
            );
        }
    }
    lines
}

#[test]
fn every_line_of_the_specification_is_in_the_map() {
    for name in ["critic-and-self-debug.md", "evaluator-optimizer.md"] {
        let Some(path) = shared::folder(&format!("spec/{name}")) else {
            return;
        };
        let lines = lines_of(&std::fs::read_to_string(path).unwrap());
        assert!(lines.len() > 10, "{name}: {lines:?}");
        for line in lines {
            assert!(
                MAP.contains(&format!("\n| {line} |")),
                "{name}: not in docs/spec-tests.md: {line}"
            );
        }
    }
}
