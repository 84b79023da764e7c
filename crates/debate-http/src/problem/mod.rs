//! The one table from errors to the wire. The only place that names an error's status.

mod family;
mod forum;
mod head;
mod reference;
mod runner;
mod storage;

use axum::Json;
use axum::http::header::{
    ACCEPT_ENCODING, RETRY_AFTER, SEC_WEBSOCKET_VERSION, UPGRADE, WWW_AUTHENTICATE,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_app::arena::ArenaError;
use debate_core::arena::{Refusal, Role, State, available_actions, turn_of};
use debate_core::{Admission, ContentError};
use debate_wire::{ErrorBody, ErrorCode, Failure, forum as forum_wire};

pub(crate) use family::Family;

use crate::rate_headers::describe_limit;

/// An answer that says what went wrong and what to do next.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    status: StatusCode,
    error: Box<ErrorBody>,
    retry_after_seconds: Option<u32>,
    /// The rate limit that refuses the request, if one does.
    limit: Option<Box<Admission>>,
    /// How the forum's clients are told, where it has words of its own.
    forum: Option<(forum_wire::ErrorCode, Option<forum_wire::Details>)>,
}

/// A request that can't be made sense of: which field, and why.
#[derive(Debug)]
pub(crate) struct Invalid {
    pub(crate) field: String,
    pub(crate) message: String,
}

/// Why a parsed body could still not be used.
#[derive(Debug)]
pub(crate) enum Unacceptable {
    /// It makes no sense.
    Invalid(Invalid),
    /// Its content has more bytes than this.
    TooLarge(usize),
    /// It names a place that no page gave.
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

impl Problem {
    fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        let error = Box::new(ErrorBody::new(code, message));
        Self { status, error, retry_after_seconds: None, limit: None, forum: None }
    }

    fn suggesting(mut self, suggestion: impl Into<String>) -> Self {
        self.error.suggestion = Some(suggestion.into());
        self
    }

