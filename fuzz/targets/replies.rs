//! Any text through every way to find a program in a reply: a program or none, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft::language::Extract;
use redraft::task::{Brief, Language, Limits};

fuzz_target!(|text: &str| {
    let brief = Brief {
        language: Language::PYTHON,
        statement: String::new(),
        entry_point: Some("f".to_owned()),
        starter_code: "def f(n):\n".to_owned(),
        visible: Vec::new(),
        limits: Limits::default(),
    };
    for (_, extract) in Extract::NAMES {
        let _ = extract.find(text, &brief);
    }
});
