//! Python source that means the same value everywhere.

use ruff_python_ast::{Expr, ExprCall, Operator, UnaryOp};

use super::scan::value_end;

/// `text` as the source of a literal value, if it is one; `true` and `false` become Python's.
pub(super) fn literal(text: &str) -> Option<String> {
    let text = match text.trim() {
        "true" | "TRUE" => "True",
        "false" | "FALSE" => "False",
        "null" | "none" => "None",
        text => text,
    };
    is_literal(ruff_python_parser::parse_expression(text).ok()?.expr()).then(|| text.to_owned())
}

/// The literal that `text` begins with, and what stands behind it.
pub(super) fn leading_literal(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let end = value_end(text)?;
    Some((literal(&text[..end])?, &text[end..]))
}

/// Whether `source` is a call of `name` whose arguments are all literals (or calls of `helpers` on literals).
pub(super) fn is_plain_call(source: &str, name: &str, helpers: &[String]) -> Option<usize> {
    let parsed = ruff_python_parser::parse_expression(source).ok()?;
    let call = parsed.expr().as_call_expr()?;
    let called = call.func.as_name_expr()?.id.as_str();
    (called == name && arguments(call).all(|argument| is_plain(argument, helpers)))
        .then(|| arguments(call).count())
}

fn is_plain(expr: &Expr, helpers: &[String]) -> bool {
    let helper = |call: &ExprCall| {
        call.func
            .as_name_expr()
            .is_some_and(|name| helpers.iter().any(|helper| helper == name.id.as_str()))
            && arguments(call).all(|argument| is_plain(argument, helpers))
    };
    is_literal(expr) || expr.as_call_expr().is_some_and(helper)
}

fn arguments(call: &ExprCall) -> impl Iterator<Item = &Expr> {
    let keywords = call.arguments.keywords.iter().map(|keyword| &keyword.value);
    call.arguments.args.iter().chain(keywords)
}

/// Constants, containers of them, and what `repr` writes for values without a literal of their own.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => true,
        Expr::UnaryOp(unary) => {
            matches!(unary.op, UnaryOp::USub | UnaryOp::UAdd) && unary.operand.is_number_literal_expr()
        }
        // A complex number.
        Expr::BinOp(binary) => {
            matches!(binary.op, Operator::Add | Operator::Sub)
                && is_literal(&binary.left)
                && binary.right.is_number_literal_expr()
        }
        Expr::List(list) => list.elts.iter().all(is_literal),
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_literal),
        Expr::Set(set) => set.elts.iter().all(is_literal),
        Expr::Dict(dict) => dict
            .items
            .iter()
            .all(|item| item.key.as_ref().is_some_and(is_literal) && is_literal(&item.value)),
        Expr::Call(call) => {
            let constructors = ["set", "frozenset", "float", "bytearray"];
            call.func
                .as_name_expr()
                .is_some_and(|name| constructors.contains(&name.id.as_str()))
                && arguments(call).all(is_literal)
        }
        _ => false,
    }
}
