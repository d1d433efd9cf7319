//! The flags that name a model and say how it is asked, shared by all commands that use one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Failure, units};
use crate::bench::{PatternName, Settings};
use crate::cycle::{Budget, CycleError, Sampling};
use crate::model::{
    ChatModel, ModelError, ModelSettings, RecordModel, Recording, ReplayModel, SPEC_FORMS, open,
};

/// Which model, and how it is asked.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// The model: `http://HOST:PORT/v1#NAME`, `openai:NAME`, `ollama:NAME`, `script:FILE.json` or `replay:PATH`.
    ///
    /// A URL is that of any OpenAI-compatible server; a key for it is taken from `REDRAFT_API_KEY`. `openai:`
    /// takes `OPENAI_API_KEY` and `OPENAI_BASE_URL`, `ollama:` takes `OLLAMA_HOST`. `replay:` takes a recording or the
    /// folder of an earlier run.
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// Keep all replies in FILE; what it already holds is not asked again.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Sampling temperature; 0 is greedy.
    #[arg(long, value_name = "T", default_value = "0", value_parser = temperature)]
    pub(crate) temperature: f64,

    /// Longest reply, in tokens.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) reply_tokens: u32,

    /// Seed of the first sample's replies.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Longest time for one reply.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = units::duration)]
    pub(crate) model_timeout: Duration,
}

impl ModelArgs {
    /// Opens the model and sees whether it answers. Without `--model` it is `otherwise`, if the command has such.
    pub(crate) async fn open(&self, otherwise: Option<Recording>) -> Result<Arc<dyn ChatModel>, Failure> {
        let model = match (&self.model, otherwise) {
            (Some(spec), _) => open(spec, &self.settings()).await?,
            (None, Some(recording)) => {
                let replay: Arc<dyn ChatModel> = Arc::new(ReplayModel::new(recording));
                match &self.record {
                    Some(path) => Arc::new(RecordModel::open(path, replay)?),
                    None => replay,
                }
            }
            (None, None) => {
                return Err(Failure::Input(format!(
                    "--model is missing: expected {SPEC_FORMS}"
                )));
            }
        };
        model.check().await?;
        Ok(model)
    }

    /// Opens the evaluator's model, which is recorded beside the other only if its file is another one.
    pub(crate) async fn open_judge(&self, spec: &str) -> Result<Arc<dyn ChatModel>, Failure> {
        let settings = ModelSettings {
            record: self.record.as_ref().map(|path| judges(path)),
            ..self.settings()
        };
        let model = open(spec, &settings).await?;
        model.check().await?;
        Ok(model)
    }

    /// How replies are sampled.
    pub(crate) fn sampling(&self) -> Sampling {
        Sampling {
            temperature: self.temperature,
            max_tokens: self.reply_tokens,
            seed: self.seed,
        }
    }

    /// What stands in the settings of a run with this pattern; what the command adds is left as it is by default.
    pub(crate) fn settings_of(&self, pattern: PatternName, rounds: usize) -> Settings {
        Settings {
            pattern,
            rounds,
            explain: true,
            samples: 1,
            temperature: self.temperature,
            max_tokens: self.reply_tokens,
            seed: self.seed,
            common_imports: false,
            limits: BTreeMap::new(),
            budget: Budget::default(),
            unchanged: None,
            tools: None,
            interpreter: None,
            judge: None,
            oracle: false,
        }
    }

    fn settings(&self) -> ModelSettings {
        ModelSettings {
            timeout: self.model_timeout,
            record: self.record.clone(),
            ..ModelSettings::default()
        }
    }
}

/// The evaluator's recording beside the generator's: one file holds the replies of one model.
fn judges(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-judge.jsonl");
    path.with_file_name(name)
}

impl From<CycleError> for Failure {
    fn from(error: CycleError) -> Self {
        match error {
            CycleError::Model(error) => error.into(),
            CycleError::Prompt(error) => Self::input(error),
            other => Self::harness(other),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        if error.is_input() {
            Self::Input(error.to_string())
        } else {
            Self::Harness(error.to_string())
        }
    }
}

/// A sampling temperature.
pub(super) fn temperature(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(temperature) if (0.0..=2.0).contains(&temperature) => Ok(temperature),
        _ => Err("expected a number from 0 to 2".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::model::{ChatRequest, Message};

    #[derive(Debug, clap::Parser)]
    struct Cli {
        #[command(flatten)]
        model: ModelArgs,
    }

    fn parse(args: &[&str]) -> Result<ModelArgs, String> {
        let args = std::iter::once("x").chain(args.iter().copied());
        Cli::try_parse_from(args)
            .map(|cli| cli.model)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn greedy_and_patient_unless_told_otherwise() {
        let args = parse(&[]).unwrap();
        assert!(args.model.is_none() && args.record.is_none());
        assert_eq!(args.temperature.to_bits(), 0.0_f64.to_bits());
        assert_eq!(
            (args.reply_tokens, args.seed, args.model_timeout.as_secs()),
            (1024, 0, 600)
        );
        let args = parse(&[
            "--model-timeout",
            "1m30s",
            "--temperature",
            "0.8",
            "--reply-tokens",
            "5",
        ])
        .unwrap();
        assert_eq!(args.settings().timeout.as_secs(), 90);
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (args, says) in [
            (["--temperature", "-1"], "unexpected argument"),
            (["--temperature", "2.5"], "expected a number from 0 to 2"),
            (["--temperature", "NaN"], "expected a number from 0 to 2"),
            (["--reply-tokens", "0"], "0 is not in 1.."),
            (["--model-timeout", "0s"], "above zero"),
            (["--model-timeout", "10"], "as in 500ms"),
            (["--model-timeout", "-3s"], "unexpected argument"),
            (["--seed", "x"], "invalid digit"),
        ] {
            let error = parse(&args).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[tokio::test]
    async fn a_model_is_opened_and_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("s.json"), r#"["hello"]"#).unwrap();
        let request = ChatRequest {
            messages: vec![Message::user("hi")],
            temperature: 0.0,
            max_tokens: 1,
            seed: 0,
            ..ChatRequest::default()
        };
        let spec = format!("script:{}", path("s.json"));
        let args = parse(&["--model", &spec, "--record", &path("r.jsonl")]).unwrap();
        assert_eq!(
            args.open(None)
                .await
                .unwrap()
                .chat(&request)
                .await
                .unwrap()
                .content,
            "hello"
        );

        let bundled = Recording::load(path("r.jsonl").as_ref()).unwrap();
        let args = parse(&["--record", &path("copy.jsonl")]).unwrap();
        let model = args.open(Some(bundled)).await.unwrap();
        assert_eq!(model.name(), "script:s.json");
        assert_eq!(model.chat(&request).await.unwrap().content, "hello");
        drop(model);
        assert_eq!(
            std::fs::read(path("copy.jsonl")).unwrap(),
            std::fs::read(path("r.jsonl")).unwrap()
        );

        let Failure::Input(message) = parse(&[]).unwrap().open(None).await.unwrap_err() else {
            panic!("a missing flag is the user's mistake");
        };
        assert!(
            message.starts_with("--model is missing: expected openai:NAME"),
            "{message}"
        );
    }

    #[test]
    fn whose_fault_it_is_decides_the_exit_code() {
        let input = ModelError::BadSpec {
            spec: "x".to_owned(),
            problem: "y".to_owned(),
        };
        assert!(matches!(Failure::from(input), Failure::Input(_)));
        assert!(matches!(
            Failure::from(ModelError::Other("z".to_owned())),
            Failure::Harness(_)
        ));
    }
}
