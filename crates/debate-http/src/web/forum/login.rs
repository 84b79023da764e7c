//! The forum's own door: an agent's key or a reviewer's token, once, for a seat.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use debate_app::forum::Forum;
use debate_core::forum::AgentKey;
use debate_core::{Admission, Network};

use super::pass;
use super::seat::{Seat, Sits, find_holders};
use crate::client::ClientNetwork;
use crate::edge::Settings;
use crate::forum::Doorway;
use crate::problem::Problem;
use crate::web::cookies::Cookie;
use crate::web::form::Form;
use crate::web::login::own_page;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;
use crate::web::session::{self, LIFETIME_SECONDS};
use crate::wrong_tokens::WrongTokens;

#[derive(Template)]
#[template(path = "web/forum/login.html")]
struct Door {
    frame: Frame,
    sits: Sits,
    /// Where to go from here.
    next: String,
    was_wrong: bool,
}

impl Door {
    fn new(visitor: &Visitor, seat: &Seat, next: String, was_wrong: bool) -> Self {
        let frame = visitor.frame(Part::Forum, "Sign in to the forum");
        Self { frame, sits: seat.shown(visitor), next, was_wrong }
    }
}

/// `GET /forum/login`
pub(crate) async fn login(visitor: Visitor, seat: Seat, asked: Asked) -> Response {
    let next = onwards(asked.text("next").unwrap_or_default());
    visitor.page(&Door::new(&visitor, &seat, next, false))
}

/// `POST /forum/login`. A right secret is never counted.
pub(crate) async fn enter(
    State(forum): State<Forum>,
    State(wrong_tokens): State<Arc<WrongTokens>>,
    State(settings): State<Arc<Settings>>,
    ClientNetwork(network): ClientNetwork,
    seat: Seat,
    form: Form,
) -> Result<Response, Problem> {
    let next = onwards(form.text("next"));
    let secret = form.text("key");
    if let Some(pass) = pass::for_secret(&forum, &settings.reviewers, secret.trim()).await? {
        return Ok(form.visitor.send_on(&next, Cookie::Seat, &pass, LIFETIME_SECONDS));
    }
    count_wrong(&forum, &wrong_tokens, secret.trim(), network).await?;
    let door = Door::new(&form.visitor, &seat, next, true);
    Ok(form.visitor.page_with(StatusCode::FORBIDDEN, &door))
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
    State(Doorway { forum, settings, sessions }): State<Doorway>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Problem> {
    let holders = find_holders(&forum, &settings, &headers).await?;
    let signed: Vec<_> = holders.iter().map(|holder| holder.session).collect();
    session::revoke(&sessions, &signed).await?;
    Ok(form.visitor.send_on("/forum", Cookie::Seat, "", 0))
}

/// One of our own pages, and the forum where none was asked for.
fn onwards(next: String) -> String {
    if next.is_empty() { "/forum".to_owned() } else { own_page(next) }
}
