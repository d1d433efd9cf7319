//! What a redraft weakened.

use std::collections::{BTreeMap, BTreeSet};

use super::ground;
use super::outline::{Clause, ClauseKind, Function, Outline, simple};
use super::preset::Preset;
use crate::task::{Breach, Guarded};

/// Everything that `after` weakened of `before`.
pub(super) fn breaches(before: &Outline, after: &Outline, preset: &Preset) -> Vec<Breach> {
    let mut found = Found(Vec::new());
    functions(before, after, &mut found);
    definitions(before, after, &mut found);
    tests(before, after, &mut found);
    ground::breaches(before, after, preset, &mut found);
    let kept = |clauses: &[Clause]| counted(clauses.iter().map(|clause| clause.text.clone()));
    let now = kept(&after.assertions);
    for (text, count) in kept(&before.assertions) {
        if now.get(&text).copied().unwrap_or(0) < count {
            found.note(
                Guarded::Assertions,
                None,
                format!("the assertion `{text}` is gone"),
            );
        }
    }
    escapes(before, after, &mut found);
    found.0
}

pub(super) struct Found(Vec<Breach>);

impl Found {
    pub(super) fn note(&mut self, guarded: Guarded, line: Option<usize>, message: String) {
        let breach = Breach {
            guarded,
            line,
            message,
        };
        if !self.0.contains(&breach) {
            self.0.push(breach);
        }
    }
}

pub(super) fn counted<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

fn by_name(outline: &Outline) -> BTreeMap<&str, Vec<&Function>> {
    let mut all: BTreeMap<&str, Vec<&Function>> = BTreeMap::new();
    for function in &outline.functions {
        all.entry(&function.name).or_default().push(function);
    }
    all
}

fn functions(before: &Outline, after: &Outline, found: &mut Found) {
    let specified = before.specified();
    let trusted: BTreeSet<&str> = before
        .escapes
        .iter()
        .chain(&after.escapes)
        .filter(|escape| escape.trusted)
        .map(|escape| escape.within.as_str())
        .collect();
    let now = by_name(after);
    for (name, olds) in by_name(before) {
        let news = now.get(name).map_or(&[][..], Vec::as_slice);
        let kind = if olds.iter().any(|old| old.is_test) {
            Guarded::Tests
        } else {
            Guarded::Signatures
        };
        if news.len() < olds.len() {
            let moved = after
                .functions
                .iter()
                .find(|function| simple(&function.name) == simple(name));
            let message = match moved.filter(|_| news.is_empty()) {
                Some(moved) => format!("`{name}` is no longer there but at `{}`", moved.name),
                None => format!("`{name}` is gone"),
            };
            found.note(kind, moved.map(|moved| moved.line), message);
        }
        if news.len() > olds.len() {
            let line = news.last().map(|last| last.line);
            found.note(kind, line, format!("`{name}` is defined once more"));
        }
        let mut left: Vec<&Function> = news.to_vec();
        for old in olds {
            // Overloads are told apart by their heads.
            let same = left.iter().position(|new| new.signature == old.signature);
            let Some(at) = same.or_else(|| (!left.is_empty()).then_some(0)) else {
                continue;
            };
            let is_trusted = trusted.contains(name);
            let frozen = old.is_pure || specified.contains(simple(name));
            one(old, left.remove(at), is_trusted, frozen, found);
        }
    }
    // A name that tests or callers know must not come to mean something else.
    for name in after.bound.difference(&before.bound) {
        if before.functions.iter().any(|function| function.name == *name) {
            found.note(
                Guarded::Signatures,
                None,
                format!("`{name}` is bound to something else"),
            );
        }
    }
    let mut known: BTreeSet<String> = before.tested();
    known.extend(
        before
            .functions
            .iter()
            .map(|function| simple(&function.name).to_owned()),
    );
    for function in &after.functions {
        let is_new = !before.functions.iter().any(|old| old.name == function.name);
        if is_new
            && function.is_test
            && function.name.contains("::")
            && known.contains(simple(&function.name))
        {
            let message = format!("`{}` would be tested in the place of the real one", function.name);
            found.note(Guarded::Tests, Some(function.line), message);
        }
    }
}

fn one(old: &Function, new: &Function, is_trusted: bool, frozen: bool, found: &mut Found) {
    let name = &old.name;
    let line = Some(new.line);
    if old.is_test {
        if !old.is_same(new) {
            found.note(Guarded::Tests, line, format!("the test `{name}` was changed"));
        }
        return;
    }
    if old.signature != new.signature {
        let message = format!(
            "the head of `{name}` was changed from `{}` to `{}`",
            old.signature, new.signature
        );
        found.note(Guarded::Signatures, line, message);
    }
    for (of, annotation) in &old.annotations {
        if !new.annotations.contains(&(of.clone(), annotation.clone())) {
            let message = format!("the type `{annotation}` of `{name}`, {of}, was changed");
            found.note(Guarded::Signatures, line, message);
        }
    }
    let attributes = counted(&new.attributes);
    for (attribute, count) in counted(&old.attributes) {
        if attributes.get(attribute).copied().unwrap_or(0) < count {
            found.note(Guarded::Signatures, line, format!("`{name}` lost `{attribute}`"));
        }
    }
    if frozen && !old.is_same(new) && old.signature == new.signature {
        let message = format!("`{name}` was changed, and specifications are made of it");
        found.note(Guarded::Specifications, line, message);
    }
    if old.has_body && !new.has_body {
        found.note(Guarded::Signatures, line, format!("`{name}` lost its body"));
    }
    if new.is_stub && !old.is_stub {
        let message = format!("`{name}` does nothing any more and gives nothing back");
        found.note(Guarded::Escapes, line, message);
    }
    clauses(old, new, is_trusted, found);
}

