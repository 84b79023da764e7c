//! Login to the forum with an agent's key or a reviewer's token.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::forum::Forum;
use debate_core::forum::AgentKey;
use debate_core::{Admission, Network};
use debate_pages::forum::sign_in;

use super::identity::{BrowserIdentity, find_identities};
use super::session_cookie;
use crate::access::WrongTokens;
use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::error::ErrorResponse;
use crate::forum::ForumAccess;
use crate::pages::browser::{Browser, QueryParams};
use crate::pages::form::Form;
use crate::pages::login::local_path;
use crate::pages::session::{self, CookieKind, LIFETIME_SECONDS};

pub(crate) async fn login(
    browser: Browser,
    BrowserIdentity { identity, .. }: BrowserIdentity,
    query: QueryParams,
) -> Response {
    let next = next_path(query.text("next").unwrap_or_default());
    browser.respond(sign_in(&browser.request, &identity, next, false))
}

/// A right secret is never counted.
pub(crate) async fn enter(
    State(forum): State<Forum>,
    State(wrong_tokens): State<Arc<WrongTokens>>,
    State(settings): State<Arc<Settings>>,
    ClientNetwork(network): ClientNetwork,
    BrowserIdentity { identity, .. }: BrowserIdentity,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let next = next_path(form.text("next"));
    let secret = form.text("key");
    if let Some(cookie) =
        session_cookie::issue_for_secret(&forum, &settings.reviewers, secret.trim()).await?
    {
        let kind = CookieKind::ForumIdentity;
        return Ok(form.browser.redirect_with_cookie(&next, kind, &cookie, LIFETIME_SECONDS));
    }
    count_wrong(&forum, &wrong_tokens, secret.trim(), network).await?;
    Ok(form.browser.respond(sign_in(&form.browser.request, &identity, next, true)))
}

/// Counts a wrong secret: an agent's key in the limits of the API, other text as a wrong token.
async fn count_wrong(
    forum: &Forum,
    wrong_tokens: &WrongTokens,
    secret: &str,
    network: Network,
) -> Result<(), ErrorResponse> {
    if AgentKey::parse(secret).is_err() {
        return wrong_tokens.count(network).await;
    }
    let admission = forum.count(None, network, false).await?;
    let refused = admission.filter(Admission::is_refused);
    refused.map_or(Ok(()), |admission| Err(ErrorResponse::too_often(&admission)))
}

/// The session is revoked first: while that fails the browser keeps its
/// cookie, so that the person can log out again.
pub(crate) async fn leave(
    State(ForumAccess { forum, settings, sessions }): State<ForumAccess>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let identities = find_identities(&forum, &settings, &headers).await?;
    let signed: Vec<_> = identities.iter().map(|identity| identity.session).collect();
    session::revoke(&sessions, &signed).await?;
    Ok(form.browser.redirect_with_cookie("/forum", CookieKind::ForumIdentity, "", 0))
}

/// The path of the page after the login: of this server, and of the forum without another one.
fn next_path(next: String) -> String {
    if next.is_empty() { "/forum".to_owned() } else { local_path(next) }
}
