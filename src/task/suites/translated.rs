//! `HumanEval` and MBPP in other languages: `MultiPL-E` (`name`, `language`, `prompt`, `tests`, `stop_tokens`) and mxeval
//! (`task_id`, `language`, `prompt`, `test`, `entry_point`, `canonical_solution`).
//!
//! A program is the prompt with what continues it, and the tests stand behind it in the same file.

use super::entry::Entry;
use super::{SuiteError, human_eval};
use crate::task::{Brief, HiddenTests, Language, Limits, Program, ScriptForm, Task, Test, TestKind};

/// Names of languages in both formats.
const LANGUAGES: [(&str, &str); 24] = [
    ("py", "python"),
    ("python", "python"),
    ("js", "javascript"),
    ("javascript", "javascript"),
    ("ts", "typescript"),
    ("typescript", "typescript"),
    ("cpp", "cpp"),
    ("c++", "cpp"),
    ("java", "java"),
    ("go", "go"),
    ("go_test.go", "go"),
    ("rs", "rust"),
    ("rust", "rust"),
    ("sh", "bash"),
    ("bash", "bash"),
    ("rb", "ruby"),
    ("ruby", "ruby"),
    ("php", "php"),
    ("pl", "perl"),
    ("perl", "perl"),
    ("lua", "lua"),
    ("c", "c"),
    ("humaneval-py", "python"),
    ("mbpp-py", "python"),
];

/// Whether an entry looks like one of these formats.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("language") && entry.has("prompt") && (entry.has("test") || entry.has("tests"))
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let is_multipl_e = entry.has("tests");
    let (id, field) = if is_multipl_e {
        ("name", "tests")
    } else {
        ("task_id", "test")
    };
    let id = entry.string(id)?.to_owned();
    let prompt = entry.string("prompt")?;
    let tests = entry.string(field)?;
    if tests.trim().is_empty() {
        return Err(entry.error(format!(
            "the field `{field}` is empty: there would be nothing to check a program on"
        )));
    }
    let written = entry.string("language")?;
    let name = LANGUAGES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(written))
        .map_or(written, |(_, name)| name);
    let language = Language::named(name).ok_or_else(|| {
        entry.error(format!(
            "the language {written:?} isn't known; known are {}",
            Language::names().join(", ")
        ))
    })?;
    let entry_point = match entry.optional_string("entry_point")? {
        Some(name) => Some(name.to_owned()),
        None => entry_point(&id, prompt),
    };
    let visible = match (&entry_point, language == Language::PYTHON) {
        (Some(name), true) => human_eval::visible_of(&id, prompt, name),
        _ => Vec::new(),
    };
    let is_check = language == Language::PYTHON && !is_multipl_e && tests.contains("def check(");
    let hidden = Test {
        name: "hidden".to_owned(),
        kind: TestKind::Script {
            code: tests.to_owned(),
            form: if is_check {
                ScriptForm::Check
            } else {
                ScriptForm::Asserts
            },
            entry: entry_point.clone(),
        },
    };
    let reference = entry
        .optional_string("canonical_solution")?
        .map(|solution| match &entry_point {
            Some(name) if language == Language::PYTHON => human_eval::program_of(prompt, name, solution),
            _ => Program::new(language, format!("{prompt}{solution}")),
        });
    Ok(Task {
        id,
        brief: Brief {
            language,
            statement: prompt.to_owned(),
            entry_point,
            starter_code: prompt.to_owned(),
            visible,
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(vec![hidden]),
        references: reference.into_iter().collect(),
        wrong: Vec::new(),
    })
}

/// The function that `HumanEval_0_has_close_elements` is about, as the prompt writes it: `has_close_elements`,
/// `hasCloseElements` or `HasCloseElements`.
fn entry_point(id: &str, prompt: &str) -> Option<String> {
    let words: Vec<&str> = id.split('_').skip(2).collect();
    let capital = |word: &&str| {
        let mut letters = word.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        first + letters.as_str()
    };
    let upper: String = words.iter().map(capital).collect();
    let lower = words
        .first()
        .map(|first| format!("{first}{}", upper.get(first.len()..).unwrap_or_default()))?;
    [words.join("_"), lower, upper]
        .into_iter()
        .find(|name| !name.is_empty() && prompt.contains(&format!("{name}(")))
        .or_else(|| (!words.is_empty() && prompt.contains(&words.join("_"))).then(|| words.join("_")))
}

#[cfg(test)]
mod tests {
    use super::entry_point;

    #[test]
    fn the_function_as_the_prompt_writes_it() {
        for (prompt, name) in [
            ("def has_close_elements(numbers):", "has_close_elements"),
            (
                "public static boolean hasCloseElements(float[] x) {",
                "hasCloseElements",
            ),
            ("func HasCloseElements(x []float64) bool {", "HasCloseElements"),
            ("has_close_elements() {", "has_close_elements"),
            ("const has_close_elements = (x) => {", "has_close_elements"),
        ] {
            let found = entry_point("HumanEval_0_has_close_elements", prompt);
            assert_eq!(found.as_deref(), Some(name), "{prompt}");
        }
        assert_eq!(entry_point("x", "def f():"), None);
    }
}
