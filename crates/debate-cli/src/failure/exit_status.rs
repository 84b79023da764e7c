//! Exit codes for scripts.

use std::process::ExitCode;

use debate_wire::ErrorCode;

/// The result of a command for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Success, including a wait that timed out.
    Ok,
    /// The debate or argument does not exist, or the command line is invalid.
    Missing,
    /// A network error, a server error, or any other error.
    Error,
    /// The input is invalid.
    Input,
    /// The rules or an earlier request do not allow the action.
    Forbidden,
    /// The caller is not authorized.
    Unauthorized,
    /// The user pressed Ctrl-C.
    Interrupted,
}

impl ExitStatus {
    /// The exit code of the process.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Missing => 2,
            Self::Error => 3,
            Self::Input => 4,
            Self::Forbidden => 5,
            Self::Unauthorized => 6,
            Self::Interrupted => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(exit: ExitStatus) -> Self {
        Self::from(exit.number())
    }
}

/// The exit code for an error of the arena or the runner.
pub(super) const fn exit_status_for(code: ErrorCode) -> ExitStatus {
    match code {
        ErrorCode::DebateNotFound | ErrorCode::ArgumentNotFound => ExitStatus::Missing,
        ErrorCode::InvalidInput | ErrorCode::ContentTooLarge => ExitStatus::Input,
        ErrorCode::ActionNotAllowed
        | ErrorCode::DebateExists
        | ErrorCode::DebateDeleted
        | ErrorCode::IdempotencyConflict
        | ErrorCode::SeatTaken
        | ErrorCode::SeatConflict
        | ErrorCode::NotSeated
        | ErrorCode::SeatsNotConfigured => ExitStatus::Forbidden,
        ErrorCode::AuthFailed
        | ErrorCode::Forbidden
        | ErrorCode::SeatRequired
        | ErrorCode::SeatInvalid
        | ErrorCode::InviteRequired => ExitStatus::Unauthorized,
        ErrorCode::UnsupportedMediaType
        | ErrorCode::UpgradeRequired
        | ErrorCode::RequestTimeout
        | ErrorCode::RateLimited
        | ErrorCode::NotFound
        | ErrorCode::MethodNotAllowed
        | ErrorCode::Overloaded
        | ErrorCode::StorageUnavailable
        | ErrorCode::StorageFull
        | ErrorCode::InternalError => ExitStatus::Error,
    }
}
