//! The flags that say what may be spent on a model.

use clap::ValueEnum;

use crate::cycle::Budget;

/// What may be spent. The call that crosses a limit is the last one; what there is by then is returned.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Budget")]
#[expect(clippy::struct_field_names, reason = "fields are flags")]
pub(crate) struct BudgetArgs {
    /// Model calls at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_calls: Option<u64>,
    /// Tokens at most, read and written, of all calls together (`--reply-tokens` is for each reply).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    /// Seconds at most that the model takes for all calls together.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_seconds: Option<u64>,
}

impl BudgetArgs {
    /// The budget of one attempt.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            calls: self.max_calls,
            tokens: self.max_tokens,
            seconds: self.max_seconds,
            of_run: false,
        }
    }
}

/// Whose the budget is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BudgetFor {
    /// Each attempt has one of its own.
    #[default]
    Attempt,
    /// All attempts share one.
    Run,
}
