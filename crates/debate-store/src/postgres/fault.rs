//! What PostgreSQL's failures mean to the rest of the house.

use deadpool::managed::{PoolError, TimeoutType};
use debate_app::arena::ArenaError;
use debate_app::forum::ForumError;
use debate_app::runner::RunnerError;
use debate_app::{Cause, StoreError};
use tokio_postgres::error::SqlState;

use super::server::ConnectFailure;

/// A failure of storage on its way out of a SQL function.
#[derive(Debug, Clone)]
pub(crate) struct Fault(pub(super) StoreError);

impl Fault {
    /// The database holds something this code can't read.
    pub(super) fn undecodable(what: impl Into<String>) -> Self {
        Self(StoreError::Undecodable(Cause::new(what.into())))
    }

    /// The server does not answer.
    pub(super) fn away(why: impl Into<String>) -> Self {
        Self(StoreError::Unavailable(Cause::new(why.into())))
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(err: tokio_postgres::Error) -> Self {
        Self(meaning(err))
    }
}

impl From<ConnectFailure> for Fault {
    fn from(failure: ConnectFailure) -> Self {
        Self(StoreError::Unavailable(Cause::new(failure)))
    }
}

impl From<PoolError<Self>> for Fault {
    fn from(err: PoolError<Self>) -> Self {
        match err {
            PoolError::Backend(fault) => fault,
            // All connections are in use, for longer than anyone should wait.
            PoolError::Timeout(TimeoutType::Wait) => Self(StoreError::Overloaded),
            PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle)
            | PoolError::Closed
            | PoolError::NoRuntimeSpecified
            | PoolError::PostCreateHook(_) => Self::away("the connection pool is closed"),
        }
    }
}

impl From<Fault> for ArenaError {
    fn from(Fault(err): Fault) -> Self {
        Self::Store(err)
    }
}

impl From<Fault> for RunnerError {
    fn from(Fault(err): Fault) -> Self {
        Self::Store(err)
    }
}

impl From<Fault> for StoreError {
    fn from(Fault(err): Fault) -> Self {
        err
    }
}

impl From<Fault> for ForumError {
    fn from(Fault(err): Fault) -> Self {
        Self::Store(err)
    }
}

fn meaning(err: tokio_postgres::Error) -> StoreError {
    let Some(code) = err.code().cloned() else {
        // Not the server's words, so the connection's: it is cut, or was never made.
        return StoreError::Unavailable(Cause::new(err));
    };
    let class = code.code().get(..2).unwrap_or_default();
    match code {
        SqlState::DISK_FULL => StoreError::Full(Cause::new(err)),
        SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE => StoreError::Overloaded,
        SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => {
            StoreError::Unavailable(Cause::new(err))
        }
        // Connections, authorization, transactions that must be tried again, resources, an
        // operator's intervention, the system beneath.
        _ if matches!(class, "08" | "28" | "40" | "53" | "57" | "58") => {
            StoreError::Unavailable(Cause::new(err))
        }
        _ => StoreError::Unexpected(Cause::new(err)),
    }
}

/// Whether the same transaction may well succeed if it is tried again.
pub(super) fn is_transient(err: &tokio_postgres::Error) -> bool {
    err.code().is_some_and(|code| {
        // Two processes opened the same debate at once: the second look finds the first one's.
        *code == SqlState::UNIQUE_VIOLATION
            || *code == SqlState::T_R_SERIALIZATION_FAILURE
            || *code == SqlState::T_R_DEADLOCK_DETECTED
    })
}
