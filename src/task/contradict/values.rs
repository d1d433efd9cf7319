//! Another value of the same kind.

use serde_json::{Number, Value};

/// Changes a value into another one that no tolerance takes for it.
pub(super) fn change(value: &mut Value) {
    *value = match value.take() {
        Value::Null => Value::from(0),
        Value::Bool(truth) => Value::Bool(!truth),
        Value::Number(number) => changed(&number),
        Value::String(text) => Value::from(format!("{text}x")),
        Value::Array(mut items) => {
            match items.last_mut() {
                Some(last) => change(last),
                None => items.push(Value::from(0)),
            }
            Value::Array(items)
        }
        Value::Object(mut fields) => {
            match fields.iter_mut().next() {
                Some((name, Value::String(digits))) if name == "$int" => *digits = other_digits(digits),
                Some((_, first)) => change(first),
                None => {
                    fields.insert("x".to_owned(), Value::from(0));
                }
            }
            Value::Object(fields)
        }
    };
}

fn changed(number: &Number) -> Value {
    match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => Value::from(integer.checked_add(1).unwrap_or(0)),
        (None, Some(float)) if number.is_f64() => Value::from(float.mul_add(2.0, 1.0)),
        _ => Value::from(0),
    }
}

/// Digits of an integer that JSON can't hold.
fn other_digits(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(positive) => positive.to_owned(),
        None => format!("-{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::change;

    #[test]
    fn another_value() {
        for (value, other) in [
            (json!(null), json!(0)),
            (json!(true), json!(false)),
            (json!(-1), json!(0)),
            (json!(i64::MAX), json!(0)),
            (json!(u64::MAX), json!(0)),
            (json!(0.0), json!(1.0)),
            (json!(1e300), json!(2e300)),
            (json!("a"), json!("ax")),
            (json!([]), json!([0])),
            (json!([1, [2]]), json!([1, [3]])),
            (json!({}), json!({"x": 0})),
            (
                json!({"$int": "99999999999999999999"}),
                json!({"$int": "-99999999999999999999"}),
            ),
            (json!({"$ListNode": [1, 2]}), json!({"$ListNode": [1, 3]})),
        ] {
            let mut changed: Value = value.clone();
            change(&mut changed);
            assert_eq!(changed, other, "{value}");
        }
    }
}
