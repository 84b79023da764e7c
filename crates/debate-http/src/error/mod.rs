//! The one table from errors to responses. `status.rs` has the status of each code.
//!
//! A message says what happened, a suggestion what to do next. Both start in lower case and have no
//! final period, so that clients can put them into sentences of their own.

mod arena;
mod format;
mod forum;
mod runner;
mod status;
mod storage;

use axum::http::header::{
    ACCEPT_ENCODING, RETRY_AFTER, SEC_WEBSOCKET_VERSION, UPGRADE, WWW_AUTHENTICATE,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_core::{Admission, ContentError};
use debate_pages::{ErrorReport, PageErrorCode};
use debate_wire::arena::Role;
use debate_wire::{ErrorBody, ErrorCode, forum as forum_wire};

pub(crate) use format::ErrorFormat;
pub(crate) use status::status;

use crate::request_layer::describe_limit;

/// The `field` of errors about the `Host` header.
const HOST: &str = "Host";

/// An error with its status, its body and its headers.
#[derive(Debug, Clone)]
pub(crate) struct ErrorResponse {
    status: StatusCode,
    error: Box<ErrorBody>,
    retry_after_seconds: Option<u32>,
    /// The rate limit that refuses the request, if one does.
    limit: Option<Box<Admission>>,
    /// Code and details for clients of the forum, if they differ.
    forum: Option<(forum_wire::ErrorCode, Option<forum_wire::Details>)>,
}

/// An invalid field and the reason.
#[derive(Debug)]
pub(crate) struct Invalid {
    pub(crate) field: String,
    pub(crate) message: String,
}

/// The reason why a parsed body is refused.
#[derive(Debug)]
pub(crate) enum Unacceptable {
    /// A field is invalid.
    Invalid(Invalid),
    /// Its content has more bytes than this.
    TooLarge(usize),
    /// The cursor does not come from an earlier page.
    Cursor,
}

impl Invalid {
    /// `` `field` `` and the rest of the sentence.
    pub(crate) fn new(field: &str, rest: impl std::fmt::Display) -> Self {
        Self { field: field.to_owned(), message: format!("`{field}` {rest}") }
    }
}

impl From<Invalid> for Unacceptable {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl Unacceptable {
    pub(crate) fn content(field: &str, err: &ContentError) -> Self {
        match err {
            ContentError::Text(text) => Self::Invalid(Invalid::new(field, text)),
            ContentError::TooLarge { most_bytes } => Self::TooLarge(*most_bytes),
        }
    }
}

impl ErrorResponse {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let status = status(PageErrorCode::Server(code));
        let error = Box::new(ErrorBody::new(code, message));
        Self { status, error, retry_after_seconds: None, limit: None, forum: None }
    }

    fn suggesting(mut self, suggestion: impl Into<String>) -> Self {
        self.error.suggestion = Some(suggestion.into());
        self
    }

    fn retry_in(mut self, seconds: u32) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }

    fn with(mut self, fill: impl FnOnce(&mut ErrorBody)) -> Self {
        fill(&mut self.error);
        self
    }

    /// The Host header is absent, empty or repeated.
    pub(crate) fn no_host() -> Self {
        let message = "the `Host` header must be given exactly once";
        Self::invalid(HOST, message).suggesting("send the server's address in the Host header")
    }

    /// The Host header names a host that is not allowed.
    pub(crate) fn unknown_host() -> Self {
        let message = "host not allowed";
        Self::new(ErrorCode::Forbidden, message).suggesting(
            "use the address that the server printed at start, or add the host to \
             DEBATE_ALLOWED_HOSTS",
        )
    }

    /// The request comes from a web page whose origin is not allowed.
    pub(crate) fn foreign_page() -> Self {
        let message = "origin not allowed";
        Self::new(ErrorCode::Forbidden, message)
            .suggesting("add the origin of the calling page to DEBATE_ALLOWED_ORIGINS")
    }

    /// The token is missing or wrong. The response does not reveal which.
    pub(crate) fn unauthorized() -> Self {
        let message = "the bearer token is missing or wrong";
        Self::new(ErrorCode::AuthFailed, message)
            .suggesting("send the header Authorization: Bearer <value of DEBATE_AUTH_TOKEN>")
    }

    /// A frame that would write, on a socket that was opened with a session cookie.
    pub(crate) fn session_only_reads() -> Self {
        let message = "a socket opened with a session cookie can only read";
        Self::new(ErrorCode::Forbidden, message).suggesting(
            "use the form on the debate's page, or open the socket with the server's token",
        )
    }

    pub(crate) fn not_json() -> Self {
        let message = "the body must be JSON";
        Self::new(ErrorCode::UnsupportedMediaType, message)
            .suggesting("send the header Content-Type: application/json")
    }

    /// The body is compressed; the server does not decompress bodies.
    pub(crate) fn encoded_body() -> Self {
        let message = "the body must not be compressed";
        Self::new(ErrorCode::UnsupportedMediaType, message)
            .suggesting("send the body without the header Content-Encoding")
    }

    pub(crate) fn body_too_large(body_bytes_max: usize, content_bytes_max: usize) -> Self {
        let message = format!("the body exceeds {body_bytes_max} bytes");
        Self::new(ErrorCode::ContentTooLarge, message)
            .suggesting(SHORTEN)
            .with(|error| error.max_length = Some(content_bytes_max))
    }

    pub(crate) fn body_too_slow() -> Self {
        let message = "the body did not arrive in time";
        Self::new(ErrorCode::RequestTimeout, message).suggesting("send the request again")
    }

    pub(crate) fn no_such_route() -> Self {
        Self::new(ErrorCode::NotFound, "path not found")
            .suggesting("GET /openapi.json lists all paths")
    }

    pub(crate) fn wrong_method() -> Self {
        let message = "method not allowed for this path";
        Self::new(ErrorCode::MethodNotAllowed, message)
            .suggesting("the Allow header lists the supported methods")
    }

    pub(crate) fn upgrade_required() -> Self {
        let message = "this path accepts WebSocket connections of version 13 only";
        Self::new(ErrorCode::UpgradeRequired, message)
            .suggesting("connect with a WebSocket client, or use GET /debates/{id}/events")
    }

    /// The limit on open WebSockets is reached.
    pub(crate) fn crowded() -> Self {
        Self::overloaded("too many WebSockets are open")
    }

    pub(crate) fn not_a_form() -> Self {
        let message = "this path accepts forms of the web interface only";
        Self::new(ErrorCode::UnsupportedMediaType, message)
            .suggesting("use the API; GET /openapi.json describes it")
    }

    /// The form has no valid token of this browser session.
    pub(crate) fn foreign_form() -> Self {
        let message = "the form is not valid for this browser session";
        Self::new(ErrorCode::Forbidden, message)
            .suggesting("reload the page and submit the form again; cookies must be enabled")
    }

    /// The network has sent too many wrong tokens. A correct token is still accepted.
    pub(crate) fn too_many_wrong_tokens(admission: &Admission) -> Self {
        let seconds = retry_seconds(admission);
        let message = format!("too many wrong tokens from your network; retry in {seconds} s");
        Self::new(ErrorCode::RateLimited, message)
            .suggesting("check the token; a correct token is accepted at any time")
            .retry_in(seconds)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn code(&self) -> ErrorCode {
        self.error.code
    }

    /// Whether the same request may succeed later because the storage did not respond.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self.code(), ErrorCode::StorageUnavailable | ErrorCode::Overloaded)
    }

    /// Whether another request used the idempotency key.
    pub(crate) fn is_key_reused(&self) -> bool {
        self.error.code == ErrorCode::IdempotencyConflict
    }

    /// The error as pages report it.
    pub(crate) fn report(&self) -> ErrorReport {
        let code = PageErrorCode::Server(self.error.code);
        ErrorReport {
            code: self.forum_code().map_or(code, PageErrorCode::Forum),
            field: self.error.field.clone(),
            message: self.error.message.clone(),
        }
    }

    /// The error for a client that sees no status, such as a WebSocket.
    pub(crate) fn into_error(self) -> Box<ErrorBody> {
        self.error
    }

    /// The request took longer than `DEBATE_HTTP_TIMEOUT_MS`.
    pub(crate) fn too_slow() -> Self {
        Self::overloaded("the request exceeded the server's time limit")
    }

    /// A defect of the server. The response does not reveal the cause.
    pub(crate) fn internal() -> Self {
        let message = "internal server error; the server's log has the cause";
        Self::new(ErrorCode::InternalError, message)
            .suggesting("report the X-Request-Id of this response to the operator")
    }

    /// The storage does not accept writes. The message is that of a refused write; the status is
    /// always 503, which health checks expect.
    pub(crate) fn unhealthy(error: &StoreError) -> Self {
        let code = match error {
            StoreError::Full(_) | StoreError::WalFull(_) => ErrorCode::StorageFull,
            StoreError::Overloaded
            | StoreError::Unavailable(_)
            | StoreError::Moved(_)
            | StoreError::Latched
            | StoreError::Damaged(_)
            | StoreError::Undecodable(_)
            | StoreError::Unexpected(_) => ErrorCode::StorageUnavailable,
        };
        let mut response = Self::new(code, error.to_string()).retry_in(5);
        response.status = StatusCode::SERVICE_UNAVAILABLE;
        response
    }

    /// The credential that the client should send: the server's token, or a header of this name.
    fn challenge(&self) -> &'static str {
        match (self.code() == ErrorCode::SeatRequired, self.error.role) {
            (true, Some(Role::Arbitrator)) => "Debate-Arbitrator",
            (true, Some(Role::Proposer | Role::Opponent)) => "Debate-Seat",
            (_, None) | (false, Some(_)) => "Bearer",
        }
    }

    fn overloaded(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Overloaded, message)
            .suggesting("send the same request again after the seconds in Retry-After")
            .retry_in(1)
    }

    fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidInput, message)
            .with(|error| error.field = Some(field.to_owned()))
    }
}

