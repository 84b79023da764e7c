//! The envelope every answer of the forum comes in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// It worked.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumSuccess)]
#[serde(rename_all = "camelCase")]
pub struct Success<T> {
    /// Always true.
    #[schema(example = true)]
    pub ok: bool,
    /// What was asked for.
    pub data: T,
    /// Of a page: whether there is another.
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
    /// Its `cursor`; null on the last page.
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

/// It did not.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumFailure)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Always false.
    #[schema(example = false)]
    pub ok: bool,
    /// Why.
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
    /// What else there is to say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub details: Option<Details>,
}

/// What else there is to say, by the kind of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ForumDetails)]
#[serde(untagged)]
pub enum Details {
    /// Which fields were wrong, each with its reasons.
    Fields {
        /// By name.
        fields: BTreeMap<String, Vec<String>>,
    },
    /// Which limit was reached.
    #[serde(rename_all = "camelCase")]
    RateLimit {
        /// After how many seconds the next request is let in.
        retry_after: u64,
        /// How many requests are let in within the window.
        limit: u32,
        /// How many seconds the window has.
        window: u32,
    },
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
