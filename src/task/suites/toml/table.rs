//! Typed access to a TOML table, with errors that name the task and the field.

use toml::{Table, Value};

use crate::task::suites::SuiteError;
use crate::task::suites::source::Source;

/// A table, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    source: &'a Source,
    place: String,
    table: &'a Table,
}

impl<'a> Fields<'a> {
    pub(super) fn new(source: &'a Source, place: &str, table: &'a Table) -> Self {
        Self {
            source,
            place: place.to_owned(),
            table,
        }
    }

    /// The same fields, of which errors speak as of the task `id`.
    pub(super) fn named(&self, id: &str) -> Self {
        Self {
            place: format!("task `{id}`"),
            ..self.clone()
        }
    }

    /// Refuses keys that nothing would read, mistyped ones most of all.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), SuiteError> {
        match self.table.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(self.error(format!(
                "there is no field `{key}`; the fields are {}",
                known.join(", ")
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        self.table.get(name)
    }

    pub(super) fn string(&self, name: &str) -> Result<&'a str, SuiteError> {
        self.optional_string(name)?
            .ok_or_else(|| self.error(format!("the field `{name}` (a string) is missing")))
    }

    pub(super) fn optional_string(&self, name: &str) -> Result<Option<&'a str>, SuiteError> {
        self.value(name)
            .map(|value| value.as_str().ok_or_else(|| self.wrong(name, "a string", value)))
            .transpose()
    }

    /// A list that may be missing.
    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], SuiteError> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(self.wrong(name, "a list", other)),
        }
    }

    pub(super) fn strings(&self, name: &str) -> Result<Vec<&'a str>, SuiteError> {
        self.list(name)?
            .iter()
            .map(|item| {
                item.as_str()
                    .ok_or_else(|| self.wrong(name, "a list of strings", item))
            })
            .collect()
    }

    pub(super) fn table(&self, name: &str) -> Result<Option<Fields<'a>>, SuiteError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(Fields {
                place: format!("{}, `{name}`", self.place),
                table,
                source: self.source,
            })),
            Some(other) => Err(self.wrong(name, "a table", other)),
        }
    }

    /// A whole number above 0.
    pub(super) fn count(&self, name: &str) -> Result<Option<u32>, SuiteError> {
        self.value(name)
            .map(|value| {
                let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
                number
                    .filter(|number| *number > 0)
                    .ok_or_else(|| self.wrong(name, "a whole number above 0", value))
            })
            .transpose()
    }

    /// A duration such as `1.5s` or `500ms`, in milliseconds.
    pub(super) fn milliseconds(&self, name: &str) -> Result<Option<u64>, SuiteError> {
        self.quantity(
            name,
            "a duration such as \"10s\" or \"500ms\"",
            &[("ms", 1), ("s", 1000), ("m", 60_000)],
        )
    }

    /// A size such as `256MiB`, in bytes.
    pub(super) fn bytes(&self, name: &str) -> Result<Option<u64>, SuiteError> {
        let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)];
        self.quantity(name, "a size such as \"256MiB\"", &units)
    }

    fn quantity(&self, name: &str, kind: &str, units: &[(&str, u64)]) -> Result<Option<u64>, SuiteError> {
        let Some(text) = self.optional_string(name)? else {
            return Ok(None);
        };
        let read = || {
            let (number, factor) = units
                .iter()
                .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
            number
                .trim()
                .parse::<u64>()
                .ok()?
                .checked_mul(*factor)
                .filter(|quantity| *quantity > 0)
        };
        read()
            .map(Some)
            .ok_or_else(|| self.error(format!("the field `{name}` has to be {kind}, and is {text:?}")))
    }

    pub(super) fn error(&self, problem: impl Into<String>) -> SuiteError {
        SuiteError::Entry {
            path: self.source.path.clone(),
            place: self.place.clone(),
            problem: problem.into(),
        }
    }

    fn wrong(&self, name: &str, kind: &str, value: &Value) -> SuiteError {
        let found = match value {
            Value::String(_) => "a string",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Datetime(_) => "a date",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
        };
        self.error(format!(
            "the field `{name}` has to be {kind}, and there is {found}"
        ))
    }

    /// The table of one test of a list.
    pub(super) fn item(&self, name: &str, index: usize, table: &'a Table) -> Fields<'a> {
        Fields {
            source: self.source,
            place: format!("{}, {name} test {}", self.place, index + 1),
            table,
        }
    }
}
