//! HumanEval-X: every reference solution passes, and every one whose body is replaced by a wrong constant fails. Of each
//! language a few tasks, or all with `REDRAFT_WHOLE=1` (`scripts/check-humaneval-x`).

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod judged;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use judged::{judge, missing, shared};
use redraft::judge::Judge;
use redraft::task::{HiddenTests, Limits, Mode, Program, Report, Task, Verdict, suites};

/// Tasks of each language that are looked at, where not all are.
const SAMPLE: usize = 8;
const WORKERS: usize = 2;

/// The program with nothing but a constant in the place of what is to be written.
fn constant(task: &Task) -> Program {
    let starter = &task.brief.starter_code;
    let language = task.brief.language;
    let body = match language.name() {
        "cpp" => "return {};\n}\n".to_owned(),
        "rust" => return Program::new(language, rust_constant(&task.references[0].source)),
        "javascript" => "return 'wrong';\n}\n".to_owned(),
        "java" => format!("return {};\n}}\n}}\n", java_constant(starter)),
        "go" => go_constant(starter),
        other => panic!("no constant for {other}"),
    };
    Program::new(language, format!("{}\n{body}", starter.trim_end()))
}

/// A reference solution in Rust with a constant in the place of its last function's body; what stands before the
/// last function may need what its types are.
fn rust_constant(reference: &str) -> String {
    let name = reference.rfind("fn ").unwrap();
    let body = name + reference[name..].find('{').unwrap() + 1;
    let kind = reference[name..body - 1]
        .split("->")
        .nth(1)
        .unwrap_or("()")
        .trim();
    let constant = match kind {
        "f32" | "f64" => "77777.0",
        "i32" | "i64" | "u32" | "u64" | "usize" | "isize" | "i128" | "u128" => "77",
        "RtnType<String, f64, i32>" | "RtnType<String,f64,i32>" => "RtnType::Empty()",
        _ => "Default::default()",
    };
    format!("{} return {constant};\n}}\n", &reference[..body])
}

fn java_constant(starter: &str) -> &'static str {
    let head = starter.trim_end().lines().next_back().unwrap();
    let kind = head.split_whitespace().nth(1).unwrap();
    match kind {
        "boolean" => "false",
        "int" | "long" | "double" => "0",
        _ => "null",
    }
}

fn go_constant(starter: &str) -> String {
    let head = starter.trim_end().trim_end_matches('{').trim_end();
    let head = &head[head.rfind("func ").unwrap()..];
    // The result is what is behind the parameters.
    let mut depth = 0;
    let mut end = 0;
    for (at, c) in head.char_indices().skip(head.find('(').unwrap()) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            end = at + 1;
            break;
        }
    }
    let result = head[end..].trim();
    let kinds: Vec<&str> = match result.strip_prefix('(').and_then(|list| list.strip_suffix(')')) {
        Some(list) => list
            .split(',')
            .map(|kind| kind.trim().rsplit(' ').next().unwrap())
            .collect(),
        None => vec![result],
    };
    let variables: Vec<String> = kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| format!("var wrong{at} {kind}\n"))
        .collect();
    let names: Vec<String> = (0..kinds.len()).map(|at| format!("wrong{at}")).collect();
    format!("{}return {}\n}}\n", variables.concat(), names.join(", "))
}

fn hidden(judge: &Judge, program: &Program, hidden: &HiddenTests) -> Report {
    judge.test_hidden(
        program,
        hidden,
        &Limits {
            wall_ms: 300_000,
            ..Limits::default()
        },
    )
}

fn whole(language: &str) {
    let Some(path) = shared(&format!("data/suites/humaneval-x-{language}.jsonl.gz")) else {
        return;
    };
    let suite = suites::open(path.to_str().unwrap()).unwrap();
    assert_eq!(suite.tasks.len(), 164);
    let all = std::env::var_os("REDRAFT_WHOLE").is_some();
    let step = if all { 1 } else { suite.tasks.len() / SAMPLE };
    let tasks: Vec<&Task> = suite.tasks.iter().step_by(step).collect();
    let judge = judge();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let report = hidden(&judge, &task.references[0], &task.hidden);
                    if report.results.iter().any(missing) {
                        continue;
                    }
                    if !report.verdict.passed() || report.mode != Mode::Shared {
                        wrong.lock().unwrap().push(format!("{}: {report:#?}", task.id));
                    }
                    let report = hidden(&judge, &constant(task), &task.hidden);
                    let failed = [Verdict::WrongAnswer, Verdict::RuntimeError];
                    if !failed.contains(&report.verdict) {
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{}, a constant: {report:#?}", task.id));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {}: {}",
        wrong.len(),
        tasks.len(),
        wrong.join("\n")
    );
}

#[test]
fn cpp() {
    whole("cpp");
}

#[test]
fn go() {
    whole("go");
}

#[test]
fn java() {
    whole("java");
}

#[test]
fn javascript() {
    whole("js");
}

#[test]
fn rust() {
    whole("rust");
}

/// The constants that are put in are of the language.
#[test]
fn constants() {
    assert_eq!(
        go_constant("func F(a func(int) int) (int, error) {\n"),
        "var wrong0 int\nvar wrong1 error\nreturn wrong0, wrong1\n}\n"
    );
    assert_eq!(java_constant("class S {\n  public boolean f(int x) {\n"), "false");
}
