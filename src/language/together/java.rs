//! Java: program and tests in files of their own, with the program's imports in both, and our class that starts the test's
//! `main`.

use super::Pair;
use crate::language::lexer::{Quotes, Token, tokens};
use crate::language::naming::naming;
use crate::language::registry::definition;
use crate::language::sources::Sources;
use crate::task::Language;

pub(super) fn compose(pair: &Pair<'_>) -> Sources {
    let (_, imports, program) = apart(&pair.program.source);
    let (_, own, code) = apart(pair.code);
    let imports = format!("{imports}{own}");
    let mut tests = format!("{imports} {code}");
    let mut file = format!("Tests_{}.java", pair.key);
    let mut main = format!("Tests_{}", pair.key);
    let named = definition(Language::JAVA).map(|definition| naming(&definition, &code));
    match named.filter(|_| has_main(&code)) {
        Some(naming) => {
            file = naming.file;
            main = naming.main;
        }
        None => {
            tests = format!(
                "{imports} class {main} {{ public static void main(String[] args) throws Exception {{ {code}\n}} }}\n"
            );
        }
    }
    let program = format!("{} {program}", apart(&pair.program.source).1);
    let naming = definition(Language::JAVA).map(|definition| naming(&definition, &program));
    let mut own_file = naming.map_or_else(|| "Solution.java".to_owned(), |naming| naming.file);
    if own_file == file {
        own_file = format!("Program_{}.java", pair.key);
    }
    let around = format!("Redraft_{}", pair.key);
    let text = pair.keyed(include_str!("redraft.java")).replace("MAIN", &main);
    let files = vec![
        (own_file, program),
        (file.clone(), tests),
        (format!("{around}.java"), text),
    ];
    let compiled = files.iter().map(|(name, _)| name.clone()).collect();
    let mut sources = pair.sources(&file, files);
    sources.compiled = compiled;
    sources.main = around;
    sources
}

/// Package, imports, and the rest with its lines where they were.
fn apart(source: &str) -> (String, String, String) {
    let tokens = tokens(source, Quotes::Java);
    let (mut package, mut imports) = (String::new(), String::new());
    let mut rest = String::with_capacity(source.len());
    let mut from = 0;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let into = match token.text {
            "package" => &mut package,
            "import" => &mut imports,
            _ => break,
        };
        let Some(length) = tokens[at..].iter().position(|token| token.text == ";") else {
            break;
        };
        let end = tokens[at + length].end();
        into.push_str(&source[token.start..end].replace('\n', " "));
        rest.push_str(&source[from..token.start]);
        rest.extend(source[token.start..end].chars().filter(|c| *c == '\n'));
        from = end;
        at += length + 1;
    }
    rest.push_str(&source[from..]);
    (package, imports, rest)
}

fn has_main(code: &str) -> bool {
    let tokens = tokens(code, Quotes::Java);
    let is_main =
        |three: &[Token<'_>]| three[0].text == "void" && three[1].text == "main" && three[2].text == "(";
    tokens.windows(3).any(is_main)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_taken_out() {
        let (package, imports, rest) =
            apart("package a.b;\nimport java.util.*;\nimport static\n x.Y.z;\n\nclass A { }");
        assert_eq!(package, "package a.b;");
        assert_eq!(imports, "import java.util.*;import static  x.Y.z;");
        assert_eq!(rest, "\n\n\n\n\nclass A { }");
    }
}
