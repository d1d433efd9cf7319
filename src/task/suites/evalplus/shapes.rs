//! MBPP+'s arguments: JSON has lists only, and some of its tasks are about tuples, sets and complex numbers.

use serde_json::Value;

use crate::task::suites::python_text::{joined, python};

/// What the lists of a task's arguments stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Lists.
    Lists,
    /// Each argument is a tuple.
    Tuples,
    /// Each argument is a list of tuples.
    ListsOfTuples,
    /// Each argument is a tuple of tuples.
    TuplesOfTuples,
    /// The first argument is a list of tuples.
    FirstListOfTuples,
    /// The first argument is a tuple.
    FirstTuple,
    /// The second argument is a tuple.
    SecondTuple,
    /// The first argument is a list of sets.
    FirstListOfSets,
    /// A float and a complex number.
    FloatAndComplex,
    /// A complex number.
    Complex,
    /// The first argument is a tuple whose lists are tuples.
    FirstMixedTuple,
    /// The first argument is a dict of tuples.
    FirstDictOfTuples,
    /// Tuples, however deep.
    AllTuples,
}

/// The numbers of the tasks of each shape.
const TASKS: [(Shape, &[u32]); 12] = [
    (
        Shape::Tuples,
        &[
            2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740,
            744, 809,
        ],
    ),
    (
        Shape::ListsOfTuples,
        &[
            63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780,
        ],
    ),
    (Shape::TuplesOfTuples, &[259, 401, 445]),
    (Shape::FirstListOfTuples, &[75, 413, 444, 753]),
    (Shape::FirstTuple, &[250, 307, 405, 446, 617, 720, 763, 808]),
    (Shape::SecondTuple, &[106, 750]),
    (Shape::FirstListOfSets, &[115]),
    (Shape::FloatAndComplex, &[124]),
    (Shape::Complex, &[252]),
    (Shape::FirstMixedTuple, &[278]),
    (Shape::FirstDictOfTuples, &[722]),
    (Shape::AllTuples, &[580, 615, 791]),
];

impl Shape {
    /// The shape of the task with this name.
    pub(super) fn of(id: &str) -> Self {
        let number = id
            .to_ascii_lowercase()
            .strip_prefix("mbpp/")
            .and_then(|number| number.parse::<u32>().ok());
        TASKS
            .iter()
            .find(|(_, tasks)| number.is_some_and(|number| tasks.contains(&number)))
            .map_or(Self::Lists, |(shape, _)| *shape)
    }

    /// A list of arguments as Python source.
    pub(super) fn python(self, arguments: &[Value]) -> String {
        let number = |value: &Value| match value {
            Value::String(text) => format!("{text:?}"),
            other => python(other),
        };
        let written: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(|(at, value)| match (self, at) {
                (Self::Tuples, _) | (Self::FirstTuple, 0) | (Self::SecondTuple, 1) => tuple(value),
                (Self::ListsOfTuples, _) | (Self::FirstListOfTuples, 0) => {
                    items(value, |items| format!("[{}]", each(items, tuple)))
                }
                (Self::TuplesOfTuples, _) | (Self::FirstMixedTuple, 0) => {
                    items(value, |items| in_tuple(&each(items, tuple)))
                }
                (Self::FirstListOfSets, 0) => items(value, |items| format!("[{}]", each(items, set))),
                (Self::FloatAndComplex, 0) => format!("float({})", number(value)),
                (Self::FloatAndComplex, _) | (Self::Complex, 0) => format!("complex({})", number(value)),
                (Self::FirstDictOfTuples, 0) => dict_of_tuples(value),
                (Self::AllTuples, _) => deep(value),
                _ => python(value),
            })
            .collect();
        format!("[{}]", written.join(", "))
    }
}

/// What `write` makes of a list's items; anything else stays.
fn items(value: &Value, write: impl Fn(&[Value]) -> String) -> String {
    value
        .as_array()
        .map_or_else(|| python(value), |items| write(items))
}

fn each(items: &[Value], write: impl Fn(&Value) -> String) -> String {
    items.iter().map(write).collect::<Vec<_>>().join(", ")
}

fn in_tuple(items: &str) -> String {
    if items.is_empty() {
        "()".to_owned()
    } else {
        format!("({items},)")
    }
}

fn tuple(value: &Value) -> String {
    items(value, |items| in_tuple(&joined(items)))
}

/// An empty one is an empty dict, as the suite's own reader has it.
fn set(value: &Value) -> String {
    items(value, |items| format!("{{{}}}", joined(items)))
}

fn deep(value: &Value) -> String {
    items(value, |items| in_tuple(&each(items, deep)))
}

fn dict_of_tuples(value: &Value) -> String {
    let Some(fields) = value.as_object() else {
        return python(value);
    };
    let fields = fields
        .iter()
        .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), tuple(value)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Shape;

    #[test]
    fn lists_become_what_they_stand_for() {
        let python = |id: &str, arguments: Value| Shape::of(id).python(arguments.as_array().unwrap());
        for (id, arguments, expected) in [
            ("HumanEval/2", json!([[1], "a"]), "[[1], \"a\"]"),
            ("Mbpp/2", json!([[3, 4], []]), "[(3, 4,), ()]"),
            ("Mbpp/63", json!([[[1, 2], [3]]]), "[[(1, 2,), (3,)]]"),
            ("Mbpp/259", json!([[[1], [2]]]), "[((1,), (2,),)]"),
            ("Mbpp/75", json!([[[1, 2]], 3]), "[[(1, 2,)], 3]"),
            ("Mbpp/106", json!([[1], [2]]), "[[1], (2,)]"),
            ("Mbpp/115", json!([[[1, 2], []]]), "[[{1, 2}, {}]]"),
            ("Mbpp/124", json!(["1", "2j"]), "[float(\"1\"), complex(\"2j\")]"),
            ("Mbpp/278", json!([[1, [2]]]), "[(1, (2,),)]"),
            ("Mbpp/722", json!([{"a": [1.5, 2]}, 3]), "[{\"a\": (1.5, 2,)}, 3]"),
            ("Mbpp/615", json!([[[1], 2]]), "[((1,), 2,)]"),
        ] {
            assert_eq!(python(id, arguments), expected, "{id}");
        }
    }
}
