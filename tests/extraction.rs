//! The program is found in a reply, however the reply is written, and a reply that is a program stays as it is.

#[path = "support/shared.rs"]
mod shared;

use proptest::prelude::*;
use redraft::judge::{Judge, Options};
use redraft::language::{Extract, find_program};
use redraft::task::{Brief, Language, Limits, ScriptForm, Test, TestKind, suites};

fn brief(entry: Option<&str>, starter: &str) -> Brief {
    Brief {
        language: Language::PYTHON,
        statement: String::new(),
        entry_point: entry.map(str::to_owned),
        starter_code: starter.to_owned(),
        visible: Vec::new(),
        limits: Limits::default(),
    }
}

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
    let brief = brief(Some(&text("entry_point")), &text("prompt"));
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

/// The dresses in which models send a program, each with what it needs of the program.
fn dressed(code: &str, how: usize) -> String {
    let code = code.trim_end();
    let indented = |by: &str| -> String {
        code.split('\n')
            .map(|line| {
                if line.is_empty() {
                    "\n".to_owned()
                } else {
                    format!("{by}{line}\n")
                }
            })
            .collect()
    };
    // A fence that the program doesn't hold.
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    match how {
        0 => format!("{code}\n"),
        1 => format!("{fence}python\n{code}\n{fence}"),
        2 => format!("Sure! Here it is:\n\n{fence}\n{code}\n{fence}\n\nIt works, as you can see."),
        3 => format!("~~~~~ py\n{code}\n~~~~~\n"),
        4 => format!(
            "1. The code:\n\n   {fence}python\n{}   {fence}\n2. Done.\n",
            indented("   ")
        ),
        5 => format!("{fence}python\n{code}\n"),
        6 => format!("<think>\nMaybe:\n{fence}\nx = 1\n{fence}\n</think>\n\n{fence}python\n{code}\n{fence}"),
        7 => format!("{fence}python\n{code}\n{fence}\nRun it:\n{fence}bash\npython answer.py\n{fence}"),
        8 => format!("{fence}python\r\n{}\r\n{fence}\r\n", code.replace('\n', "\r\n")),
        9 => serde_json::json!({"explanation": "See the code.", "code": code}).to_string(),
        10 => format!("In C:\n{fence}c\nint f(void);\n{fence}\nIn Python:\n{fence}Python3\n{code}\n{fence}"),
        11 => {
            let quoted: Vec<String> = code.split('\n').map(|line| format!("> {line}")).collect();
            let quoted = quoted.join("\n");
            format!("> Quoted:\n>\n> {fence}python\n{quoted}\n> {fence}\n")
        }
        12 => format!("\u{feff}{code}\n"),
        13 => format!("I think that this solves it.\n\n{code}\n"),
        14 => format!("[PYTHON]\n{code}\n[/PYTHON]\n"),
        _ => format!("{fence}python\n{code}\n{fence}<|im_end|>\n<|im_start|>user\n"),
    }
}

const DRESSES: usize = 16;

/// The programs known to be right of the published suites: what is cut out is what was put in.
#[test]
fn right_programs_come_out_as_they_went_in() {
    let Some(folder) = shared::folder("data/suites") else {
        return;
    };
    let mut failed = Vec::new();
    let mut tried = 0;
    for file in [
        "humaneval-visible.jsonl.gz",
        "mbpp-test-500.jsonl.gz",
        "quixbugs-python.jsonl.gz",
    ] {
        let suite = suites::open(folder.join(file).to_str().unwrap()).unwrap();
        for (at, task) in suite.tasks.iter().enumerate() {
            let source = &task.references[0].source;
            // Each program in three dresses of its own, so that all of them meet many programs.
            for how in [0, 1 + at % (DRESSES - 1), 1 + (at * 7 + 3) % (DRESSES - 1)] {
                tried += 1;
                let reply = dressed(source, how);
                let found = find_program(&reply, &task.brief);
                let same = found
                    .as_ref()
                    .is_some_and(|found| found.program.source.trim() == source.replace("\r\n", "\n").trim());
                if !same {
                    failed.push(format!("{} in dress {how}: {found:?}", task.id));
                }
            }
        }
    }
    assert!(tried > 2000);
    assert!(
        failed.is_empty(),
        "{} of {tried}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// A program of random statements around a function `f`.
fn program() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("import math\n"),
        Just("LIMIT = 3\n"),
        Just("def g(x):\n    return [x, '```', \"</think>\"]\n\n"),
        Just("class A:\n    '''Say:\n\n    ```\n    A()\n    ```\n    '''\n\n    b = '&lt;'\n"),
        Just("K = 1  # ~~~ a comment ```\n"),
        Just("t = '''{\n\"code\": 1\n}\n'''\n"),
        Just("if LIMIT2 := 4:\n    pass\n"),
        Just("@staticmethod\ndef h():\n    yield '\u{200b}'\n\n"),
    ];
    (prop::collection::vec(line, 0..6), 0..6_usize).prop_map(|(mut lines, at)| {
        let body = "def f(n):\n    if n < 3:\n\n        return 1\n    return n > 2\n\n";
        lines.insert(at.min(lines.len()), body);
        lines.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is put into a dress comes out of it.
    #[test]
    fn extraction_never_changes_a_program(code in program(), how in 0..DRESSES) {
        let brief = brief(Some("f"), "def f(n):\n    '''Doc.'''\n");
        // A thought's end in the text of the program itself can't be told from a real one unless it is quoted.
        let found = find_program(&dressed(&code, how), &brief);
        let source = found.as_ref().map(|found| found.program.source.trim().to_owned());
        prop_assert_eq!(source.as_deref(), Some(code.trim()), "dress {}", how);
    }

    /// Whatever a model says, something comes of it: no panic, no endless search.
    #[test]
    fn no_reply_is_too_odd(
        parts in prop::collection::vec(prop_oneof![
            Just("```".to_owned()), Just("```python".to_owned()), Just("~~~~".to_owned()), Just("\n".to_owned()),
            Just("> ".to_owned()), Just("1. ".to_owned()), Just("    ".to_owned()), Just("<think>".to_owned()),
            Just("</think>".to_owned()), Just("{\"code\": \"".to_owned()), Just("\"}".to_owned()),
            Just("def f(n):".to_owned()), Just("return n".to_owned()), Just(">>> ".to_owned()),
            Just("[PYTHON]".to_owned()), Just("&lt;".to_owned()), Just("@@ ".to_owned()), Just("+".to_owned()),
            Just("'''".to_owned()), Just("\u{200b}\u{2028}é".to_owned()), "\\PC{0,12}",
        ], 0..40),
        entry in prop::option::of(Just("f")),
    ) {
        let reply = parts.concat();
        let brief = brief(entry, "def f(n):\n    '''Doc.'''\n");
        for (_, mode) in Extract::NAMES {
            let _ = mode.find(&reply, &brief);
        }
    }
}
