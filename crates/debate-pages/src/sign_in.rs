//! The login page, and the page that uses a one-time code.

use askama::Template;
use debate_wire::ErrorCode;

use crate::frame::{ArbitratorAccess, Frame, PageRequest, Section};
use crate::outcome::{PageErrorCode, PageOutcome};

#[derive(Template)]
#[template(path = "login.html")]
struct SignInPage {
    frame: Frame,
    /// The path of the page after the login.
    next: String,
    /// Whether the server has a token of its own.
    accepts_server_token: bool,
    arbitrator: ArbitratorAccess,
    refusal: Option<LoginRefusal>,
}

/// The reason why a login failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginRefusal {
    /// The secret is none of those that the server accepts.
    WrongSecret,
    /// The one-time code has expired or was used before.
    InvalidCode,
}

impl SignInPage {
    fn accepts_arbitrator(&self) -> bool {
        self.arbitrator != ArbitratorAccess::NotConfigured
    }

    fn error(&self) -> Option<&'static str> {
        Some(match (self.refusal?, self.accepts_server_token, self.accepts_arbitrator()) {
            (LoginRefusal::InvalidCode, _, _) => {
                "This code has expired or was already used. Run aw open for a new link, or enter \
                 the token."
            }
            (LoginRefusal::WrongSecret, true, false) => {
                "Wrong token. Check the value of DEBATE_AUTH_TOKEN and try again."
            }
            (LoginRefusal::WrongSecret, true, true) => {
                "Wrong token. Check the value of DEBATE_AUTH_TOKEN or the arbitrator token and try \
                 again. A code works once and within five minutes."
            }
            (LoginRefusal::WrongSecret, false, _) => {
                "Wrong token. Check the arbitrator token and try again. A code works once and \
                 within five minutes."
            }
        })
    }
}

/// The form for the secrets that the server accepts, with the reason why the last login failed.
/// `accepts_server_token` says that the server has a token of its own.
#[must_use]
pub fn sign_in(
    request: &PageRequest,
    next: String,
    accepts_server_token: bool,
    refusal: Option<LoginRefusal>,
) -> PageOutcome {
    let page = SignInPage {
        frame: frame(request, "Sign in"),
        next,
        accepts_server_token,
        arbitrator: request.arbitrator,
        refusal,
    };
    login_outcome(request.render(&page), refusal.is_some())
}

#[derive(Template)]
#[template(path = "login_code.html")]
struct CodePage {
    frame: Frame,
    /// The path of the page after the login.
    next: String,
    code: String,
}

/// The page with the button that sends a one-time code. Showing it does not use the code.
#[must_use]
pub fn confirm_code(request: &PageRequest, next: String, code: String) -> PageOutcome {
    let page = CodePage { frame: frame(request, "Sign in as the arbitrator"), next, code };
    PageOutcome::Shown(request.render(&page))
}

fn frame(request: &PageRequest, title: &str) -> Frame {
    Frame { can_sign_out: false, ..request.frame(Section::None, title) }
}

pub(crate) fn login_outcome(html: String, was_wrong: bool) -> PageOutcome {
    if was_wrong {
        PageOutcome::Refused(html, PageErrorCode::Server(ErrorCode::Forbidden))
    } else {
        PageOutcome::Shown(html)
    }
}
