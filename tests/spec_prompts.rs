//! The bundled prompts are those of the specification, word for word.

#[path = "support/shared.rs"]
mod shared;

use std::path::Path;

/// Specification, the prompt's place in it, and the file that holds it here.
const PROMPTS: &[(&str, usize, &str)] = &[
    ("critic-and-self-debug.md", 0, "critic-search/verify.txt"),
    ("critic-and-self-debug.md", 1, "critic-search/revise.txt"),
    ("critic-and-self-debug.md", 2, "self-debug/explain.txt"),
    ("critic-and-self-debug.md", 3, "self-debug/fix.txt"),
    ("evaluator-optimizer.md", 0, "evaluator-separate/generate.txt"),
    ("evaluator-optimizer.md", 1, "evaluator-separate/evaluate.txt"),
    ("evaluator-optimizer.md", 2, "evaluator-same/draft.txt"),
    ("evaluator-optimizer.md", 3, "evaluator-same/critique.txt"),
    ("evaluator-optimizer.md", 4, "evaluator-same/refine.txt"),
    ("evaluator-optimizer.md", 5, "evaluator-tools/generate.txt"),
    ("evaluator-optimizer.md", 6, "evaluator-tools/evaluate.txt"),
];

/// The text without the marks of conditions, which are written in another way here; blank lines don't count.
fn plain(text: &str) -> Vec<String> {
    let marks = ["{{#if feedback}}", "{{/if}}", "{% if feedback %}", "{% endif %}"];
    let text = marks
        .iter()
        .fold(text.to_owned(), |text, mark| text.replace(mark, ""));
    text.lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_prompt_is_that_of_the_specification() {
    for (specification, place, file) in PROMPTS {
        let Some(path) = shared::folder(&format!("spec/{specification}")) else {
            return;
        };
        let text = std::fs::read_to_string(path).unwrap();
        let block = text.split("```markdown\n").nth(place + 1).unwrap();
        let wanted = plain(block.split("```").next().unwrap());
        let ours = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src/prompts")
            .join(file);
        assert_eq!(plain(&std::fs::read_to_string(ours).unwrap()), wanted, "{file}");
    }
}
