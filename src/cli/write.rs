//! `redraft write`: write a text for a task until an evaluator passes it.

use std::sync::Arc;

use super::model_args::ModelArgs;
use super::one::{self, One, OneArgs};
use super::scorer_args::ScorerArgs;
use super::text_arg::TextArg;
use super::tool_args::ToolArgs;
use super::{Done, Failure, output, tell};
use crate::bench::{JudgeSettings, PatternName, Settings};
use crate::cycle::{Sampling, Voice};
use crate::journal::Status;
use crate::patterns::{Assignment, EvaluatorTools, evaluator_same, evaluator_separate, evaluator_tools};
use crate::prompts::Prompts;

/// Calls at most in a round where the user doesn't say.
const CALLS: usize = 5;

/// Arguments of `redraft write`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What is to be written: a text, or `@FILE`. All that the generator is told.
    #[arg(long, value_name = "TEXT|@FILE")]
    task: TextArg,
    /// What it has to meet: a text, or `@FILE`. Only the evaluator is told.
    #[arg(long, value_name = "TEXT|@FILE")]
    criteria: TextArg,
    /// What it is called: `release notes`, `SQL query` …
    #[arg(long, value_name = "NAME", default_value = "text")]
    artifact: String,
    /// Who evaluates.
    #[arg(long, value_enum, default_value_t = EvaluatorName::Separate)]
    evaluator: EvaluatorName,
    #[command(flatten)]
    model: ModelArgs,
    /// The evaluator's model, written like --model [default: that of --model]
    #[arg(long, value_name = "MODEL")]
    judge_model: Option<String>,
    /// The evaluator's sampling temperature.
    #[arg(long, value_name = "T", value_parser = super::model_args::temperature)]
    judge_temperature: Option<f64>,
    /// Drafts at most; with `--evaluator same`, refinements at most.
    #[arg(long, default_value = "3")]
    rounds: std::num::NonZeroUsize,
    #[command(flatten)]
    tools: ToolArgs,
    #[command(flatten)]
    scorer: ScorerArgs,
    #[command(flatten)]
    one: OneArgs,
}

/// Who evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EvaluatorName {
    /// A judge of its own, which sees the criteria and the draft.
    Separate,
    /// The model itself.
    Same,
    /// A judge that checks the draft's claims with tools first.
    Tools,
}

impl EvaluatorName {
    fn pattern(self) -> PatternName {
        match self {
            Self::Separate => PatternName::EvaluatorSeparate,
            Self::Same => PatternName::EvaluatorSame,
            Self::Tools => PatternName::EvaluatorTools,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Done, Failure> {
    args.one.isolation.choose()?;
    for (flag, text) in [("--task", &args.task), ("--criteria", &args.criteria)] {
        if text.trim().is_empty() {
            return Err(Failure::Input(format!("{flag} is empty")));
        }
    }
    if args.evaluator == EvaluatorName::Same
        && (args.judge_model.is_some() || args.judge_temperature.is_some())
    {
        return Err(Failure::Input(
            "--evaluator same uses one model for all: leave --judge-model and --judge-temperature away, or choose \
             --evaluator separate or tools"
                .to_owned(),
        ));
    }
    if args.evaluator != EvaluatorName::Tools
        && let Some(flag) = args.tools.first_given().or(args.scorer.first_given())
    {
        return Err(Failure::Input(format!(
            "{flag} is for an evaluator with tools: leave it away, or choose --evaluator tools"
        )));
    }
    let prompts = Arc::new(Prompts::load(args.one.prompts.as_deref()).map_err(Failure::input)?);
    let toolbox = match args.evaluator {
        EvaluatorName::Tools => Some(args.tools.open(&args.scorer)?),
        _ => None,
    };
    let runtime = super::runtime()?;
    let model = runtime.block_on(args.model.open(None))?;
    let judge = match args.evaluator {
        EvaluatorName::Same => None,
        _ => Some(Voice {
            model: match &args.judge_model {
                Some(spec) => runtime.block_on(args.model.open_judge(spec))?,
                None => Arc::clone(&model),
            },
            sampling: Sampling {
                temperature: args.judge_temperature.unwrap_or(0.0),
                ..args.model.sampling()
            },
        }),
    };
    let assignment = Arc::new(Assignment {
        task: args.task.to_string(),
        criteria: args.criteria.to_string(),
        artifact: args.artifact.trim().to_owned(),
    });
    let rounds = args.rounds.get();
    let calls = args.tools.calls.unwrap_or(CALLS);
    let one = One {
        out: args.one.out.as_deref(),
        budget: args.one.budget.budget(),
        tell: tell::tell,
        name: "write",
        texts: &[&args.task, &args.criteria, &args.artifact],
        settings: Settings {
            judge: judge.as_ref().map(|judge| JudgeSettings {
                model: judge.model.name().to_owned(),
                temperature: judge.sampling.temperature,
            }),
            tools: toolbox
                .as_ref()
                .map(|toolbox| args.tools.settings(toolbox, calls)),
            ..args.model.settings_of(args.evaluator.pattern(), rounds)
        },
        prompts: &prompts,
        model,
        sampling: args.model.sampling(),
        examiner: judge.as_ref(),
    };
    let ours = Arc::clone(&prompts);
    let pattern = match (args.evaluator, toolbox) {
        (EvaluatorName::Same, _) => evaluator_same(rounds, assignment, ours),
        (EvaluatorName::Tools, Some(toolbox)) => {
            let settings = EvaluatorTools {
                rounds,
                calls,
                protocol: args.tools.tool_protocol,
            };
            evaluator_tools(settings, assignment, judge.clone(), toolbox, ours)
        }
        _ => evaluator_separate(rounds, assignment, judge.clone(), ours),
    };
    let finished = one::run(&one, pattern, &runtime)?;
    if args.one.json {
        output::result(&finished.json("draft").to_string());
    } else {
        output::result(finished.source());
        finished.conclude();
    }
    let good = matches!(
        finished.outcome.status,
        Some(Status::Passed | Status::NoProblemsLeft)
    );
    Ok(if good { Done::Good } else { Done::NotGood })
}
