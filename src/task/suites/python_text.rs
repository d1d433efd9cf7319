//! JSON as Python source.

use serde_json::Value;

/// A Python expression for a JSON value. `{"$int": …}` and `{"$float": …}` are numbers that JSON can't hold.
pub(super) fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => format!("[{}]", joined(items)),
        Value::Object(fields) => {
            if let (1, Some(Value::String(digits))) = (fields.len(), fields.get("$int")) {
                return digits.clone();
            }
            if let (1, Some(Value::String(name))) = (fields.len(), fields.get("$float")) {
                return format!("float({name:?})");
            }
            let field =
                |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), python(value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        // JSON's numbers and strings mean the same in Python, lone surrogates aside, which serde refuses.
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// The items of a list, with commas between them.
pub(super) fn joined(items: &[Value]) -> String {
    items.iter().map(python).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::python;

    #[test]
    fn json_becomes_python() {
        let value = serde_json::json!([null, true, 1, -2.5, "a\n\"b\"\u{2028}", {"k": [false]}, {"$int": "12"}, {"$float": "nan"}]);
        assert_eq!(
            python(&value),
            "[None, True, 1, -2.5, \"a\\n\\\"b\\\"\u{2028}\", {\"k\": [False]}, 12, float(\"nan\")]"
        );
    }
}
