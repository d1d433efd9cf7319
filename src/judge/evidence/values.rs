//! Literal values in a form that is the same however they are written: lists and tuples are one, quotes are double.

use ruff_python_ast::{Expr, Number, UnaryOp};
use serde_json::Value;

/// The form of an expression, if it is a literal.
pub(super) fn plain(expr: &Expr) -> Option<String> {
    let joined = |items: &[Expr]| -> Option<String> {
        let items: Option<Vec<String>> = items.iter().map(plain).collect();
        Some(items?.join(","))
    };
    Some(match expr {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(int) => int.to_string(),
            Number::Float(float) => format!("{float:?}"),
            Number::Complex { .. } => return None,
        },
        Expr::StringLiteral(text) => quoted(text.value.to_str()),
        Expr::BooleanLiteral(truth) => if truth.value { "True" } else { "False" }.to_owned(),
        Expr::NoneLiteral(_) => "None".to_owned(),
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub && unary.operand.is_number_literal_expr() => {
            format!("-{}", plain(&unary.operand)?)
        }
        Expr::List(list) => format!("[{}]", joined(&list.elts)?),
        Expr::Tuple(tuple) => format!("[{}]", joined(&tuple.elts)?),
        Expr::Set(set) => format!("{{{}}}", joined(&set.elts)?),
        Expr::Dict(dict) => {
            let items: Option<Vec<String>> = dict
                .items
                .iter()
                .map(|item| Some(format!("{}:{}", plain(item.key.as_ref()?)?, plain(&item.value)?)))
                .collect();
            format!("{{{}}}", items?.join(","))
        }
        _ => return None,
    })
}

/// The same for JSON.
pub(super) fn of_json(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(truth) => if *truth { "True" } else { "False" }.to_owned(),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (None, None, Some(float)) => format!("{float:?}"),
            _ => number.to_string(),
        },
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(of_json).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            let items: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}:{}", quoted(key), of_json(value)))
                .collect();
            format!("{{{}}}", items.join(","))
        }
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// Whether a value is one that doesn't stand in a program by chance.
pub(super) fn is_telling(value: &str) -> bool {
    match value.chars().next() {
        Some('"') => value.chars().count() >= 5,
        Some('[' | '{') => value.contains(','),
        Some(first) if first.is_ascii_digit() || first == '-' => {
            value.trim_start_matches('-').len() >= 2 && value != "0.0" && value != "1.0"
        }
        // A text without quotes, of stdin or stdout.
        Some(_) => !["True", "False", "None"].contains(&value) && value.chars().count() >= 3,
        None => false,
    }
}
