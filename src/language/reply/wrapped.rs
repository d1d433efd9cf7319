//! Replies that hold the answer as a text in JSON, or in something that looks like it.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt};
use serde_json::Value;

/// Fields under which models put code, the likeliest first. Others are looked at behind them.
const FIELDS: [&str; 14] = [
    "code",
    "solution",
    "program",
    "python",
    "completion",
    "answer",
    "function",
    "implementation",
    "source",
    "fixed_code",
    "content",
    "text",
    "response",
    "output",
];

/// The texts in a reply that is JSON as a whole, those that most likely are the answer first.
pub(super) fn texts(reply: &str) -> Vec<String> {
    let text = reply.trim();
    if !text.starts_with(['{', '[', '"']) {
        return Vec::new();
    }
    let value = serde_json::from_str(text).or_else(|_| serde_json::from_str(&with_escapes(text)));
    let mut found = Vec::new();
    match value {
        Ok(value) => collect(&value, None, &mut found),
        // Quotes of Python's kinds around it.
        Err(_) => literals(text, &mut found),
    }
    let rank = |field: &Option<String>| {
        let known = |field: &String| FIELDS.iter().position(|known| known == field);
        field.as_ref().and_then(known).unwrap_or(FIELDS.len())
    };
    found.sort_by_key(|(field, _)| rank(field));
    found.into_iter().map(|(_, text)| text).collect()
}

type Texts = Vec<(Option<String>, String)>;

fn collect(value: &Value, field: Option<&str>, found: &mut Texts) {
    match value {
        Value::String(text) => found.push((field.map(str::to_ascii_lowercase), text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, field, found)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| collect(value, Some(name), found)),
        _ => {}
    }
}

/// JSON in which texts have real line ends: models forget to escape them.
fn with_escapes(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let (mut inside, mut after_backslash) = (false, false);
    for c in text.chars() {
        match c {
            '"' if !after_backslash => inside = !inside,
            '\n' if inside => {
                escaped.push_str("\\n");
                continue;
            }
            '\t' if inside => {
                escaped.push_str("\\t");
                continue;
            }
            _ => {}
        }
        after_backslash = c == '\\' && !after_backslash;
        escaped.push(c);
    }
    escaped
}

/// The strings of a text that is one Python expression.
fn literals(text: &str, found: &mut Texts) {
    let Ok(parsed) = ruff_python_parser::parse_module(text) else {
        return;
    };
    if let [Stmt::Expr(expression)] = parsed.syntax().body.as_slice() {
        Literals { found }.visit_expr(&expression.value);
    }
}

struct Literals<'f> {
    found: &'f mut Texts,
}

impl<'a> Visitor<'a> for Literals<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Dict(dict) => {
                for item in &dict.items {
                    let name = item.key.as_ref().and_then(Expr::as_string_literal_expr);
                    match (name, item.value.as_string_literal_expr()) {
                        (Some(name), Some(text)) => {
                            let name = name.value.to_str().to_ascii_lowercase();
                            self.found.push((Some(name), text.value.to_str().to_owned()));
                        }
                        _ => self.visit_expr(&item.value),
                    }
                }
            }
            Expr::StringLiteral(text) => self.found.push((None, text.value.to_str().to_owned())),
            _ => walk_expr(self, expression),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn the_likeliest_text_comes_first() {
        for reply in [
            r#"{"explanation": "It doubles.", "code": "x = 1"}"#,
            r#"[{"type": "code", "explanation": "It doubles.", "code": "x = 1"}]"#,
            "{'explanation': 'It doubles.', 'code': '''x = 1'''}",
        ] {
            assert_eq!(texts(reply)[0], "x = 1", "{reply}");
        }
        assert_eq!(texts("{\"code\": \"a\n\tb \\\"c\\\"\"}"), ["a\n\tb \"c\""]);
        assert_eq!(texts(r#""x = 1\n""#), ["x = 1\n"]);
        assert!(texts("x = {'a': 1}").is_empty() && texts("{ no json").is_empty());
    }
}
