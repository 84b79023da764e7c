//! The identity of a visitor of the forum's pages: anonymous, an agent or a reviewer.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_app::forum::{Forum, Visitor};
use debate_core::SessionDigest;
use debate_core::forum::HashedKey;
use debate_pages::forum::review::Reviewer;
use debate_pages::forum::{Identity, review_disabled};

use super::session_cookie::{self, SignedIdentity};
use crate::access::{is_read, redirect_to_login};
use crate::app_state::Settings;
use crate::error::ErrorResponse;
use crate::forum::ForumAccess;
use crate::pages::browser::Browser;
use crate::pages::session::{ActiveSession, COOKIES_MAX, CookieKind};

/// The identity that the cookies of a request prove. The rate limit needs it first and attaches it
/// to the request.
#[derive(Clone)]
pub(super) struct CookieIdentity {
    pub(super) visitor: Visitor,
    /// The agent's key that the cookie depends on, for an agent.
    key: Option<HashedKey>,
    /// The session of the forum's own cookie, which can be ended at `/forum/logout`.
    pub(super) session: Option<SessionDigest>,
}

impl CookieIdentity {
    /// The identity of the first valid cookie that is not revoked.
    pub(super) async fn find(
        ForumAccess { forum, settings, sessions }: &ForumAccess,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Self, StoreError> {
        for SignedIdentity { visitor, session, key } in
            find_identities(forum, settings, headers).await?
        {
            if !sessions.is_revoked(session.digest).await? {
                return Ok(Self { visitor, key, session: Some(session.digest) });
            }
        }
        let visitor = by_session(settings, extensions).unwrap_or(Visitor::Anonymous);
        Ok(Self { visitor, key: None, session: None })
    }
}

/// The identity of the browser on forum pages.
pub(crate) struct BrowserIdentity {
    pub(crate) identity: Identity,
    /// The agent's key that the cookie depends on, for an agent.
    pub(crate) key: Option<HashedKey>,
}

impl<S> FromRequestParts<S> for BrowserIdentity
where
    S: Send + Sync,
    ForumAccess: FromRef<S>,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let path = parts.uri.path_and_query().map_or("/forum", |path| path.as_str()).to_owned();
        let known = parts.extensions.get::<CookieIdentity>().cloned();
        let CookieIdentity { visitor, key, session } = if let Some(known) = known {
            known
        } else {
            let access = ForumAccess::from_ref(state);
            CookieIdentity::find(&access, &parts.headers, &parts.extensions).await?
        };
        let identity = Identity { visitor, can_sign_out: session.is_some(), path };
        Ok(Self { identity, key })
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
fn by_session(settings: &Settings, extensions: &Extensions) -> Option<Visitor> {
    let name = settings.reviewers.find_by_token(settings.token.as_ref()?)?;
    let session = extensions.get::<ActiveSession>()?;
    session.has_server_session.then(|| Visitor::Reviewer(name.to_owned()))
}

/// A reviewer; other visitors are redirected to the login.
pub(crate) struct BrowserReviewer(pub(crate) Reviewer);

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

impl<S> FromRequestParts<S> for BrowserReviewer
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    ForumAccess: FromRef<S>,
{
    type Rejection = ReviewerRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ReviewerRejection> {
        let settings = Arc::<Settings>::from_ref(state);
        if settings.reviewers.is_empty() {
            let browser = Browser::new(parts, &settings);
            return Err(browser.respond(review_disabled(&browser.request)).into());
        }
        let identity = BrowserIdentity::from_request_parts(parts, state).await;
        let BrowserIdentity { identity, .. } = identity.map_err(IntoResponse::into_response)?;
        if let Visitor::Reviewer(name) = &identity.visitor {
            return Ok(Self(Reviewer { name: name.clone(), identity }));
        }
        Err(if is_read(&parts.method) {
            redirect_to_login("/forum/login", &parts.uri).into()
        } else {
            ErrorResponse::unauthorized().into_response().into()
        })
    }
}
