//! The program is found in a reply, however the reply is written.

#[path = "support/shared.rs"]
mod shared;

use redraft::judge::{Judge, Options};
use redraft::language::find_program;
use redraft::task::{Brief, Language, Limits, ScriptForm, Test, TestKind};

/// Every model answer of the handed cases holds a program that passes once it is cut out rightly.
#[test]
fn every_handed_answer_yields_its_program() {
    let Some(cases) = shared::folder("cases") else {
        return;
    };
    let tasks: serde_json::Value =
        serde_json::from_slice(&std::fs::read(cases.join("tasks.json")).unwrap()).unwrap();
    let task = &tasks["fn"];
    let text = |name: &str| task[name].as_str().unwrap().to_owned();
    let brief = Brief {
        language: Language::PYTHON,
        statement: text("prompt"),
        entry_point: Some(text("entry_point")),
        starter_code: text("prompt"),
        visible: Vec::new(),
        limits: Limits::default(),
    };
    let test = Test {
        name: "check".to_owned(),
        kind: TestKind::Script {
            code: text("test"),
            form: ScriptForm::Check,
            entry: brief.entry_point.clone(),
        },
    };
    let judge = Judge::new(Options::default()).unwrap();
    let responses = std::fs::read_to_string(cases.join("extraction/responses.jsonl")).unwrap();
    let mut failed = Vec::new();
    for line in responses.split('\n').filter(|line| !line.is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        match find_program(case["response"].as_str().unwrap(), &brief) {
            None => failed.push(format!("{id}: no program")),
            Some(found) => {
                let report = judge.test(&found.program, std::slice::from_ref(&test), &brief.limits);
                if !report.verdict.passed() {
                    failed.push(format!(
                        "{id}: {} by {:?}:\n{}",
                        report.verdict, found.rule, found.program.source
                    ));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
