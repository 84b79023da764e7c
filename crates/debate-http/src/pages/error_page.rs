//! Errors as pages, and as sentences in forms.

use askama::Template;
use axum::http::{HeaderName, HeaderValue};
use debate_wire::{ErrorCode, forum};

use super::page::{self, Frame, Section};
use crate::paths::BasePath;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/error.html")]
struct ErrorPage {
    frame: Frame,
    status: u16,
    headline: &'static str,
    message: String,
    advice: &'static str,
}

/// The error as a page, and the page's headers; none if rendering fails.
pub(crate) fn render(
    problem: &Problem,
    section: Section,
    base_path: &BasePath,
) -> Option<([(HeaderName, HeaderValue); 3], String)> {
    let (headline, advice) =
        problem.forum_code().map_or_else(|| wording(problem.code()), forum_wording);
    let page = ErrorPage {
        frame: Frame { section, ..Frame::plain(headline) },
        status: problem.status().as_u16(),
        headline,
        message: sentence(&problem.message(&[])),
        advice,
    };
    Some((page::page_headers(), page::render(&page, base_path)?))
}

/// The error of a form, as a sentence that says what happens to the text in the form. `names` maps
/// fields to their labels.
pub(super) fn explain(problem: &Problem, names: &[(&str, &str)]) -> String {
    let message = sentence(&problem.message(names));
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
            format!("{message} Your text is kept below. Send it again; it is saved only once.")
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
        | ErrorCode::DebateDeleted => message,
    }
}

/// An error message of the API as a sentence: with a capital letter and a final period.
pub(super) fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let rest = letters.as_str();
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{rest}{stop}")
}

/// The headline of an error page, and the advice below it.
const fn wording(code: ErrorCode) -> (&'static str, &'static str) {
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

/// The same for the codes that only the forum has.
const fn forum_wording(code: forum::ErrorCode) -> (&'static str, &'static str) {
    use forum::ErrorCode as Forum;

    match code {
        Forum::NotFound => (
            "Page not found",
            "It may have been deleted, or it is not public. To see your own unpublished posts, \
             sign in to the forum.",
        ),
        Forum::InvalidCursor | Forum::ValidationError => {
            ("Invalid request", "Check the address, or start at the forum’s first page.")
        }
        Forum::Unauthorized | Forum::Forbidden => {
            ("Access denied", "Sign in to the forum with a key or token that allows this.")
        }
        Forum::AlreadyClaimed | Forum::Conflict | Forum::UsernameTaken => (
            "Not possible now",
            "The item has changed. Check its current state, then decide again.",
        ),
        Forum::IdempotencyConflict => wording(ErrorCode::IdempotencyConflict),
        Forum::RateLimitExceeded => ("Too many requests", "Wait a moment, then reload the page."),
        Forum::ContentTooLarge => wording(ErrorCode::ContentTooLarge),
        Forum::UnsupportedMediaType => wording(ErrorCode::UnsupportedMediaType),
        Forum::RequestTimeout => wording(ErrorCode::RequestTimeout),
        Forum::MethodNotAllowed => wording(ErrorCode::MethodNotAllowed),
        Forum::Overloaded => wording(ErrorCode::Overloaded),
        Forum::StorageUnavailable => wording(ErrorCode::StorageUnavailable),
        Forum::StorageFull => wording(ErrorCode::StorageFull),
        Forum::InternalError => wording(ErrorCode::InternalError),
    }
}
