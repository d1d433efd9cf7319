//! Tests that are code of the program's own language run in one process with it. A program could end that process and look
//! as if all went well; so what counts is not how it ends, but that code of ours, which stands around the tests, says at
//! the end a secret that it read before anything of the program ran.
//!
//! The secret comes on stdin, in no file and no argument. Names of ours have a key in them that is made of the program
//! and its tests, so that a program can't know them.

mod c;
mod go;
mod java;
mod javascript;
mod rust;

pub(crate) use javascript::as_script;
use sha2::{Digest, Sha256};

use super::lexer::{Quotes, tokens};
use super::runner::Unprepared;
use super::sources::Sources;
use crate::task::{Language, Program};

/// What Go's tests commonly import, as far as tests use it.
pub(crate) const ASSERT_IN_GO: &str = include_str!("assert.go");

/// A program with tests around it.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    pub(crate) sources: Sources,
    /// What the process finds on stdin behind the line with the secret.
    pub(crate) input: Vec<u8>,
}

/// What the languages' own composers have to go on.
struct Pair<'a> {
    program: &'a Program,
    code: &'a str,
    key: String,
}

impl Pair<'_> {
    /// Code of ours with the key in its names.
    fn keyed(&self, text: &str) -> String {
        text.replace("KEY", &self.key)
    }

    fn sources(&self, file: &str, files: Vec<(String, String)>) -> Sources {
        Sources {
            language: self.program.language,
            file: file.to_owned(),
            main: String::new(),
            files: files
                .into_iter()
                .map(|(name, text)| (name, text.into_bytes()))
                .collect(),
            compiled: vec![file.to_owned()],
            beside: Vec::new(),
            more: String::new(),
            with_tests: true,
            compile_cpu: None,
        }
    }
}

/// Puts a program and test code of its language together.
pub(crate) fn together(program: &Program, code: &str) -> Result<Together, Unprepared> {
    if is_empty(code, program.language) {
        return Err(Unprepared::Harness(
            "the test code holds no test: it is empty".to_owned(),
        ));
    }
    let mut key = format!("{:x}", Sha256::digest(format!("{}\0{code}", program.hash())));
    key.truncate(16);
    let pair = Pair { program, code, key };
    let compiled = |sources| Together {
        sources,
        input: Vec::new(),
    };
    Ok(match program.language.name() {
        "c" => compiled(c::compose(&pair, "c")),
        "cpp" => compiled(c::compose(&pair, "cpp")),
        "go" => compiled(go::compose(&pair)),
        "java" => compiled(java::compose(&pair)),
        "rust" => compiled(rust::compose(&pair)),
        "javascript" => {
            let program = javascript::as_script(&program.source);
            interpreted(&pair, "redraft.js", include_str!("redraft.js"), &program)
        }
        "typescript" => javascript::compiled(&pair),
        "ruby" => interpreted(&pair, "redraft.rb", include_str!("redraft.rb"), &program.source),
        "php" => interpreted(&pair, "redraft.php", include_str!("redraft.php"), &program.source),
        "perl" => interpreted(&pair, "redraft.pl", include_str!("redraft.pl"), &program.source),
        "lua" => interpreted(&pair, "redraft.lua", include_str!("redraft.lua"), &program.source),
        "bash" => interpreted(&pair, "redraft.sh", include_str!("redraft.sh"), &program.source),
        _ => return Err(unknown(program.language)),
    })
}

/// Whether there is nothing but comments.
fn is_empty(code: &str, language: Language) -> bool {
    match super::comment(language).as_deref() {
        Some("//") => tokens(code, Quotes::C).is_empty(),
        comment => {
            let mut lines = code.lines().map(str::trim);
            lines.all(|line| line.is_empty() || comment.is_some_and(|begin| line.starts_with(begin)))
        }
    }
}

fn unknown(language: Language) -> Unprepared {
    let title = language.title();
    Unprepared::Harness(format!(
        "tests in {title} code can't be carried out; tests on stdin can"
    ))
}

/// For languages where the code around is the file that is run, and runs program and tests, which it finds on stdin.
fn interpreted(pair: &Pair<'_>, file: &str, around: &str, program: &str) -> Together {
    let mut sources = pair.sources(file, vec![(file.to_owned(), pair.keyed(around))]);
    sources.more = format!("{program}\n{}", pair.code);
    let asserts = u8::from(javascript::asserts(pair.code));
    let head = format!("{} {asserts} {}\n", program.len(), program.chars().count());
    Together {
        sources,
        input: [head.as_bytes(), program.as_bytes(), pair.code.as_bytes()].concat(),
    }
}
