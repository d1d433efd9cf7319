//! The values that cross between a program and its tests: atoms, and a flat table of nodes.
//!
//! Whatever a program sends is read into these types and checked before the tests' side sees any of it.
//! The table is flat so that depth costs nothing and shared or cyclic structures keep their shape.

use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value without parts, or a reference to a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Atom {
    /// `None`.
    Null,
    Bool(bool),
    /// An integer that every JSON reader keeps exact.
    Int(i64),
    /// A finite float.
    Float(f64),
    /// A string without lone surrogates.
    Text(String),
    Marked(Mark),
}

/// Atoms that JSON has no word for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Mark {
    /// A reference to a node of the same message.
    #[serde(rename = "r")]
    Node(usize),
    /// A large integer in hexadecimal.
    #[serde(rename = "i")]
    Int(String),
    /// A float that isn't finite.
    #[serde(rename = "f")]
    Float(Odd),
    /// A string with lone surrogates, in base64.
    #[serde(rename = "s")]
    Text(String),
    /// Bytes in base64.
    #[serde(rename = "b")]
    Bytes(String),
    /// A complex number.
    #[serde(rename = "c")]
    Complex(Real, Real),
    /// A constant.
    #[serde(rename = "k")]
    Constant(Constant),
}

/// A float that isn't finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Odd {
    #[serde(rename = "nan")]
    Nan,
    #[serde(rename = "inf")]
    Infinity,
    #[serde(rename = "-inf")]
    MinusInfinity,
}

/// One part of a complex number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Real {
    Finite(f64),
    Odd { f: Odd },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Constant {
    Ellipsis,
    NotImplemented,
}

/// Something with parts, or something that stays on its side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Node {
    List(Vec<Atom>),
    Tuple(Vec<Atom>),
    Set(Vec<Atom>),
    Frozenset(Vec<Atom>),
    /// Keys and values in turn, as for all kinds of mappings.
    Dict(Vec<Atom>),
    Counter(Vec<Atom>),
    Ordereddict(Vec<Atom>),
    /// The factory, then keys and values.
    Defaultdict(Vec<Atom>),
    /// The longest length or `None`, then the items.
    Deque(Vec<Atom>),
    Range(Vec<Atom>),
    Slice(Vec<Atom>),
    Keys(Vec<Atom>),
    Values(Vec<Atom>),
    Items(Vec<Atom>),
    Fraction(Vec<Atom>),
    Date(Vec<Atom>),
    Time(Vec<Atom>),
    Datetime(Vec<Atom>),
    Timedelta(Vec<Atom>),
    Timezone(Vec<Atom>),
    Namedtuple {
        name: String,
        fields: Vec<String>,
        parts: Vec<Atom>,
    },
    /// An array of numbers: `parts` is its shape.
    Ndarray {
        dtype: String,
        data: String,
        parts: Vec<Atom>,
    },
    /// One number of an array.
    Scalar {
        dtype: String,
        data: String,
        parts: Vec<Atom>,
    },
    /// A data frame, a series, or something that those hold, with what it is.
    Pandas {
        kind: String,
        parts: Vec<Atom>,
    },
    Bytearray(String),
    Bytes(String),
    Decimal(String),
    Uuid(String),
    Path(String),
    /// A class that Python has built in.
    Type(String),
    /// `module:name` of something in a library.
    Library(String),
    Error(Box<Raised>),
    Remote(Box<Remote>),
}

/// Who holds an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Holder {
    Program,
    Tests,
}

/// What a stand-in can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Function,
    Class,
    Iterator,
    Awaitable,
    Object,
}

/// An object that stays where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Remote {
    side: Holder,
    /// Which process of that side.
    generation: u64,
    id: u64,
    kind: Kind,
    #[serde(default)]
    name: String,
    /// Those of its classes that the tests name themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    /// The global name that it stands for, instead of one object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    global: Option<String>,
    /// For a class with a global name: its bases' names, itself first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mro: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    /// Whether the program itself defines it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    own: bool,
    /// A named tuple's fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fields: Option<Vec<String>>,
}

/// An exception.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Raised {
    /// The class's name.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    module: String,
    /// The names of its class and that one's bases.
    mro: Vec<String>,
    /// Who holds the exception itself.
    side: Holder,
    generation: u64,
    id: u64,
    args: Vec<Atom>,
    /// `str()` of it.
    pub(crate) text: String,
    /// The program's lines on the way to it.
    pub(crate) trace: Vec<String>,
    /// Whether the program could not even be compiled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) compile: bool,
}

/// Why a message can't be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Impossible(pub(crate) &'static str);

/// Checks a table and the atoms that refer to it.
pub(crate) fn check<'a>(nodes: &[Node], roots: impl IntoIterator<Item = &'a Atom>) -> Result<(), Impossible> {
    for root in roots {
        root.check(nodes, nodes.len(), true)?;
    }
    nodes
        .iter()
        .enumerate()
        .try_for_each(|(at, node)| node.check(nodes, at))
}

