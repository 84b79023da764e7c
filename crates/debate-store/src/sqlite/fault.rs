//! What SQLite's failures mean to the rest of the house.

use debate_app::arena::ArenaError;
use debate_app::forum::ForumError;
use debate_app::runner::RunnerError;
use debate_app::{Cause, StoreError};
use rusqlite::{ErrorCode, ffi};

/// A failure of storage on its way out of a SQL function.
#[derive(Debug, Clone)]
pub(crate) struct Fault(pub(super) StoreError);

impl Fault {
    /// The database holds something this code can't read.
    pub(super) fn undecodable(what: impl Into<String>) -> Self {
        Self(StoreError::Undecodable(Cause::new(what.into())))
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(err: rusqlite::Error) -> Self {
        Self(meaning(err))
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

impl From<Fault> for ForumError {
    fn from(Fault(err): Fault) -> Self {
        Self::Store(err)
    }
}

impl From<Fault> for StoreError {
    fn from(Fault(err): Fault) -> Self {
        err
    }
}

/// Whether an error is storage's fault, after which a transaction can't be trusted; any other
/// error is a decision, made before anything was written. A row that cannot be decoded fails the
/// request that met it and no other.
pub(super) trait MaybeFault {
    fn fault(&self) -> Option<&StoreError>;
}

impl MaybeFault for ArenaError {
    fn fault(&self) -> Option<&StoreError> {
        match self {
            Self::Store(err) => err.fault(),
            Self::NoSuchDebate(_)
            | Self::DebateExists(_)
            | Self::DebateDeleted(_)
            | Self::DebateDamaged(_)
            | Self::NoSuchArgument(_)
            | Self::ForeignArgument { .. }
            | Self::UnknownPosition { .. }
            | Self::KeyReused
            | Self::Refused(_)
            | Self::TooManyWaiters(_) => None,
        }
    }
}

impl MaybeFault for RunnerError {
    fn fault(&self) -> Option<&StoreError> {
        match self {
            Self::Store(err) => err.fault(),
            Self::NoSuchRun(_)
            | Self::InvalidSetting(_)
            | Self::UnknownModel { .. }
            | Self::Unpriced(_)
            | Self::UnknownPosition(_)
            | Self::KeyReused
            | Self::Refused(_)
            | Self::TooManyWaiters(_) => None,
        }
    }
}

impl MaybeFault for ForumError {
    fn fault(&self) -> Option<&StoreError> {
        match self {
            Self::Store(err) => err.fault(),
            Self::BadKey
            | Self::TooManyRegistrations(_)
            | Self::UsernameTaken(_)
            | Self::NoSuchAgent(_)
            | Self::NoSuchProblem(_)
            | Self::NoSuchSolution(_)
            | Self::NoSuchPost(_)
            | Self::NoSuchEvaluation(_)
            | Self::NotTheAuthor
            | Self::OwnPost
            | Self::Parent(_)
            | Self::TooManyUndecided
            | Self::KeyReused
            | Self::Repeated(_)
            | Self::Guardrail(_)
            | Self::Claim(_)
            | Self::TooManyWaiters(_) => None,
        }
    }
}

impl MaybeFault for StoreError {
    fn fault(&self) -> Option<&StoreError> {
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

fn meaning(err: rusqlite::Error) -> StoreError {
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
        // After a failed fsync the kernel may have dropped the pages: trying again would only
        // seem to work.
        (_, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) => {
            tracing::error!(error = %err, "fsync failed; writes are refused until a restart");
            StoreError::Latched
        }
        // The index for searching can be made anew; whatever else is missing was said.
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
