//! Examples that show a call and its result in one line: `f(2) == 3`, `f(2) ➞ 3`, `f(2) should return 3`.

use std::collections::BTreeSet;

use super::literal::{is_plain_call, leading_literal};
use super::scan::{bracketed_end, in_name, on_one_line, without_comment};
use super::{Example, Subject};

/// What stands between a call and its result; of two that fit, the longer one is first.
const ARROWS: [&str; 11] = ["===>", "==>", "-->", "==", "=>", "->", "➞", "→", "⇒", "↦", "="];
const WORDS: [&str; 12] = [
    "should return",
    "should be",
    "should give",
    "should equal",
    "will return",
    "evaluates to",
    "returns",
    "return",
    "gives",
    "yields",
    "equals",
    "is",
];

/// All calls with a result in the docstring.
pub(super) fn examples(subject: &Subject) -> Vec<Example> {
    let mut examples = in_text(subject, &subject.name, text(subject));
    if examples.is_empty() {
        // Some docstrings call the function by another name, and by that one alone.
        let names: BTreeSet<&str> = other_names(subject).collect();
        if let (Some(name), 1) = (names.first(), names.len()) {
            examples = in_text(subject, name, &subject.doc)
                .into_iter()
                .map(|example| Example {
                    call: example.call.replacen(name, &subject.name, 1),
                    ..example
                })
                .collect();
        }
    }
    one_tuples(&mut examples);
    examples
}

/// The part of the docstring that holds examples. If it also defines the function by a formula such as
/// `f(n) = f(n - 1) + 2`, lines before the last heading "Example" belong to the formula.
fn text(subject: &Subject) -> &str {
    let doc = &subject.doc;
    let formula = subject.parameters.iter().any(|parameter| {
        let head = format!("{}({parameter})", subject.name);
        doc.match_indices(&head)
            .any(|(at, _)| separated(&doc[at + head.len()..]).is_some())
    });
    let heading = doc
        .lines()
        .rfind(|line| line.trim().to_lowercase().starts_with("example"));
    match heading {
        Some(heading) if formula => &doc[heading.as_ptr() as usize - doc.as_ptr() as usize..],
        _ => doc,
    }
}

fn in_text(subject: &Subject, name: &str, text: &str) -> Vec<Example> {
    occurrences(text, name)
        .filter_map(|at| at_call(subject, name, text, at))
        .collect()
}

/// The examples in one line.
pub(super) fn in_line(subject: &Subject, name: &str, line: &str) -> Vec<Example> {
    in_text(subject, name, line)
}

/// Where `name(` stands as a whole name and not inside of an expression.
fn occurrences<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        let line = text[..at].rsplit('\n').next().unwrap_or("");
        // `* f(2)` and `- f(2)` are list items.
        let before = line.trim().trim_start_matches(['*', '-', '•']).trim();
        !line.ends_with(|c: char| in_name(c) || c == '.')
            && !before.ends_with(['(', '[', '{', '+', '-', '*', '/', '%', '=', '<', '>', '!'])
            && before.rsplit(char::is_whitespace).next() != Some("not")
            && text[at + name.len()..].starts_with('(')
    })
}

fn at_call(subject: &Subject, name: &str, text: &str, at: usize) -> Option<Example> {
    let open = at + name.len();
    let close = open + bracketed_end(&text[open..])?;
    let source = on_one_line(&text[at..close]);
    let source = if is_plain_call(&source, name, &subject.helpers).is_some() {
        source
    } else {
        quoted_words(subject, name, &source)?
    };
    let arguments = is_plain_call(&source, name, &subject.helpers)?;
    if arguments > subject.parameters.len() && !subject.variadic {
        return None;
    }
    let rest = separated(&text[close..])?;
    let (first, behind) = leading_literal(rest)?;
    let line = without_comment(behind.lines().next().unwrap_or(""));
    let expected = if ends_value(behind) {
        first
    } else if line.trim_start().starts_with(['+', '-', '*', '/', '=']) {
        // `f(5) -> 19 - 5 - 6 = 8`: the last value is the result.
        let (value, behind) = leading_literal(line.rsplit_once('=')?.1)?;
        ends_value(behind).then_some(value)?
    } else {
        return None;
    };
    Some(Example::new(source, on_one_line(&expected)))
}

/// What stands behind the sign or words that announce a result.
fn separated(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']);
    let text = text
        .strip_prefix('#')
        .unwrap_or(text)
        .trim_start_matches([' ', '\t']);
    if let Some(rest) = ARROWS.iter().find_map(|arrow| text.strip_prefix(arrow)) {
        return Some(rest);
    }
    let rest = WORDS.iter().find_map(|word| text.strip_prefix(word))?;
    rest.starts_with([' ', ':', '\t'])
        .then(|| rest.trim_start_matches([' ', ':', '\t']))
}

/// Whether what follows a value leaves it whole: the line's end, a comment, or prose after a mark.
pub(super) fn ends_value(rest: &str) -> bool {
    let rest = rest.lines().next().unwrap_or("").trim();
    let comment = rest.trim_start_matches(['#', '(']).trim_start();
    if comment.len() < rest.len() && (comment.starts_with("or ") || comment.contains("any order")) {
        return false;
    }
    rest.is_empty()
        || rest.starts_with(['#', ';', ','])
        || rest
            .strip_prefix('.')
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        || rest.starts_with('(')
        || ["because", "since", "as ", "and "]
            .iter()
            .any(|word| rest.starts_with(word))
}

/// `f(abc) => True` means `f('abc')` where the function takes one string and `abc` is no parameter.
fn quoted_words(subject: &Subject, name: &str, source: &str) -> Option<String> {
    let word = source[name.len() + 1..source.len() - 1].trim();
    let text = subject.doc.to_lowercase().contains("string");
    let plain = !word.is_empty() && word.chars().all(in_name) && word.starts_with(char::is_alphabetic);
    let known = subject.parameters.iter().any(|parameter| parameter == word);
    (subject.parameters.len() == 1 && text && plain && !known).then(|| format!("{name}('{word}')"))
}

/// Names other than the function's that the docstring calls at the beginning of a line, with a result.
fn other_names(subject: &Subject) -> impl Iterator<Item = &str> {
    subject.doc.lines().filter_map(|line| {
        let line = line.trim_start_matches([' ', '\t', '*', '-', '>']);
        let line = ["assert ", "for "]
            .iter()
            .find_map(|word| line.strip_prefix(word))
            .unwrap_or(line);
        let (name, _) = line.split_once('(')?;
        let whole = !name.is_empty() && name.chars().all(in_name) && name != subject.name;
        let helper = subject.helpers.iter().any(|helper| helper == name);
        (whole && !helper && !in_text(subject, name, line).is_empty()).then_some(name)
    })
}

/// `("Venus")` where the other results are tuples means the tuple of one.
fn one_tuples(examples: &mut [Example]) {
    let tuple = |text: &str| {
        ruff_python_parser::parse_expression(text).is_ok_and(|parsed| parsed.expr().is_tuple_expr())
    };
    let tuples = examples
        .iter()
        .any(|example| example.expected.as_deref().is_some_and(tuple));
    for expected in examples
        .iter_mut()
        .filter_map(|example| example.expected.as_mut())
    {
        if tuples && expected.starts_with('(') && !tuple(expected) {
            expected.insert(expected.len() - 1, ',');
        }
    }
}
