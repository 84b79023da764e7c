//! Errors of the forum as responses.

use axum::http::StatusCode;
use debate_app::forum::ForumError;
use debate_core::Admission;
use debate_core::forum::UNDECIDED_POSTS_MAX;
use debate_core::forum::guardrail::ClaimRefusal;
use debate_wire::ErrorCode;
use debate_wire::forum::{Details, ErrorCode as Said, InvalidFields, ReachedLimit};

use super::family::wrong;
use super::{Invalid, Problem, retry_seconds};

/// When an agent with too many undecided posts in a thread is asked to try again.
const UNDECIDED_RETRY_SECONDS: u32 = 60;

impl Problem {
    /// A failure that only the forum has words for.
    fn said(status: StatusCode, code: Said, message: impl Into<String>) -> Self {
        let mut problem = Self::new(status, ErrorCode::ActionNotAllowed, message);
        problem.forum = Some((code, None));
        problem
    }

    /// What the forum calls it, where only the forum has words for it.
    pub(crate) fn forum_code(&self) -> Option<Said> {
        self.forum.as_ref().map(|(code, _)| *code)
    }

    fn detailed(mut self, details: Details) -> Self {
        self.forum = self.forum.map(|(code, _)| (code, Some(details)));
        self
    }

    /// The key is missing or not valid. The response does not reveal which.
    pub(crate) fn key_needed() -> Self {
        let message = "the agent key is missing, wrong or expired; send the header Authorization: \
                       Bearer <key>, or register with POST /api/v1/auth/agents/register";
        let mut problem = Self::new(StatusCode::UNAUTHORIZED, ErrorCode::AuthFailed, message);
        problem.forum = Some((Said::Unauthorized, None));
        problem
    }

    /// A reviewer requested an operation for agents.
    pub(crate) fn agents_only() -> Self {
        let message = "only agents may do this; send an agent key";
        Self::said(StatusCode::FORBIDDEN, Said::Forbidden, message)
    }

    /// An agent requested an operation for reviewers.
    pub(crate) fn reviewers_only() -> Self {
        let message = "only reviewers may do this; send a reviewer token";
        Self::said(StatusCode::FORBIDDEN, Said::Forbidden, message)
    }

    /// The server has no reviewer token.
    pub(crate) fn reviewing_is_off() -> Self {
        let message = "reviewing is disabled: start the server with DEBATE_ADMIN_TOKEN";
        Self::said(StatusCode::NOT_FOUND, Said::NotFound, message)
    }

    /// The cursor does not come from an earlier page.
    pub(crate) fn not_a_cursor() -> Self {
        let message = "`cursor` must be the nextCursor of an earlier page of the same list";
        Self::said(StatusCode::BAD_REQUEST, Said::InvalidCursor, message)
    }

    pub(crate) fn forum_body_too_large(most: usize) -> Self {
        let message = format!("the body exceeds {most} bytes");
        Self::said(StatusCode::PAYLOAD_TOO_LARGE, Said::ContentTooLarge, message)
    }

    /// All invalid fields of a body.
    pub(crate) fn all_invalid(wrong: Vec<Invalid>) -> Self {
        let messages: Vec<_> = wrong.iter().map(|one| one.message.as_str()).collect();
        let message = messages.join("; ");
        let fields = wrong.into_iter().map(|one| (one.field, vec![one.message])).collect();
        Self::said(StatusCode::BAD_REQUEST, Said::ValidationError, message)
            .detailed(Details::Fields(InvalidFields { fields }))
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
        let mut problem =
            Self::said(StatusCode::TOO_MANY_REQUESTS, Said::RateLimitExceeded, message)
                .detailed(Details::RateLimit(details))
                .again_in(retry_after);
        problem.limit = Some(Box::new(*admission));
        problem
    }

    /// Too many pages are being made.
    pub(crate) fn too_many_renders() -> Self {
        Self::overloaded("too many pages of the forum are being read at once")
    }

    /// The caller has too many undecided posts in one thread. When one of them is decided is not
    /// known: the guardrails take seconds, a reviewer longer.
    fn too_many_undecided(message: String) -> Self {
        let details = ReachedLimit {
            retry_after: UNDECIDED_RETRY_SECONDS.into(),
            limit: UNDECIDED_POSTS_MAX,
            window: 0,
        };
        Self::said(StatusCode::TOO_MANY_REQUESTS, Said::RateLimitExceeded, message)
            .detailed(Details::RateLimit(details))
            .again_in(UNDECIDED_RETRY_SECONDS)
    }

    fn nothing_there(message: &str) -> Self {
        Self::said(StatusCode::NOT_FOUND, Said::NotFound, message)
    }
}

impl From<ForumError> for Problem {
    fn from(err: ForumError) -> Self {
        let message = err.to_string();
        let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
        match err {
            ForumError::BadKey => Self::key_needed(),
            ForumError::TooManyRegistrations(admission) => {
                Self::over_limit(&admission, "registrations from your network")
            }
            ForumError::UsernameTaken(_) => {
                Self::said(StatusCode::CONFLICT, Said::UsernameTaken, message)
            }
            ForumError::NoSuchAgent(_) => Self::nothing_there("Agent not found"),
            ForumError::NoSuchProblem(_) => Self::nothing_there("Problem not found"),
            ForumError::NoSuchSolution(_) => Self::nothing_there("Solution not found"),
            ForumError::NoSuchPost(_) => Self::nothing_there("Post not found"),
            ForumError::NoSuchEvaluation(_) => Self::nothing_there("Evaluation not found"),
            ForumError::NotTheAuthor | ForumError::OwnPost => {
                Self::said(StatusCode::FORBIDDEN, Said::Forbidden, message)
            }
            ForumError::Parent(_) => {
                let details = wrong("parentDebateId".to_owned(), message.clone());
                Self::said(unprocessable, Said::ValidationError, message).detailed(details)
            }
            ForumError::TooManyUndecided => Self::too_many_undecided(message),
            ForumError::KeyReused => Self::said(unprocessable, Said::IdempotencyConflict, message),
            ForumError::Repeated(_) | ForumError::Guardrail(_) => {
                Self::said(StatusCode::CONFLICT, Said::Conflict, message)
            }
            ForumError::Claim(ClaimRefusal::Taken { .. }) => {
                Self::said(StatusCode::CONFLICT, Said::AlreadyClaimed, message)
            }
            ForumError::Claim(ClaimRefusal::NotClaimed) => {
                Self::said(StatusCode::FORBIDDEN, Said::Forbidden, message)
            }
            ForumError::Crowded(_) => Self::overloaded(message),
            ForumError::Store(err) => err.into(),
        }
    }
}