/// A turn takes one argument, so a long one cannot be split.
const SHORTEN: &str = "shorten the content, or put long material into a file that the other side \
     can read and refer to it";

impl From<Invalid> for ErrorResponse {
    fn from(Invalid { field, message }: Invalid) -> Self {
        Self::invalid(&field, message)
    }
}

impl From<Unacceptable> for ErrorResponse {
    fn from(unacceptable: Unacceptable) -> Self {
        match unacceptable {
            Unacceptable::Invalid(invalid) => invalid.into(),
            Unacceptable::Cursor => Self::not_a_cursor(),
            Unacceptable::TooLarge(most) => {
                let message = format!("the content exceeds {most} bytes of UTF-8");
                Self::new(ErrorCode::ContentTooLarge, message)
                    .suggesting(SHORTEN)
                    .with(|error| error.max_length = Some(most))
            }
        }
    }
}

/// The wait that a rate limit asks for, at least one second.
fn retry_seconds(admission: &Admission) -> u32 {
    let seconds = admission.retry_after_seconds().unwrap_or(1).max(1);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

/// A response without a body. The layer around the router adds the body in the router's format.
impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        let headers = response.headers_mut();
        if let Some(admission) = &self.limit {
            describe_limit(headers, admission);
        }
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(self.challenge()));
        }
        if self.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        if self.status == StatusCode::UPGRADE_REQUIRED {
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        }
        response.extensions_mut().insert(self);
        response
    }
}
