//! What a program's file is called, where the program itself decides that: a public class of Java has to be in a file
//! of its name, and the class with the `main` is the one to start.

use super::definition::Definition;
use super::expand::Values;
use super::lexer::{Quotes, is_word, tokens};

/// How a program's file is called, and what is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naming {
    pub(crate) file: String,
    /// The class with the `main`, with its package.
    pub(crate) main: String,
}

/// The class whose name a file has that holds no class.
const NO_CLASS: &str = "Main";

pub(crate) fn naming(definition: &Definition, source: &str) -> Naming {
    let look = |other: &&super::definition::OtherFile| {
        let begins = |line: &str| {
            other
                .lines_begin
                .iter()
                .any(|begin| line.starts_with(begin.as_str()))
        };
        source.lines().any(begins) && !other.without.iter().any(|word| source.contains(word.as_str()))
    };
    let file = definition
        .other_file
        .iter()
        .find(look)
        .map_or(&definition.file, |other| &other.file);
    if !file.contains("{class}") {
        return Naming {
            file: file.clone(),
            main: String::new(),
        };
    }
    let classes = Classes::of(source);
    let public = classes.list.iter().find(|class| class.public);
    let starts = classes.list.iter().find(|class| class.has_main);
    let class = public
        .or(starts)
        .or(classes.list.first())
        .map_or(NO_CLASS, |class| &class.name);
    let main = starts.map_or(class, |class| &class.name);
    let mut values = Values::default();
    values.set("class", class);
    Naming {
        file: values.expand(file).concat(),
        main: classes
            .package
            .as_deref()
            .map_or_else(|| main.to_owned(), |package| format!("{package}.{main}")),
    }
}

/// The classes at the top level of a source text in Java's manner.
#[derive(Debug, Default)]
struct Classes {
    package: Option<String>,
    list: Vec<Class>,
}

#[derive(Debug)]
struct Class {
    name: String,
    public: bool,
    has_main: bool,
}

impl Classes {
    fn of(source: &str) -> Self {
        let mut classes = Self::default();
        let mut depth = 0_usize;
        let mut public = false;
        let mut before = "";
        let tokens = tokens(source, Quotes::Java);
        let mut words = tokens.iter().map(|token| token.text).peekable();
        while let Some(word) = words.next() {
            match word {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    public = false;
                }
                ";" if depth == 0 => public = false,
                "public" if depth == 0 => public = true,
                "package" if depth == 0 && classes.list.is_empty() => {
                    let name: String =
                        std::iter::from_fn(|| words.next_if(|word| *word != ";" && *word != "{")).collect();
                    classes.package = Some(name);
                }
                "class" | "interface" | "enum" | "record" if depth == 0 => {
                    if let Some(name) = words.peek().filter(|name| name.starts_with(is_word)) {
                        classes.list.push(Class {
                            name: (*name).to_owned(),
                            public,
                            has_main: false,
                        });
                    }
                }
                "main" if depth == 1 && before == "void" && words.peek() == Some(&"(") => {
                    if let Some(class) = classes.list.last_mut() {
                        class.has_main = true;
                    }
                }
                _ => {}
            }
            before = word;
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::registry::definition;
    use crate::task::Language;

    fn java(source: &str) -> (String, String) {
        let naming = naming(&definition(Language::JAVA).unwrap(), source);
        (naming.file, naming.main)
    }

    fn pair(file: &str, main: &str) -> (String, String) {
        (file.to_owned(), main.to_owned())
    }

    #[test]
    fn a_public_class_names_the_file() {
        assert_eq!(java("public class Main { }"), pair("Main.java", "Main"));
        assert_eq!(
            java("class A { }\npublic final class Solver {\n public static void main(String[] a) {} }"),
            pair("Solver.java", "Solver")
        );
        assert_eq!(java("package a.b;\npublic class C { }"), pair("C.java", "a.b.C"));
        assert_eq!(java("int x;"), pair("Main.java", "Main"));
    }

    #[test]
    fn the_class_with_main_is_started() {
        let source = "public class Tool { static class Inner { void main() {} } }\nclass Start { static void main(String... a) {} }";
        assert_eq!(java(source), pair("Tool.java", "Start"));
        assert_eq!(
            java("record P(int x) {}\nclass Go { static void main(String[] a) {} }"),
            pair("Go.java", "Go")
        );
    }

    #[test]
    fn comments_and_texts_name_nothing() {
        let source = "/* public class A */ // public class B\nclass C { String s = \"public class D { \\\"\"; char c = '{'; \
                      String t = \"\"\"\n public class E \"\"\"; }\npublic class F { }";
        assert_eq!(java(source), pair("F.java", "F"));
        assert_eq!(
            java("class Str\u{f6}m { static void main(String[] a) {} } \""),
            pair("Str\u{f6}m.java", "Str\u{f6}m")
        );
    }

    #[test]
    fn modern_modules_have_an_ending_of_their_own() {
        let javascript = definition(Language::JAVASCRIPT).unwrap();
        let file = |source| naming(&javascript, source).file;
        assert_eq!(file("import fs from 'fs';\nconsole.log(1)"), "solution.mjs");
        assert_eq!(
            file("const fs = require('fs');\nconst t = `\nimport x`;"),
            "solution.js"
        );
        assert_eq!(file("console.log('import ')"), "solution.js");
    }
}
