//! What a client of the runner can be told to do differently.

use debate_core::RunId;
use debate_core::runner::{InvalidSetting, NotObeyed, Refusal, Unpriced};

use crate::llm::UnknownModel;
use crate::{Crowded, StoreError};

/// Why the runner did not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunnerError {
    /// No debate has this id.
    #[error("debate {0} does not exist")]
    NoSuchRun(RunId),
    /// A setting that can't be.
    #[error(transparent)]
    InvalidSetting(#[from] InvalidSetting),
    /// A setting names a model that nothing is configured for.
    #[error("`{field}`: {unknown}")]
    UnknownModel {
        /// The setting.
        field: &'static str,
        /// What it names, and what there is.
        unknown: UnknownModel,
    },
    /// A setting names a model whose cost can't be counted, while cost is limited.
    #[error(transparent)]
    Unpriced(#[from] Unpriced),
    /// A reader named a position that is no turn of the debate.
    #[error("the position is no turn of debate {0}")]
    UnknownPosition(RunId),
    /// The key named another request before.
    #[error("this Idempotency-Key was used before, for a different request")]
    KeyReused,
    /// The command changes nothing where the debate stands.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Too many wait already.
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
