//! Examples behind `>>>`.

use ruff_python_ast::{CmpOp, Expr, Stmt};

use super::literal::{leading_literal, literal};
use super::scan::{in_name, on_one_line, without_comment};
use super::{Example, Subject, calls};

/// Every `>>>` line that calls the function, with what should come.
pub(super) fn examples(subject: &Subject) -> Vec<Example> {
    let lines: Vec<&str> = subject.doc.lines().map(str::trim).collect();
    let mut examples = Vec::new();
    let mut setup = String::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(first) = lines[at].strip_prefix(">>>") else {
            at += 1;
            continue;
        };
        let mut source = first.trim().to_owned();
        at += 1;
        while let Some(more) = lines.get(at).and_then(|line| line.strip_prefix("...")) {
            source.push('\n');
            source.push_str(more.strip_prefix(' ').unwrap_or(more));
            at += 1;
        }
        let start = at;
        while lines
            .get(at)
            .is_some_and(|line| !line.is_empty() && !line.starts_with(">>>"))
        {
            at += 1;
        }
        let output = on_one_line(&lines[start..at].join("\n"));
        if let Some(statement) = statement(&source) {
            setup.push_str(&statement);
            continue;
        }
        examples.extend(example(subject, &source, &output).map(|example| Example {
            setup: setup.clone(),
            ..example
        }));
    }
    examples
}

/// The source as a setup statement (an assignment, an import), if it is one.
fn statement(source: &str) -> Option<String> {
    let module = ruff_python_parser::parse_module(source).ok()?.into_syntax();
    let setup = !module.body.is_empty()
        && module.body.iter().all(|statement| {
            matches!(
                statement,
                Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::Import(_) | Stmt::ImportFrom(_)
            )
        });
    // `>>> f(1) = 2` isn't a statement to a parser either, so it doesn't come here.
    setup.then(|| format!("{source}\n"))
}

fn example(subject: &Subject, source: &str, output: &str) -> Option<Example> {
    let source = without_comment(source);
    let Ok(parsed) = ruff_python_parser::parse_expression(source) else {
        // `>>> f(2) => 3`: no Python, but plain enough.
        return calls::in_line(subject, &subject.name, source).into_iter().next();
    };
    if !calls_function(source, &subject.name) {
        return None;
    }
    let source = on_one_line(source);
    match parsed.expr() {
        // A condition, written in place of a result.
        Expr::Compare(compare) if output.is_empty() || output == "True" => {
            match (&*compare.ops, &*compare.comparators) {
                ([CmpOp::Eq], [Expr::NoneLiteral(_)]) => {
                    let call = source.rsplit_once("==").map(|(call, _)| call.trim().to_owned())?;
                    Some(Example::new(call, "None"))
                }
                _ => Some(Example {
                    setup: String::new(),
                    call: source,
                    expected: None,
                }),
            }
        }
        _ if output.is_empty() => {
            let alone = super::literal::is_plain_call(&source, &subject.name, &subject.helpers).is_some();
            alone.then(|| Example::new(source, "None"))
        }
        _ => {
            let expected = literal(output).or_else(|| {
                // Prose may follow on lines of its own; the value is on the first.
                let (value, rest) = leading_literal(output)?;
                calls::ends_value(rest).then_some(value)
            })?;
            Some(Example::new(source, expected))
        }
    }
}

fn calls_function(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let before = source[..at].chars().next_back();
        !before.is_some_and(|c| in_name(c) || c == '.')
            && source[at + name.len()..].trim_start().starts_with('(')
    })
}
