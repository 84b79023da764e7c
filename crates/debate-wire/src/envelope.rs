//! The envelope every answer of the arena comes in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::arena::{Action, Role, State};
use crate::schema;

/// A successful answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Success<T> {
    /// Always true.
    #[schema(schema_with = schema::always_true)]
    pub success: bool,
    /// The result.
    pub data: T,
}

impl<T> Success<T> {
    /// Wraps an answer.
    pub const fn of(data: T) -> Self {
        Self { success: true, data }
    }
}

/// A failed request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// Always false.
    #[schema(schema_with = schema::always_false)]
    pub success: bool,
    /// The reason, and a suggestion where there is one.
    pub error: ErrorBody,
}

/// Why it did not work, and what to do about it. Context fields are there when they apply.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// What to switch on.
    pub code: ErrorCode,
    /// A sentence for a person.
    pub message: String,
    /// What to do next.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
    /// The field that was wrong.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub field: Option<String>,
    /// The most bytes that content may have.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_length: Option<usize>,
    /// The debate that was meant.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub debate_id: Option<String>,
    /// The argument that was meant.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub argument_id: Option<String>,
    /// Where the debate stands.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub current_state: Option<State>,
    /// Whose turn it is.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_roles: Option<Vec<Role>>,
    /// What the asking role may do instead.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub available_actions: Option<Vec<Action>>,
}

impl ErrorBody {
    /// A code and its sentence; the rest is filled in where it applies.
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
        }
    }
}

/// Every way in which a request can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// 401: the token is missing or wrong.
    AuthFailed,
    /// 403: another web page, or another name of this machine, asked.
    Forbidden,
    /// 403: the rules forbid it where the debate stands.
    ActionNotAllowed,
    /// 400: the request makes no sense.
    InvalidInput,
    /// 413: more than the server takes.
    ContentTooLarge,
    /// 415: a body that is not JSON.
    UnsupportedMediaType,
    /// 426: the path speaks WebSocket only.
    UpgradeRequired,
    /// 408: the body took too long to arrive.
    RequestTimeout,
    /// 429: the network has sent too many wrong tokens; `Retry-After` says when to retry.
    RateLimited,
    /// 404: no such path.
    NotFound,
    /// 405: the path does not take this method.
    MethodNotAllowed,
    /// 404: no such debate.
    DebateNotFound,
    /// 404: no such argument.
    ArgumentNotFound,
    /// 409: the debate's id is taken.
    DebateExists,
    /// 410: a debate with this id was deleted; the id cannot be used again.
    DebateDeleted,
    /// 422: the request id named another request before.
    IdempotencyConflict,
    /// 503: too much at once.
    Overloaded,
    /// 503: storage does not take writes at present.
    StorageUnavailable,
    /// 507: the disk is full.
    StorageFull,
    /// 500: the server's own mistake.
    InternalError,
}
