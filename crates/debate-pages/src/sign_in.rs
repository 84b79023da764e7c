//! The login page of a server with a token.

use askama::Template;
use debate_wire::ErrorCode;

use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::{PageErrorCode, PageOutcome};

#[derive(Template)]
#[template(path = "login.html")]
struct SignInPage {
    frame: Frame,
    /// The path of the page after the login.
    next: String,
    was_wrong: bool,
}

/// The form for the server's token. `was_wrong` says that the submitted token was wrong.
#[must_use]
pub fn sign_in(request: &PageRequest, next: String, was_wrong: bool) -> PageOutcome {
    let frame = Frame { can_sign_out: false, ..request.frame(Section::None, "Sign in") };
    login_outcome(request.render(&SignInPage { frame, next, was_wrong }), was_wrong)
}

pub(crate) fn login_outcome(html: String, was_wrong: bool) -> PageOutcome {
    if was_wrong {
        PageOutcome::Refused(html, PageErrorCode::Server(ErrorCode::Forbidden))
    } else {
        PageOutcome::Shown(html)
    }
}
