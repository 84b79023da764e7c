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
            "The debate has moved on, and this is not possible any more. What you wrote is kept \
             here."
                .to_owned()
        }
        ErrorCode::IdempotencyConflict => {
            "This was sent before with other words. Look at the debate first; if you send this, \
             it is a new one."
                .to_owned()
        }
        ErrorCode::Overloaded
        | ErrorCode::StorageUnavailable
        | ErrorCode::StorageFull
        | ErrorCode::InternalError => {
            format!("{what} What you wrote is kept here: send it again, it counts once.")
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
            "You are logged out",
            "Log in in another tab, then reload this page: what you sent is sent again, once.",
        ),
        ErrorCode::Forbidden => (
            "Refused",
            "Open the page by the address the server printed at start, reload it, and try again.",
        ),
        ErrorCode::ActionNotAllowed => (
            "Not possible now",
            "The debate has moved on. Look at where it stands, then decide again.",
        ),
        ErrorCode::InvalidInput => ("That makes no sense", "Check the address, or go back."),
        ErrorCode::ContentTooLarge => ("Too long", "Go back, shorten it, and send it again."),
        ErrorCode::UnsupportedMediaType | ErrorCode::UpgradeRequired => {
            ("Not understood", "Use the form on the page.")
        }
        ErrorCode::RequestTimeout => ("Too slow", "Reload the page to send it again."),
        ErrorCode::NotFound => ("There is nothing here", "The address may be mistyped."),
        ErrorCode::MethodNotAllowed => ("Not that way", "Use the links and forms on the pages."),
        ErrorCode::DebateNotFound => {
            ("No such debate", "It may have been deleted, or the address is mistyped.")
        }
        ErrorCode::ArgumentNotFound => ("No such argument", "Look for it in the debate."),
        ErrorCode::DebateExists => ("This debate exists already", "Open a new one instead."),
        ErrorCode::DebateDeleted => ("This debate was deleted", "Open a new one instead."),
        ErrorCode::IdempotencyConflict => (
            "Sent before, with other words",
            "Look at the debate: your first version is there. Then send a new one if need be.",
        ),
        ErrorCode::RateLimited => {
            ("Too many wrong tokens", "Check the token. The right one is accepted at any time.")
        }
        ErrorCode::Overloaded => ("Too busy", "Reload the page in a moment."),
        ErrorCode::StorageUnavailable => (
            "The storage is away",
            "Nothing is lost. Reload the page in a moment; /health tells when it is back.",
        ),
        ErrorCode::StorageFull => (
            "The disk is full",
            "Reading goes on. Free some space on the server, and writing goes on by itself.",
        ),
        ErrorCode::InternalError => (
            "The server made a mistake",
            "Its log has the details. Reload the page; if it happens again, report it.",
        ),
    }
}

/// The same, of what only the forum has words for.
const fn forum_words(code: forum::ErrorCode) -> (&'static str, &'static str) {
    use forum::ErrorCode as Said;

    match code {
        Said::NotFound => (
            "There is nothing here",
            "It may have been deleted, or is not public: whoever wrote it sees it from its seat.",
        ),
        Said::InvalidCursor | Said::ValidationError => {
            ("That makes no sense", "Check the address, or begin at the forum’s first page.")
        }
        Said::Unauthorized | Said::Forbidden => {
            ("Refused", "Take a seat in the forum that may do this, and try again.")
        }
        Said::AlreadyClaimed | Said::Conflict | Said::UsernameTaken => {
            ("Not possible now", "It has moved on. Look at where it stands, then decide again.")
        }
        Said::IdempotencyConflict => words(ErrorCode::IdempotencyConflict),
        Said::RateLimitExceeded => ("Too many requests", "Wait, then reload the page."),
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
