//! The format of error bodies, one for each router.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use debate_pages::Section;
use debate_pages::error_page::error_page;
use debate_wire::{ErrorCode, Failure, forum, runner};
use serde::Serialize;

use super::{ErrorResponse, HOST};
use crate::pages::page_headers;
use crate::paths::BasePath;
use crate::request_layer::id_to_text;

/// The format in which a router's errors are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// The arena's envelope, also used by the system routes.
    Arena,
    /// The arena's envelope with `detail`, and 422 instead of 400 for invalid input.
    Runner,
    /// The envelope of the forum, with its own codes.
    Forum,
    /// A page of a section of the site.
    Page(Section),
    /// A page for a browser, the arena's envelope for other clients.
    PageOrArena,
}

impl ErrorFormat {
    /// The format that a client with these headers gets.
    pub(crate) fn for_client(self, headers: &HeaderMap) -> Self {
        match self {
            Self::PageOrArena if accepts_html(headers) => Self::Page(Section::None),
            Self::PageOrArena => Self::Arena,
            Self::Arena | Self::Runner | Self::Forum | Self::Page(_) => self,
        }
    }

    /// Adds the body to the response of an [`ErrorResponse`]. Other responses stay as they are.
    pub(crate) fn render(
        self,
        mut response: Response,
        request_id: &HeaderValue,
        base_path: &BasePath,
    ) -> Response {
        let Some(error) = response.extensions_mut().remove::<ErrorResponse>() else {
            return response;
        };
        let (mut parts, _) = response.into_parts();
        match self {
            Self::Arena | Self::PageOrArena => json(parts, &error.into_arena_body()),
            Self::Runner => {
                parts.status = error.runner_status();
                json(parts, &error.into_runner_body())
            }
            Self::Forum => json(parts, &error.into_forum_body(id_to_text(request_id))),
            Self::Page(section) => {
                let (report, status) = (error.report(), error.status().as_u16());
                parts.headers.extend(page_headers());
                let html = error_page(&report, status, section, base_path.as_str());
                Response::from_parts(parts, Body::from(html))
            }
        }
    }
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|types| types.contains("text/html"))
}

fn json(mut parts: Parts, body: &impl Serialize) -> Response {
    let body = serde_json::to_vec(body).expect("error bodies consist of strings and numbers");
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(body))
}

impl ErrorResponse {
    fn into_arena_body(self) -> Failure {
        Failure { success: false, error: *self.error }
    }

    /// The status in the runner's responses: 422 for invalid input in the body or the query.
    fn runner_status(&self) -> StatusCode {
        let is_about_host = self.error.field.as_deref() == Some(HOST);
        if self.status == StatusCode::BAD_REQUEST && !is_about_host {
            StatusCode::UNPROCESSABLE_ENTITY
        } else {
            self.status
        }
    }

    fn into_runner_body(mut self) -> runner::Failure {
        if self.error.code == ErrorCode::ContentTooLarge {
            self.error.suggestion = Some("shorten the topic".to_owned());
            self.error.max_length = None;
        }
        let detail = self.error.message.clone();
        runner::Failure { success: false, error: *self.error, detail }
    }

    fn into_forum_body(self, request_id: String) -> forum::Failure {
        let error = *self.error;
        let error = if let Some((code, details)) = self.forum {
            forum::ErrorBody { code, message: error.message, details }
        } else {
            let suggestion = error.suggestion.map(|suggestion| format!("; {suggestion}"));
            let message = error.message + &suggestion.unwrap_or_default();
            let details = error.field.map(|field| invalid_field(field, message.clone()));
            forum::ErrorBody { code: forum_code(error.code), message, details }
        };
        forum::Failure { ok: false, error, request_id }
    }
}

/// Details that name one invalid field.
pub(super) fn invalid_field(field: String, reason: String) -> forum::Details {
    let fields = BTreeMap::from([(field, vec![reason])]);
    forum::Details::Fields(forum::InvalidFields { fields })
}

/// The forum's code for an error that all formats have.
const fn forum_code(code: ErrorCode) -> forum::ErrorCode {
    use forum::ErrorCode as Forum;

    match code {
        ErrorCode::AuthFailed | ErrorCode::SeatRequired => Forum::Unauthorized,
        ErrorCode::Forbidden
        | ErrorCode::ActionNotAllowed
        | ErrorCode::SeatInvalid
        | ErrorCode::InviteRequired => Forum::Forbidden,
        ErrorCode::InvalidInput | ErrorCode::UpgradeRequired => Forum::ValidationError,
        ErrorCode::ContentTooLarge => Forum::ContentTooLarge,
        ErrorCode::UnsupportedMediaType => Forum::UnsupportedMediaType,
        ErrorCode::RequestTimeout => Forum::RequestTimeout,
        ErrorCode::NotFound | ErrorCode::DebateNotFound | ErrorCode::ArgumentNotFound => {
            Forum::NotFound
        }
        ErrorCode::MethodNotAllowed => Forum::MethodNotAllowed,
        ErrorCode::DebateExists
        | ErrorCode::DebateDeleted
        | ErrorCode::SeatTaken
        | ErrorCode::SeatConflict
        | ErrorCode::NotSeated
        | ErrorCode::SeatsNotConfigured => Forum::Conflict,
        ErrorCode::IdempotencyConflict => Forum::IdempotencyConflict,
        ErrorCode::RateLimited => Forum::RateLimitExceeded,
        ErrorCode::Overloaded => Forum::Overloaded,
        ErrorCode::StorageUnavailable => Forum::StorageUnavailable,
        ErrorCode::StorageFull => Forum::StorageFull,
        ErrorCode::InternalError => Forum::InternalError,
    }
}
