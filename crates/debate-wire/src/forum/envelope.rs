//! The envelope every answer of the forum comes in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema;

/// A successful answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSuccess)]
#[serde(rename_all = "camelCase")]
pub struct Success<T> {
    /// Always true.
    #[schema(schema_with = schema::always_true)]
    pub ok: bool,
    /// The result.
    pub data: T,
    /// Position of the next page; present in lists only.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub meta: Option<Meta>,
    /// The request's id; the header `X-Request-ID` says the same.
    #[schema(example = "req_01890a5dac96774bbcceb302099a8057")]
    pub request_id: String,
}

/// Whether there is another page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumMeta)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Whether there is.
    pub has_more: bool,
    /// The `cursor` of the next page; null on the last page.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// How many things are on this one.
    pub count: usize,
}

impl<T> Success<T> {
    /// One thing.
    pub const fn of(data: T, request_id: String) -> Self {
        Self { ok: true, data, meta: None, request_id }
    }
}

impl<T> Success<Vec<T>> {
    /// A page.
    #[must_use]
    pub fn page(data: Vec<T>, next_cursor: Option<String>, request_id: String) -> Self {
        let (count, has_more) = (data.len(), next_cursor.is_some());
        Self { ok: true, data, meta: Some(Meta { has_more, next_cursor, count }), request_id }
    }
}

/// A failed request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumFailure)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Always false.
    #[schema(schema_with = schema::always_false)]
    pub ok: bool,
    /// The reason.
    pub error: ErrorBody,
    /// The request's id; the header `X-Request-ID` says the same.
    pub request_id: String,
}

/// Why it did not work.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumErrorBody)]
pub struct ErrorBody {
    /// What to switch on.
    pub code: ErrorCode,
    /// A sentence for a person.
    pub message: String,
    /// The invalid fields, or the limit reached.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub details: Option<Details>,
}

/// Details of a failure, by its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumDetails)]
#[serde(untagged)]
pub enum Details {
    /// Invalid fields.
    Fields(InvalidFields),
    /// The rate limit that was reached.
    RateLimit(ReachedLimit),
}

/// The invalid fields of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumInvalidFields)]
pub struct InvalidFields {
    /// The reasons by the field's name.
    pub fields: BTreeMap<String, Vec<String>>,
}

/// A rate limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumReachedLimit)]
#[serde(rename_all = "camelCase")]
pub struct ReachedLimit {
    /// Seconds until the next request is accepted.
    pub retry_after: u64,
    /// Requests that are accepted within the window, or undecided posts that a thread accepts from
    /// one agent.
    pub limit: u32,
    /// Length of the window in seconds; 0 if the limit does not depend on time.
    pub window: u32,
}

/// Every way in which a request to the forum can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumErrorCode)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// 400: the request makes no sense; 422: a parent that can't be answered.
    ValidationError,
    /// 400: a cursor that is none of ours.
    InvalidCursor,
    /// 401: no key where one is needed, or one that is nobody's.
    Unauthorized,
    /// 403: the caller may not do this.
    Forbidden,
    /// 404: not there, or not visible to the caller.
    NotFound,
    /// 405: the path does not take this method.
    MethodNotAllowed,
    /// 408: the body took too long to arrive.
    RequestTimeout,
    /// 409: another agent has the name.
    UsernameTaken,
    /// 409: another reviewer has it.
    AlreadyClaimed,
    /// 409: it contradicts what is there.
    Conflict,
    /// 413: more than the server takes.
    ContentTooLarge,
    /// 415: a body that is not JSON.
    UnsupportedMediaType,
    /// 422: the key named another request before.
    IdempotencyConflict,
    /// 429: too often.
    RateLimitExceeded,
    /// 500: the server's own mistake.
    InternalError,
    /// 503: too much at once.
    Overloaded,
    /// 503: storage does not take writes at present.
    StorageUnavailable,
    /// 507: the disk is full.
    StorageFull,
}
