//! JavaScript and TypeScript: program and tests are one script, so that the tests see what the program declares.

use super::{Pair, Together, interpreted};

/// Whether tests count what they assert by the console's means.
pub(super) fn asserts(code: &str) -> bool {
    code.contains("console.assert(")
}

/// A module's program as a script: what it exports is simply declared, what it imports is required.
pub(crate) fn as_script(source: &str) -> String {
    let lines: Vec<String> = source.split('\n').map(line_as_script).collect();
    lines.join("\n")
}

fn line_as_script(line: &str) -> String {
    if let Some(rest) = line.strip_prefix("export ") {
        let rest = rest.strip_prefix("default ").unwrap_or(rest);
        let declares = ["function", "class", "const ", "let ", "var ", "async "];
        // `export { a, b };` and `export default a;` declare nothing.
        return if declares.iter().any(|word| rest.starts_with(word)) {
            rest.to_owned()
        } else {
            String::new()
        };
    }
    line.strip_prefix("import ")
        .and_then(required)
        .unwrap_or_else(|| line.to_owned())
}

/// `a, { b as c } from 'd';` with `require`; `None` for what isn't whole on its line.
fn required(import: &str) -> Option<String> {
    let import = import.trim().trim_end_matches(';');
    if import.starts_with(['\'', '"']) {
        return Some(format!("require({import});"));
    }
    let (names, module) = import.rsplit_once(" from ")?;
    let module = module.trim();
    if !module.starts_with(['\'', '"']) {
        return None;
    }
    let mut declared = Vec::new();
    let mut rest = names.trim();
    if let Some((first, behind)) = rest.split_once(',')
        && !first.starts_with('{')
    {
        declared.push(format!("{} = require({module})", first.trim()));
        rest = behind.trim();
    }
    let names = match rest.strip_prefix("* as ") {
        Some(name) => name.to_owned(),
        None => rest.replace(" as ", ": "),
    };
    declared.push(format!("{names} = require({module})"));
    Some(format!("const {};", declared.join(", ")))
}

/// TypeScript: compiled as one file, which the code around then loads.
pub(super) fn compiled(pair: &Pair<'_>) -> Together {
    let whole = format!("{}\n{}", pair.program.source, pair.code);
    let load = Pair {
        code: "require('/program/solution.js');",
        key: pair.key.clone(),
        program: pair.program,
    };
    let mut together = interpreted(&load, "redraft.js", include_str!("redraft.js"), "");
    let around = std::mem::take(&mut together.sources.files);
    together.sources.beside = around;
    "solution.ts".clone_into(&mut together.sources.file);
    together.sources.files = vec![("solution.ts".to_owned(), whole.into_bytes())];
    together.sources.compiled = vec!["solution.ts".to_owned()];
    if asserts(pair.code) {
        // The head says so to the code around.
        together.input = [b"0 1 0\n", load.code.as_bytes()].concat();
    }
    together
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_scripts() {
        for (module, script) in [
            ("export function f() {}", "function f() {}"),
            ("export default class A {}", "class A {}"),
            ("export { a };", ""),
            ("import fs from 'fs';", "const fs = require('fs');"),
            ("import * as fs from \"fs\"", "const fs = require(\"fs\");"),
            (
                "import { a, b as c } from 'x';",
                "const { a, b: c } = require('x');",
            ),
            (
                "import d, { a } from 'x';",
                "const d = require('x'), { a } = require('x');",
            ),
            ("import 'x';", "require('x');"),
            ("import {", "import {"),
            ("const x = 1; // export y", "const x = 1; // export y"),
        ] {
            assert_eq!(as_script(module), script);
        }
    }
}
