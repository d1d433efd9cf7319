//! What tests and specifications stand on: values that they speak of, names that they know, what is around them.

use std::collections::BTreeSet;

use super::compare::{Found, counted};
use super::outline::{Definition, Outline, simple};
use super::preset::Preset;
use crate::task::Guarded;

/// What was changed below the tests and specifications of `before`.
pub(super) fn breaches(before: &Outline, after: &Outline, preset: &Preset, found: &mut Found) {
    values(before, after, preset, found);
    names(before, after, preset, found);
    helpers(before, after, preset, found);
    let known = counted(before.beside_tests.iter().map(|beside| &beside.whole));
    for (whole, count) in counted(after.beside_tests.iter().map(|beside| &beside.whole)) {
        if known.get(whole).copied().unwrap_or(0) < count {
            let beside = after.beside_tests.iter().find(|beside| beside.whole == *whole);
            let (name, line) = beside.map_or(("", None), |beside| (beside.name.as_str(), Some(beside.line)));
            let message = format!("`{name}` is new among the tests, and may change what they mean");
            found.note(Guarded::Tests, line, message);
        }
    }
}

/// Values that tests are made of stay as they are, and a program doesn't come to look at what only its tests use.
fn values(before: &Outline, after: &Outline, preset: &Preset, found: &mut Found) {
    let tested = before.tested();
    let of = |outline: &Outline, name: &str| -> Vec<String> {
        let same = outline.values.iter().filter(|value| value.name == name);
        let mut all: Vec<String> = same.map(|value| value.whole.clone()).collect();
        all.sort();
        all
    };
    let spoken: Vec<&Definition> = before
        .values
        .iter()
        .filter(|value| tested.contains(simple(&value.name)))
        .collect();
    for value in &spoken {
        let now = of(after, &value.name);
        if of(before, &value.name) != now {
            let line = after
                .values
                .iter()
                .find(|new| new.name == value.name)
                .map(|new| new.line);
            let what = if now.is_empty() { "is gone" } else { "was changed" };
            found.note(
                Guarded::Tests,
                line,
                format!("`{}` {what}, and tests are made of it", value.name),
            );
        }
    }
    let programs = |outline: &'_ Outline, word: &str| {
        outline
            .functions
            .iter()
            .any(|function| !function.is_test && function.words.contains(word))
    };
    let values = spoken.iter().map(|value| simple(&value.name));
    let libraries = preset.tests.libraries.iter().map(String::as_str);
    let only_tests: BTreeSet<&str> = values
        .chain(libraries.filter(|library| before.words.contains(*library)))
        .filter(|name| !programs(before, name))
        .collect();
    for name in only_tests {
        if let Some(function) = after
            .functions
            .iter()
            .find(|function| !function.is_test && function.words.contains(name))
        {
            let message = format!(
                "`{}` looks at `{name}`, which its tests are made of",
                function.name
            );
            found.note(Guarded::Tests, Some(function.line), message);
        }
        let speaks = |(_, words): &&(String, BTreeSet<String>)| words.contains(name);
        let known = counted(before.loose.iter().filter(speaks).map(|(text, _)| text));
        for (text, count) in counted(after.loose.iter().filter(speaks).map(|(text, _)| text)) {
            if known.get(text).copied().unwrap_or(0) < count {
                let message = format!("`{text}` is new and touches `{name}`, which tests are made of");
                found.note(Guarded::Tests, None, message);
            }
        }
    }
}

/// Names that the language or a library gives must go on meaning what they do.
fn names(before: &Outline, after: &Outline, preset: &Preset, found: &mut Found) {
    let bound = |outline: &Outline| -> BTreeSet<String> {
        let functions = outline.functions.iter().map(|function| &function.name);
        let definitions = outline.definitions.iter().map(|definition| &definition.name);
        let values = outline.values.iter().map(|value| &value.name);
        let all = functions
            .chain(definitions)
            .chain(values)
            .chain(&outline.bound)
            .chain(outline.imports.keys());
        all.filter(|name| !name.contains("::"))
            .map(|name| name.rsplit(' ').next().unwrap_or(name).to_owned())
            .collect()
    };
    for name in bound(after).difference(&bound(before)) {
        let given = preset.items.given.iter().any(|given| given == name);
        if given && before.words.contains(name) {
            found.note(
                Guarded::Signatures,
                None,
                format!("`{name}` is made to mean something else"),
            );
        }
    }
    let tested = before.tested();
    for (name, from) in &before.imports {
        let now = after.imports.get(name);
        if tested.contains(name) && now != Some(from) {
            let now = now.map_or("nowhere", String::as_str);
            let message = format!("`{name}`, which tests use, no longer comes from {from} but from {now}");
            found.note(Guarded::Tests, None, message);
        }
    }
    // A nearer definition takes the place of one that specifications speak of.
    let specified = before.specified();
    let known: BTreeSet<&str> = before
        .functions
        .iter()
        .map(|function| function.name.as_str())
        .chain(
            before
                .definitions
                .iter()
                .map(|definition| definition.name.as_str()),
        )
        .collect();
    let new = after
        .functions
        .iter()
        .map(|function| (function.name.as_str(), function.line))
        .chain(
            after
                .definitions
                .iter()
                .map(|definition| (definition.name.as_str(), definition.line)),
        );
    for (name, line) in new {
        let in_tests = after
            .definitions
            .iter()
            .any(|definition| definition.name == name && definition.always);
        if !known.contains(name) && in_tests && name.contains("::") && tested.contains(simple(name)) {
            let message = format!("`{name}` takes the place of a name that tests use");
            found.note(Guarded::Tests, Some(line), message);
        }
        if !known.contains(name) && specified.contains(simple(name)) {
            let message = format!("`{name}` takes the place of a name that specifications speak of");
            found.note(Guarded::Specifications, Some(line), message);
        }
    }
}

/// Functions whose name says that tests compute with them what is right.
fn helpers(before: &Outline, after: &Outline, preset: &Preset, found: &mut Found) {
    let tested = before.tested();
    let helps = |name: &str| {
        preset
            .tests
            .helpers
            .iter()
            .any(|prefix| simple(name).starts_with(prefix.as_str()))
    };
    let used = |name: &str| tested.contains(simple(name));
    let (helpers, others): (Vec<_>, Vec<_>) = before
        .functions
        .iter()
        .filter(|function| !function.is_test && used(&function.name))
        .partition(|function| helps(&function.name));
    if others.is_empty() {
        return;
    }
    for old in helpers {
        if !after
            .functions
            .iter()
            .any(|new| new.name == old.name && new.is_same(old))
        {
            let message = format!("`{}` was changed, and tests are made of it", old.name);
            found.note(Guarded::Tests, None, message);
        }
    }
}
