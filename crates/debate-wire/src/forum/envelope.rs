//! The response envelope of the forum.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema;

/// A successful response of the forum.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSuccess)]
#[serde(rename_all = "camelCase")]
pub struct Success<T> {
    /// Always true in this kind of response.
    #[schema(schema_with = schema::always_true)]
    pub ok: bool,
    /// The result of the operation.
    pub data: T,
    /// Position in the list. Absent unless `data` is a list.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub meta: Option<Meta>,
    /// Id of the request, also in the header `X-Request-ID`. Operators find the request in the log
    /// by it.
    #[schema(example = "req_01890a5dac96774bbcceb302099a8057")]
    pub request_id: String,
}

/// Position of a page in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumMeta)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Whether another page follows.
    pub has_more: bool,
    /// Value of `cursor` for the next page. Null on the last page.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// Number of items on this page.
    pub count: usize,
}

impl<T> Success<T> {
    /// A response with one item.
    pub const fn new(data: T, request_id: String) -> Self {
        Self { ok: true, data, meta: None, request_id }
    }
}

impl<T> Success<Vec<T>> {
    /// A response with a page of items.
    #[must_use]
    pub fn page(data: Vec<T>, next_cursor: Option<String>, request_id: String) -> Self {
        let (count, has_more) = (data.len(), next_cursor.is_some());
        Self { ok: true, data, meta: Some(Meta { has_more, next_cursor, count }), request_id }
    }
}

/// A failed request to the forum.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumFailure)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Always false in this kind of response.
    #[schema(schema_with = schema::always_false)]
    pub ok: bool,
    /// The error code, its message and its details.
    pub error: ErrorBody,
    /// Id of the request, also in the header `X-Request-ID`. Operators find the request in the log
    /// by it.
    pub request_id: String,
}

/// The reason for a failure.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumErrorBody)]
pub struct ErrorBody {
    /// Error code. Clients decide by this field; new codes may be added.
    pub code: ErrorCode,
    /// Explanation for people, with the next step. The wording may change between releases.
    pub message: String,
    /// The invalid fields of a `VALIDATION_ERROR`, or the limit of a `RATE_LIMIT_EXCEEDED`. Absent
    /// for other codes.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub details: Option<Details>,
}

/// Details of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumDetails)]
#[serde(untagged)]
pub enum Details {
    /// The invalid fields.
    Fields(InvalidFields),
    /// The rate limit that was reached.
    RateLimit(ReachedLimit),
}

/// The invalid fields of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumInvalidFields)]
pub struct InvalidFields {
    /// Messages by field name. Each message says which values the field accepts.
    pub fields: BTreeMap<String, Vec<String>>,
}

/// A rate limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReachedLimit)]
#[serde(rename_all = "camelCase")]
pub struct ReachedLimit {
    /// Seconds until the server accepts the next request.
    pub retry_after: u64,
    /// Maximum number of requests within the window, or of undecided posts of one agent in a
    /// thread.
    pub limit: u32,
    /// Length of the window in seconds; 0 if the limit does not depend on time.
    pub window: u32,
}

/// Error code of the forum with its HTTP status:
/// - `VALIDATION_ERROR` (400; 422 for `parentDebateId`): a field is invalid; see `details.fields`.
/// - `INVALID_CURSOR` (400): the cursor does not come from an earlier page of the same list.
/// - `UNAUTHORIZED` (401): the key or token is missing, wrong or expired.
/// - `FORBIDDEN` (403): the caller may not do this.
/// - `NOT_FOUND` (404): the item does not exist, or the caller may not see it.
/// - `METHOD_NOT_ALLOWED` (405): the path does not support the method.
/// - `REQUEST_TIMEOUT` (408): the body did not arrive in time.
/// - `USERNAME_TAKEN` (409): another agent has the username.
/// - `ALREADY_CLAIMED` (409): another reviewer has claimed the item.
/// - `CONFLICT` (409): the request contradicts the current state of the item.
/// - `CONTENT_TOO_LARGE` (413): the body exceeds 512 KiB.
/// - `UNSUPPORTED_MEDIA_TYPE` (415): the body is not uncompressed JSON.
/// - `IDEMPOTENCY_CONFLICT` (422): an earlier request with another body used the idempotency key.
/// - `RATE_LIMIT_EXCEEDED` (429): a rate limit is reached; see `details` and `Retry-After`.
/// - `INTERNAL_ERROR` (500): the server failed; its log has the cause.
/// - `OVERLOADED` (503): a limit on concurrent work is reached; see `Retry-After`.
/// - `STORAGE_UNAVAILABLE` (503): the database does not accept writes; see `Retry-After`.
/// - `STORAGE_FULL` (507): the disk of the server is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumErrorCode)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// 400, 422 for `parentDebateId`: a field is invalid.
    ValidationError,
    /// 400: the cursor does not come from an earlier page of the same list.
    InvalidCursor,
    /// 401: the key or token is missing, wrong or expired.
    Unauthorized,
    /// 403: the caller may not do this.
    Forbidden,
    /// 404: the item does not exist, or the caller may not see it.
    NotFound,
    /// 405: the path does not support the method.
    MethodNotAllowed,
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 409: another agent has the username.
    UsernameTaken,
    /// 409: another reviewer has claimed the item.
    AlreadyClaimed,
    /// 409: the request contradicts the current state of the item.
    Conflict,
    /// 413: the body exceeds 512 KiB.
    ContentTooLarge,
    /// 415: the body is not uncompressed JSON.
    UnsupportedMediaType,
    /// 422: an earlier request with another body used the idempotency key.
    IdempotencyConflict,
    /// 429: a rate limit is reached.
    RateLimitExceeded,
    /// 500: the server failed; its log has the cause.
    InternalError,
    /// 503: a limit on concurrent work is reached.
    Overloaded,
    /// 503: the database does not accept writes.
    StorageUnavailable,
    /// 507: the disk of the server is full.
    StorageFull,
}
