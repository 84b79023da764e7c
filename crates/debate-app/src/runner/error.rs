//! Errors of the runner that a client can act on.

use debate_core::RunId;
use debate_core::runner::{InvalidSetting, NotObeyed, Refusal, Unpriced};

use crate::llm::UnknownModel;
use crate::{Crowded, StoreError};

/// The reason why an operation of the runner failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunnerError {
    /// No run has this id.
    #[error("run {0} does not exist")]
    NoSuchRun(RunId),
    /// A setting is invalid.
    #[error(transparent)]
    InvalidSetting(#[from] InvalidSetting),
    /// A setting names a model that is not configured.
    #[error("`{field}`: {unknown}")]
    UnknownModel {
        /// The setting.
        field: &'static str,
        /// The model, and the configured models.
        unknown: UnknownModel,
    },
    /// A setting names a model without a price while `RUNNER_DAILY_COST` limits the cost.
    #[error(transparent)]
    Unpriced(#[from] Unpriced),
    /// The requested position is not a turn of the run.
    #[error("the position does not exist in run {0}")]
    UnknownPosition(RunId),
    /// An earlier request with another body used the idempotency key.
    #[error("an earlier request with another body used this idempotency key")]
    KeyReused,
    /// The command is not possible in the current status.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The limit on waiting clients is reached.
    #[error(transparent)]
    Crowded(#[from] Crowded),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NotObeyed> for RunnerError {
    fn from(not: NotObeyed) -> Self {
        match not {
            NotObeyed::Refused(refusal) => refusal.into(),
            NotObeyed::Unpriced(unpriced) => unpriced.into(),
        }
    }
}
