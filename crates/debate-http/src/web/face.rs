//! Who is answered: a person, who gets a page even when something went wrong, or a program.

use askama::Template;
use axum::extract::{MatchedPath, Request};
use axum::http::header::{ACCEPT, LOCATION};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use debate_wire::{ErrorCode, forum};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::page::{self, Frame, Part};
use crate::paths::BasePath;
use crate::problem::Problem;

/// How an answer looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    /// Like a page of this part.
    Page(Part),
    /// Like the contract's envelope.
    Envelope,
}

impl Face {
    pub(crate) fn of(request: &Request) -> Self {
        let path = request.uri().path();
        let is_known = request.extensions().get::<MatchedPath>().is_some();
        let is_lost = path == "/docs" || !is_known;
        match Part::at(path) {
            Some(part) => Self::Page(part),
            None if is_lost && is_browser(request) => Self::Page(Part::Elsewhere),
            None => Self::Envelope,
        }
    }

    /// What someone gets who has no business here yet: the way to the door.
    pub(crate) fn turned_away(self, request: &Request) -> Response {
        let is_visit = matches!(*request.method(), Method::GET | Method::HEAD);
        if self != Self::Envelope && is_visit {
            return to_door("/login", request.uri());
        }
        Problem::unauthorized().into_response()
    }

    /// The answer as whoever asked can read it.
    pub(crate) fn show(self, response: Response, base_path: &BasePath) -> Response {
        let problem = response.extensions().get::<Problem>().cloned();
        match (self, problem) {
            (Self::Page(part), Some(problem)) => dressed(response, &problem, part, base_path),
            (Self::Page(_) | Self::Envelope, _) => response,
        }
    }
}

/// The way to a door, and from there to where one wanted to go.
pub(super) fn to_door(door: &str, wanted: &Uri) -> Response {
    let place = wanted.path_and_query().map_or("/", |place| place.as_str());
    let place = utf8_percent_encode(place, NON_ALPHANUMERIC);
    Redirect::to(&format!("{door}?next={place}")).into_response()
}

/// Nothing is there. A page's address with slashes at its end leads to the page.
pub(crate) async fn lost(method: Method, uri: Uri) -> Response {
    let place = uri.path().trim_end_matches('/');
    let is_visit = matches!(method, Method::GET | Method::HEAD);
    if is_visit && place != uri.path() && Part::at(place).is_some() {
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Redirect::permanent(&format!("{place}{query}")).into_response();
    }
    Problem::no_such_route().into_response()
}

fn is_browser(request: &Request) -> bool {
    let accepts = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
    accepts.is_some_and(|kinds| kinds.contains("text/html"))
}

#[derive(Template)]
#[template(path = "web/oops.html")]
struct Oops {
    frame: Frame,
    status: u16,
    headline: &'static str,
    message: String,
    advice: &'static str,
}

/// The same answer with a page for its body. What it says in its headers stays.
fn dressed(response: Response, problem: &Problem, part: Part, base_path: &BasePath) -> Response {
    let (mut parts, _) = response.into_parts();
    let (headline, advice) =
        problem.forum_code().map_or_else(|| words(problem.code()), forum_words);
    let frame = Frame { part, ..Frame::plain(headline) };
    let status = parts.status.as_u16();
    let message = sentence(&problem.message(&[]));
    let shown = page::html(&Oops { frame, status, headline, message, advice }, base_path);
    if shown.status() == StatusCode::OK {
        let (page, body) = shown.into_parts();
        parts.headers.remove(LOCATION);
        parts.headers.extend(page.headers);
        return Response::from_parts(parts, body);
    }
    shown
}

/// What went wrong with a form whose fields are called so, and what to do with what was written.
pub(super) fn explained(problem: &Problem, names: &[(&str, &str)]) -> String {
    let what = sentence(&problem.message(names));
    match problem.code() {
        ErrorCode::ActionNotAllowed => {
            "The debate has changed, and this action is no longer possible. Your text is kept \
             below."
                .to_owned()
        }
        ErrorCode::IdempotencyConflict => {
            "This form was already sent with different content, which was saved. If you send it \
             again, the content below is saved as well."
                .to_owned()
        }
        ErrorCode::Overloaded
        | ErrorCode::StorageUnavailable
        | ErrorCode::StorageFull
        | ErrorCode::InternalError => {
            format!("{what} Your text is kept below. Send it again; it is saved only once.")
        }
        ErrorCode::AuthFailed
        | ErrorCode::Forbidden
        | ErrorCode::InvalidInput
        | ErrorCode::ContentTooLarge
        | ErrorCode::UnsupportedMediaType
        | ErrorCode::UpgradeRequired
        | ErrorCode::RequestTimeout
        | ErrorCode::RateLimited
        | ErrorCode::NotFound
        | ErrorCode::MethodNotAllowed
        | ErrorCode::DebateNotFound
        | ErrorCode::ArgumentNotFound
        | ErrorCode::DebateExists
        | ErrorCode::DebateDeleted => what,
    }
}

