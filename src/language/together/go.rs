//! Go: the files of one package, ours first, for its variables are made first. Imports of the standard library that are
//! used and missing are supplied, and the tests' unused ones left away, as if all stood in one file.

use super::Pair;
use crate::language::lexer::{Quotes, Token, tokens};
use crate::language::sources::Sources;

/// Packages that graders commonly supply.
const COMMON: [&str; 12] = [
    "bytes",
    "crypto/md5",
    "errors",
    "fmt",
    "math",
    "math/rand",
    "regexp",
    "sort",
    "strconv",
    "strings",
    "time",
    "unicode",
];
const ASSERT: &str = "github.com/stretchr/testify/assert";

pub(super) fn compose(pair: &Pair<'_>) -> Sources {
    let program = Parts::of(&pair.program.source);
    let tests = Parts::of(pair.code);
    let names = tests.test_functions();
    let list: Vec<String> = names
        .iter()
        .map(|name| format!("{{Name: {name:?}, F: {name}}}"))
        .collect();
    let mut code = tests.body.clone();
    let mut list = list.join(", ");
    if names.is_empty() {
        let name = format!("redraft_{}_test", pair.key);
        code = format!("func {name}(t *testing.T) {{ {code}\n}}\n");
        list = format!("{{Name: \"tests\", F: {name}}}");
    }
    let around = pair
        .keyed(include_str!("redraft.go"))
        .replace("TESTS", &list)
        .replace(
            "ASSERTS",
            if tests.imports.iter().any(|import| import.path == ASSERT) {
                "true"
            } else {
                "false"
            },
        );
    let mut supplied: Vec<Import> = COMMON.iter().map(|path| Import::of(path)).collect();
    supplied.extend(["testing", ASSERT, "reflect", "os"].map(Import::of));
    let own = program.renamed_main(&format!("redraft_{}_main", pair.key));
    let files = vec![
        ("redraft.go".to_owned(), around),
        (
            "solution.go".to_owned(),
            file(&program.imports, &[&tests.imports, &supplied], &own, true),
        ),
        (
            "tests.go".to_owned(),
            file(&[], &[&tests.imports, &supplied], &code, false),
        ),
    ];
    let compiled = files.iter().map(|(name, _)| name.clone()).collect();
    let mut sources = pair.sources("solution.go", files);
    sources.compiled = compiled;
    sources
}

/// A file: `kept` imports stay as they are, of the others those that are used and not there yet.
fn file(kept: &[Import], others: &[&Vec<Import>], body: &str, is_program: bool) -> String {
    let mut imports: Vec<&Import> = kept.iter().collect();
    let tokens = tokens(body, Quotes::Go);
    for import in others.iter().flat_map(|list| list.iter()) {
        let is_there = imports.iter().any(|other| other.name == import.name);
        let is_special = matches!(import.name.as_str(), "_" | ".");
        if !is_there && (is_special && !is_program || uses(&tokens, &import.name)) {
            imports.push(import);
        }
    }
    let list: Vec<String> = imports.iter().map(|import| import.written.clone()).collect();
    // On the first line, so that the lines of the body keep their numbers.
    format!("package main; import ({}); {body}", list.join("; "))
}