impl Atom {
    /// `before`: the first node that doesn't exist yet when this is built, unless it `waits` for all.
    fn check(&self, nodes: &[Node], before: usize, waits: bool) -> Result<(), Impossible> {
        match self {
            Self::Marked(Mark::Node(at)) => match nodes.get(*at) {
                None => Err(Impossible("a reference to nothing")),
                Some(node) if waits || *at < before || node.can_change() => Ok(()),
                Some(_) => Err(Impossible("a value that holds itself")),
            },
            Self::Marked(Mark::Int(digits)) => {
                let digits = digits.strip_prefix('-').unwrap_or(digits);
                let digits = digits.strip_prefix("0x").unwrap_or_default();
                let good = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                good.then_some(()).ok_or(Impossible("an integer without digits"))
            }
            Self::Marked(Mark::Text(data) | Mark::Bytes(data)) => base64(data),
            _ => Ok(()),
        }
    }
}

impl Node {
    /// Whether it is there before its parts are: others may refer to it at any time.
    fn can_change(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Set(_)
                | Self::Dict(_)
                | Self::Counter(_)
                | Self::Ordereddict(_)
                | Self::Defaultdict(_)
                | Self::Deque(_)
                | Self::Bytearray(_)
        )
    }

    fn check(&self, nodes: &[Node], at: usize) -> Result<(), Impossible> {
        let waits = self.can_change();
        for part in self.parts() {
            part.check(nodes, at, waits)?;
        }
        let even = |parts: &[Atom]| {
            (parts.len().is_multiple_of(2))
                .then_some(())
                .ok_or(Impossible("a key without a value"))
        };
        match self {
            Self::Dict(parts) | Self::Counter(parts) | Self::Ordereddict(parts) | Self::Items(parts) => {
                even(parts)
            }
            Self::Defaultdict(parts) => {
                even(parts.get(1..).ok_or(Impossible("a mapping without a factory"))?)
            }
            Self::Deque(parts) => match parts.first() {
                Some(Atom::Null | Atom::Int(_)) => Ok(()),
                _ => Err(Impossible("a deque without its length")),
            },
            Self::Ndarray { dtype, data, .. } | Self::Scalar { dtype, data, .. } => {
                base64(data)?;
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"<>=|?[]".contains(&byte);
                let good = dtype.bytes().all(plain) && !dtype.contains('O');
                good.then_some(()).ok_or(Impossible("an array of objects"))
            }
            Self::Bytearray(data) | Self::Bytes(data) => base64(data),
            _ => Ok(()),
        }
    }

    fn parts(&self) -> &[Atom] {
        match self {
            Self::List(parts)
            | Self::Tuple(parts)
            | Self::Set(parts)
            | Self::Frozenset(parts)
            | Self::Dict(parts)
            | Self::Counter(parts)
            | Self::Ordereddict(parts)
            | Self::Defaultdict(parts)
            | Self::Deque(parts)
            | Self::Range(parts)
            | Self::Slice(parts)
            | Self::Keys(parts)
            | Self::Values(parts)
            | Self::Items(parts)
            | Self::Fraction(parts)
            | Self::Date(parts)
            | Self::Time(parts)
            | Self::Datetime(parts)
            | Self::Timedelta(parts)
            | Self::Timezone(parts)
            | Self::Namedtuple { parts, .. }
            | Self::Ndarray { parts, .. }
            | Self::Pandas { parts, .. }
            | Self::Scalar { parts, .. } => parts,
            Self::Error(raised) => &raised.args,
            Self::Bytearray(_)
            | Self::Bytes(_)
            | Self::Decimal(_)
            | Self::Uuid(_)
            | Self::Path(_)
            | Self::Type(_)
            | Self::Library(_)
            | Self::Remote(_) => &[],
        }
    }
}

impl Raised {
    pub(crate) fn args(&self) -> &[Atom] {
        &self.args
    }

    /// `Type: message`, then the program's own lines.
    pub(crate) fn describe(&self) -> String {
        let mut text = self.kind.clone();
        if !self.text.is_empty() {
            text.push_str(": ");
            text.push_str(&self.text);
        }
        for line in &self.trace {
            text.push_str("\n  ");
            text.push_str(line);
        }
        text
    }
}

/// Checks the alphabet only; the tests' side refuses what isn't well-formed otherwise.
fn base64(data: &str) -> Result<(), Impossible> {
    let good = data
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    good.then_some(()).ok_or(Impossible("bytes that aren't base64"))
}

impl Serialize for Atom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Marked(mark) => mark.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Atom {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AtomVisitor)
    }
}

struct AtomVisitor;

impl<'de> Visitor<'de> for AtomVisitor {
    type Value = Atom;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an atom")
    }

    fn visit_unit<E>(self) -> Result<Atom, E> {
        Ok(Atom::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Atom, E> {
        Ok(Atom::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Atom, E> {
        Ok(Atom::Int(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Atom, E> {
        i64::try_from(value)
            .map(Atom::Int)
            .map_err(|_| E::custom("an integer that is too large for JSON"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Atom, E> {
        Ok(Atom::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Atom, E> {
        Ok(Atom::Text(value.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Atom, A::Error> {
        Mark::deserialize(MapAccessDeserializer::new(map)).map(Atom::Marked)
    }
}

#[cfg(test)]
mod tests;
