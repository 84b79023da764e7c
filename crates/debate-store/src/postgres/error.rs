//! Maps the errors of PostgreSQL, its driver and the pool to `StoreError`.

use deadpool::managed::{PoolError, TimeoutType};
use debate_app::{Cause, StoreError};
use tokio_postgres::error::SqlState;

use super::server::ConnectFailure;
use crate::engine::EngineError;

impl From<tokio_postgres::Error> for EngineError {
    fn from(err: tokio_postgres::Error) -> Self {
        Self(classify(err))
    }
}

impl From<ConnectFailure> for EngineError {
    fn from(failure: ConnectFailure) -> Self {
        Self(StoreError::Unavailable(Cause::new(failure)))
    }
}

impl From<PoolError<Self>> for EngineError {
    fn from(err: PoolError<Self>) -> Self {
        match err {
            PoolError::Backend(fault) => fault,
            // All connections were in use for the longest time that a request waits.
            PoolError::Timeout(TimeoutType::Wait) => Self(StoreError::Overloaded),
            PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle)
            | PoolError::Closed
            | PoolError::NoRuntimeSpecified
            | PoolError::PostCreateHook(_) => Self::unavailable("the connection pool is closed"),
        }
    }
}

fn classify(err: tokio_postgres::Error) -> StoreError {
    let Some(code) = err.code().cloned() else {
        // Without a code the error is not from the server: the connection failed.
        return StoreError::Unavailable(Cause::new(err));
    };
    let class = code.code().get(..2).unwrap_or_default();
    match code {
        SqlState::DISK_FULL => StoreError::Full(Cause::new(err)),
        SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE => StoreError::Overloaded,
        SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => {
            StoreError::Unavailable(Cause::new(err))
        }
        // Connection, authorization, transaction rollback, resources, operator intervention,
        // system error.
        _ if matches!(class, "08" | "28" | "40" | "53" | "57" | "58") => {
            StoreError::Unavailable(Cause::new(err))
        }
        _ => StoreError::Unexpected(Cause::new(err)),
    }
}

/// Whether the same transaction may succeed if it is repeated.
pub(super) fn is_transient(err: &tokio_postgres::Error) -> bool {
    err.code().is_some_and(|code| {
        // Two processes opened the same debate at once: a repeated transaction finds it.
        *code == SqlState::UNIQUE_VIOLATION
            || *code == SqlState::T_R_SERIALIZATION_FAILURE
            || *code == SqlState::T_R_DEADLOCK_DETECTED
    })
}
