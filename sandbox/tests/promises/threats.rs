//! Every test that the threat model names is there.

use std::path::Path;

const MODEL: &str = include_str!("../../THREATS.md");

/// All of the tests' source.
fn source(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            source(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn the_tests_that_the_threat_model_names_are_there() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (mut promises, mut attacks) = (String::new(), String::new());
    source(&tests.join("promises"), &mut promises);
    source(&tests.join("attacks"), &mut attacks);
    let mut count = 0;
    // In the tables, the last column names tests.
    for row in MODEL
        .lines()
        .filter(|line| line.starts_with("| ") && line.ends_with(" |"))
    {
        let Some(column) = row.trim_end_matches(" |").rsplit(" | ").next() else {
            continue;
        };
        for name in column.split('`').skip(1).step_by(2) {
            let there = match name.split_once("::") {
                Some((file, function)) => {
                    let in_file = tests.join("promises").join(format!("{file}.rs"));
                    let text = std::fs::read_to_string(in_file).unwrap_or_default();
                    text.contains(&format!("fn {function}()"))
                }
                None => {
                    attacks.contains(&format!("\n    {name} {{")) || attacks.contains(&format!("fn {name}()"))
                }
            };
            assert!(there, "there is no test {name}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
    assert!(promises.contains("fn the_tests_that_the_threat_model_names_are_there()"));
}

#[test]
fn every_layer_is_in_the_threat_model() {
    for layer in redraft_sandbox::survey().unwrap() {
        if layer.name != "rlimits" {
            assert!(MODEL.contains(&format!("`{}`", layer.name)), "{}", layer.name);
        }
    }
}
