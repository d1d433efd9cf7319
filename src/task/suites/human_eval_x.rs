//! HumanEval-X: `HumanEval`'s tasks in C++, Go, Java, JavaScript, Python and Rust. A line has `task_id` (`CPP/0` …),
//! `prompt`, `declaration`, `canonical_solution`, `test` and `example_test`; Go's also `import` and `test_setup`.

use super::SuiteError;
use super::entry::Entry;
use crate::task::{Brief, HiddenTests, Language, Limits, Program, ScriptForm, Task, Test, TestKind};

/// What the suite's own grader supplies to programs in C++.
const INCLUDES: [&str; 9] = [
    "stdlib.h",
    "algorithm",
    "math.h",
    "stdio.h",
    "vector",
    "string",
    "climits",
    "cstring",
    "iostream",
];

/// Tasks whose tests are commented out in the data, and tests in their place.
const INSTEAD: [(&str, &str); 1] = [(
    "Rust/32",
    "#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_zeros() {
        for coefficients in [
            vec![1.0, 2.0],
            vec![-6.0, 11.0, -6.0, 1.0],
            vec![3.0, -5.0],
            vec![8.0, 7.0, 3.0, 2.0],
            vec![-4.0, 9.0, 0.0, 1.0],
        ] {
            let zero = find_zero(&coefficients);
            assert!(poly(&coefficients, zero).abs() < 1e-3);
        }
    }
}
",
)];

/// Reference solutions that the suite's own tests refute, with what is wrong in them and what would be right. The suite's
/// own grader doesn't notice, for Node goes on after `console.assert`.
const MENDED: [(&str, &str, &str); 3] = [
    ("JavaScript/112", "return (z, false)", "return [t, false]"),
    ("JavaScript/112", "return (z, true)", "return [t, true]"),
    (
        "JavaScript/155",
        "if (num < 0) { num = -num }",
        "if (num == 0) { return [1, 0] }\n  if (num < 0) { num = -num }",
    ),
];

fn mended(id: &str, solution: &str) -> String {
    let of_task = MENDED.iter().filter(|(task, _, _)| *task == id);
    of_task.fold(solution.to_owned(), |text, (_, wrong, right)| {
        text.replace(wrong, right)
    })
}

/// Whether an entry looks like one of this format.
pub(super) fn detects(entry: &Entry<'_>) -> bool {
    entry.has("declaration") && entry.has("prompt") && entry.has("test")
}

/// Reads one task.
pub(super) fn task(entry: &Entry<'_>) -> Result<Task, SuiteError> {
    let id = entry.string("task_id")?.to_owned();
    let language = match id.split('/').next().unwrap_or_default() {
        "CPP" => Language::CPP,
        "Go" => Language::GO,
        "Java" => Language::JAVA,
        "JavaScript" => Language::JAVASCRIPT,
        "Python" => Language::PYTHON,
        "Rust" => Language::RUST,
        other => {
            return Err(entry.error(format!(
                "the task's name begins with {other:?}; HumanEval-X has CPP, Go, Java, JavaScript, Python and Rust"
            )));
        }
    };
    let prompt = entry.string("prompt")?;
    let declaration = entry.string("declaration")?;
    let setup = entry.optional_string("test_setup")?.unwrap_or_default();
    let test = INSTEAD
        .iter()
        .find(|(task, _)| *task == id)
        .map_or(entry.string("test")?, |(_, test)| test);
    if test.trim().is_empty() {
        return Err(entry.error("the field `test` is empty: there would be nothing to check a program on"));
    }
    let starter = match language {
        Language::CPP => format!("{}{prompt}", missing_includes(prompt, declaration)),
        // The prompt has the documentation alone.
        Language::RUST => format!("{prompt}{declaration}"),
        // The suite's own grader imports what is used, and not what the prompt imports.
        Language::GO => match entry.optional_string("import")?.map(str::trim) {
            Some(import) if !import.is_empty() => prompt.replacen(import, "", 1),
            _ => prompt.to_owned(),
        },
        _ => prompt.to_owned(),
    };
    let entry_point = declared(declaration, language);
    let script = |name: &str, code: &str| Test {
        name: name.to_owned(),
        kind: TestKind::Script {
            code: format!("{setup}{code}"),
            form: if language == Language::PYTHON {
                ScriptForm::Check
            } else {
                ScriptForm::Asserts
            },
            entry: entry_point.clone(),
        },
    };
    let examples = entry.optional_string("example_test")?.unwrap_or_default();
    let has_examples = !examples.trim().is_empty() && examples.trim() != "None" && examples != test;
    let visible = if has_examples {
        vec![script("examples", examples)]
    } else {
        Vec::new()
    };
    let references = entry
        .optional_string("canonical_solution")?
        .map(|body| Program::new(language, mended(&id, &format!("{starter}{body}"))))
        .into_iter()
        .collect();
    Ok(Task {
        id,
        brief: Brief {
            language,
            statement: if language == Language::RUST {
                starter.clone()
            } else {
                prompt.to_owned()
            },
            entry_point: entry_point.clone(),
            starter_code: starter.clone(),
            visible,
            limits: Limits::default(),
        },
        hidden: HiddenTests::new(vec![script("hidden", test)]),
        references,
        wrong: Vec::new(),
    })
}

