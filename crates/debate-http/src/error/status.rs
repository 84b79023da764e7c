//! The status of each error code. The forum's codes have a table of their own.

use axum::http::StatusCode;
use debate_pages::PageErrorCode;
use debate_wire::{ErrorCode, forum};

/// The status of a code of the whole server or of the forum.
pub(crate) const fn status(code: PageErrorCode) -> StatusCode {
    match code {
        PageErrorCode::Server(code) => server_status(code),
        PageErrorCode::Forum(code) => forum_status(code),
    }
}

const fn server_status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidInput => StatusCode::BAD_REQUEST,
        ErrorCode::AuthFailed | ErrorCode::SeatRequired => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden
        | ErrorCode::ActionNotAllowed
        | ErrorCode::SeatInvalid
        | ErrorCode::InviteRequired => StatusCode::FORBIDDEN,
        ErrorCode::NotFound | ErrorCode::DebateNotFound | ErrorCode::ArgumentNotFound => {
            StatusCode::NOT_FOUND
        }
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        ErrorCode::DebateExists
        | ErrorCode::SeatTaken
        | ErrorCode::SeatConflict
        | ErrorCode::NotSeated => StatusCode::CONFLICT,
        ErrorCode::DebateDeleted => StatusCode::GONE,
        ErrorCode::ContentTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::IdempotencyConflict | ErrorCode::SeatsNotConfigured => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        ErrorCode::UpgradeRequired => StatusCode::UPGRADE_REQUIRED,
        ErrorCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::Overloaded | ErrorCode::StorageUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
    }
}

const fn forum_status(code: forum::ErrorCode) -> StatusCode {
    use forum::ErrorCode as Forum;

    match code {
        Forum::ValidationError | Forum::InvalidCursor => StatusCode::BAD_REQUEST,
        Forum::Unauthorized => StatusCode::UNAUTHORIZED,
        Forum::Forbidden => StatusCode::FORBIDDEN,
        Forum::NotFound => StatusCode::NOT_FOUND,
        Forum::UsernameTaken | Forum::Conflict | Forum::AlreadyClaimed => StatusCode::CONFLICT,
        Forum::RateLimitExceeded => StatusCode::TOO_MANY_REQUESTS,
        Forum::ContentTooLarge => server_status(ErrorCode::ContentTooLarge),
        Forum::IdempotencyConflict => server_status(ErrorCode::IdempotencyConflict),
        Forum::UnsupportedMediaType => server_status(ErrorCode::UnsupportedMediaType),
        Forum::RequestTimeout => server_status(ErrorCode::RequestTimeout),
        Forum::MethodNotAllowed => server_status(ErrorCode::MethodNotAllowed),
        Forum::Overloaded => server_status(ErrorCode::Overloaded),
        Forum::StorageUnavailable => server_status(ErrorCode::StorageUnavailable),
        Forum::StorageFull => server_status(ErrorCode::StorageFull),
        Forum::InternalError => server_status(ErrorCode::InternalError),
    }
}
