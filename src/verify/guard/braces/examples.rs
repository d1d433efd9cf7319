//! Examples in the comments of Rust, which its documentation tool runs as tests.

use crate::verify::guard::lex::Comment;
use crate::verify::guard::outline::Test;

/// Every example between fences.
pub(super) fn examples(comments: &[Comment<'_>]) -> Vec<Test> {
    let mut tests = Vec::new();
    let mut open: Option<Test> = None;
    let lines = comments.iter().flat_map(|comment| {
        let documents = ["///", "//!", "/**", "/*!"]
            .iter()
            .any(|mark| comment.text.starts_with(mark));
        let lines = comment.text.lines().enumerate();
        lines
            .filter(move |_| documents)
            .map(move |(at, line)| (comment.line + at, line))
    });
    for (number, line) in lines {
        let line = line.trim_start_matches(['/', '!', '*', ' ']).trim_end();
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => {
                open = Some(Test {
                    name: format!("example {kind}"),
                    line: number,
                    whole: kind.to_owned(),
                });
            }
            (Some(_), Some(_)) => tests.extend(open.take()),
            (None, Some(test)) => {
                test.whole.push('\n');
                test.whole.push_str(line);
            }
            (None, None) => {}
        }
    }
    tests.extend(open);
    tests
}