fn missing_includes(prompt: &str, declaration: &str) -> String {
    let is_there = |name: &str| {
        let mut lines = prompt.lines().map(|line| line.replace(' ', ""));
        lines.any(|line| line == format!("#include<{name}>"))
    };
    // A function of the header would be called in the place of the program's own.
    let hides = |name: &str| name == "cstring" && declaration.contains("strlen(");
    INCLUDES
        .iter()
        .filter(|name| !is_there(name) && !hides(name))
        .map(|name| format!("#include<{name}>\n"))
        .collect::<Vec<_>>()
        .concat()
}

/// The function that is to be written: the last one that the declaration begins.
fn declared(declaration: &str, language: Language) -> Option<String> {
    let word = |text: &str| -> Option<String> {
        let name: String = text
            .trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        (!name.is_empty()).then_some(name)
    };
    let behind = |keyword: &str| word(declaration.rsplit_once(keyword)?.1);
    match language {
        Language::GO => behind("func "),
        Language::RUST => behind("fn "),
        Language::JAVASCRIPT => behind("const "),
        Language::PYTHON => behind("def "),
        _ => {
            let line = declaration.trim_end().lines().next_back()?;
            let head = line.split('(').next()?.trim_end();
            let start = head
                .rfind(|c: char| !c.is_alphanumeric() && c != '_')
                .map_or(0, |at| at + 1);
            word(&head[start..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_to_write_is_known() {
        for (language, declaration, name) in [
            (
                Language::CPP,
                "#include<x>\nint f(int a){\n}\nvector<string> g_h(string s){\n",
                "g_h",
            ),
            (
                Language::JAVA,
                "class Solution {\n    public List<String> doIt(String s) {\n",
                "doIt",
            ),
            (Language::GO, "\nfunc Do(x int) []string {\n", "Do"),
            (Language::JAVASCRIPT, "\nconst doIt = (a) => {\n", "doIt"),
            (
                Language::RUST,
                "use md5;\nfn do_it(s: String) -> Vec<String>{\n",
                "do_it",
            ),
        ] {
            assert_eq!(declared(declaration, language).as_deref(), Some(name));
        }
    }

    #[test]
    fn what_the_grader_supplies_is_supplied_once() {
        let missing = missing_includes(
            "#include <vector>\n#include<math.h>\nusing namespace std;\n",
            "int f(){",
        );
        assert!(missing.contains("#include<algorithm>\n"), "{missing}");
        assert!(
            !missing.contains("vector") && !missing.contains("math.h"),
            "{missing}"
        );
        assert!(!missing_includes("", "int strlen(string s){").contains("cstring"));
    }
}
