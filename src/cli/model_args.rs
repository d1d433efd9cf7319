//! temporary
use std::path::PathBuf;
use std::sync::Arc;

use super::Failure;
use crate::model::{ChatModel, ModelSettings};

#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    #[arg(long)]
    pub(crate) model: Option<String>,
    #[arg(long)]
    pub(crate) record: Option<PathBuf>,
    #[arg(long, default_value_t = 0.0)]
    pub(crate) temperature: f64,
    #[arg(long, default_value_t = 1024)]
    pub(crate) max_tokens: u32,
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

impl ModelArgs {
    pub(crate) async fn open(&self, _bundled: bool) -> Result<Arc<dyn ChatModel>, Failure> {
        let settings = ModelSettings {
            record: self.record.clone(),
            ..ModelSettings::default()
        };
        let model = crate::model::open(self.model.as_deref().unwrap_or_default(), &settings)
            .await
            .map_err(Failure::input)?;
        model.check().await.map_err(Failure::input)?;
        Ok(model)
    }
}
