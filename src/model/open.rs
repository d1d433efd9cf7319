//! From what a user writes after `--model` to a model.

use std::path::Path;
use std::sync::Arc;

use super::{
    ChatModel, HttpModel, ModelError, ModelSettings, RecordModel, Recording, ReplayModel, ScriptModel,
};

/// How models are written, for help and errors.
pub const SPEC_FORMS: &str = "openai:NAME, ollama:NAME, http://HOST:PORT/v1#NAME, script:FILE.json or \
                              replay:PATH (a recording or a run folder)";

/// Opens the model that `spec` names, wrapped to record if the settings say so.
///
/// A URL without `#NAME` asks the server for its models and takes the only one; nothing else here goes over the network.
/// Whether a model answers is for [`ChatModel::check`] to say.
pub async fn open(spec: &str, settings: &ModelSettings) -> Result<Arc<dyn ChatModel>, ModelError> {
    let model: Arc<dyn ChatModel> = match spec.split_once(':') {
        Some(("script", file)) => Arc::new(ScriptModel::load(named(spec, file)?)?),
        Some(("replay", path)) => Arc::new(ReplayModel::new(Recording::load(named(spec, path)?)?)),
        Some(("http" | "https" | "openai" | "ollama", _)) => Arc::new(HttpModel::open(spec, settings).await?),
        _ => {
            return Err(ModelError::BadSpec {
                spec: spec.to_owned(),
                problem: format!("expected {SPEC_FORMS}"),
            });
        }
    };
    match &settings.record {
        Some(path) => Ok(Arc::new(RecordModel::open(path, model)?)),
        None => Ok(model),
    }
}

fn named<'a>(spec: &str, path: &'a str) -> Result<&'a Path, ModelError> {
    if path.is_empty() {
        return Err(ModelError::BadSpec {
            spec: spec.to_owned(),
            problem: "a path must follow the colon".to_owned(),
        });
    }
    Ok(Path::new(path))
}
