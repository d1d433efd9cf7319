//! Rust: one file with the program, the tests and, behind them, the code that runs them. Each `#[test]` becomes a
//! registration, because the language's own test runner takes a program that ends itself for one that passed.

use super::Pair;
use crate::language::lexer::{Quotes, Token, tokens};
use crate::language::sources::Sources;

pub(super) fn compose(pair: &Pair<'_>) -> Sources {
    let module = format!("redraft_{}", pair.key);
    let own_main = main_of(&pair.program.source);
    let test_main = main_of(pair.code);
    let mut program = pair.program.source.clone();
    if let (Some((start, end)), Some(_)) = (own_main, test_main) {
        program.replace_range(start..end, &format!("{module}_main"));
    }
    let (mut tests, count) = registered(&pair.code.replace("#[cfg(test)]", ""), &module);
    if count == 0 {
        let name = if test_main.is_some() {
            "crate::main".to_owned()
        } else {
            tests = format!("fn {module}_test() {{ {tests}\n}}\n");
            format!("crate::{module}_test")
        };
        tests.push_str(&registration(&module, "tests", &name, false));
    }
    let first_line = program.matches('\n').count() + 2;
    let around = pair
        .keyed(include_str!("redraft_rs.txt"))
        .replace("FIRST_LINE", &first_line.to_string());
    let source = format!("#![no_main]{program}\n{tests}\n{around}");
    pair.sources("solution.rs", vec![("solution.rs".to_owned(), source)])
}

/// Where the name of a function `main` stands that isn't inside of anything.
fn main_of(source: &str) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    let tokens = tokens(source, Quotes::Rust);
    for two in tokens.windows(2) {
        match two[0].text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "fn" if depth == 0 && two[1].text == "main" => return Some((two[1].start, two[1].end())),
            _ => {}
        }
    }
    None
}

/// A static that has a test registered before `main`.
fn registration(module: &str, label: &str, function: &str, panics: bool) -> String {
    let call = if panics {
        format!("|| crate::{module}::panics({function})")
    } else {
        format!("|| crate::{module}::Outcome::is_fine({function}())")
    };
    format!(
        "const _: () = {{ #[used] #[link_section = \".init_array\"] static R: extern \"C\" fn() = {{ extern \"C\" fn r() \
         {{ crate::{module}::add({label:?}, {call}) }} r }}; }}; "
    )
}

/// The tests with each `#[test]` replaced by a registration, and how many there are.
fn registered(code: &str, module: &str) -> (String, usize) {
    let tokens = tokens(code, Quotes::Rust);
    let mut text = String::with_capacity(code.len());
    let mut from = 0;
    let mut count = 0;
    for at in 0..tokens.len() {
        let words: Vec<&str> = tokens[at..].iter().take(4).map(|token| token.text).collect();
        if words != ["#", "[", "test", "]"] {
            continue;
        }
        let Some(name) = function_after(&tokens[at + 4..]) else {
            continue;
        };
        let attributes = &code[tokens[at].start..name.start];
        let panics = attributes.contains("should_panic");
        text.push_str(&code[from..tokens[at].start]);
        text.push_str(&registration(module, name.text, name.text, panics));
        from = tokens[at + 3].end();
        if panics {
            // The attribute means nothing without the language's own runner.
            let rest = code[from..name.start].replace("#[should_panic]", "");
            text.push_str(&rest);
            from = name.start;
        }
        count += 1;
    }
    text.push_str(&code[from..]);
    (text, count)
}

/// The name of the function that follows, behind attributes and words such as `pub`.
fn function_after<'a>(tokens: &[Token<'a>]) -> Option<Token<'a>> {
    let at = tokens
        .iter()
        .position(|token| matches!(token.text, "fn" | "{" | ";"))?;
    (tokens[at].text == "fn")
        .then(|| tokens.get(at + 1).copied())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_registered() {
        let code = "mod tests {\n use super::*;\n #[test]\n fn one() { }\n #[test] #[should_panic]\n pub fn two() { }\n // #[test]\n fn not() { }\n}";
        let (text, count) = registered(code, "m");
        assert_eq!(count, 2);
        assert_eq!(text.matches('\n').count(), code.matches('\n').count());
        assert!(
            text.contains("Outcome::is_fine(one())") && text.contains("panics(two)"),
            "{text}"
        );
        assert!(!text.contains("should_panic]"), "{text}");
    }

    #[test]
    fn the_main_of_a_program_is_found() {
        let source = "// fn main() {}\nmod a { fn main() {} }\nfn main() {}";
        assert_eq!(
            main_of(source).map(|(start, _)| start),
            Some(source.rfind("main").unwrap())
        );
        assert_eq!(main_of("fn mains() {}"), None);
    }
}
