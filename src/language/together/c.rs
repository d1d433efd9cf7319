//! C and C++: one file with the program before the tests. The linker puts our code around the test's `main`.

use super::Pair;
use crate::language::lexer::{Quotes, Token, tokens};
use crate::language::sources::Sources;

pub(super) fn compose(pair: &Pair<'_>, ending: &str) -> Sources {
    let file = format!("solution.{ending}");
    let around = format!("redraft.{ending}");
    let program = &pair.program.source;
    let aside = if has_main(program) {
        // A program with a `main` of its own is only the functions that the tests call.
        (
            format!("#define main redraft_{}_main\n", pair.key),
            "#undef main\n",
        )
    } else {
        (String::new(), "")
    };
    let source = format!(
        "{}#line 1 \"{file}\"\n{program}\n{}#undef NDEBUG\n#include <assert.h>\n#line 1 \"tests.{ending}\"\n{}",
        aside.0,
        aside.1,
        whole(pair.code)
    );
    let asserts = if pair.code.contains("assert") { "1" } else { "0" };
    let text = pair.keyed(include_str!("redraft.c")).replace("ASSERTS", asserts);
    let mut sources = pair.sources(
        &file,
        vec![
            (around.clone(), text),
            (file.clone(), source),
            ("assert.h".to_owned(), pair.keyed(include_str!("assert.h"))),
        ],
    );
    // The first one's start comes first.
    sources.compiled = vec![around, file];
    sources
}

fn has_main(source: &str) -> bool {
    let tokens = tokens(source, Quotes::C);
    let is_main = |pair: &[Token<'_>]| pair[0].text == "main" && pair[1].text == "(";
    tokens.windows(2).any(is_main)
}

/// Statements become a `main`; the lines that can't stand in one go before it.
fn whole(code: &str) -> String {
    if has_main(code) {
        return code.to_owned();
    }
    let outside =
        |line: &str| line.trim_start().starts_with('#') || line.trim_start().starts_with("using namespace");
    let before: Vec<&str> = code.lines().filter(|line| outside(line)).collect();
    let inside: Vec<&str> = code
        .lines()
        .map(|line| if outside(line) { "" } else { line })
        .collect();
    let begin = if before.is_empty() {
        String::new()
    } else {
        format!("{}\n#line 1\n", before.join("\n"))
    };
    format!("{begin}int main() {{ {}\nreturn 0; }}\n", inside.join("\n"))
}
