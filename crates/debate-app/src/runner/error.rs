//! Errors of the runner. A client can act on all of them but [`RunnerError::Store`].

use debate_core::RunId;
use debate_core::runner::{CommandError, CommandRefusal, InvalidSetting, ModelWithoutPrice};

use crate::llm::UnknownModel;
use crate::{StoreError, TooManyWaiters};

/// The reason why an operation of the runner failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunnerError {
    /// No run has this id.
    #[error("run {0} does not exist")]
    UnknownRun(RunId),
    /// A setting is invalid.
    #[error(transparent)]
    InvalidSetting(#[from] InvalidSetting),
    /// A setting names a model that is not configured.
    #[error("`{field}`: {unknown}")]
    UnknownModel {
        /// The setting in the request, e.g. `model_judge`.
        field: &'static str,
        /// The model, and the configured models.
        unknown: UnknownModel,
    },
    /// A setting names a model without a price while `RUNNER_DAILY_COST` limits the cost.
    #[error(transparent)]
    ModelWithoutPrice(#[from] ModelWithoutPrice),
    /// The requested position is not a turn of the run.
    #[error("the position does not exist in run {0}")]
    UnknownPosition(RunId),
    /// An earlier request with another body used the idempotency key.
    #[error("an earlier request with another body used this idempotency key")]
    KeyReused,
    /// The run's status does not allow the command.
    #[error(transparent)]
    Refused(#[from] CommandRefusal),
    /// The limit on waiting clients is reached.
    #[error(transparent)]
    TooManyWaiters(#[from] TooManyWaiters),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CommandError> for RunnerError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Refused(refusal) => refusal.into(),
            CommandError::ModelWithoutPrice(model) => model.into(),
        }
    }
}
