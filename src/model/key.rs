//! The identity of a request: SHA-256 over canonical JSON.
//!
//! Another program gets the same key in two lines, here in Python (temperature written as an integer when it is whole):
//! `json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`, then `hashlib.sha256`.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::ChatRequest;

/// Above this not every whole number is a float of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The key of a request, in hex.
pub(super) fn of(request: &ChatRequest) -> String {
    // A request is strings and numbers: it always serialises.
    hash(&serde_json::to_value(request).unwrap_or_default())
}

/// SHA-256 over a value's canonical JSON, in hex.
pub fn hash(value: &Value) -> String {
    let mut text = String::new();
    canonical(value, &mut text);
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Writes JSON with sorted keys, no spaces, and whole floats as integers.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (at, (name, value)) in entries.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                canonical(&Value::String(name.clone()), out);
                out.push(':');
                canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                canonical(value, out);
            }
            out.push(']');
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
                // `+ 0.0` makes zero of minus zero.
                let _ = write!(out, "{:.0}", float + 0.0);
            }
            _ => {
                let _ = write!(out, "{number}");
            }
        },
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Message;
    use super::*;

    fn request() -> ChatRequest {
        ChatRequest {
            messages: vec![Message::user("Add 1 and 1.\n\"é\" ☃"), Message::assistant("2")],
            temperature: 0.0,
            max_tokens: 1024,
            seed: 0,
            ..ChatRequest::default()
        }
    }

    #[test]
    fn a_key_is_what_other_programs_compute_too() {
        assert_eq!(
            of(&request()),
            "a2c1b2822b49e2de8eba1f4d94838bfbcaebf1f42ee05fc91731814ad16c4a95"
        );
    }

    #[test]
    fn minus_zero_is_zero() {
        let negative = ChatRequest {
            temperature: -0.0,
            ..request()
        };
        assert_eq!(of(&negative), of(&request()));
    }

    #[test]
    fn whatever_can_change_a_reply_changes_the_key() {
        let mut keys = std::collections::HashSet::from([of(&request())]);
        assert!(keys.insert(of(&ChatRequest {
            temperature: 0.2,
            ..request()
        })));
        assert!(keys.insert(of(&ChatRequest {
            temperature: 1.0,
            ..request()
        })));
        assert!(keys.insert(of(&ChatRequest {
            max_tokens: 1,
            ..request()
        })));
        assert!(keys.insert(of(&ChatRequest { seed: 1, ..request() })));
        assert!(keys.insert(of(&ChatRequest {
            seed: u64::MAX,
            ..request()
        })));
        assert!(keys.insert(of(&ChatRequest {
            messages: vec![],
            ..request()
        })));
        let mut other = request();
        other.messages[1].role = super::super::Role::System;
        assert!(keys.insert(of(&other)));
    }

    #[test]
    fn the_canonical_form_sorts_keys_at_every_depth() {
        let value = serde_json::json!({"b": [1.0, 0.25, {"z": null, "a": true}], "a": 1e300});
        let mut out = String::new();
        canonical(&value, &mut out);
        assert_eq!(out, r#"{"a":1e+300,"b":[1,0.25,{"a":true,"z":null}]}"#);
    }
}
