//! Errors as pages: a headline, the message of the API, and advice.

use askama::Template;
use debate_wire::{ErrorCode, forum};

use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::{ErrorReport, PageErrorCode, sentence};

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    status: u16,
    headline: &'static str,
    message: String,
    advice: &'static str,
}

/// The page of an error in a section of the site. `status` is the number that the page shows.
#[must_use]
pub fn error_page(report: &ErrorReport, status: u16, section: Section, base_path: &str) -> String {
    let (headline, advice) = match report.code {
        PageErrorCode::Server(code) => wording(code),
        PageErrorCode::Forum(code) => forum_wording(code),
    };
    let request = PageRequest { base_path: base_path.to_owned(), ..PageRequest::default() };
    let frame = request.frame(section, headline);
    let message = sentence(&report.message);
    request.render(&ErrorPage { frame, status, headline, message, advice })
}

/// The headline of an error page, and the advice below it.
type Wording = (&'static str, &'static str);

const ARBITRATOR_NEEDED: Wording = (
    "Arbitrator rights needed",
    "Open the debate with the command aw open, or sign in with the arbitrator token at /login, \
     then try again.",
);

const INVITE_NEEDED: Wording = ("Invite needed", "Ask the creator of the debate for its invite.");

const SEAT_UNAVAILABLE: Wording =
    ("Not possible now", "The debate’s page shows its participants and free seats.");

const SEATS_NOT_CONFIGURED: Wording = (
    "Seats are not configured",
    "The operator sets DEBATE_ARBITRATOR_TOKEN_FILE; without it, create an open debate.",
);

const STORAGE_UNAVAILABLE: Wording = (
    "Database unavailable",
    "Saved data is not lost. Reload the page in a moment; /health shows when the database is \
     available again.",
);

const fn wording(code: ErrorCode) -> Wording {
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
        ErrorCode::SeatRequired | ErrorCode::SeatInvalid => ARBITRATOR_NEEDED,
        ErrorCode::InviteRequired => INVITE_NEEDED,
        ErrorCode::SeatTaken | ErrorCode::SeatConflict | ErrorCode::NotSeated => SEAT_UNAVAILABLE,
        ErrorCode::SeatsNotConfigured => SEATS_NOT_CONFIGURED,
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
        ErrorCode::StorageUnavailable => STORAGE_UNAVAILABLE,
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
const fn forum_wording(code: forum::ErrorCode) -> Wording {
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
