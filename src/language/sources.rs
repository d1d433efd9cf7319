//! What is compiled: a program, or a program with tests around it.

use std::time::Duration;

use super::naming::naming;
use super::registry;
use super::runner::{Unprepared, unknown};
use crate::task::{Language, Program};

/// A program, or a program with tests around it, to be compiled.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    pub(crate) language: Language,
    /// The file that the compiler is given; the others lie beside it.
    pub(crate) file: String,
    /// What is started, where that isn't a file: Java's class.
    pub(crate) main: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Those of the files that the compiler is given, in this order.
    pub(crate) compiled: Vec<String>,
    /// Files that are there when what was compiled runs.
    pub(crate) beside: Vec<(String, Vec<u8>)>,
    /// More text that may name libraries: what an interpreter gets to read elsewhere.
    pub(crate) more: String,
    /// Whether tests are in it: then it is compiled to show faults, not to be fast.
    pub(crate) with_tests: bool,
    /// CPU time for compiling, where a task sets it.
    pub(crate) compile_cpu: Option<Duration>,
}

impl Sources {
    /// Those of a program alone.
    pub(crate) fn of(program: &Program) -> Result<Self, Unprepared> {
        Self::of_text(program.language, program.source.as_bytes(), None)
    }

    /// Those of a program in a file that is called `name`, unless the language decides what it is called.
    pub(super) fn of_text(language: Language, text: &[u8], name: Option<&str>) -> Result<Self, Unprepared> {
        let definition = registry::definition(language).ok_or_else(|| unknown(language))?;
        let naming = naming(&definition, &String::from_utf8_lossy(text));
        let file = match name {
            Some(name) if naming.file == definition.file => name.to_owned(),
            _ => naming.file,
        };
        Ok(Self {
            language,
            files: vec![(file.clone(), text.to_vec())],
            compiled: vec![file.clone()],
            beside: Vec::new(),
            more: String::new(),
            file,
            main: naming.main,
            with_tests: false,
            compile_cpu: None,
        })
    }
}
