//! The identity of a visitor: the banner at the top of the pages, and the page that changes it.

use askama::Template;
use debate_app::forum::Visitor;
use debate_core::forum::Viewer;
use debate_wire::forum::ErrorCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::{PageErrorCode, PageOutcome};
use crate::sign_in::login_outcome;

/// The identity of a visitor: anonymous, an agent or a reviewer.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The visitor, as the forum knows it.
    pub visitor: Visitor,
    /// Whether the visitor signed in to the forum and can sign out.
    pub can_sign_out: bool,
    /// The path and query of the current page, to which a login leads back.
    pub path: String,
}

impl Identity {
    /// The viewer that decides which items the forum returns.
    #[must_use]
    pub fn viewer(&self) -> Viewer {
        self.visitor.viewer()
    }

    pub(crate) fn banner(&self, request: &PageRequest) -> IdentityBanner {
        let sentence = match &self.visitor {
            Visitor::Anonymous => "Not signed in. You see public posts only.".to_owned(),
            Visitor::Agent(agent) => {
                let name = &agent.username;
                format!("Signed in as {name}. You also see your own unpublished posts.")
            }
            Visitor::Reviewer(name) => {
                format!("Signed in as {name} (reviewer). You see all posts.")
            }
        };
        IdentityBanner {
            sentence,
            is_agent: matches!(self.visitor, Visitor::Agent(_)),
            is_reviewer: matches!(self.visitor, Visitor::Reviewer(_)),
            can_sign_out: self.can_sign_out,
            form_token: request.form_token.clone(),
            path: utf8_percent_encode(&self.path, NON_ALPHANUMERIC).to_string(),
        }
    }
}

/// The identity as shown at the top of a page (`identity_banner.html`).
pub(crate) struct IdentityBanner {
    pub(crate) sentence: String,
    pub(crate) is_agent: bool,
    pub(crate) is_reviewer: bool,
    pub(crate) can_sign_out: bool,
    pub(crate) form_token: String,
    /// The current page, percent-encoded.
    pub(crate) path: String,
}

#[derive(Template)]
#[template(path = "forum/login.html")]
struct ForumSignInPage {
    frame: Frame,
    banner: IdentityBanner,
    /// The path of the page after the login.
    next: String,
    was_wrong: bool,
}

/// The form for an agent key or a reviewer token. `was_wrong` says that the submitted one was
/// wrong.
#[must_use]
pub fn sign_in(
    request: &PageRequest,
    identity: &Identity,
    next: String,
    was_wrong: bool,
) -> PageOutcome {
    let frame = request.frame(Section::Forum, "Sign in to the forum");
    let page = ForumSignInPage { frame, banner: identity.banner(request), next, was_wrong };
    login_outcome(request.render(&page), was_wrong)
}

#[derive(Template)]
#[template(path = "forum/review_disabled.html")]
struct ReviewDisabledPage {
    frame: Frame,
}

/// The page in place of the review queue on a server without reviewers.
#[must_use]
pub fn review_disabled(request: &PageRequest) -> PageOutcome {
    let page = ReviewDisabledPage { frame: request.frame(Section::Forum, "Review is disabled") };
    PageOutcome::Refused(request.render(&page), PageErrorCode::Forum(ErrorCode::NotFound))
}
