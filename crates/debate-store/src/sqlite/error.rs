//! Maps the errors of SQLite to `StoreError`.

use debate_app::arena::ArenaError;
use debate_app::{Cause, StoreError};
use rusqlite::{ErrorCode, ffi};

use crate::engine::EngineError;

impl From<rusqlite::Error> for EngineError {
    fn from(err: rusqlite::Error) -> Self {
        Self(classify(err))
    }
}

/// Tells a failure of storage, after which a transaction must be rolled back, from a refusal, which
/// is decided before anything is written. A row that cannot be decoded fails its own request only
/// and counts as a refusal.
pub(super) trait StorageFailure {
    fn storage_failure(&self) -> Option<&StoreError>;
}

impl StorageFailure for ArenaError {
    fn storage_failure(&self) -> Option<&StoreError> {
        match self {
            Self::Store(err) => err.storage_failure(),
            Self::UnknownDebate(_)
            | Self::DebateExists(_)
            | Self::DebateDeleted(_)
            | Self::DebateDamaged(_)
            | Self::UnknownArgument(_)
            | Self::ForeignArgument { .. }
            | Self::UnknownPosition { .. }
            | Self::KeyReused
            | Self::Refused(_)
            | Self::Seat { .. }
            | Self::TooManyWaiters(_) => None,
        }
    }
}

impl StorageFailure for StoreError {
    fn storage_failure(&self) -> Option<&StoreError> {
        match self {
            Self::Undecodable(_) => None,
            Self::Overloaded
            | Self::Full(_)
            | Self::WalFull(_)
            | Self::Unavailable(_)
            | Self::Moved(_)
            | Self::Latched
            | Self::Damaged(_)
            | Self::Unexpected(_) => Some(self),
        }
    }
}

fn classify(err: rusqlite::Error) -> StoreError {
    let Some(failure) = err.sqlite_error() else {
        let is_undecodable = matches!(
            err,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..)
        );
        let cause = Cause::new(err);
        return if is_undecodable {
            StoreError::Undecodable(cause)
        } else {
            StoreError::Unexpected(cause)
        };
    };
    match (failure.code, failure.extended_code) {
        (ErrorCode::DiskFull, _) => StoreError::Full(Cause::new(err)),
        // After a failed fsync the kernel may have dropped the pages: a second fsync would succeed
        // without writing them.
        (_, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) => {
            tracing::error!(error = %err, "fsync failed; writes are refused until a restart");
            StoreError::Latched
        }
        // A damaged search index can be rebuilt; any other damage may have lost acknowledged
        // writes.
        (ErrorCode::DatabaseCorrupt, ffi::SQLITE_CORRUPT_VTAB) => {
            StoreError::Unexpected(Cause::new(err))
        }
        (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => {
            StoreError::Damaged(Cause::new(err))
        }
        (ErrorCode::OperationInterrupted, _) => StoreError::Overloaded,
        (
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied,
            _,
        ) => StoreError::Unavailable(Cause::new(err)),
        _ => StoreError::Unexpected(Cause::new(err)),
    }
}
