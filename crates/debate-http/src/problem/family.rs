//! The error envelope of each API family.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use debate_wire::{ErrorCode, forum, runner};
use serde::Serialize;

use super::Problem;
use super::head::HOST;
use crate::request_id::text_of;

/// API family of a path. Each family has its own error envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Arena,
    Runner,
    Forum,
}

impl Family {
    pub(crate) fn of(path: &str) -> Self {
        let is_below = |folder| {
            let rest: Option<&str> = path.strip_prefix(folder);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match (is_below("/runner"), is_below("/api/v1")) {
            (true, _) => Self::Runner,
            (false, true) => Self::Forum,
            (false, false) => Self::Arena,
        }
    }

    /// Rewrites an error to the envelope of this family; other responses stay as they are. Errors
    /// have the envelope of the arena until the family is known.
    pub(crate) fn retold(self, mut response: Response, request_id: &HeaderValue) -> Response {
        let problem = response.extensions_mut().remove::<Problem>();
        match (self, problem) {
            (Self::Runner, Some(problem)) => problem.for_the_runner(response),
            (Self::Forum, Some(problem)) => problem.for_the_forum(response, request_id),
            (Self::Runner | Self::Forum, None) | (Self::Arena, _) => response,
        }
    }
}

impl Problem {
    /// The error with `detail` added, and 422 instead of 400 for invalid input.
    fn for_the_runner(mut self, told: Response) -> Response {
        if self.error.code == ErrorCode::ContentTooLarge {
            self.error.suggestion = Some("shorten the topic".to_owned());
            self.error.max_length = None;
        }
        let is_about_head = self.error.field.as_deref() == Some(HOST);
        let detail = self.error.message.clone();
        let failure = runner::Failure { success: false, error: *self.error, detail };
        let mut told = with_body(told, &failure);
        if self.status == StatusCode::BAD_REQUEST && !is_about_head {
            *told.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
        }
        told
    }

    /// The error in the envelope of the forum.
    fn for_the_forum(self, told: Response, request_id: &HeaderValue) -> Response {
        let error = *self.error;
        let error = if let Some((code, details)) = self.forum {
            forum::ErrorBody { code, message: error.message, details }
        } else {
            let advice = error.suggestion.map(|advice| format!("; {advice}"));
            let message = error.message + &advice.unwrap_or_default();
            let details = error.field.map(|field| wrong(field, message.clone()));
            forum::ErrorBody { code: forum_code(error.code), message, details }
        };
        let failure = forum::Failure { ok: false, error, request_id: text_of(request_id) };
        with_body(told, &failure)
    }
}

/// Details that name one invalid field.
pub(super) fn wrong(field: String, why: String) -> forum::Details {
    let fields = BTreeMap::from([(field, vec![why])]);
    forum::Details::Fields(forum::InvalidFields { fields })
}

fn with_body(told: Response, body: &impl Serialize) -> Response {
    let body = serde_json::to_vec(body).expect("our own types are made of strings");
    let (mut parts, _) = told.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(body))
}

/// The forum's code for an error that all families have.
const fn forum_code(code: ErrorCode) -> forum::ErrorCode {
    use forum::ErrorCode as Said;

    match code {
        ErrorCode::AuthFailed => Said::Unauthorized,
        ErrorCode::Forbidden | ErrorCode::ActionNotAllowed => Said::Forbidden,
        ErrorCode::InvalidInput | ErrorCode::UpgradeRequired => Said::ValidationError,
        ErrorCode::ContentTooLarge => Said::ContentTooLarge,
        ErrorCode::UnsupportedMediaType => Said::UnsupportedMediaType,
        ErrorCode::RequestTimeout => Said::RequestTimeout,
        ErrorCode::NotFound | ErrorCode::DebateNotFound | ErrorCode::ArgumentNotFound => {
            Said::NotFound
        }
        ErrorCode::MethodNotAllowed => Said::MethodNotAllowed,
        ErrorCode::DebateExists | ErrorCode::DebateDeleted => Said::Conflict,
        ErrorCode::IdempotencyConflict => Said::IdempotencyConflict,
        ErrorCode::RateLimited => Said::RateLimitExceeded,
        ErrorCode::Overloaded => Said::Overloaded,
        ErrorCode::StorageUnavailable => Said::StorageUnavailable,
        ErrorCode::StorageFull => Said::StorageFull,
        ErrorCode::InternalError => Said::InternalError,
    }
}
