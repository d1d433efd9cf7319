//! Examples that name the parameters: `Input: n = 2` with `Output: 3`, `For n = 2 the result should be 3`, and
//! `n = 2` on a line of its own with `return 3` below it.

use super::calls::ends_value;
use super::literal::leading_literal;
use super::scan::on_one_line;
use super::{Example, Subject};

/// All such examples in the docstring.
pub(super) fn examples(subject: &Subject) -> Vec<Example> {
    let inputs = input_output(subject);
    if !inputs.is_empty() {
        return inputs;
    }
    let sentences: Vec<Example> = subject
        .doc
        .lines()
        .filter_map(|line| sentence(subject, line))
        .collect();
    if !sentences.is_empty() {
        return sentences;
    }
    assigned(subject)
}

/// `Input:` with values up to `Output:`, on the same line or below.
fn input_output(subject: &Subject) -> Vec<Example> {
    let text = &subject.doc;
    let mut examples = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, after)) = rest.split_once("Input:") {
        let Some((input, output)) = after.split_once("Output:") else {
            break;
        };
        rest = output;
        if input.contains("Input:") {
            continue;
        }
        let example = || {
            let call = call(subject, &arguments(input)?)?;
            let (expected, behind) = leading_literal(output)?;
            ends_value(behind).then(|| Example::new(call, on_one_line(&expected)))
        };
        examples.extend(example());
    }
    examples
}

/// `For n = 2 the output should be 3`.
fn sentence(subject: &Subject, line: &str) -> Option<Example> {
    let line = line.trim();
    let rest = line.strip_prefix("For ").or_else(|| line.strip_prefix("for "))?;
    let mut arguments = Vec::new();
    let mut rest = rest;
    loop {
        let (name, value) = rest.split_once('=')?;
        let (value, behind) = leading_literal(value)?;
        arguments.push((Some(name.trim().to_owned()), value));
        rest = behind.trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
        let next = rest.split_once('=').map(|(name, _)| name.trim());
        if !next.is_some_and(|name| subject.parameters.iter().any(|parameter| parameter == name)) {
            break;
        }
    }
    let announced = [
        "output should be",
        "result should be",
        "output is",
        "result is",
        "should return",
        "returns",
    ];
    let (at, phrase) = announced
        .iter()
        .filter_map(|phrase| Some((rest.rfind(phrase)?, phrase)))
        .max()?;
    let (expected, behind) = leading_literal(&rest[at + phrase.len()..])?;
    let call = call(subject, &arguments)?;
    ends_value(behind).then(|| Example::new(call, expected))
}

/// `n = 2`, and further down in the same paragraph `return 3`; for functions of one parameter.
fn assigned(subject: &Subject) -> Vec<Example> {
    let [parameter] = subject.parameters.as_slice() else {
        return Vec::new();
    };
    let mut examples = Vec::new();
    let mut given: Option<String> = None;
    for line in subject.doc.lines().map(str::trim) {
        if line.is_empty() {
            given = None;
        } else if let Some(value) = line
            .strip_prefix(parameter)
            .and_then(|rest| rest.trim_start().strip_prefix('='))
        {
            given = whole(value);
        } else if let Some(value) = line.strip_prefix("return") {
            let value = value.trim_start_matches('s').trim_start().trim_start_matches('=');
            let call = given
                .take()
                .map(|argument| format!("{}({argument})", subject.name));
            examples.extend(
                call.zip(whole(value))
                    .map(|(call, expected)| Example::new(call, expected)),
            );
        }
    }
    examples
}

fn whole(text: &str) -> Option<String> {
    let (value, behind) = leading_literal(text)?;
    behind.trim().is_empty().then_some(value)
}

type Argument = (Option<String>, String);

/// `n = 2, k = 3`, the same with `:` or on lines of their own, or values alone.
fn arguments(text: &str) -> Option<Vec<Argument>> {
    let mut arguments = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let name_end = rest
            .find(|c: char| !super::scan::in_name(c))
            .unwrap_or(rest.len());
        let behind = rest[name_end..].trim_start();
        let named = !rest.starts_with(|c: char| c.is_ascii_digit());
        let (name, value) = match behind.strip_prefix('=').or_else(|| behind.strip_prefix(':')) {
            Some(value) if named && name_end > 0 => (Some(rest[..name_end].to_owned()), value),
            _ => (None, rest),
        };
        let (value, behind) = leading_literal(value)?;
        arguments.push((name, on_one_line(&value)));
        rest = behind.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Some(arguments)
}

/// The call with these arguments: by name where every name is a parameter's, else by position if there are as
/// many as parameters.
fn call(subject: &Subject, arguments: &[Argument]) -> Option<String> {
    if arguments.len() != subject.parameters.len() {
        return None;
    }
    let by_name: Option<Vec<&str>> = subject
        .parameters
        .iter()
        .map(|parameter| {
            let argument = arguments
                .iter()
                .find(|(name, _)| name.as_ref() == Some(parameter))?;
            Some(argument.1.as_str())
        })
        .collect();
    let values = by_name.unwrap_or_else(|| arguments.iter().map(|(_, value)| value.as_str()).collect());
    Some(format!("{}({})", subject.name, values.join(", ")))
}
