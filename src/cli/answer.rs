//! `redraft answer`: answer a question, check the answer's claims with tools, and revise it from the evidence.

use std::sync::Arc;

use super::model_args::ModelArgs;
use super::one::{self, One, OneArgs};
use super::scorer_args::ScorerArgs;
use super::text_arg::TextArg;
use super::tool_args::ToolArgs;
use super::{Done, Failure, output, tell};
use crate::bench::{PatternName, Settings};
use crate::journal::Status;
use crate::patterns::{CriticSearch, critic_search};
use crate::prompts::Prompts;

/// Arguments of `redraft answer`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question: a text, or `@FILE`.
    #[arg(value_name = "TEXT|@FILE")]
    question: TextArg,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    tools: ToolArgs,
    #[command(flatten)]
    scorer: ScorerArgs,
    /// Revisions at most.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The settings of CRITIC's paper: 7 tool calls a round, and the same answer twice in a row ends it.
    #[arg(long)]
    paper: bool,
    /// Have a name or phrase for an answer and no sentence.
    #[arg(long)]
    short: bool,
    #[command(flatten)]
    one: OneArgs,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    args.one.isolation.choose()?;
    if args.question.trim().is_empty() {
        return Err(Failure::Input("the question is empty".to_owned()));
    }
    let prompts = Arc::new(Prompts::load(args.one.prompts.as_deref()).map_err(Failure::input)?);
    let toolbox = args.tools.open(&args.scorer)?;
    let defaults = if args.paper {
        CriticSearch::paper()
    } else {
        CriticSearch::default()
    };
    let critic = CriticSearch {
        rounds: args.rounds,
        calls: args.tools.calls.unwrap_or(defaults.calls),
        short: args.short,
        protocol: args.tools.tool_protocol,
        ..defaults
    };
    let runtime = super::runtime()?;
    let model = runtime.block_on(args.model.open(None))?;
    let one = One {
        out: args.one.out.as_deref(),
        budget: args.one.budget.budget(),
        tell: tell::tell,
        name: "answer",
        texts: &[&args.question, if args.short { "short" } else { "" }],
        settings: Settings {
            unchanged: critic.unchanged,
            tools: Some(args.tools.settings(&toolbox, critic.calls)),
            ..args.model.settings_of(PatternName::CriticSearch, critic.rounds)
        },
        prompts: &prompts,
        model,
        sampling: args.model.sampling(),
        examiner: None,
    };
    let pattern = critic_search(critic, &args.question, toolbox, Arc::clone(&prompts));
    let finished = one::run(&one, pattern, &runtime)?;
    let verified = finished.outcome.status == Some(Status::Verified);
    if args.one.json {
        output::result(&finished.json("answer").to_string());
    } else {
        output::result(finished.source());
        finished.conclude();
    }
    Ok(if verified { Done::Good } else { Done::NotGood })
}
