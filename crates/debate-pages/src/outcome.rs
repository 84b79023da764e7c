//! The outcome of a page function, and errors as forms show them.

use debate_wire::{ErrorCode, forum};

/// The outcome of a page function. `debate-http` maps it to a status.
#[derive(Debug)]
pub enum PageOutcome {
    /// The page as HTML.
    Shown(String),
    /// The form as HTML, with an error about a field.
    Invalid(String),
    /// A page as HTML that says why the server refuses the request.
    Refused(String, PageErrorCode),
    /// The path of the page that the browser loads instead.
    MovedTo(String),
}

impl PageOutcome {
    /// A form with the error of its last submission, if there is one.
    pub(crate) fn of_form(html: String, error: Option<&ErrorReport>) -> Self {
        match error.map(|error| error.code) {
            None => Self::Shown(html),
            Some(PageErrorCode::Server(ErrorCode::InvalidInput)) => Self::Invalid(html),
            Some(code) => Self::Refused(html, code),
        }
    }
}

/// The code of an error: of the whole server, or one that only the forum has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageErrorCode {
    /// A code that all parts of the server use.
    Server(ErrorCode),
    /// A code of the forum.
    Forum(forum::ErrorCode),
}

/// An error of the API, as a page reports it.
#[derive(Debug, Clone)]
pub struct ErrorReport {
    /// The code of the error.
    pub code: PageErrorCode,
    /// The invalid field, if the error concerns one.
    pub field: Option<String>,
    /// The message of the API: lower case, without a final period.
    pub message: String,
}

impl ErrorReport {
    /// The error of a form, as a sentence that says what happens to the text in the form. `labels`
    /// maps fields to their labels.
    pub(crate) fn explain(&self, labels: &[(&str, &str)]) -> String {
        let message = labels.iter().fold(self.message.clone(), |message, (field, label)| {
            message.replace(&format!("`{field}`"), label)
        });
        let message = sentence(&message);
        let code = match self.code {
            PageErrorCode::Server(code) => code,
            PageErrorCode::Forum(_) => return message,
        };
        match code {
            ErrorCode::ActionNotAllowed => {
                "The debate has changed, and this action is no longer possible. Your text is kept \
                 below."
                    .to_owned()
            }
            ErrorCode::IdempotencyConflict => {
                "This form was already sent with different content, which was saved. If you send \
                 it again, the content below is saved as well."
                    .to_owned()
            }
            ErrorCode::Overloaded
            | ErrorCode::StorageUnavailable
            | ErrorCode::StorageFull
            | ErrorCode::InternalError => {
                format!("{message} Your text is kept below. Send it again; it is saved only once.")
            }
            ErrorCode::SeatRequired | ErrorCode::SeatInvalid => {
                "This browser has no arbitrator rights, so your text was not sent. It is kept \
                 below."
                    .to_owned()
            }
            ErrorCode::AuthFailed
            | ErrorCode::Forbidden
            | ErrorCode::InviteRequired
            | ErrorCode::SeatTaken
            | ErrorCode::SeatConflict
            | ErrorCode::NotSeated
            | ErrorCode::SeatsNotConfigured
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

    /// The field that the form marks; empty if the error concerns none.
    pub(crate) fn field_name(error: Option<&Self>) -> String {
        error.and_then(|error| error.field.clone()).unwrap_or_default()
    }
}

/// An error message of the API as a sentence: with a capital letter and a final period.
pub(crate) fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let rest = letters.as_str();
    let stop = if message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{rest}{stop}")
}
