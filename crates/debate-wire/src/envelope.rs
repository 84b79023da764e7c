//! The response envelope of the arena and of the system routes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::arena::{Action, Role, State};
use crate::schema;

/// A successful response of the arena or of a system route.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Success<T> {
    /// Always true in this kind of response.
    #[schema(schema_with = schema::always_true)]
    pub success: bool,
    /// The result of the operation.
    pub data: T,
}

impl<T> Success<T> {
    /// Puts a result into the envelope.
    pub const fn new(data: T) -> Self {
        Self { success: true, data }
    }
}

/// A failed request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// Always false in this kind of response.
    #[schema(schema_with = schema::always_false)]
    pub success: bool,
    /// The error code, its message and the fields that apply to it.
    pub error: ErrorBody,
}

/// The reason for a failure. Fields that do not apply to the error are absent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// Error code. Clients decide by this field; new codes may be added.
    pub code: ErrorCode,
    /// Explanation for people. The wording may change between releases.
    pub message: String,
    /// The next step for the client or the operator. Absent for some codes.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
    /// Name of the invalid request field, parameter or header. `body` means the request body as a
    /// whole, `query` the query string. Absent if the error concerns no field.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub field: Option<String>,
    /// Maximum size of the content in bytes of UTF-8. Present with `CONTENT_TOO_LARGE` only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_length: Option<usize>,
    /// UUID of the debate or run that the error concerns. Absent if it concerns none.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub debate_id: Option<String>,
    /// UUID of the argument that was not found. Present with `ARGUMENT_NOT_FOUND` only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub argument_id: Option<String>,
    /// State of the debate when the server refused the action. Present with `ACTION_NOT_ALLOWED`
    /// only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub current_state: Option<State>,
    /// The role whose turn it is; empty if the debate is closed. The arbitrator's right to
    /// intervene is not listed. Present with `ACTION_NOT_ALLOWED` only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_roles: Option<Vec<Role>>,
    /// Actions that the requesting role may take in the current state. Present with
    /// `ACTION_NOT_ALLOWED` only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub available_actions: Option<Vec<Action>>,
    /// Role whose seat the request needs. Present with `SEAT_REQUIRED` and `SEAT_INVALID` only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub role: Option<Role>,
    /// Name of the present holder of the seat. Present with `SEAT_TAKEN`, and with `SEAT_INVALID`
    /// if the seat is taken.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub holder: Option<String>,
    /// Time at which the present holder took the seat, UTC, `YYYY-MM-DD HH:MM:SS`. Present with
    /// `SEAT_TAKEN` only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub since: Option<String>,
}

impl ErrorBody {
    /// An error with a code and a message; all other fields are absent.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            suggestion: None,
            field: None,
            max_length: None,
            debate_id: None,
            argument_id: None,
            current_state: None,
            allowed_roles: None,
            available_actions: None,
            role: None,
            holder: None,
            since: None,
        }
    }
}

/// Error code with its HTTP status:
/// - `AUTH_FAILED` (401): the token is missing or wrong.
/// - `FORBIDDEN` (403): the Host header or the origin of the calling page is not allowed.
/// - `ACTION_NOT_ALLOWED` (403): the rules forbid the action in the current state.
/// - `SEAT_REQUIRED` (401): the debate has seats, and the request has no token for the role.
/// - `SEAT_INVALID` (403): the token is not that of the role's seat in this debate.
/// - `INVITE_REQUIRED` (403): the seat can be taken only with the invite.
/// - `SEAT_TAKEN` (409): another participant holds the seat; see `holder` and `since`.
/// - `SEAT_CONFLICT` (409): the token already holds the other seat of the debate.
/// - `NOT_SEATED` (409): the debate has no seats.
/// - `SEATS_NOT_CONFIGURED` (422): the server has no arbitrator token, so it cannot create debates
///   with seats.
/// - `INVALID_INPUT` (400, runner 422): a field is invalid; see `field`.
/// - `CONTENT_TOO_LARGE` (413): the content or the body exceeds its size limit.
/// - `UNSUPPORTED_MEDIA_TYPE` (415): the body is not uncompressed JSON.
/// - `UPGRADE_REQUIRED` (426): the path accepts WebSocket connections only.
/// - `REQUEST_TIMEOUT` (408): the body did not arrive in time.
/// - `RATE_LIMITED` (429): too many wrong tokens came from the client's network; see `Retry-After`.
/// - `NOT_FOUND` (404): the path does not exist.
/// - `METHOD_NOT_ALLOWED` (405): the path does not support the method.
/// - `DEBATE_NOT_FOUND` (404): no debate or run has this id.
/// - `ARGUMENT_NOT_FOUND` (404): no argument has this id.
/// - `DEBATE_EXISTS` (409): another debate has this id.
/// - `DEBATE_DELETED` (410): a debate with this id was deleted; the id cannot be used again.
/// - `IDEMPOTENCY_CONFLICT` (422): an earlier request with other content used the idempotency key.
/// - `OVERLOADED` (503): a limit on concurrent work is reached; see `Retry-After`.
/// - `STORAGE_UNAVAILABLE` (503): the database does not accept writes; see `Retry-After`.
/// - `STORAGE_FULL` (507; `/health`: 503): the disk of the server is full.
/// - `INTERNAL_ERROR` (500): the server failed; its log has the cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// 401: the token is missing or wrong.
    AuthFailed,
    /// 403: the Host header or the origin of the calling page is not allowed.
    Forbidden,
    /// 403: the rules forbid the action in the current state.
    ActionNotAllowed,
    /// 401: the debate has seats, and the request has no token for the role.
    SeatRequired,
    /// 403: the token is not that of the role's seat in this debate.
    SeatInvalid,
    /// 403: the seat can be taken only with the invite.
    InviteRequired,
    /// 409: another participant holds the seat.
    SeatTaken,
    /// 409: the token already holds the other seat of the debate.
    SeatConflict,
    /// 409: the debate has no seats.
    NotSeated,
    /// 422: the server has no arbitrator token, so it cannot create debates with seats.
    SeatsNotConfigured,
    /// 400, for the runner 422: a field is invalid.
    InvalidInput,
    /// 413: the content or the body exceeds its size limit.
    ContentTooLarge,
    /// 415: the body is not uncompressed JSON.
    UnsupportedMediaType,
    /// 426: the path accepts WebSocket connections only.
    UpgradeRequired,
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 429: too many wrong tokens came from the client's network.
    RateLimited,
    /// 404: the path does not exist.
    NotFound,
    /// 405: the path does not support the method.
    MethodNotAllowed,
    /// 404: no debate or run has this id.
    DebateNotFound,
    /// 404: no argument has this id.
    ArgumentNotFound,
    /// 409: another debate has this id.
    DebateExists,
    /// 410: a debate with this id was deleted; the id cannot be used again.
    DebateDeleted,
    /// 422: an earlier request with other content used the idempotency key.
    IdempotencyConflict,
    /// 503: a limit on concurrent work is reached.
    Overloaded,
    /// 503: the database does not accept writes.
    StorageUnavailable,
    /// 507, for `/health` 503: the disk of the server is full.
    StorageFull,
    /// 500: the server failed; its log has the cause.
    InternalError,
}
