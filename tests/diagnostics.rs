//! What compilers, provers, type checkers, linters and test runners print is read into one form: category, place,
//! message. The samples are outputs of the tools themselves, but for Verus, Dafny 4, clang and Why3, which are
//! written after their documentation.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::path::PathBuf;

use proptest::prelude::*;
use redraft::verify::read;

fn told(output: &read::Output) -> String {
    let mut text = String::new();
    for diagnostic in &output.diagnostics {
        writeln!(text, "{diagnostic}").unwrap();
        for related in &diagnostic.related {
            let place = related
                .place
                .as_ref()
                .map(|place| format!("{place}: "))
                .unwrap_or_default();
            writeln!(
                text,
                "    {place}{}",
                related.message.lines().next().unwrap_or_default()
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn every_tool_is_read() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut samples: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    samples.sort();
    assert!(samples.len() > 30);
    let mut all = String::new();
    for sample in samples {
        let name = sample.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&sample).unwrap();
        // Which stream it came on makes no difference.
        let output = read::output(&text, "");
        assert_eq!(output, read::output("", &text), "{name}");
        writeln!(all, "== {name}\n{}", told(&output)).unwrap();
    }
    insta::assert_snapshot!("diagnostics", all);
}

#[test]
fn what_explains_nothing_is_left_out_of_the_text() {
    let text = include_str!("diagnostics/dafny-verify.txt");
    let output = read::output(text, "");
    assert!(text.contains("Legal parameters are"));
    assert!(!output.text.contains("Legal parameters are"), "{}", output.text);
    assert!(
        output
            .text
            .contains("Dafny program verifier finished with 2 verified, 8 errors")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_output_breaks_the_reader(lines in proptest::collection::vec(
        prop_oneof![
            "[ -~]{0,40}",
            "[a-c.]{1,4}:[0-9]{1,2}:[0-9]?:? (error|warning|note)?: [a-z ]{0,10}",
            "(error|note|warning)(\\[E[0-9]{2}\\])?: [a-z ]{1,9}",
            " *(-->|\\||=|[0-9]+ \\|) ?[a-z^:_-]{0,9}",
            "a.c\\([0-9]+,[0-9]*\\)?: (Error|Related location)?:? ?[a-z]{0,5}",
            "(_{2,4}|={2,4}) [a-z]{1,5} (_{2,4}|={2,4})",
            "thread '[a-z]*' panicked at [a-z'.:0-9, ]{0,12}",
            "\\{\"(reason|file|kind|level|location)\": ?(\"x\"|\\{\\}|1)\\}",
            "File \"[a-z.]{0,3}\", line [0-9]{0,3}.*",
        ], 0..12)) {
        let text = lines.join("\n");
        let output = read::output(&text, &text);
        for diagnostic in &output.diagnostics {
            prop_assert!(diagnostic.place.as_ref().is_none_or(|place| !place.file.is_empty()));
        }
    }
}
