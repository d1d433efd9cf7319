//! The languages that there are: the built-in table, and what the user adds to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::definition::Definition;
use super::expand::names;
use crate::task::Language;

/// One file a language; the file is called as the language is.
const BUILT_IN: [&str; 13] = [
    include_str!("table/bash.toml"),
    include_str!("table/c.toml"),
    include_str!("table/cpp.toml"),
    include_str!("table/go.toml"),
    include_str!("table/java.toml"),
    include_str!("table/javascript.toml"),
    include_str!("table/lua.toml"),
    include_str!("table/perl.toml"),
    include_str!("table/php.toml"),
    include_str!("table/python.toml"),
    include_str!("table/ruby.toml"),
    include_str!("table/rust.toml"),
    include_str!("table/typescript.toml"),
];

/// Names that a definition can use without having found them.
const GIVEN: [&str; 13] = [
    "tool",
    "file",
    "class",
    "main",
    "out",
    "program",
    "prepared",
    "flags",
    "libraries",
    "memory_mb",
    "version",
    "cache",
    "path",
];

static TABLE: LazyLock<RwLock<BTreeMap<Language, Arc<Definition>>>> = LazyLock::new(|| {
    let read = |text: &&str| {
        // The test below reads them all, so none is missing here.
        let definition = read(text).ok()?;
        Some((Language::named(&definition.name)?, Arc::new(definition)))
    };
    RwLock::new(BUILT_IN.iter().filter_map(read).collect())
});

/// A file of languages that can't be used: says which and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct LanguageError {
    path: PathBuf,
    problem: String,
}

/// Adds the language of a TOML file, or of each TOML file in a folder. One of a known name replaces the known one.
pub fn add(path: &Path) -> Result<Vec<Language>, LanguageError> {
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |problem: String| LanguageError { path, problem }
    };
    let io = |error: std::io::Error| error.to_string();
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        files = std::fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
            .map_err(io)
            .map_err(fail(path))?;
        files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
        files.sort();
    }
    let mut added = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(io).map_err(fail(&file))?;
        let definition = read(&text).map_err(fail(&file))?;
        let language = Language::add(&definition.name, &definition.title);
        let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        table.insert(language, Arc::new(definition));
        added.push(language);
    }
    Ok(added)
}

/// Adds the languages of the user's own folder, `redraft/languages` below the configuration directory.
pub fn add_configured() -> Result<Vec<Language>, LanguageError> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let folder = absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".config")))
        .map(|folder| folder.join("redraft").join("languages"))
        .filter(|folder| folder.is_dir());
    folder.map_or(Ok(Vec::new()), |folder| add(&folder))
}

/// What is known of a language.
pub(crate) fn definition(language: Language) -> Option<Arc<Definition>> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table.get(&language).cloned()
}

/// Every language that programs can be in.
pub fn all() -> Vec<Language> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table.keys().copied().collect()
}

/// The language of that name: its own, its title, or one as a fence in a reply may have it. Case doesn't matter.
pub fn named(name: &str) -> Option<Language> {
    let is = |other: &str| other.eq_ignore_ascii_case(name);
    find(|definition| is(&definition.name)).or_else(|| {
        find(|definition| is(&definition.title) || definition.aliases.iter().any(|alias| is(alias)))
    })
}

/// The language of a file, by the ending of its name.
pub fn of_file(path: &Path) -> Option<Language> {
    let ending = path.extension()?.to_str()?;
    find(|definition| {
        definition
            .extensions
            .iter()
            .any(|other| other.eq_ignore_ascii_case(ending))
    })
}

/// What a comment that goes to the end of its line begins with.
pub fn comment(language: Language) -> Option<String> {
    definition(language).map(|definition| definition.comment.clone())
}

/// The endings of file names that tell a language, such as `.py`, each language's first.
pub fn endings() -> Vec<String> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table
        .values()
        .filter_map(|definition| Some(format!(".{}", definition.extensions.first()?)))
        .collect()
}

fn find(is: impl Fn(&Definition) -> bool) -> Option<Language> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table
        .iter()
        .find(|(_, definition)| is(definition))
        .map(|(language, _)| *language)
}