fn clauses(old: &Function, new: &Function, is_trusted: bool, found: &mut Found) {
    let name = &old.name;
    let of = |function: &Function, kind: ClauseKind| -> BTreeMap<String, usize> {
        let clauses = function.clauses.iter().filter(|clause| clause.kind == kind);
        clauses.map(|clause| (clause.text.clone(), clause.line)).collect()
    };
    let texts = |kind| (of(old, kind), of(new, kind));
    let gone = |kind| {
        let (was, is) = texts(kind);
        was.into_keys().filter(move |text| !is.contains_key(text))
    };
    let added = |kind| {
        let (was, is) = texts(kind);
        is.into_iter().filter(move |(text, _)| !was.contains_key(text))
    };
    let specifications = Guarded::Specifications;
    for text in gone(ClauseKind::Ensures) {
        found.note(
            specifications,
            Some(new.line),
            format!("`{name}` no longer promises `{text}`"),
        );
    }
    for (text, line) in added(ClauseKind::Requires) {
        found.note(
            specifications,
            Some(line),
            format!("`{name}` asks for more: `{text}`"),
        );
    }
    for (text, line) in added(ClauseKind::Frame) {
        found.note(
            specifications,
            Some(line),
            format!("`{name}` may touch more: `{text}`"),
        );
    }
    // No frame at all means all in some languages and nothing in others; only the same counts as the same.
    let (was, is) = texts(ClauseKind::Frame);
    if !was.is_empty() && is.is_empty() {
        found.note(
            specifications,
            Some(new.line),
            format!("`{name}` no longer says what it may touch"),
        );
    }
    if is_trusted {
        for (text, line) in added(ClauseKind::Ensures) {
            let message = format!("`{name}` is taken for granted, and promises more: `{text}`");
            found.note(specifications, Some(line), message);
        }
        for text in gone(ClauseKind::Requires) {
            let message = format!("`{name}` is taken for granted, and no longer asks for `{text}`");
            found.note(specifications, Some(new.line), message);
        }
    }
    // The invariants of a loop go with the loop.
    if new.loops >= old.loops {
        for text in gone(ClauseKind::Invariant) {
            found.note(
                Guarded::Invariants,
                Some(new.line),
                format!("the invariant `{text}` of `{name}` is gone"),
            );
        }
        let count = |function: &Function| of(function, ClauseKind::Decreases).len();
        if count(new) < count(old) {
            let message = format!("`{name}` has fewer claims that it ends");
            found.note(Guarded::Termination, Some(new.line), message);
        }
    }
    for text in gone(ClauseKind::Assertion) {
        found.note(
            Guarded::Assertions,
            Some(new.line),
            format!("`{text}` of `{name}` is gone"),
        );
    }
}

fn definitions(before: &Outline, after: &Outline, found: &mut Found) {
    let (specified, tested) = (before.specified(), before.tested());
    for old in &before.definitions {
        if !(old.always || specified.contains(simple(&old.name))) {
            continue;
        }
        let mut same_name = after
            .definitions
            .iter()
            .filter(|new| new.name == old.name)
            .peekable();
        let line = same_name.peek().map(|new| new.line);
        if same_name.any(|new| new.whole == old.whole) {
            continue;
        }
        let kind = if old.always {
            Guarded::Signatures
        } else {
            Guarded::Specifications
        };
        let what = if line.is_some() { "was changed" } else { "is gone" };
        found.note(kind, line, format!("the definition of `{}` {what}", old.name));
    }
    // A macro of the name of a function takes its place.
    for new in &after.definitions {
        let is_new = before.definitions.iter().all(|old| old.name != new.name);
        let is_constant = !new.name.chars().any(char::is_lowercase);
        if is_new
            && new.is_macro
            && before.words.contains(&new.name)
            && (!is_constant || tested.contains(&new.name))
        {
            let message = format!("a macro takes the place of `{}`", new.name);
            found.note(Guarded::Signatures, Some(new.line), message);
        }
    }
}

fn tests(before: &Outline, after: &Outline, found: &mut Found) {
    let now = counted(
        after
            .tests
            .iter()
            .map(|test| (test.name.as_str(), test.whole.as_str())),
    );
    for (&(name, whole), &count) in &counted(
        before
            .tests
            .iter()
            .map(|test| (test.name.as_str(), test.whole.as_str())),
    ) {
        if now.get(&(name, whole)).copied().unwrap_or(0) >= count {
            continue;
        }
        let line = after
            .tests
            .iter()
            .find(|test| test.name == name)
            .map(|test| test.line);
        let what = if line.is_some() { "was changed" } else { "is gone" };
        found.note(Guarded::Tests, line, format!("the test `{name}` {what}"));
    }
}

fn escapes(before: &Outline, after: &Outline, found: &mut Found) {
    let mut known = counted(
        before
            .escapes
            .iter()
            .map(|escape| (escape.what.as_str(), escape.text.as_str(), escape.within.as_str())),
    );
    for escape in &after.escapes {
        let key = (escape.what.as_str(), escape.text.as_str(), escape.within.as_str());
        if let Some(count) = known.get_mut(&key).filter(|count| **count > 0) {
            *count -= 1;
            continue;
        }
        let place = if escape.within.is_empty() {
            String::new()
        } else {
            format!(" in `{}`", escape.within)
        };
        let message = format!("`{}` is new{place}: {}", escape.text, escape.what);
        found.note(Guarded::Escapes, Some(escape.line), message);
    }
}
