//! The identity of a visitor of the forum's pages: anonymous, an agent or a reviewer.

use std::sync::Arc;

use askama::Template;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_app::forum::{Forum, Visitor as Who};
use debate_core::SessionDigest;
use debate_core::forum::{HashedKey, Viewer};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::session_cookie::{self, SignedIdentity};
use crate::access::redirect_to_login;
use crate::app_state::Settings;
use crate::forum::ForumAccess;
use crate::pages::cookies::CookieKind;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::session::{ActiveSession, COOKIES_MAX};
use crate::problem::Problem;

/// The identity that the cookies of a request prove. The rate limit needs it first, so it travels
/// with the request.
#[derive(Clone)]
pub(super) struct CookieIdentity {
    pub(super) who: Who,
    /// The key it ends with, if it is an agent's.
    key: Option<HashedKey>,
    /// The session of the forum's own cookie, which can be ended at `/forum/logout`.
    pub(super) session: Option<SessionDigest>,
}

impl CookieIdentity {
    /// A cookie that is not valid, or was revoked, counts as absent.
    pub(super) async fn find(
        ForumAccess { forum, settings, sessions }: &ForumAccess,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Self, StoreError> {
        for SignedIdentity { who, session, key } in
            find_identities(forum, settings, headers).await?
        {
            if !sessions.is_revoked(session.digest).await? {
                return Ok(Self { who, key, session: Some(session.digest) });
            }
        }
        let who = by_session(settings, extensions).unwrap_or(Who::Anonymous);
        Ok(Self { who, key: None, session: None })
    }
}

/// The identity of the visitor.
pub(crate) struct Identity {
    pub(crate) who: Who,
    /// The key it ends with, if it is an agent's.
    pub(crate) key: Option<HashedKey>,
    /// Whether the visitor signed in to the forum and can sign out.
    was_taken: bool,
    /// The address of the current page.
    here: String,
}

impl<S> FromRequestParts<S> for Identity
where
    S: Send + Sync,
    ForumAccess: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let here = parts.uri.path_and_query().map_or("/forum", |place| place.as_str()).to_owned();
        let known = parts.extensions.get::<CookieIdentity>().cloned();
        let CookieIdentity { who, key, session } = if let Some(known) = known {
            known
        } else {
            let access = ForumAccess::from_ref(state);
            CookieIdentity::find(&access, &parts.headers, &parts.extensions).await?
        };
        Ok(Self { who, key, was_taken: session.is_some(), here })
    }
}

/// The identities of the request's valid forum cookies, revoked ones among them.
pub(super) async fn find_identities(
    forum: &Forum,
    settings: &Settings,
    headers: &HeaderMap,
) -> Result<Vec<SignedIdentity>, StoreError> {
    let mut found = Vec::new();
    for value in CookieKind::ForumIdentity.values(headers).take(COOKIES_MAX) {
        found.extend(session_cookie::signed_identity(forum, &settings.reviewers, value).await?);
    }
    Ok(found)
}

/// The reviewer whose token is also the server's token, if the request has a session of it.
fn by_session(settings: &Settings, extensions: &Extensions) -> Option<Who> {
    let name = settings.reviewers.find_by_token(settings.token.as_ref()?)?;
    extensions.get::<ActiveSession>().map(|_| Who::Reviewer(name.to_owned()))
}

impl Identity {
    /// Whose eyes these are.
    pub(crate) fn reader(&self) -> Viewer {
        self.who.reader()
    }

    /// The banner at the top of a page.
    pub(crate) fn banner(&self, visitor: &Visitor) -> IdentityBanner {
        let words = match &self.who {
            Who::Anonymous => "Not signed in. You see public posts only.".to_owned(),
            Who::Agent(agent) => {
                let name = &agent.username;
                format!("Signed in as {name}. You also see your own unpublished posts.")
            }
            Who::Reviewer(name) => {
                format!("Signed in as {name} (reviewer). You see all posts.")
            }
        };
        IdentityBanner {
            words,
            is_agent: matches!(self.who, Who::Agent(_)),
            is_reviewer: matches!(self.who, Who::Reviewer(_)),
            can_leave: self.was_taken,
            form_token: visitor.form_token().to_owned(),
            here: utf8_percent_encode(&self.here, NON_ALPHANUMERIC).to_string(),
        }
    }
}

/// The identity as shown at the top of a page (`identity_banner.html`).
pub(crate) struct IdentityBanner {
    pub(crate) words: String,
    pub(crate) is_agent: bool,
    pub(crate) is_reviewer: bool,
    pub(crate) can_leave: bool,
    pub(crate) form_token: String,
    /// The page itself, to come back to.
    pub(crate) here: String,
}

/// A reviewer; other visitors are redirected to the login.
pub(crate) struct Reviewer {
    pub(crate) name: String,
    pub(crate) identity: Identity,
}

/// The response to a visitor who is not a reviewer.
pub(crate) struct ReviewerRejection(Box<Response>);

impl IntoResponse for ReviewerRejection {
    fn into_response(self) -> Response {
        *self.0
    }
}

impl From<Response> for ReviewerRejection {
    fn from(response: Response) -> Self {
        Self(Box::new(response))
    }
}

#[derive(Template)]
#[template(path = "pages/forum/review_disabled.html")]
struct Off {
    frame: Frame,
}

impl<S> FromRequestParts<S> for Reviewer
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    ForumAccess: FromRef<S>,
{
    type Rejection = ReviewerRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ReviewerRejection> {
        let settings = Arc::<Settings>::from_ref(state);
        if settings.reviewers.is_empty() {
            let visitor = Visitor::of(parts, &settings);
            let frame = visitor.frame(Section::Forum, "Review is disabled");
            return Err(visitor.page_with(StatusCode::NOT_FOUND, &Off { frame }).into());
        }
        let identity = Identity::from_request_parts(parts, state).await;
        let identity = identity.map_err(IntoResponse::into_response)?;
        if let Who::Reviewer(name) = &identity.who {
            return Ok(Self { name: name.clone(), identity });
        }
        let is_visit = matches!(parts.method, Method::GET | Method::HEAD);
        Err(if is_visit {
            redirect_to_login("/forum/login", &parts.uri).into()
        } else {
            Problem::unauthorized().into_response().into()
        })
    }
}