    fn again_in(mut self, seconds: u32) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }

    fn with(mut self, fill: impl FnOnce(&mut ErrorBody)) -> Self {
        fill(&mut self.error);
        self
    }

    /// The server is called by a name it does not go by.
    pub(crate) fn unknown_host() -> Self {
        let message = "this server does not go by that name";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, message).suggesting(
            "use the address the server printed at start, or list the name in DEBATE_ALLOWED_HOSTS",
        )
    }

    /// Another web page is calling.
    pub(crate) fn foreign_page() -> Self {
        let message = "requests from other web pages are refused";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, message)
            .suggesting("list the page's origin in DEBATE_ALLOWED_ORIGINS if it may call")
    }

    /// The token is missing or wrong; which of the two is nobody's business.
    pub(crate) fn unauthorized() -> Self {
        let message = "a valid bearer token is needed";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::AuthFailed, message)
            .suggesting("send the header Authorization: Bearer <the server's DEBATE_AUTH_TOKEN>")
    }

    /// A frame that would write, on a socket that was opened with a session cookie.
    pub(crate) fn session_only_reads() -> Self {
        let message = "a socket opened with a session cookie can only read";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, message).suggesting(
            "use the form on the debate's page, or open the socket with the server's token",
        )
    }

    pub(crate) fn not_json() -> Self {
        let message = "the body must be JSON";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::UnsupportedMediaType, message)
            .suggesting("send the header Content-Type: application/json")
    }

    pub(crate) fn body_too_large(body_bytes_max: usize, content_bytes_max: usize) -> Self {
        let message = format!("the body has more than {body_bytes_max} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::ContentTooLarge, message)
            .suggesting(SHORTEN)
            .with(|error| error.max_length = Some(content_bytes_max))
    }

    pub(crate) fn body_too_slow() -> Self {
        let message = "the body took too long to arrive";
        Self::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::RequestTimeout, message)
            .suggesting("send the request again")
    }

    pub(crate) fn no_such_route() -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, "there is nothing at this path")
            .suggesting("GET /openapi.json lists what there is")
    }

    pub(crate) fn wrong_method() -> Self {
        let message = "this path does not take this method";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, message)
            .suggesting("the Allow header lists the methods it takes")
    }

    pub(crate) fn upgrade_required() -> Self {
        let message = "this path speaks WebSocket, version 13";
        Self::new(StatusCode::UPGRADE_REQUIRED, ErrorCode::UpgradeRequired, message)
            .suggesting("connect with a WebSocket client, or follow /debates/{id}/events instead")
    }

    /// As many are let in as may.
    pub(crate) fn crowded() -> Self {
        Self::overloaded("as many sockets are open as the server allows")
    }

    pub(crate) fn not_a_form() -> Self {
        let message = "this path takes forms";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::UnsupportedMediaType, message)
            .suggesting("programs use the API: GET /openapi.json lists it")
    }

    /// A form that no page of ours made for this visitor.
    pub(crate) fn foreign_form() -> Self {
        let message = "the form was not made for you by this server";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, message)
            .suggesting("reload the page it is on and send it again; cookies have to be allowed")
    }

    /// The network has sent more wrong tokens than it may. A right one is accepted all the same.
    pub(crate) fn too_many_wrong_tokens(admission: &Admission) -> Self {
        let seconds = retry_seconds(admission);
        let message = format!("too many wrong tokens from your network; retry in {seconds} s");
        Self::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, message)
            .suggesting("check the token; the right one is accepted at any time")
            .again_in(seconds)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// The field that is wrong, where it is one.
    pub(crate) fn field(&self) -> Option<&str> {
        self.error.field.as_deref()
    }

    pub(crate) fn code(&self) -> ErrorCode {
        self.error.code
    }

    /// Whether the request's name was another's.
    pub(crate) fn is_key_reused(&self) -> bool {
        self.error.code == ErrorCode::IdempotencyConflict
    }

    /// What happened, for a page that calls its fields by names of its own.
    pub(crate) fn message(&self, names: &[(&str, &str)]) -> String {
        names.iter().fold(self.error.message.clone(), |message, (field, name)| {
            message.replace(&format!("`{field}`"), name)
        })
    }

    /// What is told to a client that has no status to look at.
    pub(crate) fn into_error(self) -> Box<ErrorBody> {
        self.error
    }

    /// The server did not finish in the time a plain request may take.
    pub(crate) fn too_slow() -> Self {
        Self::overloaded("the server did not finish in time")
    }

    /// A mistake of ours. The client learns nothing of the cause.
    pub(crate) fn internal() -> Self {
        let message = "the server made a mistake; its log has the details";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::InternalError, message)
            .suggesting("report it with the X-Request-Id of this answer")
    }

    /// Storage is in trouble: the same words as for a refused write, and always 503, which is what
    /// those who watch a server look for.
    pub(crate) fn unwell(trouble: &StoreError) -> Self {
        let code = match trouble {
            StoreError::Full(_) | StoreError::WalFull(_) => ErrorCode::StorageFull,
            StoreError::Overloaded
            | StoreError::Unavailable(_)
            | StoreError::Moved(_)
            | StoreError::Latched
            | StoreError::Damaged(_)
            | StoreError::Undecodable(_)
            | StoreError::Unexpected(_) => ErrorCode::StorageUnavailable,
        };
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, trouble.to_string()).again_in(5)
    }

    fn overloaded(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Overloaded, message)
            .suggesting("send the same request again after the time in Retry-After")
            .again_in(1)
    }

    fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidInput, message)
            .with(|error| error.field = Some(field.to_owned()))
    }

    fn refused(refusal: Refusal) -> Self {
        let Refusal { state, mv } = refusal;
        Self::new(StatusCode::FORBIDDEN, ErrorCode::ActionNotAllowed, refusal.to_string())
            .suggesting(what_to_do_in(state, mv.role()))
            .with(|error| {
                let actions = available_actions(state, mv.role());
                error.current_state = Some(state.into());
                error.allowed_roles = Some(turn_of(state).into_iter().map(Into::into).collect());
                error.available_actions = Some(actions.into_iter().map(Into::into).collect());
            })
    }
}

