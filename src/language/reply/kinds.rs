//! What the words behind a fence say about a block's language.

/// Whether a block can be the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is tagged with the program's language.
    Ours,
    /// It isn't tagged.
    Untagged,
    /// It is tagged with something else.
    Other,
}

/// The names under which models write each language, in lower case; endings of files are among them.
const NAMES: &[(&str, &[&str])] = &[
    (
        "python",
        &[
            "python", "python3", "py", "py3", "python2", "ipython", "ipython3", "pycon", "pyi", "sage",
            "cpython", "pypy", "pypy3",
        ],
    ),
    (
        "javascript",
        &[
            "javascript",
            "js",
            "node",
            "nodejs",
            "jsx",
            "mjs",
            "cjs",
            "ecmascript",
        ],
    ),
    ("typescript", &["typescript", "ts", "tsx", "mts", "cts"]),
    ("c", &["c", "c89", "c99", "c11", "c17", "h", "gcc"]),
    (
        "cpp",
        &[
            "cpp", "c++", "cxx", "cc", "hpp", "cpp11", "cpp14", "cpp17", "cpp20", "c++11", "c++14", "c++17",
            "c++20", "c++23", "g++",
        ],
    ),
    ("java", &["java", "java8", "java11", "java17", "java21"]),
    ("go", &["go", "golang"]),
    ("rust", &["rust", "rs"]),
    ("bash", &["bash", "sh", "shell", "zsh", "shellscript"]),
    ("ruby", &["ruby", "rb"]),
    ("php", &["php", "php7", "php8"]),
    ("perl", &["perl", "pl", "perl5"]),
    ("lua", &["lua", "lua5", "luajit"]),
];

/// Tags that say that it is code and not which.
const ANY: [&str; 5] = ["code", "solution", "program", "answer", "script"];

/// What an info string says to someone who looks for `language` (a name in lower case).
pub(super) fn kind_of(info: &str, language: &str) -> Kind {
    let word = word(info);
    if word.is_empty() {
        return Kind::Untagged;
    }
    let ours = NAMES.iter().find(|(name, _)| *name == language);
    let is_ours = word == language
        || ANY.contains(&word.as_str())
        || ours.is_some_and(|(_, names)| names.contains(&word.as_str()));
    if is_ours { Kind::Ours } else { Kind::Other }
}

/// The language's name in an info string: `python`, `{.python .numberLines}`, `py:main.py`, `lang-python`,
/// `solution.py`, `Python 3.11`.
fn word(info: &str) -> String {
    let info = info.trim().trim_start_matches(['{', '.', '<', '[']).trim_start();
    let end = info
        .find(|c: char| !(c.is_alphanumeric() || "+#._-".contains(c)))
        .unwrap_or(info.len());
    let word = info[..end].to_ascii_lowercase();
    let word = word
        .strip_prefix("lang-")
        .or_else(|| word.strip_prefix("language-"))
        .unwrap_or(&word)
        .trim_end_matches(['.', '-']);
    match word.rsplit_once('.') {
        // A file's name, or a version.
        Some((name, ending)) if ending.starts_with(|c: char| c.is_ascii_digit()) => {
            name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
        }
        Some((_, ending)) => ending.to_owned(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_the_language_is_written() {
        for info in [
            "python",
            " Python3 ",
            "PY",
            "{python}",
            "{.python .numberLines}",
            "py:main.py",
            "python title=\"a.py\"",
            "python3.11",
            "Python 3",
            "lang-python",
            "language-python",
            "solution.py",
            "code",
        ] {
            assert_eq!(kind_of(info, "python"), Kind::Ours, "{info}");
        }
        assert_eq!(kind_of("", "python"), Kind::Untagged);
        for info in ["bash", "text", "json", "pyramid", "c++", "output", "javascript"] {
            assert_eq!(kind_of(info, "python"), Kind::Other, "{info}");
        }
        assert_eq!(kind_of("C++17", "cpp"), Kind::Ours);
        assert_eq!(kind_of("c", "cpp"), Kind::Other);
        assert_eq!(kind_of("golang", "go"), Kind::Ours);
        assert_eq!(kind_of("main.rs", "rust"), Kind::Ours);
        assert_eq!(kind_of("kotlin", "kotlin"), Kind::Ours);
    }
}
