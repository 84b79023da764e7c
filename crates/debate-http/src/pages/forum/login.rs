//! Login to the forum with an agent's key or a reviewer's token.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use debate_app::forum::Forum;
use debate_core::forum::AgentKey;
use debate_core::{Admission, Network};

use super::identity::{Identity, IdentityBanner, find_identities};
use super::session_cookie;
use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::forum::ForumAccess;
use crate::pages::cookies::CookieKind;
use crate::pages::form::Form;
use crate::pages::login::local_path;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::pages::session::{self, LIFETIME_SECONDS};
use crate::problem::Problem;
use crate::wrong_tokens::WrongTokens;

#[derive(Template)]
#[template(path = "pages/forum/login.html")]
struct LoginPage {
    frame: Frame,
    banner: IdentityBanner,
    /// The page after the login.
    next: String,
    was_wrong: bool,
}

impl LoginPage {
    fn new(visitor: &Visitor, identity: &Identity, next: String, was_wrong: bool) -> Self {
        let frame = visitor.frame(Section::Forum, "Sign in to the forum");
        Self { frame, banner: identity.banner(visitor), next, was_wrong }
    }
}

/// `GET /forum/login`
pub(crate) async fn login(visitor: Visitor, identity: Identity, asked: QueryParams) -> Response {
    let next = onwards(asked.text("next").unwrap_or_default());
    visitor.page(&LoginPage::new(&visitor, &identity, next, false))
}

/// `POST /forum/login`. A right secret is never counted.
pub(crate) async fn enter(
    State(forum): State<Forum>,
    State(wrong_tokens): State<Arc<WrongTokens>>,
    State(settings): State<Arc<Settings>>,
    ClientNetwork(network): ClientNetwork,
    identity: Identity,
    form: Form,
) -> Result<Response, Problem> {
    let next = onwards(form.text("next"));
    let secret = form.text("key");
    if let Some(cookie) =
        session_cookie::issue_for_secret(&forum, &settings.reviewers, secret.trim()).await?
    {
        return Ok(form.visitor.send_on(
            &next,
            CookieKind::ForumIdentity,
            &cookie,
            LIFETIME_SECONDS,
        ));
    }
    count_wrong(&forum, &wrong_tokens, secret.trim(), network).await?;
    let page = LoginPage::new(&form.visitor, &identity, next, true);
    Ok(form.visitor.page_with(StatusCode::FORBIDDEN, &page))
}

/// Counts a wrong secret: an agent's key like one that the API is sent, anything else as a token.
async fn count_wrong(
    forum: &Forum,
    wrong_tokens: &WrongTokens,
    secret: &str,
    network: Network,
) -> Result<(), Problem> {
    if AgentKey::parse(secret).is_err() {
        return wrong_tokens.count(network).await;
    }
    let admission = forum.count(None, network, false).await?;
    let refused = admission.filter(Admission::is_refused);
    refused.map_or(Ok(()), |admission| Err(Problem::too_often(&admission)))
}

/// `POST /forum/logout`. The session is revoked first: while that fails the browser keeps its
/// cookie, so that the visitor can log out again.
pub(crate) async fn leave(
    State(ForumAccess { forum, settings, sessions }): State<ForumAccess>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Problem> {
    let holders = find_identities(&forum, &settings, &headers).await?;
    let signed: Vec<_> = holders.iter().map(|signed_identity| signed_identity.session).collect();
    session::revoke(&sessions, &signed).await?;
    Ok(form.visitor.send_on("/forum", CookieKind::ForumIdentity, "", 0))
}

/// One of our own pages, and the forum where none was asked for.
fn onwards(next: String) -> String {
    if next.is_empty() { "/forum".to_owned() } else { local_path(next) }
}
