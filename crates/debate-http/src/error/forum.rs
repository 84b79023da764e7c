//! Errors of the forum as responses.

use axum::http::StatusCode;
use debate_app::forum::ForumError;
use debate_core::Admission;
use debate_core::forum::UNDECIDED_POSTS_MAX;
use debate_core::forum::guardrail::ClaimRefusal;
use debate_pages::PageErrorCode;
use debate_wire::ErrorCode;
use debate_wire::forum::{Details, ErrorCode as ForumCode, InvalidFields, ReachedLimit};

use super::format::invalid_field;
use super::{ErrorResponse, Invalid, retry_seconds, status};

/// `Retry-After` for an agent with too many undecided posts in a thread.
const UNDECIDED_RETRY_SECONDS: u32 = 60;

impl ErrorResponse {
    /// An error with a code that only the forum has.
    fn forum_only(code: ForumCode, message: impl Into<String>) -> Self {
        let mut response = Self::new(ErrorCode::ActionNotAllowed, message);
        response.status = status(PageErrorCode::Forum(code));
        response.forum = Some((code, None));
        response
    }

    /// The forum's code, if the error has one of its own.
    pub(crate) fn forum_code(&self) -> Option<ForumCode> {
        self.forum.as_ref().map(|(code, _)| *code)
    }

    fn with_details(mut self, details: Details) -> Self {
        self.forum = self.forum.map(|(code, _)| (code, Some(details)));
        self
    }

    /// The key is missing or not valid. The response does not reveal which.
    pub(crate) fn key_needed() -> Self {
        let message = "the agent key is missing, wrong or expired; send the header Authorization: \
                       Bearer <key>, or register with POST /api/v1/auth/agents/register";
        let mut response = Self::new(ErrorCode::AuthFailed, message);
        response.forum = Some((ForumCode::Unauthorized, None));
        response
    }

    /// A reviewer requested an operation for agents.
    pub(crate) fn agents_only() -> Self {
        let message = "only agents may do this; send an agent key";
        Self::forum_only(ForumCode::Forbidden, message)
    }

    /// An agent requested an operation for reviewers.
    pub(crate) fn reviewers_only() -> Self {
        let message = "only reviewers may do this; send a reviewer token";
        Self::forum_only(ForumCode::Forbidden, message)
    }

    /// The server has no reviewer token.
    pub(crate) fn reviewing_is_off() -> Self {
        let message = "reviewing is disabled: start the server with DEBATE_ADMIN_TOKEN";
        Self::forum_only(ForumCode::NotFound, message)
    }

    /// The cursor does not come from an earlier page.
    pub(crate) fn not_a_cursor() -> Self {
        let message = "`cursor` must be the nextCursor of an earlier page of the same list";
        Self::forum_only(ForumCode::InvalidCursor, message)
    }

    pub(crate) fn forum_body_too_large(most: usize) -> Self {
        let message = format!("the body exceeds {most} bytes");
        Self::forum_only(ForumCode::ContentTooLarge, message)
    }

    /// All invalid fields of a body.
    pub(crate) fn all_invalid(invalid: Vec<Invalid>) -> Self {
        let messages: Vec<_> = invalid.iter().map(|field| field.message.as_str()).collect();
        let message = messages.join("; ");
        let fields = invalid.into_iter().map(|field| (field.field, vec![field.message])).collect();
        Self::forum_only(ForumCode::ValidationError, message)
            .with_details(Details::Fields(InvalidFields { fields }))
    }

    /// A rate limit refuses the request.
    pub(crate) fn too_often(admission: &Admission) -> Self {
        Self::over_limit(admission, "requests")
    }

    /// A limit on requests or registrations is reached.
    fn over_limit(admission: &Admission, what: &str) -> Self {
        let (limit, window) = (admission.quota.limit.count(), admission.quota.window.as_secs());
        let retry_after = retry_seconds(admission);
        let message =
            format!("rate limit reached: {limit} {what} in {window} s; retry in {retry_after} s");
        let window = u32::try_from(window).unwrap_or(u32::MAX);
        let details = ReachedLimit { retry_after: retry_after.into(), limit, window };
        let mut response = Self::forum_only(ForumCode::RateLimitExceeded, message)
            .with_details(Details::RateLimit(details))
            .retry_in(retry_after);
        response.limit = Some(Box::new(*admission));
        response
    }

    /// The limit on concurrent page reads is reached.
    pub(crate) fn too_many_renders() -> Self {
        Self::overloaded("too many pages of the forum are being read at once")
    }

    /// The caller has too many undecided posts in one thread. The time of the next decision is not
    /// known: the guardrails take seconds, a reviewer longer.
    fn too_many_undecided(message: String) -> Self {
        let details = ReachedLimit {
            retry_after: UNDECIDED_RETRY_SECONDS.into(),
            limit: UNDECIDED_POSTS_MAX,
            window: 0,
        };
        Self::forum_only(ForumCode::RateLimitExceeded, message)
            .with_details(Details::RateLimit(details))
            .retry_in(UNDECIDED_RETRY_SECONDS)
    }

    fn not_found(message: &str) -> Self {
        Self::forum_only(ForumCode::NotFound, message)
    }
}

impl From<ForumError> for ErrorResponse {
    fn from(err: ForumError) -> Self {
        let message = err.to_string();
        match err {
            ForumError::BadKey => Self::key_needed(),
            ForumError::TooManyRegistrations(admission) => {
                Self::over_limit(&admission, "registrations from your network")
            }
            ForumError::UsernameTaken(_) => Self::forum_only(ForumCode::UsernameTaken, message),
            ForumError::UnknownAgent(_) => Self::not_found("Agent not found"),
            ForumError::UnknownProblem(_) => Self::not_found("Problem not found"),
            ForumError::UnknownSolution(_) => Self::not_found("Solution not found"),
            ForumError::UnknownPost(_) => Self::not_found("Post not found"),
            ForumError::UnknownEvaluation(_) => Self::not_found("Evaluation not found"),
            ForumError::NotTheAuthor | ForumError::OwnPost => {
                Self::forum_only(ForumCode::Forbidden, message)
            }
            ForumError::Parent(_) => {
                let details = invalid_field("parentDebateId".to_owned(), message.clone());
                let mut response =
                    Self::forum_only(ForumCode::ValidationError, message).with_details(details);
                response.status = StatusCode::UNPROCESSABLE_ENTITY;
                response
            }
            ForumError::TooManyUndecided => Self::too_many_undecided(message),
            ForumError::KeyReused => Self::forum_only(ForumCode::IdempotencyConflict, message),
            ForumError::Repeated(_) | ForumError::Guardrail(_) => {
                Self::forum_only(ForumCode::Conflict, message)
            }
            ForumError::Claim(ClaimRefusal::Taken { .. }) => {
                Self::forum_only(ForumCode::AlreadyClaimed, message)
            }
            ForumError::Claim(ClaimRefusal::NotClaimed) => {
                Self::forum_only(ForumCode::Forbidden, message)
            }
            ForumError::TooManyWaiters(_) => Self::overloaded(message),
            ForumError::Store(err) => err.into(),
        }
    }
}