/// A turn takes one argument, so a long one cannot be split.
const SHORTEN: &str = "shorten the content; put long material into a file that the other side can \
     read, and refer to it";

fn what_to_do_in(state: State, role: Role) -> String {
    match turn_of(state) {
        None => "the debate is closed; read it, or open a new one".to_owned(),
        Some(turn) if turn == role => {
            "it is your turn, but not for this; see available_actions".to_owned()
        }
        // The long poll answers the two sides alone.
        Some(turn) if role == Role::Arbitrator => {
            format!("it is the {turn}'s turn; follow GET /debates/{{id}}/events until it is yours")
        }
        Some(turn) => format!("wait for the {turn}: GET /debates/{{id}}/wait tells you when"),
    }
}

impl From<Invalid> for Problem {
    fn from(Invalid { field, message }: Invalid) -> Self {
        Self::invalid(&field, message)
    }
}

impl From<Unacceptable> for Problem {
    fn from(unacceptable: Unacceptable) -> Self {
        match unacceptable {
            Unacceptable::Invalid(invalid) => invalid.into(),
            Unacceptable::Cursor => Self::not_a_cursor(),
            Unacceptable::TooLarge(most) => {
                let message = format!("the content has more than {most} bytes of UTF-8");
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::ContentTooLarge, message)
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

impl From<ArenaError> for Problem {
    fn from(err: ArenaError) -> Self {
        let message = err.to_string();
        match err {
            ArenaError::NoSuchDebate(debate) => {
                Self::new(StatusCode::NOT_FOUND, ErrorCode::DebateNotFound, message)
                    .suggesting("GET /debates lists the debates there are")
                    .with(|error| error.debate_id = Some(debate.to_string()))
            }
            ArenaError::DebateExists(debate) => {
                Self::new(StatusCode::CONFLICT, ErrorCode::DebateExists, message)
                    .suggesting("open the new debate with an id of its own")
                    .with(|error| error.debate_id = Some(debate.to_string()))
            }
            ArenaError::DebateDeleted(debate) => {
                Self::new(StatusCode::GONE, ErrorCode::DebateDeleted, message)
                    .suggesting("open the new debate with an id of its own")
                    .with(|error| error.debate_id = Some(debate.to_string()))
            }
            // Logged once, when it was found.
            ArenaError::DebateDamaged(debate) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::StorageUnavailable, message)
                    .suggesting(
                        "the operator has to restore the database from a backup; other debates \
                         are not affected",
                    )
                    .with(|error| error.debate_id = Some(debate.to_string()))
                    .again_in(5)
            }
            ArenaError::NoSuchArgument(argument) => {
                Self::new(StatusCode::NOT_FOUND, ErrorCode::ArgumentNotFound, message)
                    .suggesting("GET /debates/{id} lists the debate's arguments")
                    .with(|error| error.argument_id = Some(argument.to_string()))
            }
            ArenaError::ForeignArgument { .. } => Self::invalid("target_id", message)
                .suggesting("answer an argument of the same debate"),
            ArenaError::UnknownPosition { .. } => Self::invalid("argument_id", message)
                .suggesting("leave argument_id out to begin at the beginning"),
            ArenaError::KeyReused => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, ErrorCode::IdempotencyConflict, message)
                    .suggesting("send a new request with a client_request_id of its own")
            }
            ArenaError::Refused(refusal) => Self::refused(refusal),
            ArenaError::Crowded(_) => Self::overloaded(message),
            ArenaError::Store(err) => err.into(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { status, error, retry_after_seconds, limit, forum: _ } = self.clone();
        let failure = Failure { success: false, error: *error };
        let mut response = (status, Json(failure)).into_response();
        response.extensions_mut().insert(self);
        let headers = response.headers_mut();
        if let Some(admission) = &limit {
            describe_limit(headers, admission);
        }
        if let Some(seconds) = retry_after_seconds {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        if status == StatusCode::UPGRADE_REQUIRED {
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        }
        response
    }
}
