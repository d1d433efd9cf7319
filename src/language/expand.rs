//! Filling `{names}` in the table's command lines.

use std::collections::BTreeMap;

/// What each name stands for: nothing, one text, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values(BTreeMap<String, Vec<String>>);

impl Values {
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), vec![value.into()]);
    }

    pub(crate) fn set_all(&mut self, name: &str, values: Vec<String>) {
        self.0.insert(name.to_owned(), values);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0
            .iter()
            .map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The first value.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.first().map(String::as_str)
    }

    /// An argument with its names filled in: as many arguments as the names have values. A name that isn't known stays.
    pub(crate) fn expand(&self, text: &str) -> Vec<String> {
        let Some((start, end, values)) = names(text).find_map(|(start, end)| {
            let values = self.0.get(&text[start + 1..end - 1])?;
            Some((start, end, values))
        }) else {
            return vec![text.to_owned()];
        };
        let rest = self.expand(&text[end..]);
        let mut all = Vec::new();
        for value in values {
            for rest in &rest {
                all.push(format!("{}{value}{rest}", &text[..start]));
            }
        }
        all
    }

    pub(crate) fn expand_all<'a>(&self, texts: impl IntoIterator<Item = &'a String>) -> Vec<String> {
        texts.into_iter().flat_map(|text| self.expand(text)).collect()
    }
}

/// Where `{name}` stands in a text; `{}`, `{{` and the like are no names.
pub(crate) fn names(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices('{').filter_map(|(start, _)| {
        let length = text[start + 1..].find(|c: char| !c.is_ascii_lowercase() && c != '_')?;
        let end = start + 1 + length;
        (length > 0 && text[end..].starts_with('}')).then_some((start, end + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        let mut values = Values::default();
        values.set("tool", "/usr/bin/cc");
        values.set_all("dirs", vec!["/a".to_owned(), "/b".to_owned()]);
        values.set_all("none", Vec::new());
        values
    }

    #[test]
    fn names_are_filled_in() {
        let values = values();
        assert_eq!(values.expand("{tool}"), ["/usr/bin/cc"]);
        assert_eq!(values.expand("x{tool}y{tool}"), ["x/usr/bin/ccy/usr/bin/cc"]);
        assert_eq!(values.expand("-I{dirs}/x"), ["-I/a/x", "-I/b/x"]);
        assert!(values.expand("-L{none}").is_empty());
    }

    #[test]
    fn other_braces_stay() {
        for text in [
            "{}",
            "{{if .X}}a{{end }}",
            "{unknown}",
            "{Tool}",
            "{",
            "a}b",
            "{tool",
        ] {
            assert_eq!(values().expand(text), [text]);
        }
    }

    #[test]
    fn values_are_not_filled_in_again() {
        let mut values = Values::default();
        values.set("file", "{tool}");
        values.set("tool", "cc");
        assert_eq!(values.expand("{file}"), ["{tool}"]);
    }
}