/// Whether `name.` stands somewhere, not behind another dot.
fn uses(tokens: &[Token<'_>], name: &str) -> bool {
    (0..tokens.len()).any(|at| {
        tokens[at].text == name
            && tokens.get(at + 1).is_some_and(|next| next.text == ".")
            && (at == 0 || tokens[at - 1].text != ".")
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Import {
    /// The name that it has in the file.
    name: String,
    path: String,
    written: String,
}

impl Import {
    fn of(path: &str) -> Self {
        Self {
            name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            path: path.to_owned(),
            written: format!("{path:?}"),
        }
    }

    fn named(name: &str, path: &str) -> Self {
        Self {
            name: name.to_owned(),
            written: format!("{name} {path:?}"),
            path: path.to_owned(),
        }
    }
}

/// A file taken apart.
#[derive(Debug)]
struct Parts {
    imports: Vec<Import>,
    /// The rest, with blanks in the place of package clause and imports.
    body: String,
}

impl Parts {
    fn of(source: &str) -> Self {
        let tokens = tokens(source, Quotes::Go);
        let mut imports = Vec::new();
        let mut gone: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            match tokens[at].text {
                "package" if at == 0 => at += 2,
                "import" => at = read_imports(&tokens, at + 1, &mut imports),
                // Imports stand before everything else.
                _ => break,
            }
            if tokens.get(at).is_some_and(|token| token.text == ";") {
                at += 1;
            }
            let end = tokens.get(at - 1).map_or(source.len(), Token::end);
            gone.push((tokens[start].start, end));
        }
        let mut body = String::with_capacity(source.len());
        let mut from = 0;
        for (start, end) in gone {
            body.push_str(&source[from..start]);
            body.extend(source[start..end].chars().filter(|c| *c == '\n'));
            from = end;
        }
        body.push_str(&source[from..]);
        Self { imports, body }
    }

    /// Functions that the package `testing` would run.
    fn test_functions(&self) -> Vec<String> {
        let tokens = tokens(&self.body, Quotes::Go);
        let is_test = |three: &&[Token<'_>]| {
            three[0].text == "func" && three[1].text.starts_with("Test") && three[2].text == "("
        };
        tokens
            .windows(3)
            .filter(is_test)
            .map(|three| three[1].text.to_owned())
            .collect()
    }

    /// The body with its `main` under another name.
    fn renamed_main(&self, name: &str) -> String {
        let tokens = tokens(&self.body, Quotes::Go);
        let main = tokens
            .windows(3)
            .find(|three| three[0].text == "func" && three[1].text == "main" && three[2].text == "(");
        main.map_or_else(
            || self.body.clone(),
            |three| {
                format!(
                    "{}{name}{}",
                    &self.body[..three[1].start],
                    &self.body[three[1].end()..]
                )
            },
        )
    }
}

/// Reads what is behind `import`; gives where it ends.
fn read_imports(tokens: &[Token<'_>], mut at: usize, imports: &mut Vec<Import>) -> usize {
    let several = tokens.get(at).is_some_and(|token| token.text == "(");
    at += usize::from(several);
    let mut name = None;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if token.text == ")" {
            break;
        }
        if token.is_text() {
            let path = token.text.trim_matches(['"', '`']);
            imports.push(match name.take() {
                Some(name) => Import::named(name, path),
                None => Import::of(path),
            });
            if !several {
                break;
            }
        } else if token.text != ";" {
            name = Some(token.text);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_taken_apart() {
        let parts = Parts::of(
            "package x\n\nimport (\n\t\"fmt\"\n\tm \"math\"\n)\nimport \"os\"\n\nfunc main() { m.Abs(1) }\n",
        );
        let names: Vec<&str> = parts.imports.iter().map(|import| import.name.as_str()).collect();
        assert_eq!(names, ["fmt", "m", "os"]);
        assert_eq!(parts.body, "\n\n\n\n\n\n\n\nfunc main() { m.Abs(1) }\n");
        assert!(
            parts
                .renamed_main("other")
                .ends_with("func other() { m.Abs(1) }\n")
        );
    }

    #[test]
    fn imports_are_supplied_where_they_are_used() {
        let tests = vec![Import::of("math"), Import::of("testing")];
        let text = file(&[], &[&tests], "func f() { x.math.y(); math.Abs(1) }", true);
        assert!(
            text.starts_with("package main; import (\"math\"); func"),
            "{text}"
        );
        let text = file(&[Import::of("math")], &[&tests], "func f() {}", true);
        assert!(
            text.starts_with("package main; import (\"math\"); func"),
            "an unused one stays wrong: {text}"
        );
    }

    #[test]
    fn tests_are_found() {
        let parts = Parts::of(
            "package main\nfunc TestA(t *testing.T) {}\nfunc helper() {}\n// func TestB(\nfunc TestC(t *testing.T) {}",
        );
        assert_eq!(parts.test_functions(), ["TestA", "TestC"]);
    }
}
