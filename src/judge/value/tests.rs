//! Whatever a program sends is either refused or understood exactly; nothing panics.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::judge::message::FromProgram;

fn odd() -> impl Strategy<Value = Odd> {
    prop_oneof![Just(Odd::Nan), Just(Odd::Infinity), Just(Odd::MinusInfinity)]
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |float| float.is_finite())
}

fn real() -> impl Strategy<Value = Real> {
    prop_oneof![
        finite().prop_map(Real::Finite),
        odd().prop_map(|f| Real::Odd { f })
    ]
}

fn mark(nodes: usize) -> impl Strategy<Value = Mark> {
    prop_oneof![
        (0..nodes.max(1)).prop_map(Mark::Node),
        "-?0x[0-9a-f]{1,40}".prop_map(Mark::Int),
        odd().prop_map(Mark::Float),
        "[A-Za-z0-9+/]{0,8}={0,2}".prop_map(Mark::Text),
        "[A-Za-z0-9+/]{0,8}={0,2}".prop_map(Mark::Bytes),
        (real(), real()).prop_map(|(re, im)| Mark::Complex(re, im)),
        prop_oneof![Just(Constant::Ellipsis), Just(Constant::NotImplemented)].prop_map(Mark::Constant),
    ]
}

fn atom(nodes: usize) -> impl Strategy<Value = Atom> {
    prop_oneof![
        Just(Atom::Null),
        any::<bool>().prop_map(Atom::Bool),
        any::<i64>().prop_map(Atom::Int),
        finite().prop_map(Atom::Float),
        any::<String>().prop_map(Atom::Text),
        mark(nodes).prop_map(Atom::Marked),
    ]
}

fn node(nodes: usize) -> impl Strategy<Value = Node> {
    let parts = move || vec(atom(nodes), 0..6);
    prop_oneof![
        parts().prop_map(Node::List),
        parts().prop_map(Node::Tuple),
        parts().prop_map(Node::Set),
        parts().prop_map(Node::Dict),
        parts().prop_map(Node::Deque),
        parts().prop_map(Node::Defaultdict),
        (any::<String>(), vec(any::<String>(), 0..3), parts())
            .prop_map(|(name, fields, parts)| Node::Namedtuple { name, fields, parts }),
        ("[<>|][a-z][0-9]", parts()).prop_map(|(dtype, parts)| Node::Ndarray {
            dtype,
            data: String::new(),
            parts
        }),
        any::<String>().prop_map(Node::Decimal),
        (any::<u64>(), any::<String>()).prop_map(|(id, name)| {
            Node::Remote(Box::new(Remote {
                side: Holder::Program,
                generation: 1,
                id,
                kind: Kind::Object,
                name,
                classes: Vec::new(),
                global: None,
                mro: None,
                module: None,
                own: false,
                fields: None,
            }))
        }),
    ]
}

fn table() -> impl Strategy<Value = Vec<Node>> {
    (0_usize..8).prop_flat_map(|count| vec(node(count), count))
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(nodes in table(), root in atom(8)) {
        let text = serde_json::to_string(&(&nodes, &root)).unwrap();
        let read: (Vec<Node>, Atom) = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read, (nodes, root));
    }

    #[test]
    fn a_table_that_is_accepted_can_be_built(nodes in table(), root in atom(8)) {
        if check(&nodes, [&root]).is_err() {
            return Ok(());
        }
        // The decoder's order: what can change is there first, then the rest one after another.
        let mut there: Vec<bool> = nodes.iter().map(Node::can_change).collect();
        for (at, node) in nodes.iter().enumerate() {
            if !there[at] {
                for part in node.parts() {
                    if let Atom::Marked(Mark::Node(part)) = part {
                        prop_assert!(there[*part]);
                    }
                }
                there[at] = true;
            }
        }
        if let Atom::Marked(Mark::Node(at)) = root {
            prop_assert!(at < nodes.len());
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = FromProgram::read(&bytes);
    }

    #[test]
    fn no_json_makes_it_panic(nodes in table(), value in atom(12), same in vec((0_usize..12, 0_usize..12), 0..3)) {
        let frame = serde_json::json!({ "return": { "id": 1, "value": value, "nodes": nodes, "same": same } });
        let _ = FromProgram::read(&serde_json::to_vec(&frame).unwrap());
    }
}

#[test]
fn what_cant_be_is_refused() {
    for (nodes, why) in [
        (r#"[{"tuple": [{"r": 0}]}]"#, "a value that holds itself"),
        (
            r#"[{"tuple": [{"r": 1}]}, {"tuple": []}]"#,
            "a value that holds itself",
        ),
        (r#"[{"list": [{"r": 7}]}]"#, "a reference to nothing"),
        (r#"[{"dict": [1]}]"#, "a key without a value"),
        (r#"[{"list": [{"i": "12"}]}]"#, "an integer without digits"),
        (
            r#"[{"ndarray": {"dtype": "|O8", "data": "", "parts": []}}]"#,
            "an array of objects",
        ),
        (r#"[{"deque": [{"r": 0}]}]"#, "a deque without its length"),
    ] {
        let nodes: Vec<Node> = serde_json::from_str(nodes).unwrap();
        assert_eq!(check(&nodes, []), Err(Impossible(why)));
    }
    for text in [
        r#"{"q": 1}"#,
        r#"{"c": [1, "x"]}"#,
        r#"{"f": "1"}"#,
        "[1]",
        "1e999",
        r#""\ud800""#,
    ] {
        assert!(serde_json::from_str::<Atom>(text).is_err(), "{text}");
    }
}

#[test]
fn floats_stay_floats() {
    for text in ["1.0", "-0.0", "1e16", "5e-324"] {
        let atom: Atom = serde_json::from_str(text).unwrap();
        assert!(matches!(atom, Atom::Float(_)), "{text}");
        let written = serde_json::to_string(&atom).unwrap();
        assert!(written.contains(['.', 'e']), "{written}");
    }
}
