//! `redraft solve`: solve a word problem with a program that is run, criticised and corrected until its result stands.

use std::sync::Arc;

use super::model_args::ModelArgs;
use super::one::{self, One, OneArgs};
use super::text_arg::TextArg;
use super::{Done, Failure, output, tell};
use crate::bench::{PatternName, Settings};
use crate::journal::Status;
use crate::judge::{Judge, Options};
use crate::patterns::{CriticProgram, critic_program};
use crate::prompts::Prompts;
use crate::task::{Brief, Language, Limits};

/// Arguments of `redraft solve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question: a text, or `@FILE`.
    #[arg(value_name = "TEXT|@FILE")]
    question: TextArg,
    #[command(flatten)]
    model: ModelArgs,
    /// Corrections at most.
    #[arg(long, default_value_t = 4)]
    rounds: usize,
    /// Don't show the model what came of its program.
    #[arg(long)]
    no_interpreter: bool,
    #[command(flatten)]
    one: OneArgs,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    args.one.isolation.choose()?;
    if args.question.trim().is_empty() {
        return Err(Failure::Input("the question is empty".to_owned()));
    }
    let prompts = Arc::new(Prompts::load(args.one.prompts.as_deref()).map_err(Failure::input)?);
    let judge = Arc::new(Judge::new(Options::default()).map_err(Failure::harness)?);
    judge.check(Language::PYTHON).map_err(Failure::harness)?;
    let critic = CriticProgram {
        rounds: args.rounds,
        interpreter: !args.no_interpreter,
    };
    let runtime = super::runtime()?;
    let model = runtime.block_on(args.model.open(None))?;
    let one = One {
        out: args.one.out.as_deref(),
        budget: args.one.budget.budget(),
        tell: tell::tell,
        name: "solve",
        texts: &[&args.question],
        settings: Settings {
            interpreter: Some(critic.interpreter),
            ..args.model.settings_of(PatternName::CriticProgram, critic.rounds)
        },
        prompts: &prompts,
        model,
        sampling: args.model.sampling(),
        examiner: None,
    };
    let brief = Arc::new(question(&args.question));
    let pattern = critic_program(critic, brief, judge, Arc::clone(&prompts));
    let finished = one::run(&one, pattern, &runtime)?;
    let chosen = &finished.outcome.versions[finished.outcome.chosen];
    let answer = chosen.findings.result.as_deref();
    if args.one.json {
        let mut object = finished.json("program");
        object["answer"] = answer.into();
        output::result(&object.to_string());
    } else {
        match answer {
            Some(answer) => output::result(answer),
            None => output::talk("No program came to an answer."),
        }
        finished.conclude();
    }
    let settled = finished.outcome.status == Some(Status::Settled) && answer.is_some();
    Ok(if settled { Done::Good } else { Done::NotGood })
}

/// A question as a brief.
fn question(text: &str) -> Brief {
    Brief {
        language: Language::PYTHON,
        statement: text.trim().to_owned(),
        entry_point: None,
        starter_code: String::new(),
        visible: Vec::new(),
        limits: Limits::default(),
    }
}