/// A message of the contract as a sentence of a page.
pub(super) fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let rest = letters.as_str();
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{rest}{stop}")
}

/// What a person is told of an error, and what to do.
const fn words(code: ErrorCode) -> (&'static str, &'static str) {
    match code {
        ErrorCode::AuthFailed => (
            "You are signed out",
            "Sign in from another tab, then reload this page to send the form again. It is saved \
             only once.",
        ),
        ErrorCode::Forbidden => (
            "Request refused",
            "Open the page at the address that the server printed at startup, then try again.",
        ),
        ErrorCode::ActionNotAllowed => (
            "Not possible now",
            "The debate has changed. Check its current state, then decide again.",
        ),
        ErrorCode::InvalidInput => ("Invalid request", "Check the address, or go back."),
        ErrorCode::ContentTooLarge => {
            ("Text too long", "Go back, shorten the text, and send it again.")
        }
        ErrorCode::UnsupportedMediaType | ErrorCode::UpgradeRequired => {
            ("Unsupported request", "Use the form on the page.")
        }
        ErrorCode::RequestTimeout => ("Request timed out", "Reload the page to try again."),
        ErrorCode::NotFound => ("Page not found", "Check the address."),
        ErrorCode::MethodNotAllowed => {
            ("Method not allowed", "Use the links and forms on the pages.")
        }
        ErrorCode::DebateNotFound => {
            ("Debate not found", "It may have been deleted. Check the address.")
        }
        ErrorCode::ArgumentNotFound => {
            ("Argument not found", "Open the debate and look for it there.")
        }
        ErrorCode::DebateExists => ("This debate already exists", "Create a new debate instead."),
        ErrorCode::DebateDeleted => ("This debate was deleted", "Create a new debate instead."),
        ErrorCode::IdempotencyConflict => (
            "Already sent with different content",
            "The first version was saved. Check it, then send a new form if needed.",
        ),
        ErrorCode::RateLimited => {
            ("Too many wrong tokens", "Check the token. The correct token is always accepted.")
        }
        ErrorCode::Overloaded => ("Server overloaded", "Reload the page in a few seconds."),
        ErrorCode::StorageUnavailable => (
            "Database unavailable",
            "Saved data is not lost. Reload the page in a moment; /health shows when the database \
             is available again.",
        ),
        ErrorCode::StorageFull => (
            "Disk full",
            "Reading still works. Free some disk space on the server; writing then resumes \
             automatically.",
        ),
        ErrorCode::InternalError => (
            "Internal server error",
            "The server’s log has the details. Reload the page; if the error persists, report it.",
        ),
    }
}

/// The same, of what only the forum has words for.
const fn forum_words(code: forum::ErrorCode) -> (&'static str, &'static str) {
    use forum::ErrorCode as Said;

    match code {
        Said::NotFound => (
            "Page not found",
            "It may have been deleted, or it is not public. To see your own unpublished posts, \
             sign in to the forum.",
        ),
        Said::InvalidCursor | Said::ValidationError => {
            ("Invalid request", "Check the address, or start at the forum’s first page.")
        }
        Said::Unauthorized | Said::Forbidden => {
            ("Access denied", "Sign in to the forum with a key or token that allows this.")
        }
        Said::AlreadyClaimed | Said::Conflict | Said::UsernameTaken => (
            "Not possible now",
            "The item has changed. Check its current state, then decide again.",
        ),
        Said::IdempotencyConflict => words(ErrorCode::IdempotencyConflict),
        Said::RateLimitExceeded => ("Too many requests", "Wait a moment, then reload the page."),
        Said::ContentTooLarge => words(ErrorCode::ContentTooLarge),
        Said::UnsupportedMediaType => words(ErrorCode::UnsupportedMediaType),
        Said::RequestTimeout => words(ErrorCode::RequestTimeout),
        Said::MethodNotAllowed => words(ErrorCode::MethodNotAllowed),
        Said::Overloaded => words(ErrorCode::Overloaded),
        Said::StorageUnavailable => words(ErrorCode::StorageUnavailable),
        Said::StorageFull => words(ErrorCode::StorageFull),
        Said::InternalError => words(ErrorCode::InternalError),
    }
}
