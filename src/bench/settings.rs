//! What a run was asked to do: the part of `run.json` that must agree for a run to be resumed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use redraft_sandbox::Isolation;
use serde::{Deserialize, Serialize};

use crate::cycle::{Budget, ToolProtocol};

/// A pattern by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PatternName {
    /// Run the visible tests, explain, fix.
    SelfDebug,
    /// Independent samples, the best by the visible tests.
    Resample,
    /// The first draft as it is.
    None,
    /// Answer, check the claims with tools, revise.
    CriticSearch,
    /// Write a program that sets `answer`, run it, criticise, correct.
    CriticProgram,
    /// Continue a text, score its toxicity, rewrite.
    CriticToxicity,
    /// Write, have a separate judge hold it against criteria, rewrite.
    #[value(skip)]
    EvaluatorSeparate,
    /// Write, criticise oneself, refine.
    #[value(skip)]
    EvaluatorSame,
    /// Write, have a judge with tools check it, rewrite.
    #[value(skip)]
    EvaluatorTools,
    /// Have a command examine a program, watch over what it must not lose, fix.
    #[value(skip)]
    Verifier,
}

impl PatternName {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SelfDebug => "self-debug",
            Self::Resample => "resample",
            Self::None => "none",
            Self::CriticSearch => "critic-search",
            Self::CriticProgram => "critic-program",
            Self::CriticToxicity => "critic-toxicity",
            Self::EvaluatorSeparate => "evaluator-separate",
            Self::EvaluatorSame => "evaluator-same",
            Self::EvaluatorTools => "evaluator-tools",
            Self::Verifier => "verifier",
        }
    }

    /// Redrafts at most where the user doesn't say.
    pub fn rounds(self) -> usize {
        match self {
            Self::None => 0,
            Self::CriticProgram | Self::CriticToxicity => 4,
            _ => 3,
        }
    }

    /// The folders of prompts that the pattern uses.
    pub fn prompts(self) -> &'static [&'static str] {
        match self {
            Self::SelfDebug | Self::Resample | Self::None => &["self-debug"],
            Self::CriticSearch => &["critic-search", "tools"],
            Self::CriticProgram => &["critic-program"],
            Self::CriticToxicity => &["critic-toxicity"],
            Self::EvaluatorSeparate => &["evaluator-separate"],
            Self::EvaluatorSame => &["evaluator-same"],
            Self::EvaluatorTools => &["evaluator-tools", "tools"],
            Self::Verifier => &["verifier"],
        }
    }
}

/// Everything that decides about a run's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The pattern.
    pub pattern: PatternName,
    /// Redrafts at most.
    pub rounds: usize,
    /// Whether the model explains before it fixes.
    pub explain: bool,
    /// Samples a task.
    pub samples: usize,
    /// Sampling temperature; 0 is greedy.
    pub temperature: f64,
    /// Longest reply in tokens.
    pub max_tokens: u32,
    /// Seed of the first sample.
    pub seed: u64,
    /// Whether common imports are supplied to programs.
    pub common_imports: bool,
    /// Limits of a test that stand in the place of the suite's, in milliseconds, bytes and processes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, u64>,
    /// What may be spent on the model.
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
    /// Stop when this many redrafts in a row changed nothing, where the pattern leaves that open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<usize>,
    /// Tools of the examiner, where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolSettings>,
    /// Whether a critique is shown what came of a program, where the pattern leaves that open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<bool>,
    /// The evaluator, where it is somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeSettings>,
    /// Whether only what the hidden check calls wrong was corrected. What comes of it can't be had without the check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub oracle: bool,
}

/// The evaluator's model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeSettings {
    /// Its name.
    pub model: String,
    /// Its sampling temperature.
    pub temperature: f64,
}

/// What an examiner may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSettings {
    /// Each tool, with what it draws from.
    pub tools: Vec<String>,
    /// Calls at most in a round.
    pub calls: usize,
    /// How the model is told of them.
    pub protocol: ToolProtocol,
}

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Version of redraft.
    pub redraft: String,
    /// Name of the suite.
    pub suite: String,
    /// Its content hash.
    pub suite_hash: String,
    /// The tasks' ids, in order.
    pub tasks: Vec<String>,
    /// The model's name.
    pub model: String,
    /// SHA-256 over the prompts in use.
    pub prompts_hash: String,
    /// What was asked for.
    pub settings: Settings,
    /// The interpreter, by version.
    pub python: String,
    /// Operating system and architecture.
    pub host: String,
    /// The layers in force.
    pub isolation: Isolation,
}

/// A `run.json` that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RunInfoError {
    /// It can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It isn't one of ours.
    #[error("{}: not the run.json of a redraft run ({source})", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl RunInfo {
    /// The file's name in a run folder.
    pub const FILE: &str = "run.json";

    /// Reads it from a run folder.
    pub fn read(folder: &Path) -> Result<Self, RunInfoError> {
        let path = folder.join(Self::FILE);
        let text = std::fs::read(&path).map_err(|source| RunInfoError::Io {
            path: path.clone(),
            source,
        })?;
        serde_json::from_slice(&text).map_err(|source| RunInfoError::Content { path, source })
    }

    /// Writes it into a run folder, whole or not at all.
    pub fn write(&self, folder: &Path) -> Result<(), RunInfoError> {
        let path = folder.join(Self::FILE);
        let fail = |source| RunInfoError::Io {
            path: path.clone(),
            source,
        };
        let text = serde_json::to_string_pretty(self).map_err(|error| fail(error.into()))?;
        crate::files::replace(&path, format!("{text}\n").as_bytes()).map_err(fail)
    }

    /// Whether it is one attempt at one thing that the user named, and no suite.
    pub fn is_single(&self) -> bool {
        self.tasks.len() == 1 && self.tasks[0] == self.suite
    }

    /// The first thing in which two runs differ so that one can't go on with the other's journal.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let differ = |what: &str, ours: &str, theirs: &str| {
            (ours != theirs).then(|| format!("{what} is {ours} there and {theirs} here"))
        };
        let settings = |settings: &Settings| serde_json::to_string(settings).unwrap_or_default();
        differ("the suite", &self.suite, &other.suite)
            .or_else(|| differ("the suite's hash", &self.suite_hash, &other.suite_hash))
            .or_else(|| {
                differ(
                    "the list of tasks",
                    &self.tasks.join(", "),
                    &other.tasks.join(", "),
                )
            })
            .or_else(|| differ("the model", &self.model, &other.model))
            .or_else(|| differ("the hash of the prompts", &self.prompts_hash, &other.prompts_hash))
            .or_else(|| {
                differ(
                    "the settings",
                    &settings(&self.settings),
                    &settings(&other.settings),
                )
            })
    }
}