/// Reads a definition and checks what serde can't. The error says what is wrong, in a sentence.
fn read(text: &str) -> Result<Definition, String> {
    let definition: Definition = toml::from_str(text).map_err(|error| {
        let line = error
            .span()
            .map(|span| text[..span.start].matches('\n').count() + 1);
        let place = line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{place}{}", error.message().replace('\n', " "))
    })?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+#-_".contains(c);
    if definition.name.is_empty() || !definition.name.chars().all(plain) {
        return Err(format!(
            "the name {:?} has to be of small letters, digits, +, #, - and _",
            definition.name
        ));
    }
    if definition.file.is_empty() || definition.file.contains('/') {
        return Err(format!(
            "`file` has to be the name of a file, and is {:?}",
            definition.file
        ));
    }
    if definition.toolchain.tool.is_empty() || definition.toolchain.version.is_empty() {
        return Err("`toolchain` has to name a `tool` and the command for its `version`".to_owned());
    }
    let mut steps: Vec<&[String]> = vec![&definition.run.command];
    steps.extend(
        definition
            .compile
            .iter()
            .flat_map(|compile| &compile.steps)
            .map(Vec::as_slice),
    );
    steps.extend(
        definition
            .prepare
            .iter()
            .flat_map(|prepare| &prepare.steps)
            .map(Vec::as_slice),
    );
    steps.extend(
        definition
            .check
            .iter()
            .flat_map(|check| &check.steps)
            .map(Vec::as_slice),
    );
    if steps.iter().any(|step| step.is_empty()) {
        return Err("a command is empty; it is a list of texts, the program first".to_owned());
    }
    let flags = definition
        .compile
        .iter()
        .flat_map(|compile| compile.flags.iter().chain(&compile.readable));
    let mut found: Vec<&str> = GIVEN.to_vec();
    found.extend(definition.toolchain.find.iter().map(|find| find.name.as_str()));
    for text in steps
        .into_iter()
        .flatten()
        .chain(flags)
        .chain(&definition.run.readable)
    {
        for (start, end) in names(text) {
            let name = &text[start + 1..end - 1];
            if !found.contains(&name) {
                return Err(format!(
                    "{{{name}}} in {text:?} stands for nothing; there are {}",
                    found.join(", ")
                ));
            }
        }
    }
    Ok(definition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_whole() {
        for text in BUILT_IN {
            let definition = read(text).unwrap();
            let language = Language::named(&definition.name).unwrap();
            assert_eq!(language.title(), definition.title);
        }
        assert_eq!(all().len(), Language::names().len());
    }

    #[test]
    fn languages_go_by_many_names() {
        for (name, language) in [
            ("C++", "cpp"),
            ("rs", "rust"),
            ("JS", "javascript"),
            ("golang", "go"),
            ("c", "c"),
        ] {
            assert_eq!(named(name).map(Language::name), Some(language), "{name}");
        }
        assert_eq!(named("cobol"), None);
    }

    #[test]
    fn no_two_languages_share_a_name_or_an_ending() {
        let table = TABLE.read().unwrap();
        let mut seen = BTreeMap::new();
        for definition in table.values() {
            let names = definition.aliases.iter().chain([&definition.name]).cloned();
            let endings = definition.extensions.iter().map(|ending| format!(".{ending}"));
            for name in names.chain(endings) {
                assert_eq!(seen.insert(name.clone(), &definition.name), None, "{name}");
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_definition_is_said() {
        let good = BUILT_IN[0];
        for (from, to, wanted) in [
            (
                "comment = \"#\"",
                "coment = \"#\"",
                "line 5: unknown field `coment`",
            ),
            (
                "\"{tool}\", \"-n\"",
                "\"{tol}\", \"-n\"",
                "{tol} in \"{tol}\" stands for nothing",
            ),
            ("name = \"bash\"", "name = \"Bash 5\"", "small letters"),
            ("solution.sh", "a/b.sh", "name of a file"),
            (
                "command = [\"{tool}\", \"{file}\"]",
                "command = []",
                "a command is empty",
            ),
        ] {
            assert!(good.contains(from), "{from}");
            let error = read(&good.replace(from, to)).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
