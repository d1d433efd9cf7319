//! Programs that answer calls with data, in languages other than Python: our driver is what is run, and it loads the
//! program, which is told to it over the channel.

use serde_json::{Value, json};

use super::sources::Sources;
use super::together::as_script;
use crate::task::Program;

const DRIVER: &str = include_str!("calls/driver.js");

/// A program with a driver in front, and what the driver is told first.
#[derive(Debug)]
pub(crate) struct Driven {
    pub(crate) sources: Sources,
    pub(crate) start: Value,
}

/// `None` for languages that have no driver.
pub(crate) fn driven(program: &Program) -> Option<Driven> {
    let files = vec![("driver.js".to_owned(), DRIVER.as_bytes().to_vec())];
    let sources = |file: &str| Sources {
        language: program.language,
        file: file.to_owned(),
        main: String::new(),
        files: Vec::new(),
        compiled: vec![file.to_owned()],
        beside: Vec::new(),
        more: program.source.clone(),
        with_tests: false,
        compile_cpu: None,
    };
    match program.language.name() {
        "javascript" => Some(Driven {
            sources: Sources {
                files,
                ..sources("driver.js")
            },
            start: json!({ "source": as_script(&program.source) }),
        }),
        "typescript" => Some(Driven {
            sources: Sources {
                files: vec![("solution.ts".to_owned(), program.source.clone().into_bytes())],
                // The code around tests is called so; here it is the driver.
                beside: vec![("redraft.js".to_owned(), DRIVER.as_bytes().to_vec())],
                with_tests: true,
                ..sources("solution.ts")
            },
            start: json!({ "path": "/program/solution.js" }),
        }),
        _ => None,
    }
}
