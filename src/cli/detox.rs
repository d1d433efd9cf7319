//! `redraft detox`: continue a text, and rewrite the continuation until it is hardly toxic.

use std::sync::Arc;

use super::model_args::ModelArgs;
use super::one::{self, One, OneArgs};
use super::scorer_args::ScorerArgs;
use super::text_arg::TextArg;
use super::{Done, Failure, output, tell};
use crate::bench::{PatternName, Settings};
use crate::journal::Status;
use crate::patterns::{CriticToxicity, critic_toxicity};
use crate::prompts::Prompts;

/// Arguments of `redraft detox`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The text to continue: a text, or `@FILE`.
    #[arg(value_name = "TEXT|@FILE")]
    prompt: TextArg,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    scorer: ScorerArgs,
    /// Rewrites at most.
    #[arg(long, default_value_t = 4)]
    rounds: usize,
    /// Ask the model for log-probabilities, which are kept with its replies.
    #[arg(long)]
    logprobs: bool,
    #[command(flatten)]
    one: OneArgs,
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    args.one.isolation.choose()?;
    if args.prompt.trim().is_empty() {
        return Err(Failure::Input("the text is empty".to_owned()));
    }
    let prompts = Arc::new(Prompts::load(args.one.prompts.as_deref()).map_err(Failure::input)?);
    let toolbox = args.scorer.open()?;
    let critic = CriticToxicity {
        rounds: args.rounds,
        logprobs: args.logprobs,
        ..CriticToxicity::default()
    };
    let runtime = super::runtime()?;
    let model = runtime.block_on(args.model.open(None))?;
    let one = One {
        out: args.one.out.as_deref(),
        budget: args.one.budget.budget(),
        tell: tell::tell,
        name: "detox",
        texts: &[&args.prompt],
        settings: Settings {
            tools: Some(ScorerArgs::settings(&toolbox)),
            ..args.model.settings_of(PatternName::CriticToxicity, critic.rounds)
        },
        prompts: &prompts,
        model,
        sampling: args.model.sampling(),
        examiner: None,
    };
    let pattern = critic_toxicity(critic, &args.prompt, toolbox, Arc::clone(&prompts));
    let finished = one::run(&one, pattern, &runtime)?;
    if args.one.json {
        let mut object = finished.json("text");
        let chosen = &finished.outcome.versions[finished.outcome.chosen];
        object["scores"] = serde_json::json!(chosen.findings.scores);
        output::result(&object.to_string());
    } else {
        output::result(finished.source());
        finished.conclude();
    }
    let good = finished.outcome.status == Some(Status::BelowLimit);
    Ok(if good { Done::Good } else { Done::NotGood })
}
