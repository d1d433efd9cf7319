//! CRITIC, program synthesis: what the paper and the issue ask for, line by line.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/stub.rs"]
mod stub;

use std::sync::Arc;

use redraft::cycle::{Outcome, Status};
use redraft::journal::{Event, Stopped};
use redraft::judge::{Judge, Options};
use redraft::patterns::{CriticProgram, critic_program};
use redraft::prompts::Prompts;
use redraft::task::{Brief, Language, Limits};
use stub::{Say, Stub, roles, run, say};

const QUESTION: &str = "Mia has 4 rows of 12 books. How many books is that?";

async fn solve(settings: CriticProgram, stub: &Arc<Stub>) -> (Outcome, Vec<Event>) {
    let brief = Brief {
        language: Language::PYTHON,
        statement: QUESTION.to_owned(),
        entry_point: None,
        starter_code: String::new(),
        visible: Vec::new(),
        limits: Limits {
            cpu_ms: 1_000,
            ..Limits::default()
        },
    };
    let judge = Arc::new(Judge::new(Options::default()).unwrap());
    let pattern = critic_program(settings, Arc::new(brief), judge, Arc::new(Prompts::bundled()));
    run(pattern, stub).await
}

fn program(code: &str) -> Say {
    say(&format!("```python\n{code}\n```"))
}

fn results(outcome: &Outcome) -> Vec<Option<&str>> {
    let results = outcome
        .versions
        .iter()
        .map(|version| version.findings.result.as_deref());
    results.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_value_of_answer_goes_into_the_critique_and_the_critique_into_the_correction() {
    let stub = Stub::new([
        program("rows = 4\nanswer = rows + 12"),
        say("It adds where it should multiply."),
        program("rows = 4\nanswer = rows * 12"),
        say("The code is correct."),
        program("answer = 4 * 12"),
        say("The code is correct."),
        program("answer = 48"),
    ]);
    let (outcome, events) = solve(CriticProgram::default(), &stub).await;
    assert_eq!(
        results(&outcome),
        [Some("16"), Some("48"), Some("48"), Some("48")]
    );
    assert_eq!(outcome.stopped, Stopped::ResultUnchanged);
    assert_eq!(outcome.status, Some(Status::Settled));
    assert_eq!(
        roles(&events),
        [
            "draft", "critique", "correct", "critique", "correct", "critique", "correct"
        ]
    );
    let prompts = stub.prompts();
    assert!(prompts[0].contains(QUESTION), "{}", prompts[0]);
    for prompt in &prompts[1..3] {
        assert!(prompt.contains(QUESTION), "{prompt}");
        assert!(
            prompt.contains("```python\nrows = 4\nanswer = rows + 12\n```"),
            "{prompt}"
        );
        assert!(
            prompt.contains("Execution: Done\nOutput: answer = 16\n"),
            "{prompt}"
        );
        assert!(
            prompt.contains("What's the problem with the above code?"),
            "{prompt}"
        );
    }
    assert!(
        prompts[2].contains("It adds where it should multiply."),
        "{}",
        prompts[2]
    );
    assert_eq!(
        outcome.versions[1].draft.explanation.as_deref(),
        Some("It adds where it should multiply.")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_goes_into_the_critique_as_execution() {
    for (code, error) in [
        ("answer = rows * 12", "NameError: name 'rows' is not defined"),
        ("answer = 1 / 0", "ZeroDivisionError: division by zero"),
        ("answer = (", "SyntaxError: '(' was never closed"),
        ("result = 48", "NameError: name 'answer' is not defined"),
        ("while True: pass", "Time out"),
        ("import sys\nsys.exit(0)", "SystemExit: 0"),
        ("import os\nos._exit(0)", "the program ended before its end"),
    ] {
        let stub = Stub::new([program(code), say("x"), program("answer = 48")]);
        let settings = CriticProgram {
            rounds: 1,
            ..CriticProgram::default()
        };
        let (outcome, _) = solve(settings, &stub).await;
        let prompt = &stub.prompts()[1];
        assert!(
            prompt.contains(&format!("\nExecution: {error}\n")),
            "{code}: {prompt}"
        );
        assert!(!prompt.contains("Output: answer"), "{prompt}");
        assert_eq!(results(&outcome), [None, Some("48")]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_program_prints_is_not_its_answer() {
    let stub = Stub::new([program("print('{\"value\": \"7\"}')\nanswer = 48.0")]);
    let settings = CriticProgram {
        rounds: 0,
        ..CriticProgram::default()
    };
    let (outcome, _) = solve(settings, &stub).await;
    assert_eq!(results(&outcome), [Some("48")], "48.0 and 48 are one result");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_most_4_corrections() {
    assert_eq!(CriticProgram::default().rounds, 4);
    let mut replies = vec![program("answer = 0")];
    for n in 1..=4 {
        replies.push(say("wrong"));
        replies.push(program(&format!("answer = {n}")));
    }
    let stub = Stub::new(replies);
    let (outcome, _) = solve(CriticProgram::default(), &stub).await;
    assert_eq!((outcome.stopped, outcome.versions.len()), (Stopped::Rounds, 5));
    assert_eq!(outcome.status, Some(Status::NotSettled));
    assert_eq!(outcome.chosen, 4);
    assert!(stub.is_done());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_unchanged_for_two_revisions_ends_it() {
    let stub = Stub::new([
        program("answer = 48"),
        say("fine"),
        program("answer = 47 + 1"),
        say("fine"),
        program("answer = 24 * 2"),
    ]);
    let (outcome, _) = solve(CriticProgram::default(), &stub).await;
    assert_eq!(
        (outcome.stopped, outcome.versions.len()),
        (Stopped::ResultUnchanged, 3)
    );
    assert!(stub.is_done());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_execution_keeps_the_last_executed_result() {
    let stub = Stub::new([
        program("answer = 48"),
        say("wrong"),
        program("answer = 1 / 0"),
        say("wrong"),
        say("I give up."),
    ]);
    let (outcome, _) = solve(CriticProgram::default(), &stub).await;
    assert_eq!(results(&outcome), [Some("48"), None, None]);
    assert_eq!(
        outcome.stopped,
        Stopped::ResultUnchanged,
        "the result is still 48"
    );
    assert_eq!(outcome.chosen, 0, "and the program that came to it is returned");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_interpreter_the_model_has_only_its_own_opinion() {
    let stub = Stub::new([
        program("answer = 16"),
        say("It adds."),
        program("answer = 48"),
        say("fine"),
        program("answer = 48"),
        say("fine"),
        program("answer = 48"),
    ]);
    let settings = CriticProgram {
        interpreter: false,
        ..CriticProgram::default()
    };
    let (outcome, _) = solve(settings, &stub).await;
    assert_eq!(results(&outcome)[outcome.chosen], Some("48"));
    for prompt in &stub.prompts()[1..] {
        assert!(
            !prompt.contains("Execution:") && !prompt.contains("Output:"),
            "{prompt}"
        );
        assert!(!prompt.contains("whether the program ran"), "{prompt}");
    }
}
